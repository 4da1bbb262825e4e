//! The `grease` command: arguments in, words and files out. One file a verb; the work is done in the library.

mod args;
mod batch;
mod completions;
mod data;
mod demo;
mod evaluate;
mod evaluate_model;
mod explain;
mod failure;
mod import;
mod input;
mod interruption;
mod items;
mod link;
mod man;
mod many;
mod merge;
mod numbers;
mod oracle;
mod output;
mod pace;
mod paper;
mod progress;
mod recommend;
mod search;
mod serve;
mod shard;
mod subject;
mod train;
mod users;
mod verify;
mod what_if;
mod words;

use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::args::{Arguments, Verb};
use crate::output::Output;

fn main() -> ExitCode {
    let arguments = Arguments::typed();
    let output = Output::new(arguments.quiet);
    output.start_log(arguments.verbose, arguments.verb.log());
    match run(arguments, &output) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(arguments: Arguments, output: &Output) -> Result<ExitCode, failure::Failure> {
    // Whoever waits for an oracle does not compute: as many may wait as may ask.
    let workers = arguments.verb.oracle_workers();
    let threads = arguments.threads.map(NonZeroUsize::get);
    let threads = match workers {
        Some(workers) => Some(workers.max(threads.unwrap_or_else(processors))),
        None => threads,
    };
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(failure::Failure::unexpected)?;
    }
    match arguments.verb {
        Verb::Data(verb) => data::run(verb, output),
        Verb::Import(verb) => import::run(&verb, output),
        Verb::Train(arguments) => train::run(&arguments, output),
        Verb::Recommend(arguments) => recommend::run(&arguments, output),
        Verb::WhatIf(arguments) => what_if::run(&arguments, output),
        Verb::Explain(arguments) => explain::run(&arguments, output),
        Verb::Batch(arguments) => batch::run(&arguments, output),
        Verb::Merge(arguments) => merge::run(&arguments, output),
        Verb::Verify(arguments) => verify::run(&arguments, output),
        Verb::Evaluate(arguments) => evaluate::run(&arguments, output),
        Verb::EvaluateModel(arguments) => evaluate_model::run(&arguments, output),
        Verb::Serve(arguments) => serve::run(&arguments, output),
        Verb::Link(arguments) => link::run(&arguments, output),
        Verb::Demo(arguments) => demo::run(&arguments, output),
        Verb::Oracle(verb) => oracle::run(&verb, output),
        Verb::Completions(arguments) => completions::run(&arguments, Arguments::command(), output),
        Verb::Man(arguments) => man::run(&arguments, Arguments::command(), output),
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
