//! Importance curves: what of a list is left as more and more of a history goes, in the order of a method.

use std::collections::BTreeMap;

use grease::Subject;
use grease_explain::{Candidates, Method, Ordered, Who};
use grease_graph::{Edge, Edit, ItemId, Profile, Recommender, ScoreError, UserId, check_finite};

use crate::results::{Importance, Spread};
use crate::unit::{Removals, TENTHS};
use grease::{Question, Refusal};

/// What one method's orders do to one person's list: ten growing tenths of the history go, the most important first, and the least.
pub(crate) fn removals(subject: &Subject, question: &Question, user: UserId) -> Result<Removals, Refusal> {
    let orders = subject.resolve(question)?.orders(&Who::Known(user))?;
    let (k, method) = (question.k, question.method);
    let mut removals = Removals { k, method, pairs: orders.len(), most: [0; TENTHS], least: [0; TENTHS] };
    let asked = Asked::new(&**subject.recommender(), user, k);
    for Ordered { item, edges } in orders {
        let backwards: Vec<Edge> = edges.iter().rev().copied().collect();
        for tenth in 0..TENTHS {
            removals.most[tenth] += usize::from(asked.is_listed(item, part(&edges, tenth))?);
            removals.least[tenth] += usize::from(asked.is_listed(item, part(&backwards, tenth))?);
        }
    }
    Ok(removals)
}

/// The first tenths of an order, one more than the number says; no interaction is cut in two.
fn part(edges: &[Edge], tenth: usize) -> &[Edge] {
    &edges[..(edges.len() * (tenth + 1)).div_ceil(TENTHS)]
}

/// One person's list, asked about.
struct Asked<'a> {
    recommender: &'a dyn Recommender,
    user: UserId,
    k: usize,
    allowed: Vec<bool>,
}

impl<'a> Asked<'a> {
    fn new(recommender: &'a dyn Recommender, user: UserId, k: usize) -> Self {
        let graph = recommender.graph();
        let allowed = Candidates::default().mask(graph.items(), graph.items_of(user));
        Self { recommender, user, k, allowed }
    }

    /// Whether the item is on the list without these; at equal scores the lower row is better.
    fn is_listed(&self, item: ItemId, removed: &[Edge]) -> Result<bool, ScoreError> {
        let edit = Edit::removing(removed.iter().copied());
        let scores = self.recommender.scores_after(self.user, Profile::Kept, &edit)?;
        check_finite(&scores)?;
        let mine = scores[item.row()];
        let ahead = scores.iter().enumerate().filter(|&(other, &score)| {
            self.allowed[other] && (score > mine || (score == mine && other < item.row()))
        });
        Ok(ahead.count() < self.k)
    }
}

/// What was counted of all people.
#[derive(Default)]
pub(crate) struct Importances {
    /// By length of lists and method, then repeat.
    all: BTreeMap<(usize, Method), BTreeMap<usize, Counts>>,
}

#[derive(Default)]
struct Counts {
    people: usize,
    pairs: usize,
    most: [usize; TENTHS],
    least: [usize; TENTHS],
}

impl Importances {
    pub(crate) fn add(&mut self, repeat: usize, removals: &[Removals]) {
        for one in removals {
            let counts = self.all.entry((one.k, one.method)).or_default().entry(repeat).or_default();
            counts.people += 1;
            counts.pairs += one.pairs;
            for tenth in 0..TENTHS {
                counts.most[tenth] += one.most[tenth];
                counts.least[tenth] += one.least[tenth];
            }
        }
    }

    pub(crate) fn finish(self) -> Vec<Importance> {
        self.all.into_iter().map(|((k, method), repeats)| importance(k, method, &repeats)).collect()
    }
}

fn importance(k: usize, method: Method, repeats: &BTreeMap<usize, Counts>) -> Importance {
    let sum = |of: &dyn Fn(&Counts) -> usize| repeats.values().map(of).sum::<usize>();
    let pairs = sum(&|counts| counts.pairs);
    let listed = |of: &dyn Fn(&Counts) -> [usize; TENTHS]| {
        (0..TENTHS).map(|tenth| sum(&|counts| of(counts)[tenth]) as f64 / pairs.max(1) as f64).collect()
    };
    let mean = |of: &dyn Fn(&Counts) -> [usize; TENTHS]| {
        let each = repeats.values().filter(|counts| counts.pairs > 0);
        let each =
            each.map(|counts| of(counts).iter().sum::<usize>() as f64 / (TENTHS * counts.pairs) as f64);
        Spread::of(&each.collect::<Vec<f64>>())
    };
    Importance {
        k,
        method,
        people: sum(&|counts| counts.people),
        pairs,
        most_first: mean(&|counts| counts.most),
        least_first: mean(&|counts| counts.least),
        listed_most_first: listed(&|counts| counts.most),
        listed_least_first: listed(&|counts| counts.least),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_grow_to_the_whole_history() {
        for history in [1usize, 3, 10, 37] {
            let edges: Vec<Edge> = (0..history as u32).map(|item| Edge::new(0, item)).collect();
            let sizes: Vec<usize> = (0..TENTHS).map(|tenth| part(&edges, tenth).len()).collect();
            assert!(sizes[0] > 0 && sizes.is_sorted() && sizes[TENTHS - 1] == history, "{sizes:?}");
            if history == 10 {
                assert_eq!(sizes, (1..=10).collect::<Vec<_>>());
            }
        }
        assert!(part(&[], 9).is_empty());
    }

    #[test]
    fn repeats_are_averaged_and_curves_pooled() {
        let one = |pairs, most, least| Removals {
            k: 5,
            method: Method::Random,
            pairs,
            most: [most; TENTHS],
            least: [least; TENTHS],
        };
        let mut all = Importances::default();
        all.add(0, &[one(10, 5, 10)]);
        all.add(1, &[one(10, 2, 8)]);
        all.add(1, &[one(10, 4, 10)]);
        let found = &all.finish()[0];
        assert_eq!((found.people, found.pairs), (3, 30));
        assert!((found.most_first.unwrap().mean - (0.5 + 0.3) / 2.0).abs() < 1e-12);
        assert!((found.least_first.unwrap().mean - (1.0 + 0.9) / 2.0).abs() < 1e-12);
        assert!((found.listed_most_first[3] - 11.0 / 30.0).abs() < 1e-12);
    }
}
