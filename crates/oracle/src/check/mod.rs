//! Whether an oracle is as it says: questions whose answers must fit together, and what to do where they do not.

mod abilities;
mod questions;

use std::fmt;

use grease_graph::{Graph, Interactions, UserId, seed};
use serde::Serialize;

use crate::address::Address;
use crate::error::OracleError;
use crate::meter::OracleReport;
use crate::options::OracleOptions;
use crate::oracle::Oracle;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// Perhaps meant so, perhaps not.
    Warning,
    /// Explanations of this oracle could be wrong, or there are none.
    Failed,
    /// Could not be looked into, or does not apply.
    Skipped,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What was looked into.
    pub check: &'static str,
    /// What came of it.
    pub verdict: Verdict,
    pub said: String,
    /// What to do, where there is something to do.
    pub advice: Option<String>,
}

/// All checks of an oracle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckReport {
    pub findings: Vec<Finding>,
    /// What asking took, where the oracle could be asked.
    pub asking: Option<OracleReport>,
}

impl CheckReport {
    /// Whether a check failed.
    pub fn failed(&self) -> bool {
        self.count(Verdict::Failed) > 0
    }

    /// How many checks came to this.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Ok => "ok",
            Verdict::Warning => "warn",
            Verdict::Failed => "FAILED",
            Verdict::Skipped => "skipped",
        })
    }
}

/// Asks the oracle at `address` about so many people, and says what came of it.
///
/// Nothing is remembered between questions: every one reaches the oracle.
pub fn check(
    address: &Address,
    interactions: &Interactions,
    options: &OracleOptions,
    users: usize,
) -> CheckReport {
    let options = OracleOptions { memory: 0, ..options.clone() };
    let oracle = match Oracle::open(address, interactions, options.clone()) {
        Ok(oracle) => oracle,
        Err(error) => {
            let name = if matches!(error, OracleError::UnknownItems { .. }) { "items" } else { "hello" };
            return CheckReport { findings: vec![questions::could_not_open(name, &error)], asking: None };
        }
    };
    let people = people(grease_graph::Recommender::graph(&oracle), users);
    let findings = questions::all(&oracle, &people, || {
        Oracle::open(address, interactions, OracleOptions { workers: 1, ..options.clone() })
    });
    CheckReport { findings, asking: Some(oracle.report()) }
}

/// So many people with a history, by chance; the same in every run.
fn people(graph: &Graph, count: usize) -> Vec<UserId> {
    let mut people: Vec<UserId> =
        (0..graph.users() as u32).map(UserId).filter(|&user| !graph.items_of(user).is_empty()).collect();
    let mut rng = seed::rng(1, "oracle check");
    let count = count.max(1).min(people.len());
    for at in 0..count {
        let other = at + seed::below(&mut rng, (people.len() - at) as u64) as usize;
        people.swap(at, other);
    }
    people.truncate(count);
    people
}
