//! The `grease` command: arguments in, words and files out. One file a verb; the work is done in the crate `grease`.
//!
//! A library so that the command is the same whoever starts it: the binary `grease`, or the Python package, which has it inside.

mod args;
mod batch;
mod completions;
mod data;
mod demo;
mod device;
mod devices;
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
mod quoted;
mod recommend;
mod reference;
mod search;
mod serve;
mod shard;
mod stages;
mod subject;
mod train;
mod users;
mod verify;
mod version;
mod what_if;
mod words;

use std::ffi::OsString;
use std::io::Write as _;
use std::num::NonZeroUsize;

use clap::CommandFactory as _;

use crate::args::{Arguments, Verb};
pub use crate::failure::Code;
use crate::failure::Failure;
use crate::output::Output;
pub use crate::quoted::quoted;

/// Does what a command line says, as a process of its own would: to stdout and stderr, with signals and threads of the process.
/// `called` is how `grease` is called in a shell: commands to try next begin with it.
pub fn run(called: &str, words: impl IntoIterator<Item = OsString>) -> Code {
    let code = match Arguments::typed(called, words) {
        Ok(arguments) => {
            let output = Output::new(arguments.quiet);
            output.start_log(arguments.verbose, arguments.verb.log());
            carry_out(arguments, &output).unwrap_or_else(Failure::report)
        }
        // That of --help and --version included, which clap answers itself.
        Err(said) => {
            let _ = said.print();
            if said.use_stderr() { Code::Usage } else { Code::Done }
        }
    };
    // Only the end of a Rust program's `main` would do it by itself.
    let _ = std::io::stdout().flush();
    code
}

fn carry_out(arguments: Arguments, output: &Output) -> Result<Code, Failure> {
    // Whoever waits for an oracle does not compute: as many may wait as may ask.
    let workers = arguments.verb.oracle_workers();
    let threads = arguments.threads.map(NonZeroUsize::get);
    let threads = match workers {
        Some(workers) => Some(workers.max(threads.unwrap_or_else(processors))),
        None => threads,
    };
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(Failure::unexpected)?;
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
        Verb::Devices(arguments) => devices::run(&arguments, output),
        Verb::Completions(arguments) => completions::run(&arguments, Arguments::command(), output),
        Verb::Man(arguments) => man::run(&arguments, Arguments::command(), output),
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
