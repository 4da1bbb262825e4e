//! Programs for cargo, compiled once into `target/tools`.

use std::path::PathBuf;
use std::process::Command;

use crate::failure::Failure;
use crate::process::{self, cargo};

/// A program and its version: another one may judge otherwise.
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
    /// Features it goes without: compiling them takes longer than all else.
    without_defaults: bool,
}

/// Looks at licences, sources and versions of what comes from elsewhere.
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", without_defaults: true };

/// Makes Debian packages.
pub(crate) const DEB: Tool = Tool { name: "cargo-deb", version: "3.8.0", without_defaults: false };

impl Tool {
    /// The program, which is compiled first where it is not there yet (a minute on two cores).
    pub(crate) fn program(&self) -> Result<PathBuf, Failure> {
        let root =
            process::workspace_root().join("target/tools").join(format!("{}-{}", self.name, self.version));
        let program = root.join("bin").join(format!("{}{}", self.name, std::env::consts::EXE_SUFFIX));
        if process::works(Command::new(&program).arg("--version")) {
            return Ok(program);
        }
        println!("compiling {} {}", self.name, self.version);
        let mut install = cargo(["install", "--quiet", "--locked", "--debug", "--force", "--root"]);
        install.arg(&root).args(["--version", self.version, self.name]);
        if self.without_defaults {
            install.arg("--no-default-features");
        }
        // Its own, and gone afterwards: gigabytes that nothing else uses.
        let compiled = root.join("compiled");
        let done = process::succeed(install.env("CARGO_TARGET_DIR", &compiled));
        let _ = std::fs::remove_dir_all(&compiled);
        done.map_err(|failure| Failure::work(format!("{failure}; is the network there?")))?;
        Ok(program)
    }
}
