//! What another program asks to have explained: names instead of rows, everything else as usual unless it says so.

use std::collections::BTreeSet;

use grease_explain::{Candidates, Caps, Goal, ProfileChoice, Scope, Task, Who};
use grease_graph::ItemId;
use grease_models::folder::Dataset;
use serde::{Deserialize, Serialize};

use crate::{LookupError, find_item};

/// How lists are explained, but for whose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// Length of the list.
    pub k: usize,
    /// What to explain of every item.
    pub goals: Vec<Goal>,
    /// Which interactions may be named.
    pub scope: Scope,
    /// Whether what was learned about the person is used.
    pub profile: ProfileChoice,
    /// How far the neighbourhood of scope hops reaches.
    pub hops: usize,
    /// The most interactions an explanation may name; none: as usual.
    pub max_edges: Option<usize>,
    /// The most questions one explanation may ask.
    pub queries: usize,
    /// Further explanations of each item, with nothing in common.
    pub alternatives: usize,
    /// Decides everything random.
    pub seed: u64,
    /// Only these items may be listed, where it is given.
    pub candidates: Option<Vec<String>>,
    /// These items may not be listed.
    pub exclude: Vec<String>,
    /// These items may not be named as causes or replacements.
    pub never_cite: Vec<String>,
}

impl Default for SearchRequest {
    fn default() -> Self {
        let usual = Task::new(Who::Newcomer(Vec::new()), 10);
        Self {
            k: usual.k,
            goals: vec![Goal::Factual, Goal::Counterfactual],
            scope: usual.scope,
            profile: usual.profile,
            hops: usual.hops,
            max_edges: None,
            queries: usual.queries,
            alternatives: usual.alternatives,
            seed: usual.seed,
            candidates: None,
            exclude: Vec::new(),
            never_cite: Vec::new(),
        }
    }
}

/// Why a request cannot be answered, whoever it is about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Nobody was named, or somebody twice.
    #[error("say for whom: a user, or the history of somebody new")]
    Nobody,
    /// An item nobody knows.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// A list longer than the catalogue.
    #[error(
        "a list of {k} has room for all {items} {called}, so nothing could ever be missing from it; ask for a shorter list"
    )]
    TooLong {
        /// The length.
        k: usize,
        /// Items there are.
        items: usize,
        /// What they are called.
        called: String,
    },
}

impl SearchRequest {
    /// The task, with rows instead of names.
    pub fn task(&self, who: Who, data: &Dataset) -> Result<Task, RequestError> {
        if self.k > data.items.len() {
            let called = data.words.items.clone();
            return Err(RequestError::TooLong { k: self.k, items: data.items.len(), called });
        }
        let rows = |names: &[String]| -> Result<BTreeSet<ItemId>, LookupError> {
            names.iter().map(|name| find_item(&data.items, name)).collect()
        };
        Ok(Task {
            scope: self.scope,
            hops: self.hops,
            profile: self.profile,
            caps: self.max_edges.map_or_else(Caps::default, Caps::both),
            queries: self.queries,
            candidates: Candidates {
                only: self.candidates.as_deref().map(rows).transpose()?,
                except: rows(&self.exclude)?,
            },
            never_cite: rows(&self.never_cite)?,
            alternatives: self.alternatives,
            seed: self.seed,
            ..Task::new(who, self.k)
        })
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::UserId;

    use super::*;
    use grease_testing::folder;

    #[test]
    fn what_is_not_said_is_as_usual() {
        let asked: SearchRequest = serde_json::from_str("{}").unwrap();
        let who = Who::Known(UserId(2));
        assert_eq!(asked.task(who.clone(), &folder().data), Ok(Task::new(who, 10)));
        let misspelt = serde_json::from_str::<SearchRequest>(r#"{"scop": "own"}"#).unwrap_err();
        assert!(misspelt.to_string().contains("unknown field `scop`"), "{misspelt}");
    }

    #[test]
    fn names_become_rows_and_unknown_ones_are_refused() {
        let data = &folder().data;
        let first = data.items.id(0).to_owned();
        let asked = SearchRequest { never_cite: vec![first], k: 3, ..SearchRequest::default() };
        let task = asked.task(Who::Known(UserId(0)), data).unwrap();
        assert_eq!((task.k, task.never_cite), (3, BTreeSet::from([ItemId(0)])));
        let unknown = SearchRequest { exclude: vec!["no such thing".into()], ..SearchRequest::default() };
        assert!(matches!(unknown.task(Who::Known(UserId(0)), data), Err(RequestError::Lookup(_))));
        let long = SearchRequest { k: 10_000, ..SearchRequest::default() };
        assert!(matches!(long.task(Who::Known(UserId(0)), data), Err(RequestError::TooLong { .. })));
    }
}
