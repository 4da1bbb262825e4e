//! The options that all readers of interaction data share.

use std::path::{Path, PathBuf};

use clap::Args;
use grease::graph::read::{Columns, InputFormat, ReadOptions, ReadReport, read};
use grease::graph::{Description, Interactions, describe};

use crate::failure::Failure;
use crate::output::Output;
use crate::words::WordArguments;

/// How data is read, and how sentences speak about it.
#[derive(Debug, Args)]
pub(crate) struct InputArguments {
    #[command(flatten)]
    reading: ReadingArguments,
    #[command(flatten)]
    words: WordArguments,
}

#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "How the data is read")]
pub(crate) struct ReadingArguments {
    /// The form of the data: auto, table, lightgcn, movielens, hetrec, recbole or parquet
    #[arg(long, hide_short_help = true, value_name = "FORM", default_value_t)]
    input_format: InputFormat,
    /// The column of user ids, where it has an unusual name
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    user_column: Option<String>,
    /// The column of item ids
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    item_column: Option<String>,
    /// The column of ratings
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    rating_column: Option<String>,
    /// The column of item titles
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    title_column: Option<String>,
    /// A file of item titles, instead of one found beside the data
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    titles: Option<PathBuf>,
    /// A file of held-out interactions in the same form, instead of one found beside the data
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    test: Option<PathBuf>,
    /// Drop interactions rated lower than this
    #[arg(long, hide_short_help = true, value_name = "RATING", allow_negative_numbers = true)]
    min_rating: Option<f64>,
    /// Keep only users and items with at least this many interactions
    #[arg(long, hide_short_help = true, value_name = "N")]
    k_core: Option<u32>,
}

impl InputArguments {
    /// Reads the data and says on stderr what was made of it.
    pub(crate) fn read(&self, path: &Path, output: &Output) -> Result<Interactions, Failure> {
        let mut data = self.reading.read(path, output)?;
        self.words.apply(&mut data.words);
        Ok(data)
    }

    /// The same, in numbers.
    pub(crate) fn describe(&self, path: &Path, output: &Output) -> Result<Description, Failure> {
        let options = ReadOptions { count_ratings: true, ..self.reading.options() };
        let (mut data, report) = read_noting(path, &options, output)?;
        self.words.apply(&mut data.words);
        Ok(describe(&data, report.ratings))
    }
}

impl ReadingArguments {
    /// Whether nothing was said.
    pub(crate) fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Reads the data and says on stderr what was made of it.
    pub(crate) fn read(&self, path: &Path, output: &Output) -> Result<Interactions, Failure> {
        Ok(read_noting(path, &self.options(), output)?.0)
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.input_format,
            columns: Columns {
                user: self.user_column.clone(),
                item: self.item_column.clone(),
                rating: self.rating_column.clone(),
                title: self.title_column.clone(),
            },
            titles: self.titles.clone(),
            test: self.test.clone(),
            min_rating: self.min_rating,
            k_core: self.k_core,
            ..ReadOptions::default()
        }
    }
}

fn read_noting(
    path: &Path,
    options: &ReadOptions,
    output: &Output,
) -> Result<(Interactions, ReadReport), Failure> {
    let started = std::time::Instant::now();
    let (data, report) = read(path, options)?;
    tracing::info!(lines = report.lines, seconds = started.elapsed().as_secs_f64(), "read the data");
    output.note(&report);
    Ok((data, report))
}
