//! The command line as a whole; each verb's own arguments stand in its file.

use std::ffi::OsString;
use std::num::NonZeroUsize;

use clap::{Arg, ArgAction, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::numbers::threads;
use crate::output::Log;
use crate::{
    batch, completions, data, demo, devices, evaluate, evaluate_model, explain, import, link, man, merge,
    oracle, recommend, serve, train, verify, version, what_if,
};

/// Tells people why a recommender put an item in their list.
#[derive(Debug, Parser)]
#[command(name = "grease", version = version::SHORT, long_version = version::long(), arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = FIRST_LOOK, after_long_help = AFTER_LONG_HELP)]
pub(crate) struct Arguments {
    /// Use this many threads instead of one a processor; results are the same with any number
    #[arg(long, global = true, value_name = "N", value_parser = threads, help_heading = "Everywhere")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Say nothing but results and errors
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub(crate) quiet: bool,
    /// Say more on stderr about what is done; twice for even more
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", help_heading = "Everywhere")]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl Arguments {
    /// As typed after the name of the program. The answers to --help and --version are errors of clap's, too.
    pub(crate) fn typed(
        called: &str,
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, clap::Error> {
        let mut command = command();
        let words = std::iter::once(OsString::from("grease")).chain(words);
        let matches = command.try_get_matches_from_mut(words)?;
        let mut typed = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        if let Verb::Demo(demo) = &mut typed.verb {
            called.clone_into(&mut demo.called);
        }
        Ok(typed)
    }
}

/// What goes everywhere is said once by `grease -h`; `-h` of a verb has its own.
fn command() -> Command {
    let command = Arguments::command();
    let everywhere = command.get_arguments().filter(|arg| arg.is_global_set());
    let everywhere: Vec<Arg> = everywhere.map(|arg| arg.clone().hide_short_help(true)).collect();
    command.mut_subcommands(|verb| verb.args(&everywhere))
}

/// What each does is said by its own arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Demo(demo::DemoArguments),
    /// Look at interaction data, convert it, or invent some
    #[command(subcommand)]
    Data(data::DataVerb),
    Train(Box<train::TrainArguments>),
    #[command(subcommand)]
    Import(import::ImportVerb),
    Recommend(Box<recommend::RecommendArguments>),
    WhatIf(Box<what_if::WhatIfArguments>),
    Explain(Box<explain::ExplainArguments>),
    Batch(Box<batch::BatchArguments>),
    Merge(merge::MergeArguments),
    Verify(Box<verify::VerifyArguments>),
    Serve(Box<serve::ServeArguments>),
    Link(link::LinkArguments),
    EvaluateModel(evaluate_model::EvaluateArguments),
    Evaluate(Box<evaluate::EvaluateArguments>),
    /// Look into somebody else's recommender
    #[command(subcommand)]
    Oracle(oracle::OracleVerb),
    Devices(devices::DevicesArguments),
    Completions(completions::CompletionsArguments),
    Man(man::ManArguments),
}

impl Verb {
    /// How a service logs its requests.
    pub(crate) fn log(&self) -> Option<Log> {
        match self {
            Verb::Serve(arguments) => Some(arguments.log),
            _ => None,
        }
    }

    /// How many may ask an oracle at a time, where there is one and somebody said so.
    pub(crate) fn oracle_workers(&self) -> Option<usize> {
        match self {
            Verb::Recommend(arguments) => arguments.subject.oracle_workers(),
            Verb::WhatIf(arguments) => arguments.subject.oracle_workers(),
            Verb::Explain(arguments) => arguments.subject.oracle_workers(),
            Verb::Batch(arguments) => arguments.subject.oracle_workers(),
            Verb::Verify(arguments) => arguments.subject.oracle_workers(),
            Verb::Serve(arguments) => arguments.subject.oracle_workers(),
            Verb::Evaluate(arguments) => arguments.oracle.workers(),
            Verb::Oracle(verb) => verb.oracle_workers(),
            _ => None,
        }
    }
}

const FIRST_LOOK: &str = "\
A first look is `grease demo`. `grease VERB -h` has what most need, `grease VERB --help` everything.";

const AFTER_LONG_HELP: &str = "\
`grease VERB -h` has what most need of a verb, `grease VERB --help` everything.

A first look:
  grease demo

On data you have:
  grease data describe ratings.csv
  grease train --interactions ratings.csv --out model
  grease import lightgcn --weights weights.npz --interactions ratings.csv --layers 3 --out model
  grease recommend --model model --user 42
  grease what-if --model model --user 42 --remove tea
  grease explain --model model --user 42
  grease batch --model model --users all --out why.parquet
  grease serve --model model

On a recommender you have:
  grease oracle check --oracle-cmd 'python3 my_model.py' --interactions ratings.csv
  grease explain --oracle-cmd 'python3 my_model.py' --interactions ratings.csv --user 42

Results go to stdout, everything else to stderr. Exit codes:
    0  done
    1  something unexpected, such as a full disk
    2  the command was not used as it should be
    3  the input data is missing or wrong
    4  the model folder is missing or damaged, or an oracle failed
    5  an unknown user or item was named
    6  an explanation was not confirmed, an import makes other lists, or an oracle failed a check
  130  interrupted with Ctrl-C";
