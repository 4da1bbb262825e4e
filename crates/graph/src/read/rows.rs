//! What every reader of columns hands on, and to whom: interactions and titles come from the same
//! kinds of files, so the readers do not know which of the two they are reading.

use super::error::{At, ReadError};

/// Column numbers that a [`Sink`] wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) user: Option<usize>,
    pub(crate) item: usize,
    pub(crate) rating: Option<usize>,
    pub(crate) title: Option<usize>,
    /// Whether a line without a rating is an error.
    pub(crate) must_rate: bool,
}

impl Pick {
    /// How many fields a line must have at least.
    pub(crate) fn width(&self) -> usize {
        let rating = self.rating.filter(|_| self.must_rate);
        [self.user, rating, self.title].into_iter().flatten().fold(self.item, usize::max) + 1
    }
}

/// One value and the name of its column.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Field<'a> {
    pub(crate) text: &'a str,
    pub(crate) column: &'a str,
}

/// The picked values of one line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Row<'a> {
    pub(crate) user: Field<'a>,
    pub(crate) item: Field<'a>,
    pub(crate) rating: Field<'a>,
    pub(crate) title: Field<'a>,
}

/// Takes rows.
pub(crate) trait Sink {
    /// Chooses columns by their names.
    fn pick(&self, at: At<'_>, names: &[String]) -> Result<Pick, ReadError>;

    /// Takes one row; fields that were not picked are empty.
    fn row(&mut self, at: At<'_>, row: Row<'_>) -> Result<(), ReadError>;
}
