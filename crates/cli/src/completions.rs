//! `grease completions`

use std::io::Write as _;

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::failure::{Code, Failure};
use crate::output::Output;

/// Write a script that completes commands in your shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease completions bash > ~/.local/share/bash-completion/completions/grease
  grease completions zsh > ~/.zfunc/_grease
  grease completions fish > ~/.config/fish/completions/grease.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(
    arguments: &CompletionsArguments,
    mut command: Command,
    output: &Output,
) -> Result<Code, Failure> {
    // Into memory: the generator panics where writing fails.
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "grease", &mut script);
    output.results(|out| out.write_all(&script))?;
    Ok(Code::Done)
}
