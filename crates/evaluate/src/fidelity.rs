//! Whether a surrogate's fidelity tells which answers hold.

use crate::results::{FidelityReport, Quarter};
use crate::row::Row;

/// Pairs with a surrogate: how faithful it is, and what came of the pair.
#[derive(Default)]
pub(crate) struct Fidelities {
    /// Fidelity, verified, found.
    pairs: Vec<(f32, bool, bool)>,
}

impl Fidelities {
    pub(crate) fn add(&mut self, fidelity: f32, verified: bool, found: bool) {
        self.pairs.push((fidelity, verified, found));
    }

    pub(crate) fn mean(&self) -> Option<f64> {
        let sum: f64 = self.pairs.iter().map(|(fidelity, ..)| f64::from(*fidelity)).sum();
        (!self.pairs.is_empty()).then(|| sum / self.pairs.len() as f64)
    }

    pub(crate) fn finish(mut self, row: Row) -> Option<FidelityReport> {
        self.pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let pairs = self.pairs.len();
        let quarters = (0..4).filter_map(|quarter| {
            let part = &self.pairs[quarter * pairs / 4..(quarter + 1) * pairs / 4];
            let verified = part.iter().filter(|(_, verified, _)| *verified).count();
            Some(Quarter {
                from: f64::from(part.first()?.0),
                to: f64::from(part.last()?.0),
                pairs: part.len(),
                share: verified as f64 / part.len() as f64,
            })
        });
        let found: Vec<(f32, bool)> =
            self.pairs.iter().filter(|(.., found)| *found).map(|p| (p.0, p.1)).collect();
        let all: Vec<(f32, bool)> = self.pairs.iter().map(|p| (p.0, p.1)).collect();
        (pairs > 0).then(|| FidelityReport {
            row,
            pairs,
            quarters: quarters.collect(),
            auc: auc(&all),
            auc_of_found: auc(&found),
        })
    }
}

/// Probability that a verified pair's value is above one's that is not, ties counting half: the Mann-Whitney statistic from
/// ranks. `sorted` ascends.
fn auc(sorted: &[(f32, bool)]) -> Option<f64> {
    let yes = sorted.iter().filter(|(_, verified)| *verified).count();
    let no = sorted.len() - yes;
    if yes == 0 || no == 0 {
        return None;
    }
    let (mut below, mut wins) = (0usize, 0.0);
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        let (tied_yes, tied_no) = (tied.iter().filter(|p| p.1).count(), tied.iter().filter(|p| !p.1).count());
        wins += tied_yes as f64 * (below as f64 + tied_no as f64 / 2.0);
        below += tied_no;
    }
    Some(wins / (yes as f64 * no as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_the_share_of_comparisons_won() {
        let sorted = [(0.1, false), (0.2, true), (0.2, false), (0.5, false), (0.9, true)];
        let mut won = 0.0;
        for yes in sorted.iter().filter(|p| p.1) {
            for no in sorted.iter().filter(|p| !p.1) {
                won += if yes.0 > no.0 {
                    1.0
                } else if yes.0 == no.0 {
                    0.5
                } else {
                    0.0
                };
            }
        }
        assert_eq!(auc(&sorted), Some(won / 6.0));
        assert_eq!(auc(&[(0.1, true), (0.2, true)]), None);
    }
}
