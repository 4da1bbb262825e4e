//! Pythons at hand, fresh environments of them, and what the package must do in one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::room::told;
use crate::failure::Failure;
use crate::process;

/// The oldest Python the package says it runs on is 3.10; newer ones than this are not out.
const MINORS: std::ops::RangeInclusive<u32> = 10..=20;

/// From data to a sentence.
const PROGRAM: &str = "\
import grease
data = grease.Interactions.sample(users=80, artists=60)
model = grease.train(data, epochs=30, dim=16, batch=256, learning_rate=0.01, loss='bpr')
print(grease.Explainer(model).explain_list('mira', k=5).to_text())
";

/// The oldest and the newest supported Python that is found on the search path or by pyenv.
pub(super) fn oldest_and_newest() -> Result<Vec<PathBuf>, Failure> {
    let mut found: Vec<PathBuf> = MINORS.filter_map(python).collect();
    if found.is_empty() {
        return Err(Failure::work("no Python 3.10 or later found"));
    }
    let between = 1..found.len() - 1;
    if !between.is_empty() {
        found.drain(between);
    }
    Ok(found)
}

fn python(minor: u32) -> Option<PathBuf> {
    let name = format!("python3.{minor}");
    let managed = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".pyenv")));
    let versions = managed.and_then(|root| std::fs::read_dir(root.join("versions")).ok());
    let managed =
        versions.into_iter().flatten().flatten().map(|version| version.path().join("bin").join(&name));
    std::iter::once(PathBuf::from(&name))
        .chain(managed)
        .find(|python| process::works(Command::new(python).arg("--version")))
}

/// An environment with nothing in it, for as long as this lives.
pub(super) struct Fresh {
    pub(super) folder: PathBuf,
}

impl Fresh {
    pub(super) fn of(python: &Path) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("grease-dist-{}", std::process::id()));
        process::succeed(Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
        Ok(Self { folder })
    }

    /// A program of the environment; nothing of this repository is on its way.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join("bin").join(program));
        command.current_dir(&self.folder).env_remove("PYTHONPATH");
        command
    }

    pub(super) fn pip(&self) -> Command {
        let mut pip = self.command("python");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    }

    /// Explains something by the command, as a module and from a program.
    pub(super) fn explain(&self) -> Result<(), Failure> {
        told("grease demo", &process::output(self.command("grease").arg("demo"))?, "would not be")?;
        told(
            "python -m grease",
            &process::output(self.command("python").args(["-m", "grease", "--version"]))?,
            "grease ",
        )?;
        told("import grease", &process::output(self.command("python").args(["-c", PROGRAM]))?, "would not be")
    }

    /// Says how long a command takes: the shortest of some.
    pub(super) fn shortest(&self, program: &str, words: &[&str]) -> Result<f64, Failure> {
        let mut shortest = f64::INFINITY;
        for _ in 0..10 {
            let start = Instant::now();
            process::output(self.command(program).args(words))?;
            shortest = shortest.min(start.elapsed().as_secs_f64());
        }
        Ok(shortest)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
