//! Interactions that do nothing alone and something together: no order by what each does can find them.

use std::collections::BTreeSet;

use grease_explain::{Goal, Method, Status, Task, Who};
use grease_graph::{Edge, Edit, Graph, Profile, Recommender, ScoreError, UserId, check_request};

use crate::support::{cited, one};

const PEOPLE: u32 = 60;
const INTERACTIONS: u32 = 12;
/// What everybody is recommended, at some place.
const TARGET: u32 = 40;
const ITEMS: usize = 41;

/// When the item stands first.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// Both of two are there.
    And,
    /// Either of two is.
    Or,
    /// Two of three are.
    TwoOfThree,
}

impl Rule {
    fn of(self) -> usize {
        if matches!(self, Rule::TwoOfThree) { 3 } else { 2 }
    }

    fn holds(self, there: usize) -> bool {
        match self {
            Rule::Or => there >= 1,
            Rule::And | Rule::TwoOfThree => there >= 2,
        }
    }
}

/// Every person has [`INTERACTIONS`] of the items before the target, and the target stands first by some of them.
#[derive(Clone)]
struct Planted {
    graph: Graph,
    rule: Rule,
}

impl Planted {
    fn new(rule: Rule) -> Self {
        let edges = (0..PEOPLE).flat_map(|user| items_of(user).map(move |item| Edge::new(user, item)));
        Self { graph: Graph::new(PEOPLE as usize, ITEMS, &edges.collect::<Vec<_>>()).unwrap(), rule }
    }

    /// The items of a person that decide.
    fn causes(&self, user: UserId) -> BTreeSet<u32> {
        let own: Vec<u32> = items_of(user.0).collect();
        (0..self.rule.of()).map(|at| own[(user.row() * 7 + at * 5) % own.len()]).collect()
    }

    fn is_first(&self, user: UserId, history: impl Iterator<Item = u32>) -> bool {
        let causes = self.causes(user);
        self.rule.holds(history.filter(|item| causes.contains(item)).count())
    }
}

fn items_of(user: u32) -> impl Iterator<Item = u32> {
    (0..INTERACTIONS).map(move |at| (user * 3 + at * 3) % TARGET)
}

impl Recommender for Planted {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn score(&self, user: UserId, _: Profile, edits: &[Edit], out: &mut [f32]) -> Result<(), ScoreError> {
        check_request(&self.graph, user, edits, out)?;
        for (edit, out) in edits.iter().zip(out.chunks_exact_mut(ITEMS)) {
            let history = self.graph.rebuilt(edit).unwrap();
            out.iter_mut().enumerate().for_each(|(item, score)| *score = 1.0 / (item + 1) as f32);
            let is_first = self.is_first(user, history.items_of(user).iter().copied());
            out[TARGET as usize] = if is_first { 2.0 } else { 0.0 };
        }
        Ok(())
    }
}

/// The size of the smallest set within the cap that does it, of all there are.
fn smallest(planted: &Planted, user: UserId, goal: Goal, cap: usize) -> Option<usize> {
    let own: Vec<u32> = items_of(user.0).collect();
    let does_it = |set: &u32| {
        let cited = |at: usize| set & (1 << at) != 0;
        let there = (0..own.len()).filter(|&at| cited(at) == (goal == Goal::Factual)).map(|at| own[at]);
        planted.is_first(user, there) == (goal == Goal::Factual)
    };
    let sizes = (1..1u32 << own.len()).filter(does_it).map(|set| set.count_ones() as usize);
    sizes.min().filter(|&size| size <= cap)
}

#[test]
fn what_only_works_together_is_found_wherever_it_is_possible() {
    for rule in [Rule::And, Rule::Or, Rule::TwoOfThree] {
        let planted = Planted::new(rule);
        for goal in [Goal::Factual, Goal::Counterfactual] {
            for user in (0..PEOPLE).map(UserId) {
                let task = Task::new(Who::Known(user), 1);
                let cap = if goal == Goal::Factual { task.caps.add } else { task.caps.remove };
                let why = one(&planted, Method::Grease, &task, TARGET, goal);
                let size = (why.status() == Status::Verified).then(|| cited(&why).len());
                assert_eq!(size, smallest(&planted, user, goal, cap), "{rule:?}: {why:?}");
                assert_eq!(why.minimal(), Some(true), "{rule:?}: {why:?}");
                let causes = planted.causes(user);
                assert!(
                    why.edges().iter().all(|cited| causes.contains(&cited.edge.item.0)),
                    "{rule:?}: {why:?}"
                );
            }
        }
    }
}

/// The same where fewer may be named than it takes: the reason says how many that would be.
#[test]
fn what_takes_more_than_may_be_named_is_said() {
    let planted = Planted::new(Rule::And);
    let task = Task { caps: grease_explain::Caps::both(1), ..Task::new(Who::Known(UserId(3)), 1) };
    let why = one(&planted, Method::Grease, &task, TARGET, Goal::Factual);
    let said = why.reason().unwrap().to_string();
    assert_eq!(
        said,
        "cap_reached: the smallest set found has 2 interactions, and 1 may be cited; allow more"
    );
}
