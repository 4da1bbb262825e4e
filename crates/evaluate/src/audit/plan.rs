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
    /// Their own interactions only.
    pub(super) deleted: Vec<Edge>,
}

/// Everybody's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// People sampled.
    pub(super) asked: usize,
    /// Those with a fitting explanation, by row.
    pub(super) cases: Vec<Case>,
}

/// An item of somebody's list and what its explanation names.
struct Pick {
    user: UserId,
    item: ItemId,
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
        let people = sample_users(graph, options.people, options.seed);
        let question = Question {
            k: options.k,
            seed: options.seed,
            method: options.method,
            goals: vec![Goal::Counterfactual],
            ..Question::default()
        };
        let resolved = subject.resolve(&question)?;
        let mut picks = Vec::new();
        in_order(
            &people,
            |&user| pick(&resolved, graph, options, user),
            |picked| {
                if observer.cancelled() {
                    return Err(AuditError::Cancelled);
                }
                picks.extend(picked?);
                Ok(())
            },
        )?;
        let (asked, fitting) = (people.len(), picks.len());
        if fitting < GROUPS.len() {
            return Err(AuditError::TooFew { asked, fitting });
        }
        Ok(Self { asked, cases: deal(graph, picks, options.seed) })
    }

    /// What is deleted in all, sorted; nothing twice, as everybody loses their own.
    pub(super) fn deleted(&self) -> Vec<Edge> {
        let mut deleted: Vec<Edge> =
            self.cases.iter().flat_map(|case| case.deleted.iter().copied()).collect();
        deleted.sort_unstable();
        deleted
    }
}

const GROUPS: [Group; 3] = [Group::Explained, Group::AtRandom, Group::Untouched];

/// One of the person's verified explanations, if any fits.
///
/// All groups choose alike, or they could not be compared: also those whose explanation is not acted upon have one. It fits if it names no more than half of the
/// history, so that as much can be deleted that it does not name, and nobody is left with nothing.
fn pick(
    resolved: &Resolved<'_>,
    graph: &Graph,
    options: &AuditOptions,
    user: UserId,
) -> Result<Option<Pick>, Refusal> {
    let history = graph.items_of(user).len();
    let mut fitting = Vec::new();
    resolved.explanations(&Who::Known(user), &mut |found| {
        let fits =
            found.into_iter().filter(|e| e.status() == Status::Verified && 2 * e.edges().len() <= history);
        fitting.extend(fits);
        ControlFlow::Continue(())
    })?;
    if fitting.is_empty() {
        return Ok(None);
    }
    let mut rng = seed::rng_at(options.seed, "audited item", user.0.into());
    let chosen = fitting.swap_remove(seed::below(&mut rng, fitting.len() as u64) as usize);
    let cited = chosen.edges().iter().map(|cited| cited.edge).collect();
    Ok(Some(Pick { user, item: chosen.item, cited }))
}

/// Gives everybody a group by chance, as many to each as can be.
fn deal(graph: &Graph, mut picks: Vec<Pick>, seed: u64) -> Vec<Case> {
    seed::shuffle(&mut seed::rng(seed, "audit groups"), &mut picks);
    let mut cases: Vec<Case> = picks
        .into_iter()
        .zip(GROUPS.into_iter().cycle())
        .map(|(Pick { user, item, cited }, group)| {
            let deleted = match group {
                Group::Explained => cited,
                Group::AtRandom => others(graph, user, &cited, seed),
                Group::Untouched => Vec::new(),
            };
            Case { user, item, group, deleted }
        })
        .collect();
    cases.sort_unstable_by_key(|case| case.user);
    cases
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
