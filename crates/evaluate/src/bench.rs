//! Explaining a unit: one person's lists, by every method that looks at them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use grease::{HALF, ListRecord, Question, Reading, Refusal, RefusalKind, RunObserver, Subject};
use grease_explain::{Explanation, Goal, Method};
use grease_graph::{Recommender as _, ScoreError, UserId, Who};

use crate::memory::Remembering;
use crate::plan::{Plan, Planned};
use crate::row::Row;
use crate::settings::Settings;
use crate::table::Table;
use crate::unit::{Answer, Call, Done, Purpose, Unit, WholeList};

/// One model, asked through a memory.
pub(crate) struct Bench<'a> {
    settings: &'a Settings,
    plan: Plan<'a>,
    memory: &'a Remembering,
    /// The recommender behind the memory: it keeps an explainer a method.
    subject: Subject,
    observer: &'a dyn RunObserver,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(
        settings: &'a Settings,
        subject: &Subject,
        memory: &'a Arc<Remembering>,
        observer: &'a dyn RunObserver,
    ) -> Self {
        let plan = Plan::new(settings, memory.graph());
        Self { settings, plan, memory, subject: subject.asked_through(memory.clone()), observer }
    }

    /// Explains one person's lists by everybody who looks at them.
    /// A recommender that fails is no answer: the unit is not done.
    pub(crate) fn explain(&self, unit: Unit) -> Result<Done, Refusal> {
        let started = Instant::now();
        self.memory.forget();
        let planned = self.plan.of(&unit);
        let calls: Result<_, _> = planned.iter().map(|planned| self.call(&unit, planned)).collect();
        let lists = self.lists(&unit)?;
        self.memory.forget();
        let ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(Done { unit, degree: self.memory.graph().items_of(unit.user).len(), ms, calls: calls?, lists })
    }

    /// What the person's lists as a whole rest on, where own interactions are looked at by method `grease`.
    fn lists(&self, unit: &Unit) -> Result<Vec<WholeList>, Refusal> {
        let settings = self.settings;
        let is_wanted = unit.purpose == Purpose::Tables
            && settings.tables.contains(&Table::Own)
            && settings.methods.contains(&Method::Grease);
        let mut lists = Vec::new();
        for &k in settings.ks.iter().filter(|_| is_wanted) {
            let reading = Reading { caps: Some(settings.caps()), ..Reading::default() };
            let (queries, seed) = (settings.queries, settings.seed_of(unit.repeat));
            let question = Question { k, queries, seed, reading, ..Question::default() };
            match self.whole(&question, unit.user) {
                Ok(record) => lists.push(WholeList {
                    k,
                    found: record
                        .changed
                        .zip(record.changed_by_rank)
                        .map(|(share, by_rank)| (record.edges.len(), share, by_rank)),
                }),
                Err(refusal) if matches!(refusal.kind, RefusalKind::Recommender | RefusalKind::Cancelled) => {
                    return Err(refusal);
                }
                // Not everybody can be asked it.
                Err(_) => {}
            }
        }
        Ok(lists)
    }

    fn whole(&self, question: &Question, user: UserId) -> Result<ListRecord, Refusal> {
        self.subject.resolve_list(question)?.list_record(&Who::Known(user), HALF)
    }

    /// One list explained by one method.
    fn call(&self, unit: &Unit, planned: &Planned) -> Result<Call, Refusal> {
        let (settings, Planned { row, goals }) = (self.settings, planned);
        let Row { table, k, method, rigour, .. } = *row;
        let further = |&goal: &Goal| settings.looks_up_to(Row { goal, ..*row }) > settings.cap(goal);
        let curves = unit.purpose == Purpose::Tables && goals.iter().any(further);
        let reading =
            Reading { caps: Some(settings.caps()), beyond: curves.then(|| settings.beyond()), rigour };
        let question = Question {
            method,
            k,
            goals: goals.clone(),
            scope: table.scope(row.goal),
            hops: settings.hops,
            queries: settings.queries,
            paper: settings.paper,
            seed: settings.seed_of(unit.repeat),
            reading,
            ..Question::default()
        };
        let (found, took) = self.memory.timed(|| self.found(&question, unit.user, planned.answers()));
        let (answers, error) = match found {
            Ok(found) => (answers(&found), None),
            Err(refusal) if matches!(refusal.kind, RefusalKind::Recommender | RefusalKind::Cancelled) => {
                return Err(refusal);
            }
            Err(refusal) => (Vec::new(), Some(refusal.message)),
        };
        Ok(Call { table, k, method, rigour, ms: took.as_secs_f64() * 1e3, error, answers })
    }

    /// What is found, told item by item to whoever watches; in the end as many answers as were planned, found or not.
    fn found(&self, question: &Question, user: UserId, planned: usize) -> Result<Vec<Explanation>, Refusal> {
        let (mut found, mut told) = (Vec::new(), 0);
        let explained = self.subject.resolve(question).and_then(|resolved| {
            resolved.explanations(&Who::Known(user), &mut |more| {
                found.extend(more);
                let now = question.goals.len().min(planned - told);
                told += now;
                self.observer.answered(now);
                // A search that finds what it needs remembered asks nobody who could tell it to end.
                if self.memory.is_given_up() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        self.observer.answered(planned - told);
        explained?;
        if self.memory.is_given_up() { Err(ScoreError::Cancelled.into()) } else { Ok(found) }
    }
}

/// One answer an explanation; a second one of the same pair was found beyond the caps.
fn answers(found: &[Explanation]) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::with_capacity(found.len());
    for explanation in found {
        let again = |last: &Answer| (last.item, last.goal) == (explanation.item.0, explanation.goal);
        let beyond = answers.last().is_some_and(again);
        answers.push(Answer::new(explanation, beyond));
    }
    answers
}
