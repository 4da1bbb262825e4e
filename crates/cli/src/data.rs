//! `grease data describe`, `convert` and `sample`

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use grease::graph::read::Delimiter;
use grease::graph::write::{WriteError, write_adjacency, write_parquet, write_recbole, write_table};
use grease::graph::{Destination, Field, SampleOptions, sample, write_sample, write_sample_embeddings};

use crate::failure::{Code, Failure, flag};
use crate::input::InputArguments;
use crate::output::{Format, Output, destination};
use crate::stages::Stages;

#[derive(Debug, Subcommand)]
pub(crate) enum DataVerb {
    /// Say what is in the data: how many users and items, how they spread, and what ratings there are
    Describe(Box<DescribeArguments>),
    /// Write the data in another form
    Convert(Box<ConvertArguments>),
    /// Invent a small music service to try things on
    Sample(SampleArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease data describe ratings.csv
  grease data describe ml-100k --min-rating 4 --k-core 5
  grease data describe plays.csv --user-column listener --item-column track")]
pub(crate) struct DescribeArguments {
    /// A file, or a folder of files of a known form
    path: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
    #[command(flatten)]
    input: InputArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease data convert ml-100k --min-rating 4 --format parquet --out ml-100k.parquet
  grease data convert ratings.csv --format recbole --out ratings/ratings.inter

A held-out part and titles are written beside the file, under names that are found again.")]
pub(crate) struct ConvertArguments {
    /// A file, or a folder of files of a known form
    path: PathBuf,
    /// The file to write
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// The form to write: table (tabs), csv, lightgcn, recbole (name it *.inter) or parquet
    #[arg(long, alias = "to", value_enum, value_name = "FORM", hide_possible_values = true)]
    format: FileFormat,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    input: InputArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    Table,
    Csv,
    Lightgcn,
    Recbole,
    Parquet,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease data sample --out music
  grease train --interactions music --epochs 50 --batch 512 --out model
  grease data sample --users 200000 --artists 50000 --interactions 10000000 --to parquet --out large

docs/large.md makes a model of that size without training.")]
pub(crate) struct SampleArguments {
    /// The folder to write interactions.tsv (or interactions.parquet) and items.tsv into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Another seed, another service
    #[arg(long, value_name = "N", default_value_t = SampleOptions::default().seed)]
    seed: u64,
    /// How many listeners
    #[arg(long, value_name = "N", default_value_t = SampleOptions::default().users)]
    users: usize,
    /// How many artists
    #[arg(long, value_name = "N", default_value_t = SampleOptions::default().artists)]
    artists: usize,
    /// About how many interactions; few listeners then have many and many few, by a power law
    #[arg(long, value_name = "N")]
    interactions: Option<u64>,
    /// The form to write: table (tabs) or parquet, which takes no memory for interactions
    #[arg(long, alias = "to", value_enum, value_name = "FORM", default_value_t, hide_possible_values = true)]
    format: SampleFormat,
    /// Also write embeddings of this width with the tastes planted in them, for `grease import`
    #[arg(long, value_name = "WIDTH", value_parser = clap::value_parser!(u16).range(1..=4096))]
    embeddings: Option<u16>,
    /// Replace the files if they are there
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum SampleFormat {
    #[default]
    Table,
    Parquet,
}

pub(crate) fn run(verb: DataVerb, output: &Output) -> Result<Code, Failure> {
    match verb {
        DataVerb::Describe(arguments) => {
            let description = arguments.input.describe(&arguments.path, output)?;
            match arguments.format {
                Format::Text => {
                    let text = Field::rendered(&description.to_string(), flag);
                    output.results(|out| write!(out, "{text}"))?;
                }
                Format::Json => output.json(&description)?,
            }
        }
        DataVerb::Convert(arguments) => {
            let destination = destination(&arguments.out, arguments.force)?;
            let data = arguments.input.read(&arguments.path, output)?;
            make_folder_of(&arguments.out)?;
            let (path, data) = (arguments.out.as_path(), &data);
            let written = match arguments.format {
                FileFormat::Table => write_table(path, data, Delimiter::Tab),
                FileFormat::Csv => write_table(path, data, Delimiter::Comma),
                FileFormat::Lightgcn => write_adjacency(path, data),
                FileFormat::Recbole => write_recbole(path, data),
                FileFormat::Parquet => write_parquet(path, data),
            };
            match destination {
                // It may be stdout, where the data stands now.
                Destination::Stream => drop(written?),
                Destination::File { .. } => say_what_was_written(written, *output)?,
            }
        }
        DataVerb::Sample(arguments) => invent(&arguments, *output)?,
    }
    Ok(Code::Done)
}

fn invent(arguments: &SampleArguments, output: Output) -> Result<(), Failure> {
    let &SampleArguments { ref out, seed, users, artists, interactions, format, embeddings, force } =
        arguments;
    let path = out.join(match format {
        SampleFormat::Table => "interactions.tsv",
        SampleFormat::Parquet => "interactions.parquet",
    });
    destination(&path, force)?;
    make_folder_of(&path)?;
    let options = SampleOptions { seed, users, artists, interactions, ..SampleOptions::default() };
    let stages = Stages::new(output)?;
    let mut written = match format {
        SampleFormat::Table => write_table(&path, &sample(&options).interactions, Delimiter::Tab)?,
        SampleFormat::Parquet => write_sample(out, &options, &stages)?,
    };
    if let Some(width) = embeddings {
        written.extend(write_sample_embeddings(out, &options, usize::from(width), &stages)?);
    }
    drop(stages);
    say_what_was_written(Ok(written), output)
}

fn make_folder_of(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::unexpected(format_args!("{}: {error}", folder.display())))
}

fn say_what_was_written(written: Result<Vec<PathBuf>, WriteError>, output: Output) -> Result<(), Failure> {
    let written = written?;
    output.results(|out| written.iter().try_for_each(|file| writeln!(out, "{}", file.display())))
}
