//! The one answer of method `paper`, checked.

use grease_graph::{Edge, ScoreError};

use super::pair::Pair;
use crate::ask::{AnswerId, Ledger, Rules};
use crate::explanation::{Outcome, Reason};
use crate::find::Checked;
use crate::methods::paper;
use crate::surrogate::SurrogateView;

impl<'a> Pair<'_, 'a> {
    /// Runs Algorithm 1, then asks the recommender about its answer once. Nothing is extended or pruned.
    pub(super) fn as_published(
        &self,
        ledger: &mut Ledger<'a>,
        rules: &Rules<'a>,
        start: AnswerId,
        pool: &[Edge],
    ) -> Result<(Outcome, Option<SurrogateView>), ScoreError> {
        let (surrogate, person) = (self.list.surrogate, self.list.person);
        let surrogate = surrogate.expect("method paper has a surrogate");
        let none = |rank| Outcome::NotFound(Reason::SurrogateFoundNone { rank });
        let (before, options) = (person.before, &person.task.paper);
        let asked = paper::Asked { item: self.item, pool, before, start, options };
        let Some((edges, view)) = paper::answer(surrogate, ledger, rules, &asked) else {
            return Ok((none(None), None));
        };
        let mut certifier = self.certifier(ledger, (rules, None), start);
        let outcome = match certifier.check(&[], Some(true))? {
            Checked::Holds(nothing_needed) => Outcome::Trivial(nothing_needed),
            Checked::Denied(_) if edges.is_empty() => none(Some(view.rank_before)),
            Checked::Denied(_) => certifier.check(&edges, None)?.into(),
            unsure @ Checked::Unsure(_) => unsure.into(),
        };
        Ok((outcome, Some(view)))
    }
}
