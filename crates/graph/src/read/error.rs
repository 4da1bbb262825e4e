//! What can go wrong while reading, said so that the person can mend the file or the command.

use crate::Field;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Where in a file something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    pub position: Position,
    /// The column's name, where the trouble is in one column.
    pub column: Option<String>,
}

/// A position in a file, counted from 1 as editors do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// The file as a whole.
    File,
    /// A line of a text file.
    Line(u64),
    /// A row of a Parquet file.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        match self.position {
            Position::File => {}
            Position::Line(line) => write!(f, ", line {line}")?,
            Position::Row(row) => write!(f, ", row {row}")?,
        }
        match &self.column {
            Some(column) => write!(f, ", column '{column}'"),
            None => Ok(()),
        }
    }
}

/// A borrowed [`Place`], cheap enough to make for every line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) file: &'a Path,
    pub(crate) position: Position,
}

impl<'a> At<'a> {
    pub(crate) fn file(file: &'a Path) -> Self {
        Self { file, position: Position::File }
    }

    pub(crate) fn line(file: &'a Path, line: u64) -> Self {
        Self { file, position: Position::Line(line) }
    }

    pub(crate) fn place(self) -> Box<Place> {
        Box::new(Place { file: self.file.to_path_buf(), position: self.position, column: None })
    }

    pub(crate) fn column(self, column: &str) -> Box<Place> {
        Box::new(Place { column: Some(excerpt(column)), ..*self.place() })
    }
}

/// At most this many characters of a person's data are repeated in a message.
const EXCERPT: usize = 48;

/// A piece of the input, short and with control characters escaped, so that a message cannot be
/// flooded or a terminal be driven by it.
pub(crate) fn excerpt(text: &str) -> String {
    let mut out: String = text.chars().take(EXCERPT).flat_map(char::escape_debug).collect();
    if text.chars().nth(EXCERPT).is_some() {
        out.push('…');
    }
    out
}

/// Column names for a message, not more than fit on a line or two.
pub(crate) fn list<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 12;
    let mut out: Vec<String> =
        names.iter().take(SHOWN).map(|n| format!("'{}'", excerpt(n.as_ref()))).collect();
    if names.len() > SHOWN {
        out.push(format!("and {} more", names.len() - SHOWN));
    }
    out.join(", ")
}

