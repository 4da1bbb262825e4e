//! What a person may ask of a read.

use std::path::PathBuf;

use super::{InputFormat, ReadError};
use crate::{Field, Words};

/// How to read. `Default` finds out the form, keeps everything and looks for titles beside the data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// The form of the data.
    pub format: InputFormat,
    /// Names of columns, where they are not the usual ones. For forms with a header.
    pub columns: Columns,
    /// A file of item titles, instead of one found beside the data.
    pub titles: Option<PathBuf>,
    /// A file of held-out interactions in the same form, instead of one found beside the data.
    pub test: Option<PathBuf>,
    /// Drop interactions rated lower than this.
    pub min_rating: Option<f64>,
    /// Say in the report what ratings there are.
    pub count_ratings: bool,
    /// Keep only users and items with at least so many interactions among those kept.
    pub k_core: Option<u32>,
    /// How to speak about this data, instead of what suits its form.
    pub words: Option<Words>,
}

/// Names of columns; `None`: the usual names are tried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// The column of user ids.
    pub user: Option<String>,
    /// The column of item ids.
    pub item: Option<String>,
    /// The column of ratings.
    pub rating: Option<String>,
    /// The column of item titles, among the interactions.
    pub title: Option<String>,
}

impl ReadOptions {
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        if let Some(min) = self.min_rating.filter(|min| !min.is_finite()) {
            let reason = format!("expected a finite number, found {min}");
            return Err(ReadError::BadOption { option: Field::MinRating, reason });
        }
        if self.columns.user.is_some() && self.columns.user == self.columns.item {
            let reason = "users and items cannot be the same column; name two different ones".to_owned();
            return Err(ReadError::BadOption { option: Field::ItemColumn, reason });
        }
        Ok(())
    }
}
