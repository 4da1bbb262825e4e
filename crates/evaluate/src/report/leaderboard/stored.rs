//! Results as they are kept in a folder. Those of earlier versions are read as far as they go.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use grease::Share;
use grease_explain::{Goal, Method, Rigour};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Results, Row, Table, Times};

/// A `results.json` that is kept.
#[derive(Debug)]
pub(super) struct Stored {
    /// The file without its ending.
    pub(super) name: String,
    /// Without audits: these have changed most.
    pub(super) results: Results,
    /// What is kept of each model's audit.
    retrained: Vec<Option<Retrained>>,
    /// What it took, where that was kept.
    times: Option<Times>,
}

/// How often explanations held when the model was trained again.
#[derive(Debug, Deserialize)]
struct Retrained {
    options: Options,
    explained: Explained,
}

/// Of whose explanations.
#[derive(Debug, Deserialize)]
struct Options {
    k: usize,
    method: Method,
}

#[derive(Debug, Deserialize)]
struct Explained {
    leave_retrained: Share,
}

/// Results that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}; expected the results.json or times.json of `grease evaluate`", file.display())]
pub struct UnreadableResults {
    file: PathBuf,
    error: io::Error,
}

/// The ending of files with times.
const TIMES: &str = ".times.json";

impl Stored {
    /// All results in a folder, by name.
    pub(super) fn all(folder: &Path) -> Result<Vec<Self>, UnreadableResults> {
        let unreadable = |error| UnreadableResults { file: folder.to_owned(), error };
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
            let results = file.strip_suffix(".json").filter(|_| !file.ends_with(TIMES));
            names.extend(results.map(str::to_owned));
        }
        names.sort();
        names.into_iter().map(|name| Self::one(folder, name)).collect()
    }

    fn one(folder: &Path, name: String) -> Result<Self, UnreadableResults> {
        let file = folder.join(format!("{name}.json"));
        let unreadable =
            |error: serde_json::Error| UnreadableResults { file: file.clone(), error: error.into() };
        let mut all: Value = read(&file)?;
        let models = all.pointer_mut("/models").and_then(Value::as_array_mut);
        let audits = models.into_iter().flatten().map(|model| model.get_mut("audit").map(Value::take));
        let retrained = audits.map(|audit| serde_json::from_value(audit.unwrap_or_default()));
        let retrained = retrained.collect::<Result<_, _>>().map_err(unreadable)?;
        let results = serde_json::from_value(all).map_err(unreadable)?;
        let times = folder.join(format!("{name}{TIMES}"));
        let times = if times.exists() { Some(read(&times)?) } else { None };
        Ok(Self { name, results, retrained, times })
    }

    /// How many of a row's explanations held when the model was trained again, where they were audited: counterfactual ones of own
    /// interactions.
    pub(super) fn held(&self, model: usize, row: &Row) -> Option<Share> {
        let audit = self.retrained.get(model)?.as_ref()?;
        let asked =
            (row.table, row.goal, row.rigour) == (Table::Own, Goal::Counterfactual, Rigour::Certified);
        let is_of = asked && (audit.options.k, audit.options.method) == (row.k, row.method);
        is_of.then_some(audit.explained.leave_retrained)
    }

    /// Milliseconds an explanation of a row takes.
    pub(super) fn ms(&self, model: usize, row: &Row) -> Option<f64> {
        let of_model = self.times.as_ref()?.models.get(model)?;
        of_model.iter().find(|time| time.row == *row).map(|time| time.ms)
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, UnreadableResults> {
    let text = fs::read(file);
    let read = text.and_then(|text| serde_json::from_slice(&text).map_err(io::Error::from));
    read.map_err(|error| UnreadableResults { file: file.to_owned(), error })
}
