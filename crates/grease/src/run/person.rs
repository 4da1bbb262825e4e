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
    /// By their row, and which items of their list it is about, by name.
    Asking { user: UserId, items: Vec<String> },
    /// Somebody the model does not know: they fail, the others do not.
    Unknown {
        name: String,
        /// Why nobody was found by it.
        error: String,
    },
}

impl Person {
    /// Everybody, in the order of their rows.
    pub fn all(users: &Catalogue) -> Vec<Self> {
        (0..users.len() as u32).map(|row| Self::Known(UserId(row))).collect()
    }

    /// Those with these ids, in this order, everybody once.
    pub fn find<'n>(users: &Catalogue, names: impl IntoIterator<Item = &'n str>) -> Vec<Self> {
        let mut seen = HashSet::new();
        let once = names.into_iter().filter(|name| seen.insert(*name));
        once.map(|name| Self::called(users, name)).collect()
    }

    /// The one with this id. Who may have been meant instead is not looked for: of a million unknown names that would take hours, and what
    /// is said of somebody must not depend on who else was asked about.
    pub fn called(users: &Catalogue, name: &str) -> Self {
        match users.row(name) {
            Some(row) => Self::Known(UserId(row)),
            None => {
                let error = Refusal::from(unknown_user(name, None)).said();
                Self::Unknown { name: name.to_owned(), error }
            }
        }
    }

    /// The same, asking about these items of their list only.
    pub fn asking(self, items: Vec<String>) -> Self {
        match self {
            Self::Known(user) | Self::Asking { user, .. } => Self::Asking { user, items },
            unknown => unknown,
        }
    }

    /// Where the model has them.
    pub(super) fn row(&self) -> Option<UserId> {
        match self {
            Self::Known(user) | Self::Asking { user, .. } => Some(*user),
            Self::Unknown { .. } => None,
        }
    }

    /// Their id, or what they were called.
    pub(super) fn name<'p>(&'p self, users: &'p Catalogue) -> &'p str {
        match self {
            Self::Known(user) | Self::Asking { user, .. } => users.id(user.0),
            Self::Unknown { name, .. } => name,
        }
    }
}
