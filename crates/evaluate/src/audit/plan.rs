//! Who is asked about which item, and what is deleted of whose history.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use grease::{Question, Refusal, Resolved, Subject, in_order, sample_users};
use grease_explain::{Goal, Status};
use grease_graph::{Edge, Graph, ItemId, UserId, Who, seed};
use grease_models::train::Observer;

use super::{AuditError, AuditOptions, Group};

/// What is done to one person's history, and the item that is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) user: UserId,
    pub(super) item: ItemId,
    pub(super) group: Group,
    /// How firm the explanation is.
    pub(super) firm: usize,
    /// Their own interactions only.
    pub(super) deleted: Vec<Edge>,
}

/// Whom trainings can be tried on, and with what. Each takes one explanation of everybody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// People sampled.
    pub(super) asked: usize,
    /// Those with a fitting explanation, in the order they are dealt into groups.
    people: Vec<Fitting>,
    seed: u64,
}

/// Somebody's explanations that fit, level of firmness by level; no level is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fitting {
    user: UserId,
    levels: Vec<Vec<Pick>>,
}

/// An item of somebody's list and what its explanation names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pick {
    item: ItemId,
    firm: usize,
    cited: Vec<Edge>,
}

impl Plan {
    /// A function of model and options, whatever the number of threads.
    pub(super) fn make(
        subject: &Subject,
        options: &AuditOptions,
        observer: &mut dyn Observer,
    ) -> Result<Self, AuditError> {
        let graph = subject.recommender().graph();
        let sampled = sample_users(graph, options.people, options.seed);
        let levels: Vec<Level<'_>> =
            options.firm.iter().map(|&firm| Level::new(subject, options, firm)).collect::<Result<_, _>>()?;
        let mut people = Vec::new();
        in_order(
            &sampled,
            |&user| fitting(&levels, graph, user),
            |found| {
                if observer.cancelled() {
                    return Err(AuditError::Cancelled);
                }
                people.extend(found?);
                Ok(())
            },
        )?;
        if people.len() < GROUPS.len() {
            return Err(AuditError::TooFew { asked: sampled.len(), fitting: people.len() });
        }
        seed::shuffle(&mut seed::rng(options.seed, "audit groups"), &mut people);
        Ok(Self { asked: sampled.len(), people, seed: options.seed })
    }

    /// How many have a fitting explanation.
    pub(super) fn fitting(&self) -> usize {
        self.people.len()
    }

    /// What is done for the nth training, by row. Groups are as large as each other, and who was in one is in the next one the next
    /// time: of three trainings everybody is in each once.
    pub(super) fn cases(&self, graph: &Graph, training: usize) -> Vec<Case> {
        let seed = self.seed.wrapping_add(training as u64);
        let groups = GROUPS.into_iter().cycle().skip(training % GROUPS.len());
        let mut cases: Vec<Case> = self
            .people
            .iter()
            .zip(groups)
            .map(|(person, group)| {
                let (user, Pick { item, firm, cited }) = (person.user, person.one(seed));
                let deleted = match group {
                    Group::Explained => cited.clone(),
                    Group::AtRandom => others(graph, user, cited, seed),
                    Group::Untouched => Vec::new(),
                };
                Case { user, item: *item, group, firm: *firm, deleted }
            })
            .collect();
        cases.sort_unstable_by_key(|case| case.user);
        cases
    }
}

/// What is deleted in all, sorted; nothing twice, as everybody loses their own.
pub(super) fn deleted(cases: &[Case]) -> Vec<Edge> {
    let mut deleted: Vec<Edge> = cases.iter().flat_map(|case| case.deleted.iter().copied()).collect();
    deleted.sort_unstable();
    deleted
}

const GROUPS: [Group; 3] = [Group::Explained, Group::AtRandom, Group::Untouched];

impl Fitting {
    /// An explanation by chance; every level is as likely, so that ranks after the edit are spread.
    fn one(&self, seed: u64) -> &Pick {
        let by_chance = |stream: &str, many: usize| {
            let mut rng = seed::rng_at(seed, stream, self.user.0.into());
            seed::below(&mut rng, many as u64) as usize
        };
        let level = &self.levels[by_chance("audited firmness", self.levels.len())];
        &level[by_chance("audited item", level.len())]
    }
}

/// One level of firmness, to be asked about.
struct Level<'s> {
    firm: usize,
    resolved: Resolved<'s>,
}

impl<'s> Level<'s> {
    fn new(subject: &'s Subject, options: &AuditOptions, firm: usize) -> Result<Self, Refusal> {
        let question = Question {
            k: options.k,
            firm,
            seed: options.seed,
            method: options.method,
            goals: vec![Goal::Counterfactual],
            ..Question::default()
        };
        Ok(Self { firm, resolved: subject.resolve(&question)? })
    }

    /// The person's verified explanations that fit.
    fn fitting(&self, graph: &Graph, user: UserId) -> Result<Vec<Pick>, Refusal> {
        let history = graph.items_of(user).len();
        let mut fitting = Vec::new();
        self.resolved.explanations(&Who::Known(user), &mut |found| {
            let fits = found
                .into_iter()
                .filter(|e| e.status() == Status::Verified && 2 * e.edges().len() <= history);
            fitting.extend(fits.map(|e| Pick {
                item: e.item,
                firm: self.firm,
                cited: e.edges().iter().map(|cited| cited.edge).collect(),
            }));
            ControlFlow::Continue(())
        })?;
        Ok(fitting)
    }
}

/// Somebody's explanations, if any fits.
///
/// All groups choose alike, or they could not be compared: also those whose explanation is not acted upon have one. It fits if it names no more than half of the
/// history, so that as much can be deleted that it does not name, and nobody is left with nothing.
fn fitting(levels: &[Level<'_>], graph: &Graph, user: UserId) -> Result<Option<Fitting>, Refusal> {
    let levels: Vec<Vec<Pick>> =
        levels.iter().map(|level| level.fitting(graph, user)).collect::<Result<_, _>>()?;
    let levels: Vec<Vec<Pick>> = levels.into_iter().filter(|level| !level.is_empty()).collect();
    Ok((!levels.is_empty()).then_some(Fitting { user, levels }))
}

/// As many of the person's interactions as are cited, but others.
fn others(graph: &Graph, user: UserId, cited: &[Edge], seed: u64) -> Vec<Edge> {
    let named: BTreeSet<Edge> = cited.iter().copied().collect();
    let own = graph.items_of(user).iter().map(|&item| Edge::new(user.0, item));
    let mut others: Vec<Edge> = own.filter(|edge| !named.contains(edge)).collect();
    seed::shuffle(&mut seed::rng_at(seed, "audit deletions", user.0.into()), &mut others);
    others.truncate(cited.len());
    others
}
