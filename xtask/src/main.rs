//! What CI runs and what a person runs: `cargo xtask test`, `fuzz`, `bench`.
//!
//! One file a verb. Each verb is `run(&mut Args) -> Result<(), Failure>`; only `main` turns a [`Failure`] into an exit code.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for the terminal: printing is what it is for"
)]

mod args;
mod bench;
mod failure;
mod fuzz;
mod process;
mod python;
mod same;
mod served;
mod test;

use std::process::ExitCode;

use args::{Arg, Args};
use failure::Failure;

const HELP: &str = "\
cargo xtask: what CI runs and what a person runs

Usage: cargo xtask <VERB> [OPTIONS]

Verbs:
  test            format, lints, tests, docs, the page, the API, Python; stops at the first failure; --all for all of Python
  fuzz            run the fuzz targets of fuzz/ for a while each
  bench train     time an epoch of training against plain PyTorch, side by side
  bench rescore   time the exact re-scoring of edited graphs
  bench oracle    time questions to a recommender in another process
  bench serve     the HTTP service under load, held against its bars

`cargo xtask <VERB> --help` tells the options of a verb.

Exit code: 0 all is well, 1 something failed, 2 the command line was not understood.
";

fn main() -> ExitCode {
    let mut args = Args::from_env();
    match dispatch(&mut args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if failure != Failure::Told {
                eprintln!("error: {failure}");
            }
            failure.exit_code()
        }
    }
}

fn dispatch(args: &mut Args) -> Result<(), Failure> {
    match args.next() {
        Some(Arg::Word(verb)) => match verb.as_str() {
            "test" => test::run(args),
            "fuzz" => fuzz::run(args),
            "bench" => bench::run(args),
            "same" => same::run(),
            "help" => help(),
            _ => Err(Failure::usage(format!("no verb `{verb}`; there are test, fuzz and bench"))),
        },
        Some(Arg::Flag(flag)) if Args::asks_help(&flag) => help(),
        Some(Arg::Flag(flag)) => Err(Failure::unknown_flag(&flag)),
        None => {
            print!("{HELP}");
            Err(Failure::usage("a verb is missing"))
        }
    }
}

fn help() -> Result<(), Failure> {
    print!("{HELP}");
    Ok(())
}
