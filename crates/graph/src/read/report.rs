//! What happened during a read: what was kept, dropped and joined, so that nothing goes unsaid.

use std::fmt;
use std::path::PathBuf;

use super::InputFormat;
use super::ratings::Ratings;
use crate::{counted, grouped};

/// The account of one read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadReport {
    /// The form the data was read as; never [`InputFormat::Auto`].
    pub format: InputFormat,
    /// Every file that was read: interactions, held-out part, titles.
    pub files: Vec<PathBuf>,
    /// Data lines (or rows) read, without headers and blank lines.
    pub lines: u64,
    pub users: u64,
    /// Items kept.
    pub items: u64,
    pub interactions: u64,
    /// Held-out interactions kept, where the data came split.
    pub test_interactions: Option<u64>,
    /// Repetitions of an interaction within its part.
    pub duplicates: u64,
    /// Interactions dropped for their rating.
    pub below_min_rating: u64,
    /// What ratings there are, where that was asked for and there are any.
    pub ratings: Option<Ratings>,
    /// What the k-core dropped.
    pub dropped_by_core: Dropped,
    /// Interactions found in both parts; kept in the training part only.
    pub in_both_parts: u64,
    /// Items that have a title.
    pub titles_joined: u64,
    /// Titles of items that have no interaction; ignored.
    pub titles_unknown: u64,
    /// Anything else worth telling, as sentences.
    pub notes: Vec<String>,
}

/// Rows and interactions that a filter dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    pub users: u64,
    /// Items.
    pub items: u64,
    /// Interactions, of both parts.
    pub interactions: u64,
}

impl fmt::Display for ReadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}, {}",
            counted(self.users, "user"),
            counted(self.items, "item"),
            counted(self.interactions, "interaction")
        )?;
        if let Some(test) = self.test_interactions {
            write!(f, " and {} held out", grouped(test))?;
        }
        let files: Vec<_> = self.files.iter().map(|file| file.display().to_string()).collect();
        write!(f, "\nread as {} from {}", self.format, files.join(", "))?;
        let dropped = &self.dropped_by_core;
        let counts = [
            (self.duplicates, "repeated interactions collapsed"),
            (self.below_min_rating, "interactions below the lowest rating dropped"),
            (dropped.users, "users dropped by the k-core"),
            (dropped.items, "items dropped by the k-core"),
            (dropped.interactions, "interactions dropped by the k-core"),
            (self.in_both_parts, "interactions in both parts kept for training only"),
            (self.titles_unknown, "titles of items without interactions ignored"),
        ];
        for (count, what) in counts {
            if count > 0 {
                write!(f, "\n{} {what}", grouped(count))?;
            }
        }
        if self.titles_joined > 0 {
            let items = counted(self.items, "item");
            let have = if self.titles_joined == 1 { "has" } else { "have" };
            write!(f, "\n{} of {items} {have} a title", grouped(self.titles_joined))?;
        }
        for note in &self.notes {
            write!(f, "\n{note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_happened_and_nothing_else() {
        let report = ReadReport {
            format: InputFormat::Adjacency,
            files: vec!["train.txt".into()],
            users: 31_668,
            items: 999,
            interactions: 1_237_259,
            duplicates: 2,
            ..ReadReport::default()
        };
        assert_eq!(
            report.to_string(),
            "31,668 users, 999 items, 1,237,259 interactions\nread as lightgcn from train.txt\n\
             2 repeated interactions collapsed"
        );
    }
}
