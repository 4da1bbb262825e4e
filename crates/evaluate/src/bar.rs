//! The bar: is grease ahead of every other method, or at least within the interval, in each row of each table?

use std::cmp::Ordering;
use std::collections::BTreeMap;

use grease_explain::{Goal, Method};

use crate::interval::Interval;
use crate::results::Cell;
use crate::row::Row;
use crate::table::Table;

/// Where grease stands beside another method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The whole interval is below 0.
    Behind,
    /// The interval has 0 in it.
    Within,
    /// The whole interval is above 0.
    Ahead,
}

impl Standing {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Behind => "behind",
            Standing::Within => "within",
            Standing::Ahead => "ahead",
        }
    }
}

/// Where a difference in favour of grease leaves it. Two who never differ are level.
pub fn standing(ahead: Interval) -> Standing {
    if ahead.low > 0.0 {
        Standing::Ahead
    } else if ahead.high < 0.0 {
        Standing::Behind
    } else {
        Standing::Within
    }
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// PN, PS or PNS, on the pairs both tried.
    Share,
    /// EC, on the pairs both solve.
    Length,
}

/// Grease beside the method that does best against it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    pub table: Table,
    pub k: usize,
    pub goal: Goal,
    pub figure: Figure,
    /// Who that is, as it was run.
    pub other: Row,
    /// Pairs compared.
    pub pairs: usize,
    /// How much greater the share is that grease verifies, or how many edges fewer it needs.
    pub ahead: Interval,
}

impl Held {
    /// Where that leaves grease.
    pub fn standing(&self) -> Standing {
        standing(self.ahead)
    }

    /// From the one who does best against grease on.
    fn order(&self, other: &Self) -> Ordering {
        self.standing().cmp(&other.standing()).then(self.ahead.mean.total_cmp(&other.ahead.mean))
    }
}

/// For each table, k, goal and figure of one model: grease beside the other that does best against it, the ceiling aside. Where
/// there is no interval nothing is said.
pub fn bar(cells: &[Cell]) -> Vec<Held> {
    let mut worst: BTreeMap<(Table, usize, Goal, Figure), Held> = BTreeMap::new();
    for held in cells.iter().flat_map(held) {
        let place = (held.table, held.k, held.goal, held.figure);
        worst
            .entry(place)
            .and_modify(|known| {
                if held.order(known).is_lt() {
                    *known = held;
                }
            })
            .or_insert(held);
    }
    worst.into_values().collect()
}

fn held(cell: &Cell) -> impl Iterator<Item = Held> {
    let Row { table, k, goal, method, .. } = cell.row;
    let of = |figure, pairs, ahead| Held { table, k, goal, figure, other: cell.row, pairs, ahead };
    let tried = cell.beside_grease;
    let share = tried.and_then(|tried| Some(of(Figure::Share, tried.pairs, tried.ahead?)));
    let solved = cell.against_grease;
    let length = solved.and_then(|both| Some(of(Figure::Length, both.pairs, both.longer?)));
    let is_held = !matches!(method, Method::Grease | Method::Exact);
    [share, length].into_iter().flatten().filter(move |_| is_held)
}

#[cfg(test)]
mod tests {
    use grease_explain::{Rigour, Scope};
    use grease_graph::Profile;

    use super::*;
    use crate::results::{BesideGrease, BothSolve, Spread};

    fn cell(method: Method, ahead: [f64; 3], longer: [f64; 3]) -> Cell {
        let interval = |[mean, low, high]: [f64; 3]| Some(Interval { mean, low, high });
        let nothing = Spread { mean: 0.0, sd: 0.0 };
        let row =
            Row { table: Table::Own, k: 10, goal: Goal::Counterfactual, method, rigour: Rigour::Certified };
        let (pairs, edges, other_edges) = (50, 3.0, 3.0);
        Cell {
            row,
            scope: Scope::Own,
            profile: Profile::Kept,
            repeats: 1,
            lists: 10,
            subsample: false,
            published: None,
            attempted: 100,
            found: 50,
            verified: 50,
            refuted: 0,
            trivial: 0,
            reasons: Vec::new(),
            share: nothing,
            edges: None,
            answered: None,
            judged: None,
            judged_edges: None,
            claims: None,
            surrogate_agrees: None,
            queries: nothing,
            surrogate_fidelity: None,
            minimal: None,
            against_grease: Some(BothSolve { pairs, edges, other_edges, longer: interval(longer) }),
            beside_grease: Some(BesideGrease {
                pairs: 100,
                verified: 50,
                grease: 50,
                ahead: interval(ahead),
            }),
            proved: None,
            named: None,
        }
    }

    #[test]
    fn the_one_that_does_best_is_the_one_that_counts() {
        let cells = [
            cell(Method::Random, [0.3, 0.2, 0.4], [-0.5, -0.6, -0.4]),
            // Further behind on average than cosine, but not surely.
            cell(Method::PersonalRank, [-0.2, -0.5, 0.1], [0.0, 0.0, 0.0]),
            cell(Method::Cosine, [-0.1, -0.15, -0.05], [0.2, 0.1, 0.3]),
            cell(Method::Exact, [-0.5, -0.6, -0.4], [0.9, 0.8, 1.0]),
        ];
        let held = bar(&cells);
        let said: Vec<_> =
            held.iter().map(|held| (held.figure, held.other.method, held.standing())).collect();
        assert_eq!(
            said,
            [
                (Figure::Share, Method::Cosine, Standing::Behind),
                (Figure::Length, Method::Random, Standing::Behind)
            ]
        );
        let held = bar(&cells[..1]);
        assert_eq!((held[0].standing(), held[0].pairs), (Standing::Ahead, 100));
        assert_eq!(standing(Interval { mean: 0.0, low: 0.0, high: 0.0 }), Standing::Within);
    }
}
