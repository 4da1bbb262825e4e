//! Where items stand among the candidates.

use grease_graph::ItemId;
use grease_kernels::{Ranked, top_k, vectorise};

use crate::task::{Direction, Places};

/// Where an item stands among the candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Standing {
    pub(crate) score: f32,
    /// From 1; at equal scores the lower row is better.
    pub(crate) rank: usize,
    /// Its score minus the k-th best of the other candidates: positive on the list. Infinite where fewer than k compete.
    pub(crate) margin: f32,
    /// The same for the longer list it has to leave, and for the shorter one it has to get into, where that is to be firm.
    pub(crate) outside: f32,
    pub(crate) inside: f32,
    /// Whether another candidate's score is the same but for rounding: the rank is then that of its row among those.
    pub(crate) tied: bool,
}

/// The list and where some items stand, of scores among which only candidates are finite.
pub(crate) struct Ranking {
    /// The best candidates, one more than the places that matter, or as many as there are.
    pub(crate) best: Vec<Ranked>,
    /// One for each item asked about.
    pub(crate) standings: Vec<Standing>,
}

impl Ranking {
    /// `scores` of what is no candidate are set to minus infinity; `watched` are candidates. Scores closer than `tolerance` are the
    /// same but for rounding.
    ///
    /// One pass for the list and one for each watched item, over numbers that lie side by side.
    pub(crate) fn of(
        scores: &mut [f32],
        allowed: &[bool],
        places: Places,
        watched: &[ItemId],
        tolerance: f32,
    ) -> Self {
        vectorise(|| {
            for (score, &allowed) in scores.iter_mut().zip(allowed) {
                *score = if allowed { *score } else { f32::NEG_INFINITY };
            }
        });
        let most = places.toward(Direction::Out).saturating_add(1);
        let best = top_k(scores, most.min(scores.len()), |item| allowed[item as usize]);
        let standing = |&item: &ItemId| Standing::of(scores, &best, places, item, tolerance);
        let standings = watched.iter().map(standing).collect();
        Self { best, standings }
    }
}

impl Standing {
    fn of(scores: &[f32], best: &[Ranked], places: Places, item: ItemId, tolerance: f32) -> Self {
        let score = scores[item.row()];
        let (lower, higher) = scores.split_at(item.row());
        let ahead = vectorise(|| {
            lower.iter().map(|&s| u32::from(s >= score)).sum::<u32>()
                + higher.iter().map(|&s| u32::from(s > score)).sum::<u32>()
        });
        // Itself among them.
        let same =
            vectorise(|| scores.iter().map(|&s| u32::from((s - score).abs() <= tolerance)).sum::<u32>());
        let rank = ahead as usize + 1;
        // The k-th best of the others: one place further down the list for those that are on it.
        let margin = |k: usize| {
            let threshold =
                if rank <= k { best.get(k) } else { k.checked_sub(1).and_then(|at| best.get(at)) };
            threshold.map_or(f32::INFINITY, |t| score - t.score)
        };
        let [outside, inside] =
            [Direction::Out, Direction::In].map(|direction| margin(places.toward(direction)));
        Self { score, rank, margin: margin(places.k), outside, inside, tied: same > 1 }
    }

    /// How far beyond the edge of the list it is, on the side where it is wanted: as far as it has to be, if positive.
    pub(crate) fn gain(&self, direction: Direction) -> f32 {
        match direction {
            Direction::In => self.inside,
            Direction::Out => -self.outside,
        }
    }

    /// The rank; a rank among ties is none.
    pub(crate) fn placed(&self) -> Option<usize> {
        (!self.tied).then_some(self.rank)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ties_go_to_the_lower_row_in_ranks_as_in_lists() {
        let scores = [1.0, 2.0, 2.0, 2.0, 0.5];
        let standings = |allowed: &[bool], watched: &[u32]| {
            let watched: Vec<ItemId> = watched.iter().map(|&item| ItemId(item)).collect();
            Ranking::of(&mut scores.clone(), allowed, Places::of(2), &watched, 0.0).standings
        };
        let ranks = |standings: Vec<Standing>| standings.iter().map(|s| s.rank).collect::<Vec<_>>();
        assert_eq!(ranks(standings(&[true; 5], &[1, 2, 3])), [1, 2, 3]);
        assert_eq!(ranks(standings(&[true, false, true, true, true], &[2, 3])), [1, 2]);
        let margins: Vec<f32> = standings(&[true; 5], &[0, 1, 2, 3, 4]).iter().map(|s| s.margin).collect();
        assert_eq!(margins, [-1.0, 0.0, 0.0, 0.0, -1.5]);
    }

    proptest! {
        #[test]
        fn standings_are_as_counted(
            scores in proptest::collection::vec((-4i8..4).prop_map(f32::from), 1..40), k in 1usize..6, firm in 1usize..4, modulus in 2u32..5,
        ) {
            let allowed: Vec<bool> = (0..scores.len() as u32).map(|i| i % modulus != 1).collect();
            let watched: Vec<ItemId> = (0..scores.len() as u32).map(ItemId).filter(|i| allowed[i.row()]).collect();
            let ranking = Ranking::of(&mut scores.clone(), &allowed, Places { k, firm }, &watched, 0.5);
            for (item, standing) in watched.iter().zip(&ranking.standings) {
                let mut others: Vec<f32> = watched.iter().filter(|o| *o != item).map(|o| scores[o.row()]).collect();
                others.sort_by(|a, b| b.total_cmp(a));
                let score = scores[item.row()];
                let ahead = watched.iter().filter(|o| scores[o.row()] > score || (scores[o.row()] == score && *o < item)).count();
                prop_assert_eq!(standing.rank, ahead + 1);
                prop_assert_eq!(standing.placed(), (!others.contains(&score)).then_some(ahead + 1));
                prop_assert_eq!(standing.margin, others.get(k - 1).map_or(f32::INFINITY, |t| score - t));
                // Firmly out is to be that many places below, firmly in that many above.
                let is_tied = others.contains(&score);
                prop_assert!(is_tied || (standing.gain(Direction::Out) > 0.0) == (ahead + 1 >= k + firm));
                prop_assert!(is_tied || firm > k || (standing.gain(Direction::In) > 0.0) == (ahead + 1 + firm <= k + 1));
            }
        }
    }
}
