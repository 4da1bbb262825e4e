//! Whole histories in the order of a method.

use std::collections::BTreeSet;

use grease_graph::{Edge, ItemId, ScoreError};

use super::pair::Pair;
use super::{ExplainError, Explainer, Items};
use crate::ask::{Ledger, Rules};
use crate::find::{Search, Stop};
use crate::task::{Goal, Rigour, Scope, Task};

/// A person's interactions as a method orders them for an item on their list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordered {
    pub item: ItemId,
    /// All that may be cited, those first that it thinks the item is there for.
    pub edges: Vec<Edge>,
}

impl Explainer {
    /// Whole histories in the method's order, for each of these items: what would be removed first stands first. Nothing is checked.
    ///
    /// Only for methods that [have an order](crate::Method::has_an_order). There are none of a recommender that cannot be asked.
    pub fn orders(&self, task: &Task, items: &Items) -> Result<Vec<Ordered>, ExplainError> {
        let goal = Goal::Counterfactual;
        let task = Task { scope: Scope::Own, rigour: Rigour::InOrder, ..task.clone() };
        self.check(&task, items, &[goal])?;
        if self.is_frozen() {
            return Ok(Vec::new());
        }
        // Of all there is, however many questions are allowed.
        let history = task.who.history(self.recommender.graph()).len();
        let task = Task { queries: task.queries.max(2 * history), ..task };
        let of_all = self.of_each(&task, items, goal, &mut |pair, ledger| pair.order(ledger))?;
        Ok(of_all.into_iter().map(|(item, edges)| Ordered { item, edges }).collect())
    }
}

impl<'a> Pair<'_, 'a> {
    /// All that may be cited in the method's order; what it says nothing of comes last.
    fn order(&self, ledger: &mut Ledger<'a>) -> Result<Vec<Edge>, ScoreError> {
        let task = self.list.person.task;
        let pool = self.pool(&BTreeSet::new());
        // Methods order as much as may be cited.
        let rules = Rules { cap: pool.len(), ..self.rules(task.caps) };
        let allowed = ledger.questions(task.queries);
        let mut search = Search::new(ledger, &rules, self.watched, allowed);
        let context = self.context();
        let mut edges = Vec::new();
        for attempt in self.list.method.attempts(&context, &rules, &pool) {
            match attempt.propose(&context, &mut search, &pool) {
                Ok(proposal) => edges.extend(proposal.iter().flat_map(|proposal| proposal.order())),
                Err(Stop::OutOfBudget) => {}
                Err(Stop::Score(error)) => return Err(error),
            }
        }
        let known: BTreeSet<Edge> = edges.iter().copied().collect();
        edges.extend(pool.into_iter().filter(|edge| !known.contains(edge)));
        Ok(edges)
    }
}
