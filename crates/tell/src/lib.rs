//! Telling it: one [`Record`] as a sentence, a picture, a page, lines for a terminal, and many of them as a table.
//!
//! ```text
//! Explanation + Names -Record::new-> Record -> sentence · picture · page · text · JSON · table
//! ```
//!
//! Everything here works from records and the domain's [`Words`](grease_graph::Words) alone. Nothing is said that the
//! record does not hold, what was not checked is called a guess, and with scope own nobody but the person appears.

mod called;
mod certificate;
mod escape;
mod grammar;
pub mod measure;
mod named;
mod names;
mod of_list;
mod page;
mod picture;
mod pseudonyms;
mod reason;
mod record;
mod sentence;
pub mod table;
mod text;
mod title;

pub use certificate::certificate;
pub use escape::escape;
pub use grammar::{capitalised, list};
pub use named::{NamedList, NamedMoved, NamedWhatIf, Recommendation};
pub use names::Names;
pub use of_list::{LIST_SCHEMA, ListItem, ListRecord, changed, changed_by_rank, list_picture, list_sentence};
pub use page::page;
pub use picture::picture;
pub use pseudonyms::{Pseudonyms, is_pseudonym};
pub use reason::SaidReason;
pub use record::{Alone, CitedEdge, Instead, Record, Retrained, SCHEMA, is_read};
pub use sentence::{Wording, sentence};
pub use text::text;
pub use title::clean;

#[cfg(test)]
mod tests;
