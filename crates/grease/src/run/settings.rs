//! What a run is: all that its rows depend on, and nothing else, so that a run can be told from another.

use std::collections::BTreeSet;

use grease_explain::Method;
use grease_graph::{Candidates, ItemId};
use grease_models::folder::hash_of_lines;
use serde_json::{Value, json};

use super::{BatchRequest, Person};
use crate::subject::{Resolved, Subject};

/// The setting that differs between the parts of a job; null for the whole.
pub(super) const SHARD: &str = "shard";

pub(super) fn settings(subject: &Subject, request: &BatchRequest, resolved: &Resolved<'_>) -> Value {
    let BatchRequest { question, people, shard } = request;
    let data = subject.data();
    let ids = people.iter().map(|person| match person {
        Person::Known(user) => data.users.id(user.0),
        Person::Unknown { name, .. } => name,
    });
    // By content: of what is in a file of items, the order does not matter.
    let items = |items: &BTreeSet<ItemId>| {
        let ids: BTreeSet<&str> = items.iter().map(|item| data.items.id(item.0)).collect();
        json!({ "count": ids.len(), "hash": hash_of_lines(ids) })
    };
    let some = |set: &BTreeSet<ItemId>| (!set.is_empty()).then(|| items(set));
    let Candidates { only, except } = resolved.candidates();
    let caps = question.caps();
    let mut settings = json!({
        "verb": "batch",
        "model": subject.model_hash(),
        "data": subject.data_hash(),
        "people": { "count": people.len(), "hash": hash_of_lines(ids) },
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
        "candidates": only.as_ref().map(items),
        "exclude": some(except),
        "never_cite": some(resolved.never_cite()),
        "show_user_ids": question.show_user_ids,
        "words": subject.words(),
    });
    // What is promised stands in every row; runs that promise nothing are as they were.
    if let Some(calibration) = subject.calibration() {
        settings["calibration"] = json!(calibration.hash());
    }
    settings
}
