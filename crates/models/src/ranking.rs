//! How good the lists are: recall, NDCG, hit rate and coverage at some list lengths.

use grease_graph::{Edge, Embeddings, Graph, UserId};
use grease_kernels::dense::matmul_transposed;
use grease_kernels::top_k;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Quality of the top-k lists of all users with at least one held-out item; training items are never listed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// Length of the lists.
    pub k: usize,
    /// Mean share of a user's held-out items that are in their list.
    pub recall: f64,
    /// Mean normalised discounted gain, binary relevance.
    pub ndcg: f64,
    /// Share of users with at least one held-out item in their list.
    pub hit_rate: f64,
    /// Share of all items that are in anybody's list.
    pub coverage: f64,
    pub users: usize,
}

/// Users whose scores are computed together: a block of scores stays small however many items there are.
const BLOCK: usize = 32;

/// The quality of dot-product lists at each length in `ks`, against the held-out `test`; `graph` holds what users have touched already.
pub fn evaluate(embeddings: Embeddings<'_>, graph: &Graph, test: &[Edge], ks: &[usize]) -> Vec<Ranking> {
    let held_out = HeldOut::new(test);
    let longest = ks.iter().copied().max().unwrap_or(0);
    let lists: Vec<Vec<u32>> = held_out
        .users()
        .par_chunks(BLOCK)
        .flat_map_iter(|users| lists_of(embeddings, graph, users, longest))
        .collect();
    ks.iter().map(|&k| held_out.judge(&lists, k, graph.items())).collect()
}

/// What lists are judged by: held-out interactions, user by user.
pub(crate) struct HeldOut(Vec<Edge>);

impl HeldOut {
    pub(crate) fn new(test: &[Edge]) -> Self {
        let mut test = test.to_vec();
        test.sort_unstable();
        Self(test)
    }

    fn by_user(&self) -> Vec<&[Edge]> {
        self.0.chunk_by(|a, b| a.user == b.user).collect()
    }

    /// Whose lists are judged, in the order they are asked for.
    pub(crate) fn users(&self) -> Vec<u32> {
        self.by_user().iter().map(|held_out| held_out[0].user.0).collect()
    }

    /// The quality of the first `k` places of these lists, one a user.
    pub(crate) fn judge(&self, lists: &[Vec<u32>], k: usize, items: usize) -> Ranking {
        summarise(&self.by_user(), lists, k, items)
    }
}

/// The top-k lists of some users, by one dense product.
fn lists_of(embeddings: Embeddings<'_>, graph: &Graph, users: &[u32], k: usize) -> Vec<Vec<u32>> {
    let (width, items) = (embeddings.width, graph.items());
    if items == 0 || width == 0 {
        return vec![Vec::new(); users.len()];
    }
    let rows: Vec<f32> =
        users.iter().flat_map(|&u| &embeddings.users[u as usize * width..][..width]).copied().collect();
    let mut scores = vec![0f32; users.len() * items];
    matmul_transposed(&rows, embeddings.items, width, items, &mut scores, false);
    scores
        .chunks_exact(items)
        .zip(users)
        .map(|(scores, &user)| {
            let touched = graph.items_of(UserId(user));
            let best = top_k(scores, k, |item| touched.binary_search(&item).is_err());
            best.into_iter().map(|ranked| ranked.index).collect()
        })
        .collect()
}

fn summarise(by_user: &[&[Edge]], lists: &[Vec<u32>], k: usize, items: usize) -> Ranking {
    let (mut recall, mut ndcg, mut hit) = (0.0, 0.0, 0.0);
    let mut listed = vec![false; items];
    for (held_out, list) in by_user.iter().zip(lists) {
        let list = &list[..k.min(list.len())];
        let is_held_out = |item: u32| held_out.binary_search_by(|e| e.item.0.cmp(&item)).is_ok();
        let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let hits: Vec<usize> = (0..list.len()).filter(|&rank| is_held_out(list[rank])).collect();
        recall += hits.len() as f64 / held_out.len() as f64;
        ndcg += hits.iter().map(|&rank| gain(rank)).sum::<f64>()
            / (0..k.min(held_out.len())).map(gain).sum::<f64>().max(f64::MIN_POSITIVE);
        hit += f64::from(u8::from(!hits.is_empty()));
        list.iter().for_each(|&item| listed[item as usize] = true);
    }
    let users = by_user.len();
    let mean = |sum: f64| if users == 0 { 0.0 } else { sum / users as f64 };
    let covered = listed.iter().filter(|&&l| l).count();
    Ranking {
        k,
        recall: mean(recall),
        ndcg: mean(ndcg),
        hit_rate: mean(hit),
        coverage: if items == 0 { 0.0 } else { covered as f64 / items as f64 },
        users,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_worked_out_by_hand() {
        // One dimension: the score of an item is its value. User 0 touched item 3; the others rank 0, 1, 2.
        let (users, items) = ([1.0f32, 1.0], [0.9f32, 0.8, 0.7, 5.0]);
        let graph = Graph::new(2, 4, &[Edge::new(0, 3), Edge::new(1, 0)]).unwrap();
        let test = [Edge::new(0, 1), Edge::new(0, 2)];
        let embeddings = Embeddings { users: &users, items: &items, width: 1 };
        let [at1, at2] = evaluate(embeddings, &graph, &test, &[1, 2])[..] else { panic!("two lengths") };
        assert_eq!((at1.recall, at1.ndcg, at1.hit_rate, at1.coverage, at1.users), (0.0, 0.0, 0.0, 0.25, 1));
        // List [0, 1]: one of two held-out items, at rank 2; the best list would have had both.
        let gain = |rank: f64| 1.0 / (rank + 1.0).log2();
        assert_eq!((at2.recall, at2.hit_rate, at2.coverage), (0.5, 1.0, 0.5));
        assert!((at2.ndcg - gain(2.0) / (gain(1.0) + gain(2.0))).abs() < 1e-12);
    }

    #[test]
    fn nobody_to_evaluate_is_no_division_by_zero() {
        let graph = Graph::new(1, 1, &[Edge::new(0, 0)]).unwrap();
        let embeddings = Embeddings { users: &[1.0], items: &[1.0], width: 1 };
        assert_eq!(evaluate(embeddings, &graph, &[], &[20])[0].recall, 0.0);
    }
}
