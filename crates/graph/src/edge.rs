//! Users, items and the interactions between them, by row number.

use serde::{Deserialize, Serialize};

/// Row number of a user. The id a person knows is in the [`Catalogue`](crate::Catalogue).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserId(pub u32);

/// Row number of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub u32);

impl UserId {
    /// The row as an index into a slice.
    pub fn row(self) -> usize {
        self.0 as usize
    }
}

impl ItemId {
    /// The row as an index into a slice.
    pub fn row(self) -> usize {
        self.0 as usize
    }
}

/// One interaction: this user touched this item. Ordered by user, then item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    pub user: UserId,
    pub item: ItemId,
}

impl Edge {
    /// The edge between two rows.
    pub fn new(user: u32, item: u32) -> Self {
        Self { user: UserId(user), item: ItemId(item) }
    }
}
