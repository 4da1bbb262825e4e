//! What CI runs and what a person runs: `cargo xtask test`, `fuzz`, `bench`, `same`.
//!
//! One file a verb. Each verb is `run(&Options) -> Result<(), Failure>`; only `main` turns a [`Failure`] into an exit code.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for the terminal: printing is what it is for"
)]

mod args;
mod bench;
mod card;
mod cuda;
mod data;
mod dist;
mod docs;
mod failure;
mod fuzz;
mod models;
mod process;
mod python;
mod results;
mod same;
mod served;
mod supply;
mod test;
mod tools;

use std::process::ExitCode;

use clap::Parser;

use failure::Failure;

/// What CI runs and what a person runs
///
/// Exit code: 0 all is well, 1 something failed, 2 the command line was not understood.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 120)]
enum Verb {
    Test(test::Options),
    Fuzz(fuzz::Options),
    #[command(subcommand)]
    Bench(bench::What),
    Same(same::Options),
    Notices(supply::Options),
    Dist(dist::Options),
    Docs(docs::Options),
    Cuda(cuda::Options),
    Models(models::Options),
    Results(results::Options),
}

fn main() -> ExitCode {
    let result = match Verb::parse() {
        Verb::Test(options) => test::run(&options),
        Verb::Fuzz(options) => fuzz::run(&options),
        Verb::Bench(what) => bench::run(&what),
        Verb::Same(options) => same::run(&options),
        Verb::Notices(options) => supply::run(&options),
        Verb::Dist(options) => dist::run(&options),
        Verb::Docs(options) => docs::run(&options),
        Verb::Cuda(_) => cuda::run(),
        Verb::Models(options) => models::run(&options),
        Verb::Results(options) => results::run(&options),
    };
    let Err(failure) = result else { return ExitCode::SUCCESS };
    if failure != Failure::Told {
        eprintln!("error: {failure}");
    }
    failure.exit_code()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Verb::command().debug_assert();
    }

    #[test]
    fn the_lines_of_the_docs_are_understood() {
        let lines = "test;test --all;fuzz;fuzz table --seconds=5;bench rescore;bench oracle;bench explain --pairs 1;\
            bench python --model m;bench batch --kind ngcf;bench serve --model m --only what-if;bench train --data lastfm;docs;docs --serve;docs --out site;\
            cuda;test --device cuda:1;bench cuda;bench cuda --from said.jsonl;models --list;models ngcf-yelp2018 --device cuda --print;\
            results;results --keep lastfm-ngcf=evaluation";
        for line in lines.split(';') {
            let words = ["cargo xtask"].into_iter().chain(line.split_whitespace());
            assert!(Verb::try_parse_from(words).is_ok(), "{line}");
        }
    }
}
