//! One of many.

use std::collections::HashSet;

use grease_graph::{Catalogue, UserId};

use crate::lookup::unknown_user;
use crate::refusal::Refusal;

/// One of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Person {
    /// By their row.
    Known(UserId),
    /// Somebody the model does not know: they fail, the others do not.
    Unknown {
        name: String,
        /// Why nobody was found by it.
        error: String,
    },
}

/// So many unknown people are compared with all that are known, to say who may have been meant. A file of wrong ids
/// would take hours otherwise.
const COMPARED: usize = 20;

impl Person {
    /// Everybody, in the order of their rows.
    pub fn all(users: &Catalogue) -> Vec<Self> {
        (0..users.len() as u32).map(|row| Self::Known(UserId(row))).collect()
    }

    /// Those with these ids, in this order, everybody once.
    pub fn find<'n>(users: &Catalogue, names: impl IntoIterator<Item = &'n str>) -> Vec<Self> {
        let mut seen = HashSet::new();
        let mut unknown = 0;
        let once = names.into_iter().filter(|name| seen.insert(*name));
        once.map(|name| match users.row(name) {
            Some(row) => Self::Known(UserId(row)),
            None => {
                unknown += 1;
                let among = if unknown <= COMPARED { Some(users) } else { None };
                let error = Refusal::from(unknown_user(name, among)).said();
                Self::Unknown { name: name.to_owned(), error }
            }
        })
        .collect()
    }
}
