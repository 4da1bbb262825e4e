//! A stage: one training by the command line, which can be interrupted and gone on with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use crate::failure::Failure;
use crate::process;

/// One `grease train`.
pub(super) struct Stage {
    /// The command line.
    pub(super) grease: PathBuf,
    /// The data to train on.
    pub(super) data: PathBuf,
    /// Where: auto, cpu, cuda or cuda:N.
    pub(super) device: String,
    /// The model folder.
    pub(super) out: PathBuf,
    /// All else.
    pub(super) options: Vec<String>,
}

/// What came of a stage.
pub(super) struct Done {
    /// What `model.json` says.
    pub(super) manifest: Value,
    /// How long it took; nothing where it was done in several goes.
    pub(super) seconds: Option<f64>,
}

impl Stage {
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.grease);
        command.args(["train", "--interactions"]).arg(&self.data).args(&self.options);
        command
            .args(["--device", &self.device, "--checkpoint-every", "20", "--resume", "--out"])
            .arg(&self.out);
        command
    }

    /// Trains, unless that is done; goes on where somebody stopped.
    pub(super) fn run(&self, epochs: Option<u64>) -> Result<Done, Failure> {
        if let Some(manifest) = finished(&self.out, epochs)? {
            println!("{} is there already", self.out.display());
            let seconds = fs::read_to_string(self.seconds()).ok().and_then(|text| text.trim().parse().ok());
            return Ok(Done { manifest, seconds });
        }
        let begun_before = self.out.exists();
        let start = Instant::now();
        let mut command = self.command();
        println!("{}", process::shown(&command));
        process::succeed(&mut command)?;
        let seconds = (!begun_before).then(|| start.elapsed().as_secs_f64());
        if let Some(seconds) = seconds {
            let path = self.seconds();
            fs::write(&path, format!("{seconds:.1}\n")).map_err(Failure::file(&path))?;
        }
        let manifest = finished(&self.out, epochs)?
            .ok_or_else(|| Failure::work(format!("{} was not finished", self.out.display())))?;
        Ok(Done { manifest, seconds })
    }

    /// A file beside the model: how long it took is no part of it.
    fn seconds(&self) -> PathBuf {
        self.out.with_extension("seconds")
    }
}

/// What is said of a model whose training is finished, with as many epochs as there should be.
fn finished(folder: &Path, epochs: Option<u64>) -> Result<Option<Value>, Failure> {
    let path = folder.join("model.json");
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).map_err(Failure::file(&path))?;
    let manifest: Value =
        serde_json::from_str(&text).map_err(|error| Failure::work(format!("{}: {error}", path.display())))?;
    let as_many = epochs.is_none_or(|epochs| manifest["hyper_parameters"]["epochs"] == epochs);
    Ok((manifest["finished"] == true && as_many).then_some(manifest))
}

/// The epoch after which the held-out slice was guessed best; of several the first.
pub(super) fn best_epoch(manifest: &Value) -> Option<u64> {
    let mut best: Option<(u64, f64)> = None;
    for epoch in manifest["training_log"].as_array()? {
        let (Some(number), Some(recall)) = (epoch["epoch"].as_u64(), epoch["recall"].as_f64()) else {
            continue;
        };
        if best.is_none_or(|(_, most)| recall > most) {
            best = Some((number, recall));
        }
    }
    best.map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_best_epoch_is_the_first_of_the_best() {
        let log = json!([{"epoch": 1, "loss": 0.7}, {"epoch": 20, "recall": 0.2}, {"epoch": 40, "recall": 0.3},
            {"epoch": 60, "recall": 0.3}, {"epoch": 80, "recall": 0.25}]);
        assert_eq!(best_epoch(&json!({ "training_log": log })), Some(40));
        assert_eq!(best_epoch(&json!({ "training_log": [] })), None);
    }

    #[test]
    fn a_training_that_was_interrupted_or_is_shorter_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: Value| fs::write(folder.path().join("model.json"), text.to_string()).unwrap();
        assert_eq!(finished(folder.path(), None).unwrap(), None);
        write(json!({"finished": false, "hyper_parameters": {"epochs": 40}}));
        assert_eq!(finished(folder.path(), None).unwrap(), None);
        write(json!({"finished": true, "hyper_parameters": {"epochs": 40}}));
        assert!(finished(folder.path(), None).unwrap().is_some());
        assert!(finished(folder.path(), Some(40)).unwrap().is_some());
        assert_eq!(finished(folder.path(), Some(60)).unwrap(), None);
    }
}
