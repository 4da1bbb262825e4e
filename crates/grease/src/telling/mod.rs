//! Telling it: one [`Record`](crate::Record) as a sentence, a picture, a page and lines for a terminal.
//!
//! Everything here works from records and the domain's [`Words`](grease_graph::Words) alone. Nothing is said that the
//! record does not hold, what was not checked is called a guess, and with scope own nobody but the person appears.

mod certificate;
pub(crate) mod escape;
mod grammar;
pub(crate) mod measure;
mod names;
mod page;
mod picture;
mod sentence;
mod text;
pub(crate) mod title;

pub use certificate::certificate;
pub use names::Names;
pub(crate) use names::Pseudonyms;
pub use page::page;
pub use picture::picture;
pub use sentence::sentence;
pub use text::text;

#[cfg(test)]
mod tests;
