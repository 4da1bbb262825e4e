//! `grease man`

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Command};

use crate::failure::{Code, Failure};
use crate::output::Output;

/// Write the manual pages
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease man | man -l -
  grease man --out ~/.local/share/man/man1     then: man grease-train")]
pub(crate) struct ManArguments {
    /// Write a page for every command into this folder, instead of that of grease to stdout
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManArguments, command: Command, output: &Output) -> Result<Code, Failure> {
    let command = whole(command);
    let Some(folder) = &arguments.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(Failure::unexpected)?;
        output.results(|out| out.write_all(&page))?;
        return Ok(Code::Done);
    };
    let failed = |error: std::io::Error| Failure::unexpected(format_args!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    output.note(format_args!("the manual pages are in {}", folder.display()));
    Ok(Code::Done)
}

/// With what only `--help` has: a page would name such an option and not say what it does.
fn whole(command: Command) -> Command {
    command.mut_args(|arg| arg.hide_short_help(false)).mut_subcommands(whole)
}
