//! The tables of a report.

use std::fmt;
use std::str::FromStr;

use grease_explain::{Goal, Scope};
use serde::{Deserialize, Serialize};

/// Which table of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// Scopes as in the paper: hops for counterfactual, target for factual explanations.
    Paper,
    /// The person's own interactions, learned profile set aside for factual explanations.
    Own,
}

impl Table {
    /// All of them.
    pub const ALL: [Table; 2] = [Table::Paper, Table::Own];

    /// The scope of a goal's explanations.
    pub fn scope(self, goal: Goal) -> Scope {
        match (self, goal) {
            (Table::Own, _) | (_, Goal::Joint | Goal::WhyNot) => Scope::Own,
            (Table::Paper, Goal::Counterfactual) => Scope::Hops,
            (Table::Paper, Goal::Factual) => Scope::Target,
        }
    }

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Table::Paper => "paper",
            Table::Own => "own",
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Table {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Table::ALL.into_iter().find(|table| table.name() == name);
        found.ok_or_else(|| format!("there is no table `{name}`; there are paper and own"))
    }
}
