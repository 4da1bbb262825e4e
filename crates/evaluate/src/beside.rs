//! One method beside another, on the pairs that both tried and on those that both solve.

use std::collections::HashMap;

use grease_explain::{Method, Minimum, Rigour};

use crate::interval::ByList;
use crate::results::{BesideGrease, BothSolve, Gap, Proved};
use crate::row::Row;
use crate::table::Table;
use crate::unit::{Answer, Done, Proof};

/// What was found for the pairs of one person, by row and item; none: not verified.
type Lengths = HashMap<(Row, u32), Option<usize>>;

/// What one person's answers are held against.
pub(crate) struct References {
    grease: Lengths,
    exact: Lengths,
    /// The fewest edges known to do it, and whether it is proved that no fewer do.
    fewest: HashMap<(Row, u32), (usize, bool)>,
}

/// The row of another method's answers to the same question.
fn same_of(row: Row, method: Method) -> Row {
    Row { method, rigour: Rigour::Certified, ..row }
}

impl References {
    pub(crate) fn of(done: &Done) -> Self {
        let lengths = |method: Method| {
            let mut lengths = Lengths::new();
            for call in done.calls.iter().filter(|call| call.method == method) {
                for answer in call.answers.iter().filter(|answer| !answer.beyond) {
                    lengths.insert((call.row(answer.goal), answer.item), answer.verified_edges());
                }
            }
            lengths
        };
        let mut all =
            Self { grease: lengths(Method::Grease), exact: lengths(Method::Exact), fewest: HashMap::new() };
        for call in &done.calls {
            for answer in call.answers.iter().filter(|answer| !answer.beyond) {
                let is_proved = answer.minimum == Some(Minimum::Proved);
                all.learn(call.row(answer.goal), answer.item, answer.verified_edges(), is_proved);
            }
        }
        for &Proof { k, goal, item, edges, is_proved } in &done.proofs {
            let row = Row { table: Table::Own, k, goal, method: Method::Grease, rigour: Rigour::Certified };
            all.learn(row, item, Some(edges), is_proved);
        }
        all
    }

    /// That so many edges do it.
    fn learn(&mut self, row: Row, item: u32, edges: Option<usize>, is_proved: bool) {
        let Some(edges) = edges else { return };
        let known = self.fewest.entry((same_of(row, Method::Grease), item)).or_insert((edges, false));
        if edges < known.0 {
            *known = (edges, is_proved);
        } else {
            known.1 |= is_proved && edges == known.0;
        }
    }
}

/// One row beside others.
#[derive(Default)]
pub(crate) struct Beside {
    /// Pairs that grease tried too: how many, verified here, verified there; and how far grease is ahead, list by list.
    tried: (usize, usize, usize),
    ahead: ByList,
    against_grease: Both,
    against_exact: Both,
    /// Of the pairs the ceiling was computed for: how many, verified here, verified there.
    ceiling: (usize, usize, usize),
    /// Of the pairs both this and the ceiling solve: as short as it.
    as_short: usize,
    /// Verified answers that are proved to be as short as can be, and those for which a shorter one is known.
    minimum: usize,
    longer: usize,
    verified: usize,
}

impl Beside {
    /// One list of this row.
    pub(crate) fn add<'a>(&mut self, row: Row, answers: impl Iterator<Item = &'a Answer>, to: &References) {
        let (mut tried, mut ahead) = (0, 0.0);
        let (mut solved, mut shorter) = (0, 0.0);
        for answer in answers.filter(|answer| !answer.beyond) {
            let here = answer.verified_edges();
            if let Some(edges) = here {
                self.add_length(row, answer.item, edges, to);
            }
            if let Some(&there) = to.grease.get(&(same_of(row, Method::Grease), answer.item)) {
                tried += 1;
                self.tried.1 += usize::from(here.is_some());
                self.tried.2 += usize::from(there.is_some());
                ahead += f64::from(u8::from(there.is_some())) - f64::from(u8::from(here.is_some()));
                if let (Some(here), Some(there)) = (here, there) {
                    solved += 1;
                    shorter += here as f64 - there as f64;
                    self.against_grease.add(here, there);
                }
            }
            if let Some(&ceiling) = to.exact.get(&(same_of(row, Method::Exact), answer.item)) {
                self.add_ceiling(here, ceiling);
            }
        }
        self.tried.0 += tried;
        self.ahead.add(ahead, tried);
        self.against_grease.by_list.add(shorter, solved);
    }

    fn add_length(&mut self, row: Row, item: u32, edges: usize, to: &References) {
        self.verified += 1;
        let Some(&(fewest, is_proved)) = to.fewest.get(&(same_of(row, Method::Grease), item)) else { return };
        self.longer += usize::from(edges > fewest);
        self.minimum += usize::from(edges == fewest && is_proved);
    }

    fn add_ceiling(&mut self, here: Option<usize>, ceiling: Option<usize>) {
        self.ceiling.0 += 1;
        self.ceiling.1 += usize::from(here.is_some());
        self.ceiling.2 += usize::from(ceiling.is_some());
        if let (Some(here), Some(there)) = (here, ceiling) {
            self.against_exact.add(here, there);
            self.as_short += usize::from(here <= there);
        }
    }

    /// On the pairs both solve.
    pub(crate) fn both_solve(&self) -> Option<BothSolve> {
        self.against_grease.finish()
    }

    /// On the pairs both tried.
    pub(crate) fn grease(&self) -> Option<BesideGrease> {
        let (pairs, verified, grease) = self.tried;
        (pairs > 0).then(|| BesideGrease { pairs, verified, grease, ahead: self.ahead.interval() })
    }

    /// How many are as short as can be.
    pub(crate) fn proved(&self) -> Option<Proved> {
        let share = self.minimum as f64 / self.verified as f64;
        (self.verified > 0).then_some(Proved { minimum: self.minimum, longer: self.longer, share })
    }

    /// What it leaves to the ceiling.
    pub(crate) fn gap(&self, row: Row) -> Option<Gap> {
        let (pairs, verified, ceiling) = self.ceiling;
        let both = self.against_exact.finish();
        (pairs > 0 && row.method != Method::Exact).then(|| Gap {
            row,
            pairs,
            verified,
            ceiling,
            both,
            as_short: both.map(|both| self.as_short as f64 / both.pairs as f64),
        })
    }
}

/// Edges on pairs two methods solve.
#[derive(Debug, Clone, Copy, Default)]
struct Both {
    pairs: usize,
    here: usize,
    there: usize,
    by_list: ByList,
}

impl Both {
    fn add(&mut self, here: usize, there: usize) {
        self.pairs += 1;
        self.here += here;
        self.there += there;
    }

    fn finish(self) -> Option<BothSolve> {
        (self.pairs > 0).then(|| BothSolve {
            pairs: self.pairs,
            edges: self.here as f64 / self.pairs as f64,
            other_edges: self.there as f64 / self.pairs as f64,
            longer: self.by_list.interval(),
        })
    }
}
