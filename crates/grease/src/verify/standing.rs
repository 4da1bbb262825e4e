//! Where an item stands, counted the plain way: the explainer's own fast way is what is being checked.

use grease_graph::conformance::TOLERANCE;
use grease_graph::{ItemId, ScoreError, check_finite};

/// Where an item stands among the candidates.
#[derive(Debug, PartialEq)]
pub struct Standing {
    /// From 1; at equal scores the lower row is better.
    pub rank: usize,
    /// Its score minus the k-th best of the other candidates; infinite where fewer than k compete.
    pub margin: f32,
    /// Margins closer to zero than this could be rounding.
    pub tolerance: f32,
    /// The best and the worst rank it could have, as scores closer than that may stand either way.
    pub ranks: (usize, usize),
    /// The list, best first.
    pub list: Vec<ItemId>,
}

impl Standing {
    /// The item is a candidate, `k` at least 1.
    pub fn of(scores: &[f32], allowed: &[bool], k: usize, item: ItemId) -> Result<Self, ScoreError> {
        let largest = check_finite(scores)?;
        let mine = scores[item.row()];
        let mut others: Vec<(f32, usize)> = (0..scores.len())
            .filter(|&other| allowed[other] && other != item.row())
            .map(|other| (scores[other], other))
            .collect();
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let ahead =
            others.iter().take_while(|&&(score, row)| score > mine || (score == mine && row < item.row()));
        let threshold = others.get(k - 1).map(|&(score, _)| score);
        let (rank, tolerance) = (ahead.count() + 1, TOLERANCE * largest);
        let count = |is_ahead: &dyn Fn(f32) -> bool| others.iter().filter(|other| is_ahead(other.0)).count();
        let ranks =
            (count(&|other| other > mine + tolerance) + 1, count(&|other| other >= mine - tolerance) + 1);
        let mut list: Vec<ItemId> = others.iter().map(|&(_, row)| ItemId(row as u32)).collect();
        list.insert(rank - 1, item);
        list.truncate(k);
        Ok(Self {
            rank,
            margin: threshold.map_or(f32::INFINITY, |threshold| mine - threshold),
            tolerance,
            ranks,
            list,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lower_row() {
        let scores = [1.0, 2.0, 2.0, 2.0, 0.5];
        let standing = |k, item| {
            let Standing { rank, margin, .. } =
                Standing::of(&scores, &[true, true, true, true, false], k, ItemId(item)).unwrap();
            (rank, margin)
        };
        assert_eq!([standing(2, 1), standing(2, 3), standing(2, 0)], [(1, 0.0), (3, 0.0), (4, -1.0)]);
        assert_eq!(standing(4, 0), (4, f32::INFINITY));
        assert!(Standing::of(&[f32::NAN], &[true], 1, ItemId(0)).is_err());
    }
}
