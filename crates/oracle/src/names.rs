//! Rows here, ids there: the catalogue of both, and the order in which the oracle answers.

use grease_graph::{Catalogue, CatalogueBuilder, Interactions};

use crate::error::OracleError;

/// The names behind the rows.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) users: Catalogue,
    /// Those of the interactions first, then the others of the oracle.
    pub(crate) items: Catalogue,
    /// For each score of an answer, the row it belongs to.
    pub(crate) order: Vec<u32>,
}

impl Names {
    /// Joins what the data knows and what the oracle knows.
    pub(crate) fn new(interactions: &Interactions, said: &[String]) -> Result<Self, OracleError> {
        let mut builder = CatalogueBuilder::new();
        let known = &interactions.items;
        for row in 0..known.len() as u32 {
            builder.intern(known.id(row));
            if let Some(title) = known.title(row) {
                builder.set_title(row, title);
            }
        }
        let mut order = Vec::with_capacity(said.len());
        for id in said {
            let row = builder.intern(id).ok_or_else(|| OracleError::Hello("it has too many items".into()))?;
            order.push(row);
        }
        let mut seen = vec![false; builder.len()];
        for (&row, id) in order.iter().zip(said) {
            if std::mem::replace(&mut seen[row as usize], true) {
                return Err(OracleError::Hello(format!("it lists the item `{id}` twice")));
            }
        }
        let unknown: Vec<&str> =
            (0..known.len()).filter(|&row| !seen[row]).map(|row| known.id(row as u32)).collect();
        if !unknown.is_empty() {
            let some: Vec<String> = unknown.iter().take(5).map(|id| format!("`{id}`")).collect();
            return Err(OracleError::UnknownItems {
                count: unknown.len(),
                all: known.len(),
                some: some.join(", "),
            });
        }
        Ok(Self { users: interactions.users.clone(), items: builder.finish(), order })
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::Words;

    use super::*;

    fn data(items: &[&str]) -> Interactions {
        let mut builder = CatalogueBuilder::new();
        items.iter().for_each(|id| {
            builder.intern(id);
        });
        builder.set_title(0, "The first");
        let (users, edges) = (Catalogue::default(), Vec::new());
        Interactions { users, items: builder.finish(), edges, given_test: None, words: Words::default() }
    }

    fn said(items: &[&str]) -> Vec<String> {
        items.iter().map(|&id| id.to_owned()).collect()
    }

    #[test]
    fn rows_of_the_data_stay_and_further_items_follow() {
        let names = Names::new(&data(&["tea", "milk"]), &said(&["oat", "milk", "tea"])).unwrap();
        assert_eq!(names.order, [2, 1, 0]);
        assert_eq!((names.items.id(2), names.items.title(0)), ("oat", Some("The first")));
    }

    #[test]
    fn items_that_are_missing_or_there_twice_are_refused_by_name() {
        let missing = Names::new(&data(&["tea", "milk"]), &said(&["tea"])).unwrap_err().to_string();
        assert!(missing.contains("1 of the 2 items") && missing.contains("`milk`"), "{missing}");
        let twice = Names::new(&data(&["tea"]), &said(&["tea", "tea"])).unwrap_err().to_string();
        assert!(twice.contains("`tea` twice"), "{twice}");
    }
}
