//! Data and a model of one size, made once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::bench::batch;
use crate::failure::Failure;
use crate::process;

/// Width of the planted embeddings.
const WIDTH: &str = "64";

/// Memory and disk that an interaction takes at most on the way, in bytes, with all that comes with it: what was measured, and some more.
const MEMORY: f64 = 120.0;
const DISK: f64 = 60.0;

/// One size, and its folder.
pub(super) struct Size {
    pub(super) millions: f64,
    folder: PathBuf,
}

impl Size {
    /// A folder of its own within that of all sizes.
    pub(super) fn new(all: &Path, millions: f64) -> Result<Self, Failure> {
        if !(millions.is_finite() && millions >= 0.001) {
            return Err(Failure::usage(format!(
                "--sizes: {millions} is no number of millions of interactions; 0.001 is the least"
            )));
        }
        let folder = all.join(format!("{millions}m"));
        fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
        Ok(Self { millions, folder })
    }

    pub(super) fn name(&self) -> String {
        format!("{} million interactions", self.millions)
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The model folder.
    pub(super) fn model(&self) -> PathBuf {
        self.file("model")
    }

    fn interactions(&self) -> f64 {
        self.millions * 1e6
    }

    /// What this machine has too little of.
    pub(super) fn lack(&self) -> Option<String> {
        let is_there = self.model().join("model.json").exists();
        let disk = if is_there { 0.0 } else { DISK * self.interactions() };
        [("memory", MEMORY * self.interactions(), free_memory()), ("disk", disk, free_disk(&self.folder))]
            .into_iter()
            .find_map(|(what, wanted, free)| lacking(what, wanted, free?))
    }

    /// Makes the data and the model, where they are not there, and keeps what that took.
    pub(super) fn make(&self, grease: &Path) -> Result<(), Failure> {
        if !self.file("users.txt").exists() {
            println!("{}: inventing them", self.name());
            let people = (self.interactions() / 50.0).max(200.0) as u64;
            let items = (self.interactions() / 100.0).max(100.0) as u64;
            let mut command = Command::new(grease);
            command.args(["data", "sample", "--format", "parquet", "--force", "--embeddings", WIDTH]);
            command.args(["--users", &people.to_string(), "--artists", &items.to_string()]);
            command.args(["--interactions", &format!("{}", self.interactions() as u64)]);
            self.keep("sample", command.arg("--out").arg(&self.folder))?;
        }
        if !self.model().join("model.json").exists() {
            println!("{}: importing the model", self.name());
            let mut command = Command::new(grease);
            command.args(["import", "lightgcn", "--layers", "3", "--weights"]);
            command.arg(self.file("user_embedding.npy")).arg(self.file("item_embedding.npy"));
            // Not the folder: the model and the figures are in it, too.
            command.arg("--interactions").arg(self.file("interactions.parquet"));
            command
                .arg("--user-ids")
                .arg(self.file("users.txt"))
                .arg("--item-ids")
                .arg(self.file("items.txt"));
            self.keep("import", command.arg("--out").arg(self.model()))?;
        }
        Ok(())
    }

    /// Runs a command, and keeps its time and its memory for whoever goes on later.
    fn keep(&self, what: &str, command: &mut Command) -> Result<(), Failure> {
        let run = batch::timed(command)?;
        let mut made = self.made();
        made[what] = json!({ "seconds": run.seconds, "peak_mb": run.peak_mb });
        let path = self.file("made.json");
        fs::write(&path, format!("{made:#}\n")).map_err(Failure::file(&path))
    }

    /// What making it took, as far as it was made here.
    pub(super) fn made(&self) -> Value {
        let text = fs::read_to_string(self.file("made.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_else(|_| json!({}))
    }

    /// Ids of users or items, one a line.
    pub(super) fn ids(&self, file: &str) -> Result<Vec<String>, Failure> {
        let path = self.file(file);
        let text = fs::read_to_string(&path).map_err(Failure::file(&path))?;
        Ok(text.lines().map(str::to_owned).collect())
    }
}

/// A sentence about it, where there is too little.
fn lacking(what: &str, wanted: f64, free: f64) -> Option<String> {
    (wanted > free)
        .then(|| format!("{:.1} GB of {what} may be needed and {:.1} are free", wanted / 1e9, free / 1e9))
}

fn free_memory() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse().ok().map(|kib: f64| kib * 1024.0)
}

fn free_disk(folder: &Path) -> Option<f64> {
    let said = process::output(Command::new("df").arg("-Pk").arg(folder)).ok()?;
    said.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok().map(|kib: f64| kib * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_too_little_of_is_said() {
        assert_eq!(lacking("memory", 2e9, 4e9), None);
        let said = lacking("memory", 12e9, 4.26e9).unwrap();
        assert_eq!(said, "12.0 GB of memory may be needed and 4.3 are free");
    }

    #[test]
    fn sizes_that_are_none_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Size::new(folder.path(), 0.0).is_err() && Size::new(folder.path(), f64::NAN).is_err());
        let size = Size::new(folder.path(), 0.1).unwrap();
        assert!(size.file("").ends_with("0.1m/") && size.made() == json!({}));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_says_what_is_free() {
        assert!(free_memory().unwrap() > 0.0 && free_disk(Path::new("/")).is_some());
    }
}
