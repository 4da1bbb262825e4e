//! The units of an evaluation: one person in one repeat, explained by every method that looks at them.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use grease::{Question, Reading, Refusal, RefusalKind, Subject, sample_users};
use grease_explain::{Explanation, Goal, Method, ProfileChoice, ReasonCode, Rigour, Status, SurrogateView};
use grease_graph::{Graph, Profile, Recommender as _, UserId, Who};
use serde::{Deserialize, Serialize};

use crate::memory::Remembering;
use crate::row::Row;
use crate::settings::{Sample, Settings};
use crate::table::Table;

/// What a unit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    /// The tables and curves.
    Tables,
    /// Whether another seed gives the same; the smallest k only.
    Stability,
}

/// One person in one repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unit {
    /// Which model, from 0.
    pub(crate) model: usize,
    /// Which repeat, from 0.
    pub(crate) repeat: usize,
    pub(crate) purpose: Purpose,
    pub(crate) user: UserId,
}

/// All units of one model: repeat by repeat, then what stability needs.
pub(crate) fn units(settings: &Settings, model: usize, graph: &Graph) -> Vec<Unit> {
    let tables = (0..settings.repeats).flat_map(|repeat| {
        let people = sample_users(graph, settings.people(graph), settings.seed_of(repeat));
        people.into_iter().map(move |user| Unit { model, repeat, purpose: Purpose::Tables, user })
    });
    // The same people with every seed. One seed alone has nothing to agree with.
    let people = if settings.repeats > 1 { settings.stability_people } else { 0 };
    let again = (0..settings.repeats).flat_map(|repeat| {
        let people = sample_users(graph, people, settings.seed);
        people.into_iter().map(move |user| Unit { model, repeat, purpose: Purpose::Stability, user })
    });
    tables.chain(again).collect()
}

impl Settings {
    /// The seed of a repeat.
    pub(crate) fn seed_of(&self, repeat: usize) -> u64 {
        self.seed.wrapping_add(repeat as u64)
    }

    /// People a repeat looks at.
    pub(crate) fn people(&self, graph: &Graph) -> usize {
        match self.sample {
            Sample::People(people) => people,
            Sample::Share(share) => {
                let with_history = (0..graph.users() as u32)
                    .filter(|&user| !graph.items_of(UserId(user)).is_empty())
                    .count();
                ((with_history as f64 * share).round() as usize).max(1)
            }
        }
    }
}

/// What came of a unit: a line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    #[serde(flatten)]
    pub(crate) unit: Unit,
    /// The person's interactions.
    pub(crate) degree: usize,
    /// What all of it took.
    pub(crate) ms: f64,
    pub(crate) calls: Vec<Call>,
}

/// One list explained by one method, for one goal or for both together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) table: Table,
    pub(crate) k: usize,
    pub(crate) method: Method,
    pub(crate) rigour: Rigour,
    /// What it took. Times are the only thing here that differs between runs.
    pub(crate) ms: f64,
    /// Why there are no answers at all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) error: Option<String>,
    pub(crate) answers: Vec<Answer>,
}

/// One explanation, with rows instead of names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) item: u32,
    pub(crate) goal: Goal,
    pub(crate) status: Status,
    /// Found only beyond the caps: counts in budget curves alone, and follows the answer that nothing was found within them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(crate) beyond: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) reason: Option<ReasonCode>,
    pub(crate) edges: Vec<(u32, u32)>,
    pub(crate) rank_before: usize,
    pub(crate) margin_before: Option<f32>,
    pub(crate) rank_start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) rank_after: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) margin_after: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) minimal: Option<bool>,
    pub(crate) queries: f32,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) surrogate: Option<SurrogateView>,
}

impl Answer {
    fn new(explanation: &Explanation, beyond: bool) -> Self {
        let finite = |margin: f32| Some(margin).filter(|margin| margin.is_finite());
        Self {
            item: explanation.item.0,
            goal: explanation.goal,
            status: explanation.status(),
            beyond,
            reason: explanation.reason().map(|reason| reason.code()),
            edges: explanation.edges().iter().map(|cited| (cited.edge.user.0, cited.edge.item.0)).collect(),
            rank_before: explanation.rank_before,
            margin_before: finite(explanation.margin_before),
            rank_start: explanation.rank_start,
            rank_after: explanation.rank_after(),
            margin_after: explanation.margin_after().and_then(finite),
            minimal: explanation.minimal(),
            queries: explanation.queries,
            surrogate: explanation.surrogate,
        }
    }

    /// Whether the method itself came to an answer.
    pub(crate) fn is_found(&self) -> bool {
        matches!(self.status, Status::Verified | Status::Refuted)
    }

    /// The profile it was read with.
    pub(crate) fn profile(table: Table, goal: Goal) -> Profile {
        ProfileChoice::Auto.resolve(goal, table.scope(goal))
    }
}

