//! `grease man`

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};

use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::reference;

/// Write the manual pages
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease man | man -l -
  grease man --out ~/.local/share/man/man1     then: man grease-train
  grease man --format markdown --out reference")]
pub(crate) struct ManArguments {
    /// roff, which man reads, or markdown, for a website
    #[arg(long, value_enum, value_name = "FORM", default_value_t, hide_possible_values = true)]
    format: Format,
    /// Write a page for every command into this folder, instead of that of grease to stdout
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Roff,
    Markdown,
}

pub(crate) fn run(arguments: &ManArguments, command: Command, output: &Output) -> Result<Code, Failure> {
    let command = whole(command);
    let Some(folder) = &arguments.out else {
        let page = arguments.format.first_page(command)?;
        output.results(|out| out.write_all(&page))?;
        return Ok(Code::Done);
    };
    let failed = |error: std::io::Error| Failure::unexpected(format_args!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    match arguments.format {
        Format::Roff => clap_mangen::generate_to(command, folder).map_err(failed)?,
        Format::Markdown => {
            for (name, page) in reference::pages(command) {
                std::fs::write(folder.join(name), page).map_err(failed)?;
            }
        }
    }
    output.note(format_args!("the manual pages are in {}", folder.display()));
    Ok(Code::Done)
}

impl Format {
    /// That of grease itself.
    fn first_page(self, command: Command) -> Result<Vec<u8>, Failure> {
        match self {
            Format::Roff => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command).render(&mut page).map_err(Failure::unexpected)?;
                Ok(page)
            }
            Format::Markdown => {
                Ok(reference::pages(command).remove(reference::FIRST).unwrap_or_default().into_bytes())
            }
        }
    }
}

/// With what only `--help` has: a page would name such an option and not say what it does.
fn whole(command: Command) -> Command {
    command.mut_args(|arg| arg.hide_short_help(false)).mut_subcommands(whole)
}
