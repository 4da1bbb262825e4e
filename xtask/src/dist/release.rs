//! What is released: which commit, from where, to where; and builds that do not depend on the machine they are made on.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process;

/// What is built for.
pub(super) const TARGET: &str = "x86_64-unknown-linux-gnu";

/// One commit on its way out.
pub(super) struct Release {
    /// The sources.
    pub(super) root: PathBuf,
    pub(super) version: &'static str,
    /// As `grease --version` says it.
    pub(super) commit: String,
    /// When it was committed, in seconds since 1970: the time of every file in every archive.
    pub(super) time: String,
    /// Where packages go.
    pub(super) out: PathBuf,
}

impl Release {
    pub(super) fn of(root: PathBuf, out: &Path, allow_dirty: bool) -> Result<Self, Failure> {
        let git = |words: &[&str]| process::output(Command::new("git").current_dir(&root).args(words));
        let changed = !git(&["status", "--porcelain"])?.trim().is_empty();
        if changed && !allow_dirty {
            return Err(Failure::work(
                "some files are not committed, and a release is a commit: commit them, or --allow-dirty to try",
            ));
        }
        let commit = git(&["rev-parse", "--short=12", "HEAD"])?.trim().to_owned();
        let time = git(&["show", "--no-patch", "--format=%ct", "HEAD"])?.trim().to_owned();
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: if changed { format!("{commit}, changed since") } else { commit },
            time,
            out: process::workspace_root().join(out),
            root,
        })
    }

    /// Where cargo puts what it compiles for releases.
    pub(super) fn compiled(&self) -> PathBuf {
        self.root.join("target/dist")
    }

    /// A command in the sources' folder that compiles to the same bytes wherever that folder is.
    pub(super) fn command(
        &self,
        program: impl AsRef<std::ffi::OsStr>,
        flags: &str,
    ) -> Result<Command, Failure> {
        let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
        // Later ones win: the folder of the sources may lie in the home folder.
        let places = [(Path::new(sysroot.trim()), "/rust"), (&home, "/cargo"), (&self.root, "/grease")];
        let remap = |option: &str| {
            let remapped = places.iter().map(|(from, to)| format!("{option}={}={to}", from.display()));
            remapped.collect::<Vec<_>>().join(" ")
        };
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", self.compiled())
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
            .env("RUSTFLAGS", format!("{} {flags}", remap("--remap-path-prefix")))
            .env("CFLAGS", remap("-ffile-prefix-map"))
            .env("GREASE_COMMIT", &self.commit)
            .env("SOURCE_DATE_EPOCH", &self.time);
        Ok(command)
    }

    /// The one package of this version in `out` whose name begins and ends so.
    pub(super) fn package(&self, beginning: &str, ending: &str) -> Result<PathBuf, Failure> {
        let beginning = format!("{beginning}{}", self.version);
        let entries = std::fs::read_dir(&self.out).map_err(Failure::file(&self.out))?;
        let named = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&beginning) && name.ends_with(ending)
        };
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(named).collect();
        match (found.pop(), found.is_empty()) {
            (Some(package), true) => Ok(package),
            (None, _) => Err(Failure::work(format!("{} holds no {beginning}…{ending}", self.out.display()))),
            (Some(_), false) => Err(Failure::work(format!(
                "{} holds more than one {beginning}…{ending}: remove what is not of this release",
                self.out.display()
            ))),
        }
    }
}
