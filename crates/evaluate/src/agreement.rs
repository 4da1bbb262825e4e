//! Whether other seeds give the same explanations.

use std::collections::{BTreeMap, BTreeSet};

use grease_explain::Status;

use crate::results::Stability;
use crate::row::Row;
use crate::unit::Done;

/// The edges of a verified answer; none where it is not.
type Said = Option<BTreeSet<(u32, u32)>>;

/// By person and item: what each seed said.
type Pairs = BTreeMap<(u32, u32), Vec<Said>>;

/// What every seed said about the same pairs.
#[derive(Default)]
pub(crate) struct Agreement {
    rows: BTreeMap<Row, Pairs>,
}

impl Agreement {
    pub(crate) fn add(&mut self, done: &Done) {
        for call in &done.calls {
            for answer in call.answers.iter().filter(|answer| !answer.beyond) {
                let said =
                    (answer.status == Status::Verified).then(|| answer.edges.iter().copied().collect());
                let pairs = self.rows.entry(call.row(answer.goal)).or_default();
                pairs.entry((done.unit.user.0, answer.item)).or_default().push(said);
            }
        }
    }

    /// `seeds` were compared, each with each.
    pub(crate) fn finish(self, seeds: usize) -> Vec<Stability> {
        self.rows.into_iter().map(|(row, pairs)| stability(row, seeds, &pairs)).collect()
    }
}

fn stability(row: Row, seeds: usize, pairs: &Pairs) -> Stability {
    let (mut compared, mut same_verdict, mut both, mut overlap, mut same_edges) = (0, 0, 0, 0.0, 0);
    for said in pairs.values() {
        for (at, one) in said.iter().enumerate() {
            for other in &said[at + 1..] {
                compared += 1;
                same_verdict += usize::from(one.is_some() == other.is_some());
                if let (Some(one), Some(other)) = (one, other) {
                    both += 1;
                    overlap +=
                        one.intersection(other).count() as f64 / one.union(other).count().max(1) as f64;
                    same_edges += usize::from(one == other);
                }
            }
        }
    }
    let of_both = |count: f64| (both > 0).then(|| count / f64::from(both));
    Stability {
        row,
        seeds,
        people: pairs.keys().map(|(user, _)| user).collect::<BTreeSet<_>>().len(),
        pairs: pairs.len(),
        same_verdict: if compared > 0 { same_verdict as f64 / f64::from(compared) } else { 1.0 },
        overlap: of_both(overlap),
        same_edges: of_both(same_edges as f64),
    }
}
