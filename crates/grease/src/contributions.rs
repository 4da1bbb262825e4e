//! What each item of a history adds to the items of a list, by leaving it out and asking the model again.

use grease_graph::{ItemId, Profile, Recommender, ScoreError};
use grease_kernels::top_k;

use crate::{Candidates, Who};

/// One item of a list and what every item of the history adds to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// The item.
    pub item: ItemId,
    /// Its rank among the candidates, from 1.
    pub rank: usize,
    /// Its score.
    pub score: f32,
    /// Its score minus the k-th best of the other candidates: positive on the list. Infinite where fewer than k compete.
    pub margin: f32,
    /// One for each item of the history; what the margin needs most first.
    pub history: Vec<Contribution>,
}

/// What one item of the history adds to one item of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    /// The item of the history.
    pub item: ItemId,
    /// How much of the score goes without it; negative if the score rises.
    pub score_drop: f32,
    /// How much of the margin goes without it.
    pub margin_drop: f32,
    /// The rank without it.
    pub rank_without: usize,
    /// Whether the listed item leaves the top k without it.
    pub decisive: bool,
}

/// Scores asked for at once: a gigabyte of them. Histories that need more are asked about in parts.
const ROOM: usize = 1 << 28;

/// Leave-one-out for every item of `listed`: history items are removed one at a time, and the model is asked for all of
/// them together. Candidates stay as they are: a removed item does not become one.
///
/// Exact for one item; two items that carry a recommendation together each seem to add little.
/// Costs one query for each item of the history, shared by the whole list, and O(history x items) memory.
pub fn contributions(
    recommender: &dyn Recommender,
    who: &Who,
    k: usize,
    candidates: &Candidates,
    listed: &[ItemId],
) -> Result<Vec<Contributions>, ScoreError> {
    let graph = recommender.graph();
    let (items, row, history) = (graph.items(), who.row(graph), who.history(graph));
    let allowed = candidates.mask(items, &history);
    let listed: Vec<ItemId> =
        listed.iter().copied().filter(|item| allowed.get(item.row()).copied().unwrap_or(false)).collect();
    let edits: Vec<_> =
        [None].into_iter().chain(history.iter().copied().map(Some)).map(|w| who.edit(graph, w)).collect();
    let mut standings = Vec::with_capacity(edits.len());
    for edits in edits.chunks((ROOM / items.max(1)).max(1)) {
        let mut scores = vec![0f32; items * edits.len()];
        recommender.score(row, Profile::Kept, edits, &mut scores)?;
        standings.extend((0..edits.len()).map(|at| {
            let scores = &scores[at * items..][..items];
            Standing::of_all(scores, &allowed, k, &listed)
        }));
    }
    let Some((before, after)) = standings.split_first() else { return Ok(Vec::new()) };
    let of = |at: usize| {
        let Standing { score, rank, margin } = before[at];
        let mut parts: Vec<Contribution> = history
            .iter()
            .zip(after)
            .map(|(&item, without)| Contribution {
                item: ItemId(item),
                score_drop: score - without[at].score,
                // Without competition there is no margin to lose.
                margin_drop: if margin.is_finite() { margin - without[at].margin } else { 0.0 },
                rank_without: without[at].rank,
                decisive: rank <= k && without[at].rank > k,
            })
            .collect();
        parts.sort_by(|a, b| {
            let by_margin = b.margin_drop.total_cmp(&a.margin_drop);
            by_margin.then(b.score_drop.total_cmp(&a.score_drop)).then(a.item.cmp(&b.item))
        });
        Contributions { item: listed[at], rank, score, margin, history: parts }
    };
    Ok((0..listed.len()).map(of).collect())
}

/// Where an item stands among the candidates.
#[derive(Clone, Copy)]
struct Standing {
    score: f32,
    rank: usize,
    margin: f32,
}

