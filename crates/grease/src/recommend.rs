//! Lists: the best items outside somebody's history.

use std::collections::BTreeSet;

use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, ScoreError, UserId};
use grease_kernels::top_k;

/// For whom a list is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// Somebody the model was trained with.
    Known(UserId),
    /// Somebody the model has never seen, by the items they bring; order and repetition do not matter.
    Newcomer(Vec<ItemId>),
}

impl Who {
    /// The row to ask the recommender about.
    pub fn row(&self, graph: &Graph) -> UserId {
        match self {
            Who::Known(user) => *user,
            Who::Newcomer(_) => graph.newcomer(),
        }
    }

    /// The rows of their history, ascending; empty for a user the graph does not have.
    pub fn history(&self, graph: &Graph) -> Vec<u32> {
        match self {
            Who::Known(user) if user.row() >= graph.users() => Vec::new(),
            Who::Known(user) => graph.items_of(*user).to_vec(),
            Who::Newcomer(items) => {
                let rows: BTreeSet<u32> = items.iter().map(|item| item.0).collect();
                rows.into_iter().collect()
            }
        }
    }

    /// The edit that makes them as they are, but without one item where `without` names it.
    pub(crate) fn edit(&self, graph: &Graph, without: Option<u32>) -> Edit {
        match self {
            Who::Known(user) => Edit::removing(without.map(|item| Edge::new(user.0, item))),
            Who::Newcomer(_) => {
                let kept = self.history(graph).into_iter().filter(|&item| Some(item) != without);
                Edit::history(graph.newcomer(), kept)
            }
        }
    }
}

/// Which items may be listed, besides that nobody is recommended what is in their history already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Only these, where it is given.
    pub only: Option<BTreeSet<ItemId>>,
    /// None of these.
    pub except: BTreeSet<ItemId>,
}

impl Candidates {
    /// For every item of a graph whether it may be listed for somebody with this history (ascending rows).
    pub(crate) fn mask(&self, items: usize, history: &[u32]) -> Vec<bool> {
        let mut allowed = match &self.only {
            None => vec![true; items],
            Some(only) => {
                let mut allowed = vec![false; items];
                only.iter().filter(|item| item.row() < items).for_each(|item| allowed[item.row()] = true);
                allowed
            }
        };
        let excluded =
            self.except.iter().map(|item| item.row()).chain(history.iter().map(|&item| item as usize));
        excluded.filter(|&item| item < items).for_each(|item| allowed[item] = false);
        allowed
    }
}

/// A place on a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Listed {
    /// From 1.
    pub rank: usize,
    /// What.
    pub item: ItemId,
    /// The recommender's score.
    pub score: f32,
}

/// The `k` best candidates, best first; at equal scores the lower row. Fewer where there are no more.
pub fn recommend(
    recommender: &dyn Recommender,
    who: &Who,
    k: usize,
    candidates: &Candidates,
) -> Result<Vec<Listed>, ScoreError> {
    let graph = recommender.graph();
    let scores = recommender.scores_after(who.row(graph), Profile::Kept, &who.edit(graph, None))?;
    let allowed = candidates.mask(graph.items(), &who.history(graph));
    let best = top_k(&scores, k.min(graph.items()), |item| allowed[item as usize]);
    let listed = best.into_iter().zip(1..);
    Ok(listed.map(|(r, rank)| Listed { rank, item: ItemId(r.index), score: r.score }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contributions::tests::Counting;

    fn items(list: &[Listed]) -> Vec<u32> {
        list.iter().map(|listed| listed.item.0).collect()
    }

    #[test]
    fn histories_and_what_is_excluded_are_never_listed() {
        let recommender = Counting::example();
        let ada = Who::Known(UserId(0));
        let all = recommend(&recommender, &ada, 99, &Candidates::default()).unwrap();
        assert_eq!(all.iter().map(|l| l.rank).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(items(&all), [2, 3, 4]);
        let except = Candidates { except: [ItemId(2)].into(), ..Candidates::default() };
        assert_eq!(items(&recommend(&recommender, &ada, 2, &except).unwrap()), [3, 4]);
        let only =
            Candidates { only: Some([ItemId(0), ItemId(4), ItemId(77)].into()), ..Candidates::default() };
        assert_eq!(items(&recommend(&recommender, &ada, 5, &only).unwrap()), [4]);
        assert_eq!(recommend(&recommender, &ada, 0, &Candidates::default()).unwrap(), []);
    }

    #[test]
    fn a_newcomer_is_known_by_what_they_bring() {
        let recommender = Counting::example();
        let same_as_ada = Who::Newcomer(vec![ItemId(1), ItemId(0), ItemId(1)]);
        let list = recommend(&recommender, &same_as_ada, 2, &Candidates::default()).unwrap();
        assert_eq!(items(&list), [2, 3]);
        let nothing = Who::Newcomer(Vec::new());
        assert_eq!(items(&recommend(&recommender, &nothing, 2, &Candidates::default()).unwrap()), [0, 1]);
        let nobody = Who::Known(UserId(99));
        assert!(matches!(
            recommend(&recommender, &nobody, 2, &Candidates::default()),
            Err(ScoreError::UnknownUser { row: 99, .. })
        ));
    }
}
