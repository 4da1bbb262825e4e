//! Which recommender: the arguments of every verb that asks one.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use grease::graph::Field;
use grease::models::folder::ModelFolder;
use grease::{Device, Refusal, Subject};

use crate::device::refuse_with_oracle;
use crate::failure::{Code, Failure};
use crate::oracle::{Asking, Expected, Opened, OracleArguments};
use crate::output::Output;
use crate::stages::Stages;

/// Exactly one of a model and an oracle. The last of a verb's arguments: an oracle's have headings of their own.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("subject").required(true)))]
pub(crate) struct SubjectArguments {
    /// A folder made by `grease train` or `grease import`
    #[arg(
        long,
        value_name = "DIR",
        group = "subject",
        conflicts_with = "interactions",
        help_heading = None,
        display_order = 0
    )]
    model: Option<PathBuf>,
    #[command(flatten)]
    oracle: OracleArguments,
}

/// A model, with what was measured on it, asked on this device; what is wrong with the measurements is said, and explanations go without.
pub(crate) fn open(model: &Path, device: Device, output: &Output) -> Result<Subject, Failure> {
    // Ctrl-C ends the others at once; what is half stored would be left.
    let read = match ModelFolder::is_slow(model) {
        true => Subject::open_watched(model, &Stages::new(*output)?),
        false => Subject::open(model),
    };
    let (subject, damage) = read?;
    if let Some(damage) = damage {
        output.note(format_args!(
            "warning: {damage}; explanations do not say how often they hold when trained again (delete the file, or make it anew by `grease evaluate --audit retrain`)"
        ));
    }
    let (subject, opened) = subject.asked_on(device)?;
    if let Some(note) = opened.note() {
        output.note(note);
    }
    Ok(subject)
}

impl SubjectArguments {
    /// `expected` is what will be asked, for oracles that say only what their first items are.
    pub(crate) fn open(&self, expected: &Expected<'_>, output: &Output) -> Result<Opened, Failure> {
        self.open_on(Device::Cpu, expected, output)
    }

    /// The same, asked on a device.
    pub(crate) fn open_on(
        &self,
        device: Device,
        expected: &Expected<'_>,
        output: &Output,
    ) -> Result<Opened, Failure> {
        match &self.model {
            Some(model) => {
                self.oracle.refuse_reading()?;
                let subject = open(model, device, output)?;
                Ok(Opened { asking: Asking::model(&subject), subject })
            }
            None => {
                refuse_with_oracle(device)?;
                self.oracle.open(expected, output)
            }
        }
    }

    /// How many may ask an oracle at a time, where somebody said so.
    pub(crate) fn oracle_workers(&self) -> Option<usize> {
        self.oracle.workers()
    }

    /// Its folder, where it is a model of ours.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.model.as_deref()
    }

    /// What to call it.
    pub(crate) fn name(&self) -> String {
        self.model.as_ref().map_or_else(|| "this oracle".to_owned(), |model| model.display().to_string())
    }

    /// Where a name was unknown, says which file lists those that are known.
    pub(crate) fn known_in(&self, refusal: Refusal) -> Failure {
        let names = if refusal.field == Some(Field::User) { "users.tsv" } else { "items.tsv" };
        let failure = Failure::from(refusal);
        match (&self.model, &failure) {
            (Some(model), _) => failure.known_in(model, names),
            (None, Failure::Said { code: Code::Unknown, .. }) => self.oracle.known_in(failure),
            _ => failure,
        }
    }
}
