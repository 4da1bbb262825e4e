//! `cargo xtask cuda`: the kernels for cards, from their one source to what is shipped; by an NVRTC from PyPI, without a card.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;
use crate::process::{self, cargo};
use crate::python;

/// The shipped kernels, in the workspace.
pub(crate) const SHIPPED: &str = "crates/cuda/src/kernels/kernels.ptx";

/// Make the PTX that is shipped, from the kernels' source: after a change to a kernel
///
/// It is compiled by NVRTC for compute capability 8.0, which every later card takes too. The first run installs NVRTC under
/// target/python-cuda. No card is needed.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {}

pub(crate) fn run() -> Result<(), Failure> {
    let ptx = Compiler::new()?.ptx()?;
    let path = process::workspace_root().join(SHIPPED);
    // Written aside, then renamed: whoever builds meanwhile finds one or the other.
    let aside = path.with_extension("ptx.new");
    fs::write(&aside, &ptx).map_err(Failure::file(&aside))?;
    fs::rename(&aside, &path).map_err(Failure::file(&path))?;
    println!("{SHIPPED}: {} kernels, {} KB", ptx.matches(".visible .entry").count(), ptx.len() / 1000);
    Ok(())
}

/// NVRTC, and the source to be compiled.
pub(crate) struct Compiler {
    python: PathBuf,
    source: PathBuf,
}

impl Compiler {
    /// Whether there can be one: PyPI has NVRTC for Linux, and for systems without cards none.
    pub(crate) fn is_possible() -> bool {
        cfg!(target_os = "linux")
    }

    pub(crate) fn new() -> Result<Self, Failure> {
        let python = python::CUDA.interpreter()?;
        let mut example = cargo(["run", "--quiet", "--package", "grease-cuda", "--example", "source"]);
        let text = process::output(&mut example)?;
        let folder = process::workspace_root().join("target/cuda");
        fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
        let source = folder.join("kernels.cu");
        fs::write(&source, text).map_err(Failure::file(&source))?;
        Ok(Self { python, source })
    }

    /// What is to be shipped.
    pub(crate) fn ptx(&self) -> Result<String, Failure> {
        process::output(&mut self.script("ptx"))
    }

    /// What each card's own code comes to, oldest first.
    pub(crate) fn cards(&self) -> Result<Vec<Compiled>, Failure> {
        let said = process::output(&mut self.script("try"))?;
        said.lines().map(|line| Compiled::read(line).ok_or_else(|| unreadable(line))).collect()
    }

    fn script(&self, what: &str) -> Command {
        let script: &Path = "xtask/src/cuda/compile.py".as_ref();
        let mut command = Command::new(&self.python);
        command.arg(process::workspace_root().join(script)).arg(what).arg(&self.source);
        command
    }
}

fn unreadable(line: &str) -> Failure {
    Failure::work(format!("compile.py said what nobody understands: {line}"))
}

/// The kernels as one sort of card runs them.
#[derive(Debug, PartialEq)]
pub(crate) struct Compiled {
    /// Compute capability, as 80.
    pub(crate) architecture: u64,
    pub(crate) seconds: f64,
    /// By name.
    pub(crate) kernels: BTreeMap<String, Resources>,
}

/// What a kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resources {
    /// A thread's.
    pub(crate) registers: u64,
    /// Bytes that had no register: they go through memory.
    pub(crate) spilled: u64,
}

impl Compiled {
    fn read(line: &str) -> Option<Self> {
        let said: Value = serde_json::from_str(line).ok()?;
        let kernels = said["kernels"].as_object()?.iter().map(|(name, kernel)| {
            let resources =
                Resources { registers: kernel["registers"].as_u64()?, spilled: kernel["spilled"].as_u64()? };
            Some((name.clone(), resources))
        });
        Some(Self {
            architecture: said["architecture"].as_u64()?,
            seconds: said["seconds"].as_f64()?,
            kernels: kernels.collect::<Option<_>>()?,
        })
    }

    /// Kernels that spill more than so many bytes.
    pub(crate) fn spilling(&self, beyond: u64) -> impl Iterator<Item = &str> {
        self.kernels.iter().filter(move |(_, kernel)| kernel.spilled > beyond).map(|(name, _)| name.as_str())
    }

    pub(crate) fn most_registers(&self) -> u64 {
        self.kernels.values().map(|kernel| kernel.registers).max().unwrap_or(0)
    }

    pub(crate) fn most_spilled(&self) -> u64 {
        self.kernels.values().map(|kernel| kernel.spilled).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_spills_is_found() {
        let line = r#"{"architecture": 90, "seconds": 1.5, "kernels": {"a": {"registers": 40, "spilled": 0},
            "b": {"registers": 255, "spilled": 24}}}"#;
        let compiled = Compiled::read(line).unwrap();
        assert_eq!(compiled.spilling(0).collect::<Vec<_>>(), ["b"]);
        assert_eq!(compiled.spilling(24).count(), 0);
        assert_eq!((compiled.most_registers(), compiled.most_spilled()), (255, 24));
        assert_eq!(Compiled::read(r#"{"architecture": 90}"#), None);
    }
}
