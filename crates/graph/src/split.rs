//! Which interactions a model may learn from, and which are kept back to test it.

use crate::{Edge, Interactions, seed};

/// Two disjoint parts of the same interactions, each sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// What a model learns from.
    pub train: Vec<Edge>,
    /// What it has to guess.
    pub test: Vec<Edge>,
}

/// Users with fewer training interactions than this give none of them to [`Split::hold_out`].
pub const HOLD_OUT_FROM: usize = 5;

impl Split {
    /// The split the data came with, else a split [`per_user`](Self::per_user).
    pub fn of(interactions: &Interactions, train_share: f64, seed: u64) -> Self {
        Self::given(interactions).unwrap_or_else(|| Self::per_user(interactions, train_share, seed))
    }

    /// The split the data came with, if it did; the parts are as disjoint as they came.
    pub fn given(interactions: &Interactions) -> Option<Self> {
        let test = interactions.given_test.as_ref()?;
        Some(Self::sorted(interactions.edges.clone(), test.clone()))
    }

    /// Splits each user's interactions at random: of `n`, the share rounded to the nearest whole number
    /// (halves up) is for training, but at least one, so that nobody is unknown to the model. With a share of
    /// 0.8, users with one or two interactions have nothing to test. A share below 0 counts as 0, above 1 as 1.
    ///
    /// Who else is in the data, and in which order, has no influence: a user's split follows from the
    /// seed, the user's original id and the original ids of the items. Ignores a
    /// split the data came with; see [`of`](Self::of).
    pub fn per_user(interactions: &Interactions, train_share: f64, seed: u64) -> Self {
        let key = seed::mix(seed, seed::hash("split"));
        divide(interactions, &interactions.edges, key, |n| share_of(n, train_share).max(1))
    }

    /// Takes a validation slice out of a training part: the result's `test` is about `share` of each user's
    /// edges in `train`, rounded to the nearest (halves up), `train` is the rest. Users with fewer than
    /// [`HOLD_OUT_FROM`] edges give none, and nobody gives all.
    ///
    /// Drawn as independently of other users as [`per_user`](Self::per_user), and independently of what that
    /// drew from the same seed. `train` may be in any order.
    pub fn hold_out(interactions: &Interactions, train: &[Edge], share: f64, seed: u64) -> Self {
        let key = seed::mix(seed, seed::hash("hold out"));
        divide(interactions, train, key, |n| match n {
            0..HOLD_OUT_FROM => n,
            _ => (n - share_of(n, share)).max(1),
        })
    }

    fn sorted(mut train: Vec<Edge>, mut test: Vec<Edge>) -> Self {
        train.sort_unstable();
        test.sort_unstable();
        Self { train, test }
    }
}

/// The cast takes NaN and negative numbers to 0.
fn share_of(n: usize, share: f64) -> usize {
    ((n as f64 * share).round() as usize).min(n)
}

