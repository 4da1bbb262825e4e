//! How personal lists are: how much of somebody's list is also on other people's, and how much is what everybody is shown.

use std::collections::{BTreeMap, BTreeSet};

use grease_graph::{Graph, UserId, seed};

use crate::results::{Personal, Spread};
use crate::unit::Done;

/// So many others' lists each list is held against.
const OTHERS: usize = 100;

/// The lists of those who were looked at; no method changes them.
#[derive(Default)]
pub(crate) struct Personality {
    /// By length, then repeat, then person.
    by_k: BTreeMap<usize, BTreeMap<usize, BTreeMap<UserId, Vec<u32>>>>,
}

impl Personality {
    /// What the person was shown, as far as anybody explained it.
    pub(crate) fn add(&mut self, done: &Done) {
        for call in done.calls.iter().filter(|call| !call.answers.is_empty()) {
            let of_repeat = self.by_k.entry(call.k).or_default().entry(done.unit.repeat).or_default();
            of_repeat.entry(done.unit.user).or_insert_with(|| {
                let items: BTreeSet<u32> = call.answers.iter().map(|answer| answer.item).collect();
                items.into_iter().collect()
            });
        }
    }

    /// Over repeats, whose seeds begin with `seed`. Cost: people times others times k.
    pub(crate) fn finish(self, graph: &Graph, seed: u64) -> Vec<Personal> {
        let popular = by_popularity(graph);
        let personal = |(k, repeats): (usize, BTreeMap<usize, BTreeMap<UserId, Vec<u32>>>)| {
            let people = repeats.values().map(BTreeMap::len).sum();
            let others = repeats
                .iter()
                .filter_map(|(&repeat, lists)| with_others(lists, seed.wrapping_add(repeat as u64)));
            let others = Spread::of(&others.collect::<Vec<f64>>());
            let shown = repeats.values().filter_map(|lists| {
                let each =
                    lists.iter().map(|(&user, list)| overlap(list, &most_popular(graph, &popular, user, k)));
                mean(each)
            });
            let popular = Spread::of(&shown.collect::<Vec<f64>>());
            Personal { k, people, others, popular }
        };
        self.by_k.into_iter().map(personal).collect()
    }
}

/// Mean overlap of each list with those of some others, drawn by seed and person.
fn with_others(lists: &BTreeMap<UserId, Vec<u32>>, seed: u64) -> Option<f64> {
    let users: Vec<UserId> = lists.keys().copied().collect();
    let each = lists.iter().enumerate().filter_map(|(at, (&user, list))| {
        let others = others(users.len(), at, seed, user);
        mean(others.into_iter().map(|other| overlap(list, &lists[&users[other]])))
    });
    mean(each)
}

/// Places of `OTHERS` of so many people, all different and none of them `at`; everybody else where there are no more.
fn others(people: usize, at: usize, seed: u64, user: UserId) -> Vec<usize> {
    let but = |place: usize| if place < at { place } else { place + 1 };
    let left = people.saturating_sub(1);
    if left <= OTHERS {
        return (0..left).map(but).collect();
    }
    let mut rng = seed::rng_at(seed, "people whose lists a list is held against", u64::from(user.0));
    let mut drawn = BTreeSet::new();
    while drawn.len() < OTHERS {
        drawn.insert(but(seed::below(&mut rng, left as u64) as usize));
    }
    drawn.into_iter().collect()
}

/// Items by how many people have them, the most first; equal ones by row.
fn by_popularity(graph: &Graph) -> Vec<u32> {
    let mut items: Vec<u32> = (0..graph.items() as u32).collect();
    items.sort_by_key(|&item| std::cmp::Reverse(graph.users_of(grease_graph::ItemId(item)).len()));
    items
}

/// What somebody who knows nothing of the person would show: the k most popular items they do not have.
fn most_popular(graph: &Graph, by_popularity: &[u32], user: UserId, k: usize) -> Vec<u32> {
    let history = graph.items_of(user);
    let new = by_popularity.iter().copied().filter(|item| history.binary_search(item).is_err());
    let mut items: Vec<u32> = new.take(k).collect();
    items.sort_unstable();
    items
}

/// What two sets share over what is in either; both ascend.
fn overlap(one: &[u32], other: &[u32]) -> f64 {
    let shared = one.iter().filter(|item| other.binary_search(item).is_ok()).count();
    shared as f64 / (one.len() + other.len() - shared).max(1) as f64
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use grease_graph::Edge;

    use super::*;

    #[test]
    fn others_are_different_people_and_never_oneself() {
        for (people, at) in [(1, 0), (2, 1), (101, 100), (500, 0), (500, 250), (500, 499)] {
            let drawn = others(people, at, 1, UserId(9));
            assert_eq!(drawn.len(), (people - 1).min(OTHERS));
            assert!(drawn.iter().all(|&other| other != at && other < people));
            assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), drawn.len());
            assert_eq!(drawn, others(people, at, 1, UserId(9)));
        }
        assert_ne!(others(500, 7, 1, UserId(9)), others(500, 7, 2, UserId(9)));
    }

    #[test]
    fn every_pair_of_lists_is_compared_where_they_are_few() {
        let lists = [vec![1, 2, 3], vec![2, 3, 4], vec![7, 8, 9]];
        let lists: BTreeMap<UserId, Vec<u32>> =
            lists.into_iter().enumerate().map(|(at, list)| (UserId(at as u32), list)).collect();
        // Shared by the first two 2 of 4, by others nothing.
        assert_eq!(with_others(&lists, 1), Some((0.25 + 0.25 + 0.0) / 3.0));
        let one = lists.into_iter().take(1).collect();
        assert_eq!(with_others(&one, 1), None);
    }

    #[test]
    fn what_one_has_is_no_popular_item_to_be_shown() {
        let edges = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 2), (3, 4)];
        let graph = Graph::new(4, 5, &edges.map(|(user, item)| Edge::new(user, item))).unwrap();
        let popular = by_popularity(&graph);
        assert_eq!(popular, [0, 1, 2, 4, 3]);
        assert_eq!(most_popular(&graph, &popular, UserId(3), 2), [0, 1]);
        assert_eq!(most_popular(&graph, &popular, UserId(0), 2), [2, 4]);
    }
}
