//! What somebody's whole list rests on.

use grease_explain::{Goal, Items};
use grease_graph::Who;
use grease_tell::ListRecord;

use super::{Resolved, Subject};
use crate::question::Question;
use crate::refusal::Refusal;

/// The share of a list that is usually asked about.
pub const HALF: f64 = 0.5;

impl Subject {
    /// The fewest interactions found without which at least this share of somebody's list would be another.
    pub fn explain_list(&self, question: &Question, share: f64) -> Result<ListRecord, Refusal> {
        let who = self.who(question)?;
        self.resolve_list(question)?.list_record(&who, share)
    }

    /// The question with rows instead of names, to be put about one person's whole list or about many.
    pub fn resolve_list(&self, question: &Question) -> Result<Resolved<'_>, Refusal> {
        self.resolve(&Question { items: None, goals: vec![Goal::Counterfactual], ..question.clone() })
    }
}

impl Resolved<'_> {
    /// What this person's list rests on.
    pub fn list_record(&self, who: &Who, share: f64) -> Result<ListRecord, Refusal> {
        debug_assert_eq!(self.items, Items::List);
        let explanation = self.explainer.explain_list(&self.task_of(who), share)?;
        Ok(ListRecord::new(&explanation, &self.names(who)))
    }
}