/// Each user's edges in an order drawn by hashing the original ids; the first `keep(n)` of them are for training.
fn divide(interactions: &Interactions, edges: &[Edge], key: u64, keep: impl Fn(usize) -> usize) -> Split {
    let Interactions { users, items, .. } = interactions;
    let item_hashes: Vec<u64> = (0..items.len() as u32).map(|row| seed::hash(items.id(row))).collect();
    let mut edges = edges.to_vec();
    edges.sort_unstable();

    let mut train = Vec::with_capacity(edges.len());
    let mut test = Vec::new();
    let mut drawn = Vec::new();
    for history in edges.chunk_by(|a, b| a.user == b.user) {
        let user = history[0].user;
        let user_key = seed::mix(key, seed::hash(users.id(user.0)));
        drawn.clear();
        drawn.extend(history.iter().map(|edge| (seed::mix(user_key, item_hashes[edge.item.row()]), *edge)));
        // Row order must not decide, not even between equal hashes.
        drawn.sort_unstable_by(|(a, x), (b, y)| {
            a.cmp(b).then_with(|| items.id(x.item.0).cmp(items.id(y.item.0)))
        });
        let (kept, held) = drawn.split_at(keep(history.len()));
        train.extend(kept.iter().map(|&(_, edge)| edge));
        test.extend(held.iter().map(|&(_, edge)| edge));
    }
    Split::sorted(train, test)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{Catalogue, CatalogueBuilder, Words};

    fn catalogue(ids: impl IntoIterator<Item = String>) -> Catalogue {
        let mut builder = CatalogueBuilder::new();
        for id in ids {
            builder.intern(&id).unwrap();
        }
        builder.finish()
    }

    /// Rows by order of appearance, as a reader numbers them.
    fn interactions(pairs: &[(u8, u8)]) -> Interactions {
        let users = catalogue(pairs.iter().map(|(user, _)| format!("u{user}")));
        let items = catalogue(pairs.iter().map(|(_, item)| format!("i{item}")));
        let row = |&(user, item): &(u8, u8)| {
            Edge::new(users.row(&format!("u{user}")).unwrap(), items.row(&format!("i{item}")).unwrap())
        };
        let edges: BTreeSet<Edge> = pairs.iter().map(row).collect();
        let edges = edges.into_iter().collect();
        Interactions { users, items, edges, given_test: None, words: Words::default() }
    }

    /// Edges by original ids, of the users that pass.
    fn named(
        interactions: &Interactions,
        edges: &[Edge],
        keep: impl Fn(&str) -> bool,
    ) -> BTreeSet<(String, String)> {
        edges
            .iter()
            .map(|edge| (interactions.users.id(edge.user.0), interactions.items.id(edge.item.0)))
            .filter(|(user, _)| keep(user))
            .map(|(user, item)| (user.to_owned(), item.to_owned()))
            .collect()
    }

    fn per_user_count(edges: &[Edge], user: u32) -> usize {
        edges.iter().filter(|edge| edge.user.0 == user).count()
    }

    fn pairs() -> impl Strategy<Value = Vec<(u8, u8)>> {
        prop::collection::vec((0_u8..8, 0_u8..40), 1..200)
    }

    proptest! {
        #[test]
        fn parts_are_sorted_disjoint_and_complete(pairs in pairs(), share in 0.0..=1.0, seed: u64) {
            let data = interactions(&pairs);
            let split = Split::per_user(&data, share, seed);
            let inner = Split::hold_out(&data, &split.train, 1.0 - share, seed);
            for (whole, split) in [(&data.edges, &split), (&split.train, &inner)] {
                prop_assert!(split.train.is_sorted() && split.test.is_sorted());
                let mut all = [&split.train[..], &split.test].concat();
                all.sort_unstable();
                prop_assert_eq!(&all, whole);
            }
        }

        #[test]
        fn sizes_are_the_rounded_shares(pairs in pairs(), seed: u64) {
            let data = interactions(&pairs);
            let split = Split::per_user(&data, 0.8, seed);
            let inner = Split::hold_out(&data, &split.train, 0.1, seed);
            for user in 0..data.users.len() as u32 {
                let n = per_user_count(&data.edges, user);
                let train = per_user_count(&split.train, user);
                prop_assert_eq!(train, ((8 * n + 5) / 10).max(1));
                let held = if train < HOLD_OUT_FROM { 0 } else { (train + 5) / 10 };
                prop_assert_eq!(per_user_count(&inner.test, user), held);
            }
        }

        #[test]
        fn other_users_and_row_order_do_not_matter(pairs in pairs(), seed: u64) {
            let mut fewer: Vec<_> = pairs.iter().copied().filter(|&(user, _)| user < 4).collect();
            fewer.reverse();
            let (data, fewer) = (interactions(&pairs), interactions(&fewer));
            let (all, few) = (Split::per_user(&data, 0.8, seed), Split::per_user(&fewer, 0.8, seed));
            let known = |user: &str| user < "u4";
            prop_assert_eq!(named(&data, &all.test, known), named(&fewer, &few.test, known));
            let all = Split::hold_out(&data, &all.train, 0.2, seed);
            let few = Split::hold_out(&fewer, &few.train, 0.2, seed);
            prop_assert_eq!(named(&data, &all.test, known), named(&fewer, &few.test, known));
        }
    }

    #[test]
    fn a_split_is_what_it_was_when_this_was_written() {
        let data = interactions(&[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 1), (1, 2), (2, 3)]);
        let split = Split::per_user(&data, 0.8, 7);
        assert_eq!(split.test, [Edge::new(0, 0), Edge::new(1, 1)]);
        assert_ne!(Split::per_user(&data, 0.5, 7), Split::per_user(&data, 0.5, 8));
    }

    #[test]
    fn extreme_shares_keep_everybody_known() {
        let data = interactions(&[(0, 0), (0, 1), (1, 0)]);
        for share in [0.0, -1.0, f64::NAN] {
            let split = Split::per_user(&data, share, 7);
            assert_eq!((split.train.len(), split.test.len()), (2, 1));
        }
        assert_eq!(Split::per_user(&data, 9.0, 7).test, []);
        let long = interactions(&(0..9).map(|item| (0, item)).collect::<Vec<_>>());
        assert_eq!(Split::hold_out(&long, &long.edges, 1.0, 7).train.len(), 1);
    }

    #[test]
    fn every_item_is_as_likely_to_be_tested() {
        let data = interactions(&(0..10).map(|item| (0, item)).collect::<Vec<_>>());
        let mut tested = [0; 10];
        for seed in 0..2_000 {
            for edge in Split::per_user(&data, 0.8, seed).test {
                tested[edge.item.row()] += 1;
            }
        }
        assert!(tested.iter().all(|n| (330..470).contains(n)), "{tested:?}");
    }

    #[test]
    fn a_given_split_is_respected() {
        let mut data = interactions(&[(0, 0), (0, 1), (1, 0), (1, 2)]);
        assert_eq!(Split::given(&data), None);
        data.given_test = Some(vec![Edge::new(1, 1), Edge::new(0, 2)]);
        let split = Split::of(&data, 0.5, 7);
        assert_eq!(split.train, data.edges);
        assert_eq!(split.test, [Edge::new(0, 2), Edge::new(1, 1)]);
    }
}
