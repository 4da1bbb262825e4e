//! The Python environment of the PyTorch reference: made once, under `target/bench-python`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process;

const PACKAGES: [&str; 3] = ["torch", "numpy", "scipy"];
/// Fails where a package is missing or (PyTorch without its CUDA libraries) cannot be loaded.
const TRY_IT: &str = "import numpy, scipy.sparse, torch; torch.zeros(1) + 1";

/// The interpreter of the environment, which is set up first where it is not there yet.
pub(super) fn interpreter() -> Result<PathBuf, Failure> {
    let environment = process::workspace_root().join("target/bench-python");
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    // Written last: an installation that was interrupted is begun again.
    let stamp = environment.join("installed");
    let wanted = PACKAGES.join(" ");
    let installed = fs::read_to_string(&stamp).is_ok_and(|packages| packages == wanted);
    if installed && process::works(Command::new(&python).arg("--version")) {
        return Ok(python);
    }
    create(&environment)?;
    install(&python)?;
    fs::write(&stamp, wanted).map_err(Failure::file(&stamp))?;
    Ok(python)
}

fn create(environment: &Path) -> Result<(), Failure> {
    let system = ["python3", "python"]
        .into_iter()
        .find(|name| process::works(Command::new(name).args(["-c", "import sys; assert sys.version_info >= (3, 10)"])))
        .ok_or_else(|| {
            Failure::work("no Python 3.10 or later found: install python3 (with its venv module) to compare with PyTorch")
        })?;
    println!("making a Python environment in {}", environment.display());
    process::succeed(Command::new(system).args(["-m", "venv", "--clear"]).arg(environment)).map_err(
        |failure| {
            Failure::work(format!(
                "{failure}; on Debian and Ubuntu the venv module is the package python3-venv"
            ))
        },
    )
}

fn install(python: &Path) -> Result<(), Failure> {
    println!(
        "installing {}; on x86-64 Linux PyPI's PyTorch brings its CUDA libraries and cannot be loaded without them: \
         about 3 GB to download, 5.5 GB on disk. Pip's own settings apply: with PIP_EXTRA_INDEX_URL set to PyTorch's \
         CPU-only index it takes a fraction of that",
        PACKAGES.join(", ")
    );
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--no-cache-dir", "--disable-pip-version-check"]).args(PACKAGES);
    process::succeed(&mut pip).map_err(|failure| {
        Failure::work(format!("{failure}; is the network there, and space on the disk?"))
    })?;
    process::succeed(Command::new(python).args(["-c", TRY_IT]))
        .map_err(|failure| Failure::work(format!("PyTorch was installed but cannot be loaded: {failure}")))
}
