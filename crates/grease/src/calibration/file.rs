//! `calibration.json` beside a model: written whole, read with suspicion. No model needs it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use grease_graph::atomic::write_atomically;
use grease_models::folder::hash_of_lines;
use serde::Deserialize as _;

use super::{CALIBRATION_SCHEMA, Calibration, FEATURES, Fit};

/// What it is called in a model folder.
pub const CALIBRATION: &str = "calibration.json";

/// More than any calibration has.
const LARGEST: u64 = 1 << 20;

/// Why explanations go without a promise.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// It could not be read.
    #[error("{}: {error}", file.display())]
    Unreadable { file: PathBuf, error: io::Error },
    /// It is none, or what it says cannot be.
    #[error("{}: {reason}", file.display())]
    Damaged { file: PathBuf, reason: String },
    /// It was measured on another model or other data.
    #[error("{}: it was measured on another model", file.display())]
    OtherModel { file: PathBuf },
}

impl Calibration {
    /// The calibration in a model's folder, where there is one. `model` and `data` are the hashes of what is in the folder now.
    pub fn read(folder: &Path, model: &str, data: &str) -> Result<Option<Self>, CalibrationError> {
        let file = folder.join(CALIBRATION);
        let mut text = String::new();
        let read = File::open(&file).and_then(|open| open.take(LARGEST + 1).read_to_string(&mut text));
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CalibrationError::Unreadable { file, error }),
        }
        let damaged = |reason| CalibrationError::Damaged { file: file.clone(), reason };
        let found = Self::parse(&text).map_err(damaged)?;
        if found.model != model || found.data != data {
            return Err(CalibrationError::OtherModel { file });
        }
        Ok(Some(found))
    }

    /// From its text; says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() as u64 > LARGEST {
            return Err("it is too long for a calibration".to_owned());
        }
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
        match value.get("schema").and_then(serde_json::Value::as_str) {
            Some(CALIBRATION_SCHEMA) => {}
            Some(other) => return Err(format!("it is {other:?}; expected {CALIBRATION_SCHEMA:?}")),
            None => return Err(format!("it does not say that it is {CALIBRATION_SCHEMA:?}")),
        }
        let found = Self::deserialize(value).map_err(|error| error.to_string())?;
        found.check()?;
        Ok(found)
    }

    /// What tells it from another.
    pub fn hash(&self) -> String {
        hash_of_lines([serde_json::to_string(self).unwrap_or_default().as_str()])
    }

    /// Puts it into a model's folder, whole or not at all.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        write_atomically(&folder.join(CALIBRATION), |out| out.write_all(text.as_bytes()))
    }

    /// What it says can be.
    fn check(&self) -> Result<(), String> {
        let shares = [("held", self.held), ("untouched", self.untouched)];
        let bands = self.curve.iter().map(|band| ("curve", band.held));
        for (name, share) in shares.into_iter().chain(bands) {
            let ordered = 0.0 <= share.low && share.low <= share.share && share.share <= share.high;
            if !ordered || share.high > 1.0 || share.count > share.of {
                return Err(format!("a share of {name:?} is none"));
            }
        }
        if self.k == 0 {
            return Err("k is 0; expected at least 1".to_owned());
        }
        self.fit.check()
    }
}

impl Fit {
    fn check(&self) -> Result<(), String> {
        let sane = |value: &f64| value.is_finite() && value.abs() < 1e6;
        let all = self.coefficients.iter().chain(self.covariance.iter().flatten()).chain(&self.usual_cited);
        if !all.into_iter().all(sane) {
            return Err("a number of its fit is beyond all measure".to_owned());
        }
        if self.coefficients[1..].iter().any(|&slope| slope < 0.0) {
            return Err("its fit promises less of what falls farther".to_owned());
        }
        let symmetric =
            (0..FEATURES).all(|a| (0..FEATURES).all(|b| self.covariance[a][b] == self.covariance[b][a]));
        if !symmetric || (0..FEATURES).any(|at| self.covariance[at][at] < 0.0) {
            return Err("the covariance of its fit is none".to_owned());
        }
        if self.deepest == 0 || self.most_cited == 0 {
            return Err("its fit has seen nothing".to_owned());
        }
        Ok(())
    }
}
