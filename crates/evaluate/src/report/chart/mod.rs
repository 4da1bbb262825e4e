//! Charts of a report, as SVG: no script, no fonts, light and dark, told apart without colour.

mod bars;
mod curves;
mod lines;
mod look;
mod scale;
mod svg;

use super::select::View;
use crate::{Axis, Results};

/// A picture that stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    pub title: String,
    pub svg: String,
}

/// The charts of one view that say most.
pub(super) fn first(results: &Results, view: View) -> Vec<Chart> {
    [bars::bars(results, view), curves::curves(results, view, Axis::Budget)].into_iter().flatten().collect()
}

/// The others.
pub(super) fn further(results: &Results, view: View) -> Vec<Chart> {
    [
        curves::curves(results, view, Axis::Rank),
        curves::curves(results, view, Axis::Degree),
        curves::quarters(results, view),
    ]
    .into_iter()
    .flatten()
    .collect()
}
