//! `cargo xtask results`: the tables of docs/results/README.md, from the results that lie beside it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::{self, cargo};

/// Where results are kept, in the workspace.
const KEPT: &str = "docs/results";

/// What is kept of a run, and the ending it gets.
const FILES: [(&str, &str); 3] =
    [("results.json", "json"), ("times.json", "times.json"), ("report.md", "md")];

/// Make the tables of docs/results/README.md anew: after an evaluation whose results are to be kept
///
/// Tables stand between `<!-- made: NAME -->` and `<!-- end -->`; all else on the page is written by people. A test says where page
/// and results disagree.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Keep the results of this run first: `NAME=DIR`, DIR being the folder of `grease evaluate --out`; may be repeated
    #[arg(long, value_name = "NAME=DIR", value_parser = named)]
    keep: Vec<(String, PathBuf)>,
}

fn named(text: &str) -> Result<(String, PathBuf), String> {
    let parts = text.split_once('=').filter(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    });
    let expected = "expected NAME=DIR, NAME of letters, digits and hyphens, such as lastfm-ngcf=evaluation";
    parts.map(|(name, folder)| (name.to_owned(), folder.into())).ok_or_else(|| expected.to_owned())
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let kept = process::workspace_root().join(KEPT);
    for (name, folder) in &options.keep {
        keep(name, folder, &kept)?;
    }
    let mut making =
        cargo(["test", "--quiet", "--package", "grease-evaluate", "--lib", "report::leaderboard"]);
    process::succeed(making.env("GREASE_UPDATE_DOCS", "1"))
}

/// Copies what is kept of a run: all of it or, where something is missing, nothing.
fn keep(name: &str, folder: &Path, kept: &Path) -> Result<(), Failure> {
    let read = |(file, ending): &(&str, &str)| {
        let from = folder.join(file);
        let bytes = fs::read(&from).map_err(Failure::file(&from))?;
        Ok((kept.join(format!("{name}.{ending}")), bytes))
    };
    let files = FILES.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    for (to, bytes) in files {
        let aside = to.with_extension("new");
        fs::write(&aside, bytes).map_err(Failure::file(&aside))?;
        fs::rename(&aside, &to).map_err(Failure::file(&to))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_kept_whole_or_not_at_all() {
        let (run, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(run.path().join("results.json"), "{}").unwrap();
        fs::write(run.path().join("report.md"), "# It").unwrap();
        assert!(keep("one", run.path(), kept.path()).is_err());
        assert_eq!(fs::read_dir(kept.path()).unwrap().count(), 0);
        fs::write(run.path().join("times.json"), "[]").unwrap();
        keep("one", run.path(), kept.path()).unwrap();
        for (name, text) in [("one.json", "{}"), ("one.times.json", "[]"), ("one.md", "# It")] {
            assert_eq!(fs::read_to_string(kept.path().join(name)).unwrap(), text);
        }
        assert_eq!(fs::read_dir(kept.path()).unwrap().count(), 3);
    }

    #[test]
    fn names_are_file_names() {
        assert_eq!(named("lastfm-ngcf=a=b").unwrap(), ("lastfm-ngcf".into(), "a=b".into()));
        for wrong in ["lastfm", "=dir", "../x=dir", "a.times=dir"] {
            assert!(named(wrong).unwrap_err().starts_with("expected NAME=DIR"), "{wrong}");
        }
    }
}
