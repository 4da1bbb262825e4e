//! Explaining a unit: one person's lists, by every method that looks at them.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use grease::{HALF, ListRecord, Question, Reading, Refusal, RunObserver, Subject};
use grease_explain::{Explanation, Goal, Method, Minimum, Rigour, Status};
use grease_graph::{Recommender as _, ScoreError, UserId, Who};

use crate::crowd::{Crowd, edited_history};
use crate::importance::removals;
use crate::memory::Remembering;
use crate::plan::{Plan, Planned};
use crate::row::Row;
use crate::settings::Settings;
use crate::table::Table;
use crate::unit::{Answer, Call, Done, Proof, Purpose, Removals, Unit, WholeList};

/// One model, asked through a memory.
pub(crate) struct Bench<'a> {
    settings: &'a Settings,
    plan: Plan<'a>,
    crowd: Crowd,
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
        let crowd = Crowd::sample(memory.graph(), settings.seed);
        Self { settings, plan, crowd, memory, subject: subject.asked_through(memory.clone()), observer }
    }

    /// Explains one person's lists by everybody who looks at them.
    /// A recommender that fails is no answer: the unit is not done.
    pub(crate) fn explain(&self, unit: Unit) -> Result<Done, Refusal> {
        let started = Instant::now();
        self.memory.forget();
        let planned = self.plan.of(&unit);
        let mut calls: Vec<Call> =
            planned.iter().map(|planned| self.call(&unit, planned)).collect::<Result<_, _>>()?;
        let lists = self.lists(&unit)?;
        let proofs = self.proofs(&unit)?;
        let removals = self.removals(&unit)?;
        self.memory.forget();
        let degree = self.memory.graph().items_of(unit.user).len();
        let plausibility = self.judge_histories(&unit, &mut calls);
        let ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(Done { unit, degree, ms, calls, lists, plausibility, proofs, removals })
    }

    /// How plausible the person's history is as it is, and as each verified answer leaves it. Methods often come to the same set.
    fn judge_histories(&self, unit: &Unit, calls: &mut [Call]) -> Option<f64> {
        if unit.purpose != Purpose::Tables {
            return None;
        }
        let graph = self.memory.graph();
        let mut known = HashMap::new();
        for answer in calls.iter_mut().flat_map(|call| &mut call.answers) {
            if answer.status == Status::Verified && !answer.beyond {
                let history = edited_history(graph, unit.user, answer.goal, &answer.edges);
                let judged = |history: &BTreeSet<u32>| self.crowd.plausibility(unit.user, history);
                answer.plausibility = Some(*known.entry(history).or_insert_with_key(judged));
            }
        }
        let history: BTreeSet<u32> = graph.items_of(unit.user).iter().copied().collect();
        Some(self.crowd.plausibility(unit.user, &history))
    }

    /// The smallest sets of own interactions, where they are to be proved. Proving is apart from all calls, as nobody's answers and times
    /// are to depend on it.
    fn proofs(&self, unit: &Unit) -> Result<Vec<Proof>, Refusal> {
        let settings = self.settings;
        let is_wanted = unit.purpose == Purpose::Tables && settings.prove > 0;
        let mut proofs = Vec::new();
        for &table in settings.tables.iter().filter(|&&table| is_wanted && table == Table::Own) {
            for &k in &settings.ks {
                let (method, rigour) = (Method::Grease, Rigour::Certified);
                let row = Row { table, k, goal: settings.goals[0], method, rigour };
                let question = self.question(unit, row, &settings.goals);
                let question = Question { prove: Some(settings.prove), ..question };
                match self.found(&question, unit.user, 0) {
                    Ok(found) => proofs.extend(found.iter().filter_map(proof)),
                    Err(refusal) if refusal.kind.is_nobodys_answer() => return Err(refusal),
                    // Whoever cannot be asked it has said so in every call.
                    Err(_) => {}
                }
            }
        }
        Ok(proofs)
    }

    /// What becomes of the lists as the history goes, in the order of each method that has one.
    fn removals(&self, unit: &Unit) -> Result<Vec<Removals>, Refusal> {
        let settings = self.settings;
        let ordered = settings.methods.iter().copied().filter(|method| method.has_an_order());
        let mut all = Vec::new();
        for method in ordered.filter(|_| self.plan.wants_curves(unit)) {
            for &k in &settings.ks {
                let (table, rigour) = (Table::Own, Rigour::InOrder);
                let row = Row { table, k, goal: Goal::Counterfactual, method, rigour };
                match removals(&self.subject, &self.question(unit, row, &[row.goal]), unit.user) {
                    Ok(one) => all.push(one),
                    Err(refusal) if refusal.kind.is_nobodys_answer() => return Err(refusal),
                    // Not everybody can be asked it.
                    Err(_) => {}
                }
            }
        }
        Ok(all)
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
                Err(refusal) if refusal.kind.is_nobodys_answer() => return Err(refusal),
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
        let question = self.question(unit, *row, goals);
        let beyond = curves.then(|| settings.beyond());
        let reading = Reading { beyond, ..question.reading };
        let question = Question { reading, ..question };
        let (found, took) = self.memory.timed(|| self.found(&question, unit.user, planned.answers()));
        let (answers, error) = match found {
            Ok(found) => (answers(&found), None),
            Err(refusal) if refusal.kind.is_nobodys_answer() => return Err(refusal),
            Err(refusal) => (Vec::new(), Some(refusal.message)),
        };
        Ok(Call { table, k, method, rigour, ms: took.as_secs_f64() * 1e3, error, answers })
    }

    /// What is asked of a person's list within the caps.
    fn question(&self, unit: &Unit, row: Row, goals: &[Goal]) -> Question {
        let settings = self.settings;
        Question {
            method: row.method,
            k: row.k,
            goals: goals.to_vec(),
            scope: row.table.scope(row.goal),
            hops: settings.hops,
            queries: settings.queries,
            paper: settings.paper,
            seed: settings.seed_of(unit.repeat),
            reading: Reading { caps: Some(settings.caps()), beyond: None, rigour: row.rigour },
            ..Question::default()
        }
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

/// What an explanation says of the smallest set.
fn proof(explanation: &Explanation) -> Option<Proof> {
    (explanation.status() == Status::Verified).then(|| Proof {
        k: explanation.k,
        goal: explanation.goal,
        item: explanation.item.0,
        edges: explanation.edges().len(),
        is_proved: explanation.minimum == Some(Minimum::Proved),
    })
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