/// One model, asked through a memory, with the people of smaller samples.
pub(crate) struct Bench<'a> {
    settings: &'a Settings,
    memory: &'a Remembering,
    /// The recommender behind the memory: it keeps an explainer a method.
    subject: Subject,
    /// The people of smaller samples, by repeat and size: parts of the larger ones.
    fewer: HashMap<(usize, usize), Vec<UserId>>,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(settings: &'a Settings, subject: &Subject, memory: &'a Arc<Remembering>) -> Self {
        let repeats =
            (0..settings.repeats).flat_map(|repeat| settings.fewer.iter().map(move |f| (repeat, f.people)));
        let fewer = repeats
            .map(|(repeat, people)| {
                ((repeat, people), sample_users(memory.graph(), people, settings.seed_of(repeat)))
            })
            .collect();
        Self { settings, memory, subject: subject.asked_through(memory.clone()), fewer }
    }

    /// Whether a method looks at this unit's person for this table.
    fn looks_at(&self, unit: &Unit, table: Table, method: Method) -> bool {
        match (unit.purpose, self.settings.people_of(table, method)) {
            (_, Some(0)) => false,
            // The ceiling is what it is; searching for it again says nothing.
            (Purpose::Stability, _) => method != Method::Exact,
            (Purpose::Tables, None) => true,
            (Purpose::Tables, Some(people)) => {
                self.fewer[&(unit.repeat, people)].binary_search(&unit.user).is_ok()
            }
        }
    }

    /// Explains one person's lists by everybody who looks at them.
    /// A recommender that fails is no answer: the unit is not done.
    pub(crate) fn explain(&self, unit: Unit) -> Result<Done, Refusal> {
        let started = Instant::now();
        self.memory.forget();
        let graph = self.memory.graph();
        let ks = match unit.purpose {
            Purpose::Tables => &self.settings.ks[..],
            Purpose::Stability => &self.settings.ks[..1],
        };
        let mut calls = Vec::new();
        // Lists by lists, so that what method `paper` fits for one serves all its calls.
        for &method in &self.settings.methods {
            for &k in ks {
                for &table in &self.settings.tables {
                    if !self.looks_at(&unit, table, method) {
                        continue;
                    }
                    for &rigour in Settings::rigours(method) {
                        for goals in self.together(table, method) {
                            calls.push(self.call(
                                &unit,
                                Row { table, k, goal: goals[0], method, rigour },
                                &goals,
                            )?);
                        }
                    }
                }
            }
        }
        self.memory.forget();
        let ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(Done { unit, degree: graph.items_of(unit.user).len(), ms, calls })
    }

    /// Goals explained in one go: those of one scope share what they ask.
    fn together(&self, table: Table, method: Method) -> Vec<Vec<Goal>> {
        let goals: Vec<Goal> = self
            .settings
            .goals
            .iter()
            .copied()
            .filter(|&goal| Settings::is_defined(table, goal, method))
            .collect();
        match table {
            Table::Own if goals.is_empty() => Vec::new(),
            Table::Own => vec![goals],
            Table::Paper => goals.into_iter().map(|goal| vec![goal]).collect(),
        }
    }

    /// One list explained by one method. `row` is that of the first goal; the goals share a scope.
    fn call(&self, unit: &Unit, row: Row, goals: &[Goal]) -> Result<Call, Refusal> {
        let (settings, Row { table, k, method, rigour, .. }) = (self.settings, row);
        let further = |&goal: &Goal| settings.looks_up_to(Row { goal, ..row }) > settings.cap(goal);
        let curves = unit.purpose == Purpose::Tables && goals.iter().any(further);
        let reading =
            Reading { caps: Some(settings.caps()), beyond: curves.then(|| settings.beyond()), rigour };
        let question = Question {
            method,
            k,
            goals: goals.to_vec(),
            scope: table.scope(row.goal),
            hops: settings.hops,
            queries: settings.queries,
            seed: settings.seed_of(unit.repeat),
            reading,
            ..Question::default()
        };
        let (found, took) = self.memory.timed(|| {
            let mut found = Vec::new();
            let explained = self.subject.resolve(&question).and_then(|resolved| {
                resolved.explanations(&Who::Known(unit.user), &mut |more| {
                    found.extend(more);
                    ControlFlow::Continue(())
                })
            });
            explained.map(|()| found)
        });
        let (answers, error) = match found {
            Ok(found) => (answers(&found), None),
            Err(refusal) if matches!(refusal.kind, RefusalKind::Recommender | RefusalKind::Cancelled) => {
                return Err(refusal);
            }
            Err(refusal) => (Vec::new(), Some(refusal.message)),
        };
        Ok(Call { table, k, method, rigour, ms: took.as_secs_f64() * 1e3, error, answers })
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
