//! `cargo xtask docs`: the documentation site.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::python::DOCS;

/// Build the documentation site, and check it
///
/// The pages are those of docs/, what stands beside it in the repository, the help texts of `grease`,
/// the docstrings of the Python package, and notebooks. MkDocs makes the site, in an environment of its
/// own under target/. Every link has to lead somewhere, nothing may be loaded from elsewhere, and what
/// newcomers look for has to be at most three clicks away: docs/site/check.py has all that is checked.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Show it on <http://127.0.0.1:8000> instead, and again after every change of a page; nothing is checked
    #[arg(long, conflicts_with = "out")]
    serve: bool,
    /// Build it into this folder instead of target/site
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let site = Site::new(options.out.clone())?;
    if options.serve {
        return process::succeed(&mut site.mkdocs(&["serve"])?);
    }
    site.build()?;
    process::succeed(&mut site.check())?;
    println!("the site is in {}: open index.html, which needs no server", site.folder.display());
    Ok(())
}

/// The site, and what it is made with.
pub(crate) struct Site {
    /// Where it goes.
    folder: PathBuf,
    /// Python with MkDocs.
    python: PathBuf,
}

impl Site {
    /// Installs MkDocs where it is not there yet.
    pub(crate) fn new(folder: Option<PathBuf>) -> Result<Self, Failure> {
        let folder = match folder {
            // MkDocs would take it from where its settings are.
            Some(folder) => std::path::absolute(&folder).map_err(Failure::file(&folder))?,
            None => process::workspace_root().join("target/site"),
        };
        Ok(Self { folder, python: DOCS.interpreter()? })
    }

    pub(crate) fn build(&self) -> Result<(), Failure> {
        // Not --quiet: MkDocs then counts no warnings, and is strict about none.
        let mut mkdocs = self.mkdocs(&["build", "--strict", "--site-dir"])?;
        process::succeed(mkdocs.arg(&self.folder))
    }

    /// What checks the pages and the site; it counts its checks in its last line.
    pub(crate) fn check(&self) -> Command {
        let mut check = self.script("check.py");
        check.arg(&self.folder);
        check
    }

    /// What tests the programs that make and check the site.
    pub(crate) fn tests(&self) -> Command {
        self.script("tests.py")
    }

    fn script(&self, name: &str) -> Command {
        let mut script = Command::new(&self.python);
        // Beside the sources there is no place for what Python compiles.
        script.arg("-B").arg(process::workspace_root().join("docs/site").join(name));
        script
    }

    /// MkDocs, which is told where the pages of the command line are.
    fn mkdocs(&self, words: &[&str]) -> Result<Command, Failure> {
        let reference = process::workspace_root().join("target/cli-reference");
        write_reference(&reference)?;
        let mut mkdocs = Command::new(&self.python);
        mkdocs
            .args(["-B", "-m", "mkdocs"])
            .args(words)
            .env("GREASE_CLI_REFERENCE", reference)
            // It advertises another program.
            .env("NO_MKDOCS_2_WARNING", "1")
            .current_dir(process::workspace_root());
        Ok(mkdocs)
    }
}

/// The help texts as pages, by the command line itself.
fn write_reference(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        // A verb that is no more leaves no page behind.
        fs::remove_dir_all(folder).map_err(Failure::file(folder))?;
    }
    let mut man = Command::new(process::command_line()?);
    process::succeed(man.args(["man", "--quiet", "--format", "markdown", "--out"]).arg(folder))
}
