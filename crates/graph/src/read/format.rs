//! The forms interaction data comes in.

use std::fmt;
use std::str::FromStr;

/// A form of interaction data. Gzip is understood under each text form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InputFormat {
    /// Found out from file names and the first lines.
    #[default]
    Auto,
    /// Columns with a header line, separated by tab, comma or semicolon, quoted as CSV is.
    Delimited,
    /// One line a user, `user item item …`, as the LightGCN and NGCF papers publish their data.
    Adjacency,
    /// `u.data`, `ratings.dat` or `ratings.csv` as GroupLens publishes them.
    MovieLens,
    /// `user_artists.dat` as HetRec 2011 publishes it: tabs, a header, no quoting.
    HetRec,
    /// RecBole atomic files: tabs, a `name:type` header, no quoting.
    RecBole,
    /// Parquet.
    Parquet,
}

impl InputFormat {
    /// Every form, in the order they are listed to people.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::Delimited,
        Self::Adjacency,
        Self::MovieLens,
        Self::HetRec,
        Self::RecBole,
        Self::Parquet,
    ];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Delimited => "table",
            Self::Adjacency => "lightgcn",
            Self::MovieLens => "movielens",
            Self::HetRec => "hetrec",
            Self::RecBole => "recbole",
            Self::Parquet => "parquet",
        }
    }
}

impl fmt::Display for InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name is not that of an [`InputFormat`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown input format '{0}'; expected one of auto, table, lightgcn, movielens, hetrec, recbole, parquet"
)]
pub struct UnknownFormat(pub String);

impl FromStr for InputFormat {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| UnknownFormat(super::error::excerpt(text)))
    }
}

/// What separates the columns of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delimiter {
    /// `.tsv`
    Tab,
    /// `.csv`
    Comma,
    /// `.csv` where the comma is the decimal mark.
    Semicolon,
}

impl Delimiter {
    /// The byte in the file.
    pub fn byte(self) -> u8 {
        match self {
            Self::Tab => b'\t',
            Self::Comma => b',',
            Self::Semicolon => b';',
        }
    }

    /// The separator a header line uses; `None` if it has but one column. A tab wins, as nobody has
    /// one inside a column name; else whichever is more frequent outside quotes.
    pub fn detect(header: &str) -> Option<Self> {
        let mut counts = [0usize; 3];
        let mut quoted = false;
        for byte in header.bytes() {
            match byte {
                b'"' => quoted = !quoted,
                b'\t' if !quoted => counts[0] += 1,
                b',' if !quoted => counts[1] += 1,
                b';' if !quoted => counts[2] += 1,
                _ => {}
            }
        }
        match counts {
            [0, 0, 0] => None,
            [tabs, ..] if tabs > 0 => Some(Self::Tab),
            [_, commas, semicolons] if semicolons > commas => Some(Self::Semicolon),
            _ => Some(Self::Comma),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for format in InputFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("tables".parse::<InputFormat>().unwrap_err().to_string().contains("lightgcn"));
    }

    #[test]
    fn delimiters_are_seen_outside_quotes() {
        for (header, expected) in [
            ("user\titem,x", Some(Delimiter::Tab)),
            ("user,item", Some(Delimiter::Comma)),
            ("\"a,b,c\";item", Some(Delimiter::Semicolon)),
            ("user item", None),
        ] {
            assert_eq!(Delimiter::detect(header), expected, "{header}");
        }
    }
}
