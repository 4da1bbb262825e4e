//! Both at once: a set that is needed and enough, from what is needed and what is enough.

use std::rc::Rc;

use grease_graph::{Edge, ItemId, ScoreError};

use super::pair::{List, Pair};
use super::shared::{BOTH, SharedAnswers};
use crate::ask::{AnswerId, Ledger, Rules};
use crate::explanation::{Explanation, Instead, Minimum, Outcome, Reason, Status};
use crate::find::{Both, Certificate};
use crate::methods::Method;
use crate::task::Goal;

/// What is needed, and what is enough, each by itself.
pub(super) struct Parts {
    needed: Explanation,
    enough: Explanation,
    /// What a search goes by, where both are there and single interactions were asked about.
    pub(super) both: Option<Rc<Both>>,
}

impl Parts {
    fn new(enough: Explanation, needed: Explanation, shared: &SharedAnswers) -> Self {
        let sets = [&needed, &enough].map(|part| {
            let edges = part.edges().iter().map(|cited| cited.edge).collect::<Vec<Edge>>();
            (part.status() == Status::Verified).then_some(edges)
        });
        let both = match (sets, shared.of(Goal::Counterfactual), shared.of(Goal::Factual)) {
            ([Some(needed), Some(enough)], Some(out), Some(alone)) => Some(Rc::new(Both {
                out: Rc::clone(&out.effects),
                alone: Rc::clone(&alone.effects),
                needed,
                enough,
            })),
            _ => None,
        };
        Self { needed, enough, both }
    }

    /// Why no set can be both, where one of the parts is missing.
    pub(super) fn reason(&self) -> Option<Reason> {
        self.needed.reason().or(self.enough.reason())
    }

    /// No set smaller than this does both, as is known of each.
    pub(super) fn least(&self) -> usize {
        let proved = |part: &Explanation| match part.minimum {
            Some(Minimum::Proved) => part.edges().len(),
            _ => 0,
        };
        proved(&self.needed).max(proved(&self.enough))
    }

    fn certificates(&self) -> Option<(&Certificate, &Certificate)> {
        match (self.needed.outcome(), self.enough.outcome()) {
            (Outcome::Verified(needed), Outcome::Verified(enough)) => Some((needed, enough)),
            _ => None,
        }
    }
}

impl<'a> List<'_, 'a> {
    /// One item for every goal; what is asked for it alone may be forgotten afterwards.
    pub(super) fn explain_item(
        &self,
        ledger: &mut Ledger<'a>,
        shared: &SharedAnswers,
        goals: &[Goal],
        (item, watched): (ItemId, usize),
        shared_by_all: AnswerId,
    ) -> Result<Vec<Explanation>, ScoreError> {
        let mut explain = |goal: Goal, parts: Option<&Parts>| {
            let pair = Pair {
                list: self,
                goal,
                item,
                watched,
                shared: shared.of(goal),
                parts,
                is_hasty: false,
                is_strict: false,
            };
            let (asked, mut found) = (ledger.asked(), Vec::new());
            pair.explain(ledger, &mut found)?;
            let asked = ledger.asked() - asked;
            // Only where questions are not limited: elsewhere those asked before are free, and decide what is found.
            if self.method == Method::Exact {
                ledger.forget_much(shared_by_all);
            }
            Ok::<_, ScoreError>((found, asked))
        };
        if !goals.contains(&Goal::Joint) {
            let each = goals.iter().map(|&goal| Ok(explain(goal, None)?.0));
            return Ok(each.collect::<Result<Vec<_>, ScoreError>>()?.concat());
        }
        let [enough, needed] = BOTH.map(|goal| explain(goal, None));
        let (enough, needed) = (enough?, needed?);
        let first = |found: &(Vec<Explanation>, usize)| found.0[0].clone();
        let parts = Parts::new(first(&enough), first(&needed), shared);
        let mut found = Vec::new();
        // What was asked for a part that nobody wanted by itself was asked for both at once.
        let mut for_parts = 0;
        for (goal, (_, asked)) in BOTH.iter().zip([&enough, &needed]) {
            for_parts += if goals.contains(goal) { 0 } else { *asked };
        }
        for &goal in goals {
            match goal {
                Goal::Factual => found.extend_from_slice(&enough.0),
                Goal::Counterfactual => found.extend_from_slice(&needed.0),
                Goal::Joint => {
                    let (mut joint, _) = explain(goal, Some(&parts))?;
                    joint.iter_mut().take(1).for_each(|joint| joint.queries += for_parts as f32);
                    found.extend(joint);
                }
                Goal::WhyNot => found.extend(explain(goal, None)?.0),
            }
        }
        Ok(found)
    }
}

impl<'a> Pair<'_, 'a> {
    /// What a set has to do besides: be enough.
    pub(super) fn besides(&self, rules: &Rules<'a>) -> Option<Rules<'a>> {
        let is_both = self.goal == Goal::Joint;
        is_both.then(|| Rules { cap: rules.cap, ..self.list.person.rules(Goal::Factual, self.item) })
    }

    /// What is told where no set is both: the parts, or what is told in place of the one that is missing.
    pub(super) fn parts_instead(&self) -> Option<Instead> {
        let parts = self.parts.filter(|_| self.list.person.task.instead)?;
        match parts.certificates() {
            Some((needed, enough)) => Some(Instead::parts(needed.clone(), enough.clone())),
            None => parts.needed.instead.clone().or_else(|| parts.enough.instead.clone()),
        }
    }
}
