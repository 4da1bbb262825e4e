//! A matrix with one row a node, kept as its two halves: the graph is bipartite, so every step goes from one
//! half to the other.

use grease_kernels::Array;

/// A side of the bipartite graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Users,
    Items,
}

impl Side {
    pub(crate) const BOTH: [Side; 2] = [Side::Users, Side::Items];

    /// The side all neighbours are on.
    pub(crate) fn other(self) -> Self {
        match self {
            Side::Users => Side::Items,
            Side::Items => Side::Users,
        }
    }
}

/// One row a user and one row an item, row-major, of one width.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Halves {
    pub(crate) users: Vec<f32>,
    pub(crate) items: Vec<f32>,
}

impl Halves {
    /// All zeros.
    pub(crate) fn zeros(users: usize, items: usize, width: usize) -> Self {
        Self { users: vec![0.0; users * width], items: vec![0.0; items * width] }
    }

    pub(crate) fn side(&self, side: Side) -> &[f32] {
        match side {
            Side::Users => &self.users,
            Side::Items => &self.items,
        }
    }

    pub(crate) fn side_mut(&mut self, side: Side) -> &mut Vec<f32> {
        match side {
            Side::Users => &mut self.users,
            Side::Items => &mut self.items,
        }
    }
}

/// The same, to read only: from memory or from a mapped file.
#[derive(Debug, Clone)]
pub(crate) struct Outputs {
    pub(crate) users: Array<f32>,
    pub(crate) items: Array<f32>,
}

impl From<Halves> for Outputs {
    fn from(Halves { users, items }: Halves) -> Self {
        Self { users: users.into(), items: items.into() }
    }
}

/// Does the work of both sides side by side: they are independent, and one wait is cheaper than two.
pub(crate) fn on_both<T: Send>(users: T, items: T, work: impl Fn(Side, T) + Sync) {
    rayon::join(|| work(Side::Users, users), || work(Side::Items, items));
}

/// One row of a row-major matrix.
pub(crate) fn row(matrix: &[f32], width: usize, row: u32) -> &[f32] {
    &matrix[row as usize * width..][..width]
}

/// One row of a row-major matrix, to write.
pub(crate) fn row_mut(matrix: &mut [f32], width: usize, row: u32) -> &mut [f32] {
    &mut matrix[row as usize * width..][..width]
}
