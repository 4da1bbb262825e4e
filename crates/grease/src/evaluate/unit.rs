//! The units of an evaluation: one person in one repeat, explained by every method that looks at them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use grease_explain::{
    ExplainError, Explainer, Explanation, Goal, Items, Method, Rigour, Scope, Status, SurrogateView, Task,
    Who,
};
use grease_graph::{Graph, Profile, Recommender as _, ScoreError, UserId};
use serde::{Deserialize, Serialize};

use super::memory::Remembering;
use super::{Row, Sample, Settings, Table};
use crate::sample_users;

/// What a unit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Purpose {
    /// The tables and curves.
    Tables,
    /// Whether another seed gives the same; the smallest k only.
    Stability,
}

/// One person in one repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Unit {
    /// Which model, from 0.
    pub(super) model: usize,
    /// Which repeat, from 0.
    pub(super) repeat: usize,
    pub(super) purpose: Purpose,
    pub(super) user: UserId,
}

/// All units of one model: repeat by repeat, then what stability needs.
pub(super) fn units(settings: &Settings, model: usize, graph: &Graph) -> Vec<Unit> {
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
    pub(super) fn seed_of(&self, repeat: usize) -> u64 {
        self.seed.wrapping_add(repeat as u64)
    }

    /// People a repeat looks at.
    pub(super) fn people(&self, graph: &Graph) -> usize {
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
pub(super) struct Done {
    #[serde(flatten)]
    pub(super) unit: Unit,
    /// The person's interactions.
    pub(super) degree: usize,
    /// What all of it took.
    pub(super) ms: f64,
    pub(super) calls: Vec<Call>,
}

/// One list explained by one method, for one goal or for both together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) table: Table,
    pub(super) k: usize,
    pub(super) method: Method,
    pub(super) rigour: Rigour,
    /// What it took. Times are the only thing here that differs between runs.
    pub(super) ms: f64,
    /// Why there are no answers at all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) error: Option<String>,
    pub(super) answers: Vec<Answer>,
}

/// One explanation, with rows instead of names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) item: u32,
    pub(super) goal: Goal,
    pub(super) status: Status,
    /// Found only beyond the caps: counts in budget curves alone, and follows the answer that nothing was found within them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) beyond: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) reason: Option<String>,
    pub(super) edges: Vec<(u32, u32)>,
    pub(super) rank_before: usize,
    pub(super) margin_before: Option<f32>,
    pub(super) rank_start: usize,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) rank_after: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) margin_after: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) minimal: Option<bool>,
    pub(super) queries: f32,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) surrogate: Option<SurrogateView>,
}

impl Answer {
    fn new(explanation: &Explanation, beyond: bool) -> Self {
        let finite = |margin: f32| Some(margin).filter(|margin| margin.is_finite());
        Self {
            item: explanation.item.0,
            goal: explanation.goal,
            status: explanation.status(),
            beyond,
            reason: explanation.reason().map(|reason| reason.code().to_string()),
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
    pub(super) fn is_found(&self) -> bool {
        matches!(self.status, Status::Verified | Status::Refuted)
    }

    /// The profile it was read with.
    pub(super) fn profile(table: Table, goal: Goal) -> Profile {
        grease_explain::ProfileChoice::Auto.resolve(goal, table.scope(goal))
    }
}

/// Explainers of one model, one a method, each made once: they keep what they learn about the model.
pub(super) struct Bench<'a> {
    settings: &'a Settings,
    model: &'a Remembering,
    explainers: Vec<Explainer>,
    /// The people of smaller samples, by repeat and size: parts of the larger ones.
    fewer: HashMap<(usize, usize), Vec<UserId>>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(settings: &'a Settings, model: &'a Arc<Remembering>) -> Self {
        let explainers =
            settings.methods.iter().map(|&method| Explainer::new(model.clone(), method)).collect();
        let repeats =
            (0..settings.repeats).flat_map(|repeat| settings.fewer.iter().map(move |f| (repeat, f.people)));
        let fewer = repeats
            .map(|(repeat, people)| {
                ((repeat, people), sample_users(model.graph(), people, settings.seed_of(repeat)))
            })
            .collect();
        Self { settings, model, explainers, fewer }
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
    pub(super) fn explain(&self, unit: Unit) -> Result<Done, ScoreError> {
        let started = Instant::now();
        self.model.forget();
        let graph = self.model.graph();
        let ks = match unit.purpose {
            Purpose::Tables => &self.settings.ks[..],
            Purpose::Stability => &self.settings.ks[..1],
        };
        let mut calls = Vec::new();
        // Lists by lists, so that what method `paper` fits for one serves all its calls.
        for explainer in &self.explainers {
            let method = explainer.method();
            for &k in ks {
                for &table in &self.settings.tables {
                    if !self.looks_at(&unit, table, method) {
                        continue;
                    }
                    for &rigour in Settings::rigours(method) {
                        for goals in self.together(table, method) {
                            calls.push(self.call(explainer, &unit, table, k, rigour, &goals)?);
                        }
                    }
                }
            }
        }
        self.model.forget();
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

    fn call(
        &self,
        explainer: &Explainer,
        unit: &Unit,
        table: Table,
        k: usize,
        rigour: Rigour,
        goals: &[Goal],
    ) -> Result<Call, ScoreError> {
        let settings = self.settings;
        let scope = goals.first().map_or(Scope::Own, |&goal| table.scope(goal));
        let further = |&goal: &Goal| {
            let row = Row { table, k, goal, method: explainer.method(), rigour };
            settings.looks_up_to(row) > settings.cap(goal)
        };
        let curves = unit.purpose == Purpose::Tables && goals.iter().any(further);
        let task = Task {
            scope,
            hops: settings.hops,
            caps: settings.caps(),
            beyond: curves.then(|| settings.beyond()),
            rigour,
            queries: settings.queries,
            seed: settings.seed_of(unit.repeat),
            ..Task::new(Who::Known(unit.user), k)
        };
        let (found, took) = self.model.timed(|| explainer.explain(&task, &Items::List, goals));
        let (answers, error) = match found {
            Ok(found) => (answers(&found), None),
            Err(ExplainError::Score(error @ (ScoreError::Failed(_) | ScoreError::Cancelled))) => {
                return Err(error);
            }
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let (method, ms) = (explainer.method(), took.as_secs_f64() * 1e3);
        Ok(Call { table, k, method, rigour, ms, error, answers })
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
