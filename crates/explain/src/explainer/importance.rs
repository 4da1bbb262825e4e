//! How much each interaction matters for an item, as methods say that have shares to tell.

use grease_graph::{Edge, ItemId, ScoreError};

use super::pair::Pair;
use super::{ExplainError, Explainer, Items, wanted};
use crate::ask::{Ledger, Person};
use crate::find::{Search, Stop};
use crate::methods::{Attempt, Given};
use crate::task::{Goal, Task};

/// How much an interaction matters for an item, as a method says: comparable within the item, larger is more. Those of method `shapley` add up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Importance {
    pub edge: Edge,
    /// Its share.
    pub share: f32,
}

impl Explainer {
    /// How much each of the interactions that may be cited matters for items of a person's list, by a method that
    /// [has shares](crate::Method::has_shares): the most important first.
    pub fn importance(
        &self,
        task: &Task,
        items: &Items,
        goal: Goal,
    ) -> Result<Vec<(ItemId, Vec<Importance>)>, ExplainError> {
        self.check(task, items, &[goal])?;
        if !self.method.has_shares() {
            return Err(ExplainError::NoShares(self.method));
        }
        if self.is_frozen() {
            return Err(ExplainError::SharesOfFrozen);
        }
        self.of_each(task, items, goal, &mut |pair, ledger| pair.importance(ledger))
    }

    /// What a method says of items of a person's list, one by one, where the task was checked and the recommender can be asked.
    pub(super) fn of_each<T>(
        &self,
        task: &Task,
        items: &Items,
        goal: Goal,
        says: &mut Says<'_, T>,
    ) -> Result<Vec<(ItemId, T)>, ExplainError> {
        let task = &self.as_able(task);
        let (mut person, mut ledger) = Person::ask_list(&*self.recommender, task)?;
        ledger.watch(wanted(items, &person, &ledger)?)?;
        person.keep_what_can_be_asked(ledger.watched(), ledger.questions(task.queries));
        let imitates = self.imitates(&person, &ledger, &[goal])?;
        let near = self.neighbourhood(&person, &ledger, imitates);
        let near = (near.as_ref(), imitates);
        self.with_list(&person, &mut ledger, near, &[goal], |list, shared, ledger| {
            let items = ledger.watched().to_vec();
            let each = items.into_iter().enumerate().map(|(watched, item)| {
                let (shared, parts) = (shared.of(goal), None);
                let (is_hasty, is_strict) = (false, false);
                let pair = Pair { list, goal, item, watched, shared, parts, is_hasty, is_strict };
                let said = says(&pair, ledger);
                match list.given.as_ref().and_then(Given::broken) {
                    Some(broken) => Err(broken.clone().into()),
                    None => Ok((item, said?)),
                }
            });
            each.collect()
        })
    }
}

/// What is asked about one item.
type Says<'s, T> = dyn for<'a> FnMut(&Pair<'_, 'a>, &mut Ledger<'a>) -> Result<T, ScoreError> + 's;

impl<'a> Pair<'_, 'a> {
    /// What the method says of every edge that may be cited; nothing where its questions do not suffice.
    fn importance(&self, ledger: &mut Ledger<'a>) -> Result<Vec<Importance>, ScoreError> {
        let rules = self.rules(self.list.person.task.caps);
        let (context, pool) = (self.context(), self.pool(&std::collections::BTreeSet::new()));
        let allowed = ledger.questions(self.list.person.task.queries);
        let mut search = Search::new(ledger, &rules, self.watched, allowed);
        let attempts = self.list.method.attempts(&context, &rules, &pool);
        let Some(Attempt::ByShares(shares)) = attempts.first() else { return Ok(Vec::new()) };
        let shares = match shares(&context, &mut search, &pool) {
            Ok(shares) => shares,
            Err(Stop::OutOfBudget) => return Ok(Vec::new()),
            Err(Stop::Score(error)) => return Err(error),
        };
        let mut each: Vec<Importance> =
            pool.into_iter().zip(shares).map(|(edge, share)| Importance { edge, share }).collect();
        each.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.edge.cmp(&b.edge)));
        Ok(each)
    }
}
