//! Files to [`Interactions`]: the forms interaction data is published in, found out or said, and an
//! account of what was dropped on the way.
//!
//! ```
//! use grease_graph::read::{InputFormat, ReadOptions, parse_bytes};
//!
//! let text = b"user,item,rating\nzoe,tea,5\nadam,tea,4\nadam,milk,1\n";
//! let options = ReadOptions { min_rating: Some(3.0), ..ReadOptions::default() };
//! let (data, report) = parse_bytes(InputFormat::Auto, text, &options)?;
//! assert_eq!((data.users.len(), data.items.len(), data.edges.len()), (2, 1, 2));
//! assert_eq!(report.below_min_rating, 1);
//! # Ok::<(), grease_graph::read::ReadError>(())
//! ```

mod adjacency;
mod arrow;
mod clean;
pub(crate) mod collect;
mod columns;
mod core;
mod error;
mod format;
mod locate;
mod options;
mod parquet;
mod ratings;
mod report;
mod rows;
mod separated;
pub(crate) mod siblings;
mod source;
mod table;
mod titles;

use std::path::{Path, PathBuf};

pub use arrow::{arrow_columns, read_arrow};
pub use error::{Place, Position, ReadError};
pub use format::{Delimiter, InputFormat, UnknownFormat};
pub use options::{Columns, ReadOptions};
pub use parquet::guard_decoding;
pub use ratings::{Ratings, Threshold};
pub use report::{Dropped, ReadReport};

use self::collect::Collector;
use self::source::Source;
use crate::{Field, Interactions, Words};

/// Reads interaction data from a file or from a folder that holds files of a known form.
///
/// A held-out part (`test.txt` beside `train.txt`, and so on) and titles (`items.tsv` and the like)
/// are found beside the data; the report lists every file that was used. Rows are numbered in order of
/// first appearance. Text is streamed: memory goes with the data kept, not with the size of the file.
pub fn read(path: &Path, options: &ReadOptions) -> Result<(Interactions, ReadReport), ReadError> {
    options.check()?;
    let located = locate::locate(path, options)?;
    let mut report = ReadReport { format: located.format, ..ReadReport::default() };
    let mut collector = Collector::new(options);
    read_file(&located.data, located.format, &mut collector)?;
    report.files.push(located.data.clone());
    if let Some(test) = &located.test {
        collector.begin_test();
        read_file(test, located.format, &mut collector)?;
        report.files.push(test.clone());
    }
    finish(collector, &located.data, located.titles, report)
}

/// Reads interaction data from memory: any text form, gzipped or not, and Parquet where `format` says so.
/// `options.titles` and `options.test` name files, and are left aside here.
pub fn parse_bytes(
    format: InputFormat,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Interactions, ReadReport), ReadError> {
    options.check()?;
    let name = Path::new("input");
    let source = Source::bytes(name, bytes)?;
    let format = match format {
        InputFormat::Auto if !source.head.is_empty() => {
            source.expect_text()?;
            locate::sniff("", &source.head, options).ok_or_else(|| locate::unknown(name, &source.head))?
        }
        format => format,
    };
    let mut collector = Collector::new(options);
    if format == InputFormat::Parquet && !source.head.is_empty() && !source.is_gzip() {
        parquet::parse_parquet(name, bytes, &mut collector)?;
    } else {
        read_text(source, format, &mut collector)?;
    }
    let report = ReadReport { format, files: vec![name.to_path_buf()], ..ReadReport::default() };
    finish(collector, name, None, report)
}

fn read_file(path: &Path, format: InputFormat, collector: &mut Collector<'_>) -> Result<(), ReadError> {
    let source = Source::open(path)?;
    if format == InputFormat::Parquet && source.head.is_empty() {
        return Err(ReadError::Empty { path: path.to_path_buf(), expected: "a Parquet file" });
    }
    if format == InputFormat::Parquet && !source.is_gzip() {
        return parquet::read_parquet(path, collector);
    }
    read_text(source, format, collector)
}

fn read_text(
    source: Source<'_>,
    format: InputFormat,
    collector: &mut Collector<'_>,
) -> Result<(), ReadError> {
    source.expect_text()?;
    // A held-out part without a line is a part with nothing in it; data without one is a mistake.
    if source.head.is_empty() && collector.test.is_none() {
        let expected = "lines of interactions, such as a header 'user\titem' and a line for each";
        return Err(ReadError::Empty { path: source.file, expected });
    }
    if source.head.is_empty() {
        return Ok(());
    }
    match format {
        InputFormat::Adjacency => adjacency::read_adjacency(source, collector),
        InputFormat::RecBole | InputFormat::HetRec => separated::read_headed(source, format, collector),
        InputFormat::MovieLens if !is_csv(&source) => separated::read_ratings(source, collector),
        InputFormat::Delimited | InputFormat::MovieLens => table::read_table(source, collector),
        InputFormat::Parquet | InputFormat::Auto => Err(ReadError::BadOption {
            option: Field::InputFormat,
            reason: format!("{} holds text; expected a Parquet file", source.file.display()),
        }),
    }
}

/// MovieLens since 2014 comes as CSV with a header.
fn is_csv(source: &Source<'_>) -> bool {
    let line = source.first_line();
    line.contains(',') && !line.contains("::") && !line.contains('\t')
}

fn finish(
    collector: Collector<'_>,
    data: &Path,
    titles: Option<PathBuf>,
    mut report: ReadReport,
) -> Result<(Interactions, ReadReport), ReadError> {
    let options = collector.options();
    let mut cleaned = clean::clean(collector, data, &mut report)?;
    if let Some(path) = titles {
        match titles::join_titles(&path, report.format, &mut cleaned.items) {
            Ok(unknown) => {
                report.titles_unknown = unknown;
                report.files.push(path);
            }
            // A file that only happens to lie there need not have titles in it.
            Err(error @ (ReadError::MissingColumn { .. } | ReadError::OneColumn { .. }))
                if options.titles.is_none() =>
            {
                report.notes.push(format!("no titles taken: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    let words = options.words.clone().unwrap_or_else(|| words_for(report.format));
    let (users, items) = (cleaned.users.finish(), cleaned.items.finish());
    report.users = users.len() as u64;
    report.items = items.len() as u64;
    report.interactions = cleaned.train.len() as u64;
    report.test_interactions = cleaned.test.as_ref().map(|test| test.len() as u64);
    report.titles_joined = items.titled() as u64;
    Ok((Interactions { users, items, edges: cleaned.train, given_test: cleaned.test, words }, report))
}

/// What people did to what, where the form of the data tells.
fn words_for(format: InputFormat) -> Words {
    let words = |person: &str, did: &str, item: &str, items: &str| Words {
        person: person.into(),
        did: did.into(),
        item: item.into(),
        items: items.into(),
    };
    match format {
        InputFormat::MovieLens => words("viewer", "watched", "film", "films"),
        InputFormat::HetRec => words("listener", "listened to", "artist", "artists"),
        _ => Words::default(),
    }
}
