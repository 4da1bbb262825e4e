//! A first look at long histories: what would take hours is left out, and said.

use std::fmt;

use grease_explain::Method;
use grease_graph::UserId;

use crate::evaluation::NamedSubject;
use crate::settings::{Fewer, Sample, Settings};
use crate::table::Table;

/// Interactions a person, on average, from which on a search of the ceiling takes minutes.
const LONG: usize = 100;

/// People whose edges beyond their own interactions are looked at.
const BEYOND_OWN: usize = 5;

/// What a first look leaves out.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstLook {
    /// Interactions a person, on average.
    pub history: usize,
    /// Who looks at fewer people than usual.
    pub fewer: Vec<Fewer>,
}

impl FirstLook {
    /// At some people once, where histories are long and nobody chose methods, tables or people for them.
    pub fn of(settings: &Settings, subjects: &[NamedSubject]) -> Option<Self> {
        let usual = Settings::default();
        let is_first = settings.repeats == 1
            && matches!(settings.sample, Sample::People(_))
            && (&settings.fewer, &settings.methods, &settings.tables)
                == (&usual.fewer, &usual.methods, &usual.tables);
        let history = subjects.iter().map(mean_history).max().unwrap_or(0);
        let of = |method, table, people| Fewer { method, table, people };
        (is_first && history > LONG).then(|| Self {
            history,
            // The last that fits counts.
            fewer: vec![
                of(None, Some(Table::Paper), BEYOND_OWN),
                of(Some(Method::Paper), None, 0),
                of(Some(Method::Exact), None, 0),
            ],
        })
    }
}

/// Of those who have one.
fn mean_history(named: &NamedSubject) -> usize {
    let graph = named.graph();
    let users = (0..graph.users() as u32).map(UserId);
    let with_history = users.filter(|&user| !graph.items_of(user).is_empty()).count();
    graph.len() / with_history.max(1)
}

impl fmt::Display for FirstLook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "histories are long, {} interactions on average: this first look leaves out the methods {} and {}, and looks at {BEYOND_OWN} people for the table {}",
            self.history,
            Method::Paper,
            Method::Exact,
            Table::Paper,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use grease::Subject;
    use grease_graph::doubles::CoNeighbours;
    use grease_graph::{CatalogueBuilder, Edge, Graph, Words};
    use grease_models::folder::Dataset;

    use super::*;

    fn subject(history: u32) -> NamedSubject {
        let rows = |count: u32| {
            let mut builder = CatalogueBuilder::new();
            for row in 0..count {
                builder.intern(&row.to_string()).unwrap();
            }
            builder.finish()
        };
        let train: Vec<Edge> = (0..history).map(|item| Edge::new(0, item)).collect();
        let graph = Graph::new(2, history as usize, &train).unwrap();
        let (test, valid, words) = (Vec::new(), Vec::new(), Words::default());
        let data = Dataset { users: rows(2), items: rows(history), train: train.into(), test, valid, words };
        let subject = Subject::foreign(data, Arc::new(CoNeighbours::new(graph)), "double", []);
        NamedSubject { name: "one".into(), subject }
    }

    #[test]
    fn long_histories_are_looked_at_without_what_takes_hours() {
        let (long, short) = ([subject(300)], [subject(100)]);
        let first = Settings { sample: Sample::People(20), repeats: 1, ..Settings::default() };
        assert_eq!(FirstLook::of(&first, &short), None);
        let look = FirstLook::of(&first, &long).unwrap();
        assert!(look.to_string().contains("300 interactions on average"), "{look}");
        let fewer = first.fewer.iter().chain(&look.fewer).copied().collect();
        let settings = Settings { fewer, ..first.clone() };
        for table in Table::ALL {
            assert_eq!(settings.people_of(table, Method::Exact), Some(0));
            assert_eq!(settings.people_of(table, Method::Paper), Some(0));
        }
        assert_eq!(settings.people_of(Table::Paper, Method::Grease), Some(BEYOND_OWN));
        assert_eq!(settings.people_of(Table::Own, Method::Grease), None);
        // Who chose something has it.
        for chosen in [
            settings,
            Settings { repeats: 2, ..first.clone() },
            Settings { sample: Sample::Share(0.1), ..first.clone() },
            Settings { methods: vec![Method::Exact], ..first.clone() },
            Settings { tables: vec![Table::Paper], ..first },
        ] {
            assert_eq!(FirstLook::of(&chosen, &long), None);
        }
    }
}