/// Why data could not be read. Every message names the place, what was expected, what was found and
/// what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The path does not exist.
    #[error("{path} does not exist; check the spelling, and that the path is right from where you are")]
    NotFound { path: PathBuf },
    /// The path may not be opened.
    #[error("{path} may not be read (permission denied); give yourself read permission, or copy the file")]
    Permission { path: PathBuf },
    /// Neither a file nor a folder.
    #[error("{path} is {found}, expected {expected}")]
    NotAFile { path: PathBuf, found: &'static str, expected: &'static str },
    /// The operating system would not go on.
    #[error("{path} could not be read: {source}; check the disk or the network share and try again")]
    Io { path: PathBuf, source: io::Error },
    /// A gzip stream that ends early or does not add up.
    #[error(
        "{path} is damaged gzip ({source}); it was probably cut short while being copied: fetch it again, or check it with `gzip -t`"
    )]
    Gzip { path: PathBuf, source: io::Error },
    /// Nothing in the path looks like interaction data.
    #[error("{path}: {found}. Looked for: {looked_for}. {fix}")]
    Unrecognised { path: PathBuf, found: String, looked_for: &'static str, fix: &'static str },
    /// More than one reading is possible.
    #[error(
        "{path} holds more than one set of interactions: {found}; name the file itself, or say which form is meant with `input_format`"
    )]
    Ambiguous { path: PathBuf, found: String },
    /// No bytes at all.
    #[error("{path} is empty; expected {expected}")]
    Empty { path: PathBuf, expected: &'static str },
    /// Well-formed, but without a single interaction.
    #[error(
        "{path} has no interactions ({lines} data lines); expected at least one line with a user and an item"
    )]
    NoInteractions { path: PathBuf, lines: u64 },
    /// Not text, where text is needed.
    #[error("{path} is {found}, expected UTF-8 text; {fix}")]
    NotText {
        path: PathBuf,
        /// What it seems to be.
        found: &'static str,
        fix: &'static str,
    },
    /// A line that is not UTF-8.
    #[error(
        "{at}: not UTF-8 text; convert the file, for example with `iconv -f latin1 -t utf-8 in.tsv > out.tsv`"
    )]
    NotUtf8 { at: Box<Place> },
    /// A line or record beyond all measure.
    #[error(
        "{at}: the line is longer than {limit} bytes; is this a text file with one record a line? (a quotation mark that is never closed also joins lines)"
    )]
    LineTooLong { at: Box<Place>, limit: u64 },
    /// The header line has but one column.
    #[error(
        "{at}: the header has one column, '{found}'; expected column names separated by tab, comma or semicolon, such as 'user,item'"
    )]
    OneColumn { at: Box<Place>, found: String },
    /// A column that is needed is not there.
    #[error(
        "{at}: no {role} column; expected {expected}, found the columns {found}; the first line must name the columns, or say which one it is with {field}"
    )]
    MissingColumn { at: Box<Place>, role: &'static str, expected: String, found: String, field: Field },
    /// A line with too few or too many fields.
    #[error(
        "{at}: expected {expected} fields, found {found}; mend the line (a stray quotation mark or an unquoted separator does this too)"
    )]
    FieldCount { at: Box<Place>, expected: String, found: u64 },
    /// A quoted field of a tab-separated file that goes on over the end of the line.
    #[error(
        "{at}: a quotation mark opened here is not closed on the same line; double it (\"\") inside quotes, or, if the file does not use quoting, say so with `input_format` recbole or hetrec"
    )]
    StrayQuote { at: Box<Place> },
    /// An id that cannot be one.
    #[error("{at}: {reason}, found '{found}'; {fix}")]
    BadId { at: Box<Place>, reason: &'static str, found: String, fix: &'static str },
    /// A title beyond all measure.
    #[error("{at}: a title of {length} bytes, at most {limit} are taken; is this the title column?")]
    LongTitle { at: Box<Place>, length: usize, limit: usize },
    /// A rating that is no number.
    #[error(
        "{at}: expected a rating (a finite number), found '{found}'; mend it, or read without `min_rating`"
    )]
    BadRating { at: Box<Place>, found: String },
    /// A lowest rating was asked for, of data without ratings.
    #[error(
        "{path}: `min_rating` needs ratings, and there are none here ({found}); leave it out, or name the column with `rating_column`"
    )]
    NoRatings { path: PathBuf, found: String },
    /// An option that makes no sense.
    #[error("{option}: {reason}")]
    BadOption {
        option: Field,
        /// What is wrong and what would do.
        reason: String,
    },
    /// A missing value in a Parquet column.
    #[error("{at}: a null where a value is needed; drop such rows before reading")]
    Null { at: Box<Place> },
    /// A Parquet column of a type that cannot be used.
    #[error("{at}: the column is of type {found}, expected {expected}; cast it, or name another column")]
    ColumnType { at: Box<Place>, found: String, expected: &'static str },
    /// Not Parquet, or damaged.
    #[error(
        "{path} is not a readable Parquet file: {message}; write it again, or say what it is with `input_format`"
    )]
    Parquet { path: PathBuf, message: String },
    /// A table in memory could not be read to its end.
    #[error("the table could not be read: {message}")]
    Table {
        /// What whoever hands it over said.
        message: String,
    },
    /// More users or items than row numbers.
    #[error("{path}: more than 4,294,967,294 different users or items; read a part of the data")]
    TooMany { path: PathBuf },
    /// A filter left nothing.
    #[error("{path}: no interaction is left of {before}: {filter} removed them all; ask for less")]
    NothingLeft { path: PathBuf, before: u64, filter: String },
}

impl ReadError {
    /// The error for a failed call of the operating system on `path`.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::PermissionDenied => Self::Permission { path },
            _ => Self::Io { path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_harmless() {
        assert_eq!(excerpt("a\u{1b}[31m\0"), "a\\u{1b}[31m\\0");
        assert_eq!(excerpt(&"x".repeat(1000)).chars().count(), EXCERPT + 1);
    }

    #[test]
    fn a_place_reads_like_a_sentence() {
        let at = At::line(Path::new("a.tsv"), 7);
        assert_eq!(at.column("item").to_string(), "a.tsv, line 7, column 'item'");
        assert_eq!(At::file(Path::new("a.tsv")).place().to_string(), "a.tsv");
    }
}