impl Standing {
    /// All of `listed` at once: one pass for the best, one for the ranks.
    fn of_all(scores: &[f32], allowed: &[bool], k: usize, listed: &[ItemId]) -> Vec<Self> {
        let best = top_k(scores, k.saturating_add(1).min(scores.len()), |item| allowed[item as usize]);
        let order_of = |a: u32, b: u32| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b));
        let mut order: Vec<usize> = (0..listed.len()).collect();
        order.sort_by(|&a, &b| order_of(listed[a].0, listed[b].0));
        // How many candidates are better than each, by the first of the listed ones that a candidate beats.
        let mut beaten = vec![0usize; listed.len() + 1];
        for item in (0..scores.len() as u32).filter(|&item| allowed[item as usize]) {
            beaten[order.partition_point(|&at| order_of(item, listed[at].0).is_ge())] += 1;
        }
        let mut standings = vec![Self { score: 0.0, rank: 0, margin: f32::INFINITY }; listed.len()];
        let mut ahead = 0;
        for (place, &at) in order.iter().enumerate() {
            ahead += beaten[place];
            let (item, rank) = (listed[at], ahead + 1);
            let score = scores[item.row()];
            // The k-th best of the others: one place further down the list for those that are on it.
            let threshold =
                if rank <= k { best.get(k) } else { k.checked_sub(1).and_then(|at| best.get(at)) };
            standings[at] =
                Self { score, rank, margin: threshold.map_or(f32::INFINITY, |t| score - t.score) };
        }
        standings
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use grease_graph::{Edge, Edit, Graph, UserId, check_request};

    use super::*;

    /// Scores an item by what it shares with the user's history: `likes[history item][item]`, summed.
    pub(crate) struct Counting {
        graph: Graph,
        likes: Vec<Vec<f32>>,
        calls: AtomicUsize,
    }

    impl Counting {
        pub(crate) fn example() -> Self {
            let edges = [(0, 0), (0, 1), (1, 2), (1, 3), (2, 4)].map(|(u, i)| Edge::new(u, i));
            let likes = vec![
                vec![0.0, 0.0, 5.0, 1.0, 1.0],
                vec![0.0, 0.0, 1.0, 3.0, 2.0],
                vec![0.0; 5],
                vec![0.0; 5],
                vec![1.0; 5],
            ];
            Self { graph: Graph::new(3, 5, &edges).unwrap(), likes, calls: AtomicUsize::new(0) }
        }
    }

    impl Recommender for Counting {
        fn graph(&self) -> &Graph {
            &self.graph
        }

        fn score(&self, user: UserId, _: Profile, edits: &[Edit], out: &mut [f32]) -> Result<(), ScoreError> {
            check_request(&self.graph, user, edits, out)?;
            self.calls.fetch_add(1, Ordering::Relaxed);
            for (edit, out) in edits.iter().zip(out.chunks_exact_mut(self.graph.items())) {
                let edited = self.graph.rebuilt(edit).unwrap();
                let history = if user.row() < edited.users() { edited.items_of(user) } else { &[] };
                for (item, out) in out.iter_mut().enumerate() {
                    *out = history.iter().map(|&h| self.likes[h as usize][item]).sum();
                }
            }
            Ok(())
        }
    }

    #[test]
    fn leaving_out_is_worked_out_by_hand_and_asked_once() {
        // Scores of 2, 3, 4 from history {0, 1}: 6, 4, 3. Without 0: 1, 3, 2. Without 1: 5, 1, 1.
        let recommender = Counting::example();
        let listed = [ItemId(2), ItemId(3)];
        for who in [Who::Known(UserId(0)), Who::Newcomer(vec![ItemId(0), ItemId(1)])] {
            recommender.calls.store(0, Ordering::Relaxed);
            let found = contributions(&recommender, &who, 1, &Candidates::default(), &listed).unwrap();
            assert_eq!(recommender.calls.load(Ordering::Relaxed), 1);
            let [two, three] = &found[..] else { panic!("two items were listed") };
            assert_eq!((two.item, two.rank, two.score, two.margin), (ItemId(2), 1, 6.0, 2.0));
            let part = |item, score_drop, margin_drop, rank_without, decisive| Contribution {
                item: ItemId(item),
                score_drop,
                margin_drop,
                rank_without,
                decisive,
            };
            assert_eq!(two.history, [part(0, 5.0, 4.0, 3, true), part(1, 1.0, -2.0, 1, false)]);
            assert_eq!((three.rank, three.margin), (2, -2.0));
            assert_eq!(three.history, [part(1, 3.0, 2.0, 2, false), part(0, 1.0, -3.0, 1, false)]);
        }
    }

    #[test]
    fn fewer_candidates_than_places_leave_nothing_to_decide() {
        let recommender = Counting::example();
        let who = Who::Known(UserId(0));
        let found = contributions(&recommender, &who, 3, &Candidates::default(), &[ItemId(4)]).unwrap();
        assert_eq!((found[0].rank, found[0].margin), (3, f32::INFINITY));
        assert!(found[0].history.iter().all(|part| part.margin_drop == 0.0 && !part.decisive));
        assert_eq!(found[0].history[0].item, ItemId(1), "the score decides where the margin does not");
    }

    #[test]
    fn what_is_no_candidate_and_who_has_no_history_have_no_contributions() {
        let recommender = Counting::example();
        let who = Who::Known(UserId(0));
        assert_eq!(
            contributions(&recommender, &who, 3, &Candidates::default(), &[ItemId(0), ItemId(99)]).unwrap(),
            []
        );
        let nobody = Who::Newcomer(Vec::new());
        let found = contributions(&recommender, &nobody, 3, &Candidates::default(), &[ItemId(1)]).unwrap();
        assert_eq!((found[0].rank, found[0].history.len()), (2, 0));
    }

    #[test]
    fn ties_go_to_the_lower_row_in_ranks_as_in_lists() {
        let scores = [1.0, 2.0, 2.0, 2.0, 0.5];
        let listed: Vec<ItemId> = (0..5).map(ItemId).collect();
        let ranks = |allowed: &[bool]| -> Vec<usize> {
            Standing::of_all(&scores, allowed, 2, &listed[1..4]).iter().map(|s| s.rank).collect()
        };
        assert_eq!(ranks(&[true; 5]), [1, 2, 3]);
        assert_eq!(ranks(&[true, false, true, true, true])[1..], [1, 2]);
        let margins: Vec<f32> =
            Standing::of_all(&scores, &[true; 5], 2, &listed).iter().map(|s| s.margin).collect();
        assert_eq!(margins, [-1.0, 0.0, 0.0, 0.0, -1.5]);
    }
}
