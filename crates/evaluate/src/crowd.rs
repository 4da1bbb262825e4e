//! Whether somebody might have the history that an explanation leaves: is anybody's like it?

use std::collections::{BTreeSet, HashMap};

use grease_explain::Goal;
use grease_graph::{Graph, UserId, seed};

/// So many people's histories are looked at.
const CROWD: usize = 1000;

/// Some of a recommender's people, with what each of them did.
pub(crate) struct Crowd {
    /// Each with the size of their history.
    people: Vec<(UserId, usize)>,
    /// Who of them has an item, by where they stand. Looked up, never walked.
    having: HashMap<u32, Vec<usize>>,
}

impl Crowd {
    /// Drawn by seed among those with a history; all of them where there are no more.
    pub(crate) fn sample(graph: &Graph, seed: u64) -> Self {
        let mut users: Vec<UserId> =
            (0..graph.users() as u32).map(UserId).filter(|&user| !graph.items_of(user).is_empty()).collect();
        seed::shuffle(
            &mut seed::rng(seed, "people whose histories edited ones are held against"),
            &mut users,
        );
        users.truncate(CROWD);
        let mut having: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, &user) in users.iter().enumerate() {
            for &item in graph.items_of(user) {
                having.entry(item).or_default().push(at);
            }
        }
        let people = users.into_iter().map(|user| (user, graph.items_of(user).len())).collect();
        Self { people, having }
    }

    /// The largest overlap of a history with that of anybody else in the crowd: 1 where somebody did exactly this. It takes a look at
    /// whoever shares an item, and one at everybody.
    pub(crate) fn plausibility(&self, user: UserId, history: &BTreeSet<u32>) -> f64 {
        let mut shared = vec![0usize; self.people.len()];
        for &at in history.iter().filter_map(|item| self.having.get(item)).flatten() {
            shared[at] += 1;
        }
        let others = self.people.iter().zip(&shared).filter(|((other, _), _)| *other != user);
        let overlap = |(&(_, size), &shared): (&(UserId, usize), &usize)| {
            shared as f64 / (history.len() + size - shared) as f64
        };
        others.map(overlap).fold(0.0, f64::max)
    }
}

/// What a person would have done where an explanation is acted upon: without what is named, or, where it is enough by itself, that alone.
/// What it names of others changes nothing here.
pub(crate) fn edited_history(graph: &Graph, user: UserId, goal: Goal, named: &[(u32, u32)]) -> BTreeSet<u32> {
    let own: BTreeSet<u32> =
        named.iter().filter(|(whose, _)| *whose == user.0).map(|&(_, item)| item).collect();
    let history = graph.items_of(user).iter().copied();
    match goal {
        Goal::Factual => own,
        Goal::Counterfactual | Goal::Joint => history.filter(|item| !own.contains(item)).collect(),
        Goal::WhyNot => history.chain(own.iter().copied()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::Edge;
    use grease_testing::folder;

    use super::*;
    use grease_graph::Recommender as _;

    /// Every person with a history, one set beside the other.
    fn slowly(graph: &Graph, user: UserId, history: &BTreeSet<u32>) -> f64 {
        let mut largest: f64 = 0.0;
        for other in (0..graph.users() as u32).map(UserId).filter(|&other| other != user) {
            let theirs: BTreeSet<u32> = graph.items_of(other).iter().copied().collect();
            if !theirs.is_empty() {
                let shared = history.intersection(&theirs).count() as f64;
                largest = largest.max(shared / history.union(&theirs).count() as f64);
            }
        }
        largest
    }

    #[test]
    fn it_is_the_largest_of_all_overlaps() {
        let graph = folder().model.graph();
        let crowd = Crowd::sample(graph, 1);
        assert_eq!(crowd.people.len(), graph.users(), "few enough to look at all of them");
        for user in (0..20).map(UserId) {
            let items = graph.items_of(user);
            for named in [&items[..1], &items[..items.len() / 2], items] {
                let named: Vec<(u32, u32)> = named.iter().map(|&item| (user.0, item)).collect();
                for goal in [Goal::Factual, Goal::Counterfactual] {
                    let edited = edited_history(graph, user, goal, &named);
                    assert_eq!(crowd.plausibility(user, &edited), slowly(graph, user, &edited));
                }
            }
        }
    }

    #[test]
    fn the_crowd_is_drawn_by_seed_and_bounded() {
        let edges: Vec<Edge> = (0..3000).map(|user| Edge::new(user, user % 50)).collect();
        let graph = Graph::new(3001, 50, &edges).unwrap();
        let people = |seed| Crowd::sample(&graph, seed).people;
        assert_eq!(people(1).len(), CROWD);
        assert_eq!(people(1), people(1));
        assert_ne!(people(1), people(2));
        let one = BTreeSet::from([3]);
        assert_eq!(Crowd::sample(&graph, 1).plausibility(UserId(3), &one), 1.0, "others did the same");
        assert_eq!(Crowd::sample(&graph, 1).plausibility(UserId(3), &BTreeSet::new()), 0.0);
    }

    #[test]
    fn what_is_named_of_others_does_not_change_the_history() {
        let graph = Graph::new(2, 3, &[(0, 0), (0, 1), (1, 2)].map(|(u, i)| Edge::new(u, i))).unwrap();
        let after = |goal| edited_history(&graph, UserId(0), goal, &[(0, 1), (1, 2)]);
        assert_eq!(after(Goal::Counterfactual), BTreeSet::from([0]));
        assert_eq!(after(Goal::Joint), BTreeSet::from([0]));
        assert_eq!(after(Goal::Factual), BTreeSet::from([1]));
    }
}
