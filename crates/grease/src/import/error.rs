//! Why a model from elsewhere is not taken in.

use std::path::PathBuf;

use grease_graph::GraphError;
use grease_models::folder::FolderError;
use grease_models::import::TensorsError;

use crate::lookup::Sort;
use crate::train::TrainingError;

/// Why there is no imported model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The weights are broken, or of something unknown.
    #[error(transparent)]
    Tensors(#[from] TensorsError),
    /// A file of ids or lists could not be read.
    #[error("{}: {error}", file.display())]
    Io { file: PathBuf, error: std::io::Error },
    /// A line of such a file makes no sense.
    #[error("{}, line {line}: {reason}", file.display())]
    Line {
        file: PathBuf,
        /// Line, from 1.
        line: u64,
        reason: String,
    },
    /// Ids that cannot be rows' names.
    #[error("the {side}s' ids: {reason}")]
    Ids { side: Sort, reason: String },
    /// There are not as many ids as rows.
    #[error(
        "the weights have {rows} rows of {side}s, but there are {ids} ids of {side}s: expected one for each row"
    )]
    Count { side: Sort, rows: usize, ids: usize },
    /// Without ids, names must be row numbers.
    #[error(
        "the interactions name the {side} `{id}`, which is no row number from 0 to {last}: \
         give the {side}s' ids, in the order of the rows, with `{side}_ids`"
    )]
    NotRowNumbers {
        side: Sort,
        /// The first that is none.
        id: String,
        last: usize,
    },
    /// Rows and numbers can be brought together in two ways.
    #[error(
        "the interactions name {side}s 0 to {last}, and the weights have one row more, so row 0 may be padding or not: \
         give the {side}s' ids, in the order of the rows, with `{side}_ids`"
    )]
    PaddingUnclear { side: Sort, last: usize },
    /// Users and items share a table, and nobody says where the users end.
    #[error(
        "the weights have one table of {rows} rows, users and then items, and the interactions name {users} users and {items} items: \
         give the ids, in the order of the rows, with `user_ids` and `item_ids`"
    )]
    Joined {
        rows: usize,
        users: usize,
        /// Items of the interactions.
        items: usize,
    },
    /// The interactions name what the weights do not know.
    #[error(
        "{count} {side}(s) of the interactions have no row in the weights, such as {some}: \
         give the interactions the model was trained on, and the ids of all its rows"
    )]
    NoRow { side: Sort, count: usize, some: String },
    /// A list to check names what the model does not know.
    #[error("the lists to compare with name the {side} `{id}`, which the model does not know")]
    Unknown { side: Sort, id: String },
    /// There is nothing to check.
    #[error("{}: there is no list in it", .0.display())]
    NoLists(PathBuf),
    /// The model refused to score.
    #[error(transparent)]
    Score(#[from] grease_graph::ScoreError),
    /// The data does not make a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The folder is taken.
    #[error(transparent)]
    Taken(#[from] TrainingError),
    /// The folder could not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}
