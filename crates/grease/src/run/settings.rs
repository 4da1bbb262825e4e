//! What a run is: all that its rows depend on, and nothing else, so that a run can be told from another.

use std::collections::BTreeSet;

use grease_explain::Method;
use grease_graph::{Candidates, ItemId};
use grease_models::folder::hash_of_lines;
use grease_tell::table::Sort;
use serde_json::{Value, json};

use super::{Person, Shard};
use crate::question::Question;
use crate::refusal::Refusal;
use crate::subject::{Resolved, Subject};

/// The setting that differs between the parts of a job; null for the whole.
pub(super) const SHARD: &str = "shard";
/// The setting that says whose answers they are; null where that is said elsewhere.
pub(super) const PEOPLE: &str = "people";
/// The setting that says what sort of answers they are.
const VERB: &str = "verb";
/// Explanations.
const BATCH: &str = "batch";
/// Lists.
const RECOMMEND: &str = "recommend";

/// All that rows of any people depend on, but for the people. Refuses what can be asked of nobody.
pub fn run_settings(subject: &Subject, sort: Sort, question: &Question) -> Result<Value, Refusal> {
    Ok(match sort {
        Sort::Explanations => of_explanations(subject, question, &subject.resolve(question)?, None, None),
        Sort::Lists => of_lists(subject, question.k, &subject.candidates(question)?, None, None),
    })
}

/// Of explanations. Without `people` it is what all runs of the same question have in common.
pub(super) fn of_explanations(
    subject: &Subject,
    question: &Question,
    resolved: &Resolved<'_>,
    people: Option<&[Person]>,
    shard: Option<Shard>,
) -> Value {
    let caps = question.caps();
    let mut settings = json!({
        VERB: BATCH,
        "model": subject.model_hash(),
        "data": subject.data_hash(),
        PEOPLE: people.map(|people| all_of(subject, people)),
        SHARD: shard,
        "method": question.method.name(),
        "k": question.k,
        "goals": question.goals,
        "scope": question.scope,
        "hops": question.hops,
        "profile": question.profile,
        "max_edges": { "add": caps.add, "remove": caps.remove },
        "firm": question.firm,
        "instead": question.instead,
        "queries": question.queries,
        "prove": question.proving(),
        "alternatives": question.alternatives,
        "paper": (question.method == Method::Paper).then_some(question.paper),
        "seed": question.seed,
        "never_cite": some(subject, resolved.never_cite()),
        "show_user_ids": question.show_user_ids,
        "words": subject.words(),
    });
    listable(&mut settings, subject, resolved.candidates());
    if let Some(version) = subject.version_of(question.method) {
        settings["method_version"] = json!(version);
    }
    // What is promised stands in every row; runs that promise nothing are as they were.
    if let Some(calibration) = subject.calibration() {
        settings["calibration"] = json!(calibration.hash());
    }
    settings
}

/// Of lists.
pub(super) fn of_lists(
    subject: &Subject,
    k: usize,
    candidates: &Candidates,
    people: Option<&[Person]>,
    shard: Option<Shard>,
) -> Value {
    let mut settings = json!({
        VERB: RECOMMEND,
        "model": subject.model_hash(),
        "data": subject.data_hash(),
        PEOPLE: people.map(|people| all_of(subject, people)),
        SHARD: shard,
        "k": k,
    });
    listable(&mut settings, subject, candidates);
    settings
}

/// What sort of rows a run has, by its settings.
pub(super) fn sort_of(run: &Value) -> Option<Sort> {
    match run.get(VERB)?.as_str()? {
        BATCH => Some(Sort::Explanations),
        RECOMMEND => Some(Sort::Lists),
        _ => None,
    }
}

fn all_of(subject: &Subject, people: &[Person]) -> Value {
    named(people.iter().map(|person| person.name(&subject.data().users)))
}

/// People by their names, in their order.
pub(super) fn named<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> Value {
    json!({ "count": names.len(), "hash": hash_of_lines(names) })
}

fn listable(settings: &mut Value, subject: &Subject, candidates: &Candidates) {
    settings["candidates"] = json!(candidates.only.as_ref().map(|items| by_content(subject, items)));
    settings["exclude"] = json!(some(subject, &candidates.except));
}

fn some(subject: &Subject, items: &BTreeSet<ItemId>) -> Option<Value> {
    (!items.is_empty()).then(|| by_content(subject, items))
}

/// Of what is in a file of items, the order does not matter.
fn by_content(subject: &Subject, items: &BTreeSet<ItemId>) -> Value {
    let ids: BTreeSet<&str> = items.iter().map(|item| subject.data().items.id(item.0)).collect();
    json!({ "count": ids.len(), "hash": hash_of_lines(ids) })
}
