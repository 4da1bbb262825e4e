//! What people read of an evaluation: tables, charts, a page, and what the figures say.
//!
//! ```text
//! Results -> sheets -> Markdown, HTML, terminal
//!         -> charts -> HTML
//!         -> findings -> all of them
//! ```
//!
//! Everything is a function of the results: the same bytes whenever it is written. Times, which no two runs share, are
//! shown by [`sheets`] where they are given, and nowhere else.

mod about;
mod chart;
mod figures;
mod findings;
mod html;
mod leaderboard;
mod markdown;
mod select;
mod sheet;
mod sheets;
mod terminal;
mod words;

pub use chart::Chart;
pub use findings::{Finding, findings};
pub use html::html;
pub use leaderboard::{LeaderboardError, UnreadableResults, leaderboard};
pub use markdown::markdown;
pub use sheet::{Align, Column, Entry, Group, Sheet};
pub use sheets::sheets;
pub use terminal::{Terminal, terminal};

use crate::Results;

/// All charts, those of the shortest lists first in each table.
pub fn charts(results: &Results) -> Vec<Chart> {
    let tables = select::tables(results).into_iter();
    let views = tables
        .flat_map(|table| select::ks(results, table).into_iter().map(move |k| select::View { table, k }));
    views.flat_map(|view| [chart::first(results, view), chart::further(results, view)].concat()).collect()
}

#[cfg(test)]
mod tests;
