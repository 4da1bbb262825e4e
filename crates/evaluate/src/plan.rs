//! Which methods look at whom, and how many answers that makes.

use std::collections::HashMap;

use grease::sample_users;
use grease_explain::{Goal, Method};
use grease_graph::{Graph, UserId};

use crate::row::Row;
use crate::settings::Settings;
use crate::table::Table;
use crate::unit::{Purpose, Unit};

/// Who looks at the people of one model.
pub(crate) struct Plan<'a> {
    settings: &'a Settings,
    /// The people of smaller samples, by repeat and size: parts of the larger ones.
    fewer: HashMap<(usize, usize), Vec<UserId>>,
}

/// One list to explain by one method. `row` is that of the first goal; the goals share a scope.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planned {
    pub(crate) row: Row,
    pub(crate) goals: Vec<Goal>,
}

impl Planned {
    /// One an item and goal.
    pub(crate) fn answers(&self) -> usize {
        self.row.k * self.goals.len()
    }
}

impl<'a> Plan<'a> {
    pub(crate) fn new(settings: &'a Settings, graph: &Graph) -> Self {
        let sizes = || settings.fewer.iter().map(|fewer| fewer.people).chain([settings.importance_people]);
        let repeats = (0..settings.repeats).flat_map(|repeat| sizes().map(move |people| (repeat, people)));
        let sample =
            |(repeat, people)| ((repeat, people), sample_users(graph, people, settings.seed_of(repeat)));
        Self { settings, fewer: repeats.map(sample).collect() }
    }

    /// All that is explained of a unit's person, in the order it is.
    pub(crate) fn of(&self, unit: &Unit) -> Vec<Planned> {
        let ks = match unit.purpose {
            Purpose::Tables => &self.settings.ks[..],
            Purpose::Stability => &self.settings.ks[..1],
        };
        let mut planned = Vec::new();
        // Lists by lists, so that what method `paper` fits for one serves all its calls.
        for &method in &self.settings.methods {
            for &k in ks {
                for &table in self.settings.tables.iter().filter(|&&table| self.looks_at(unit, table, method))
                {
                    for &rigour in Settings::rigours(method) {
                        planned.extend(self.together(table, method).into_iter().map(|goals| Planned {
                            row: Row { table, k, goal: goals[0], method, rigour },
                            goals,
                        }));
                    }
                }
            }
        }
        planned
    }

    /// How many answers these units come to.
    pub(crate) fn answers<'u>(&self, units: impl IntoIterator<Item = &'u Unit>) -> usize {
        units.into_iter().flat_map(|unit| self.of(unit)).map(|planned| planned.answers()).sum()
    }

    /// Whether importance curves look at this unit's person.
    pub(crate) fn wants_curves(&self, unit: &Unit) -> bool {
        let settings = self.settings;
        unit.purpose == Purpose::Tables
            && settings.tables.contains(&Table::Own)
            && settings.goals.contains(&Goal::Counterfactual)
            && self.fewer[&(unit.repeat, settings.importance_people)].binary_search(&unit.user).is_ok()
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
}
