//! Evaluating methods, as `grease evaluate` does.

use std::path::Path;

use grease::models::train::Observer;
use grease::{Device, Opening};
use grease_evaluate::{AuditOptions, Evaluation, FirstLook, NamedSubject, Settings};
use serde_json::Value;

use crate::background::Signals;
use crate::errors::Failure;

/// The usual settings, but for what `changed` says.
pub(crate) fn settings(changed: &str) -> Result<Settings, Failure> {
    let changed: Value = serde_json::from_str(changed)?;
    let mut settings = serde_json::to_value(Settings::default())?;
    for (name, value) in changed.as_object().into_iter().flatten() {
        match settings.get_mut(name) {
            Some(usual) => *usual = value.clone(),
            None => return Err(Failure::usage(format!("there is no setting '{name}'"))),
        }
    }
    Ok(serde_json::from_value(settings)?)
}

/// Listens whether training again should end.
struct Listening<'s>(&'s Signals);

impl Observer for Listening<'_> {
    fn cancelled(&mut self) -> bool {
        self.0.cancelled()
    }
}

pub(crate) fn run(
    named: &NamedSubject,
    settings: &Settings,
    out: &Path,
    how: &str,
    audit: Option<(usize, usize, Vec<usize>)>,
    signals: &Signals,
) -> Result<String, Failure> {
    let how = match how {
        "resume" => Opening::Resume,
        "replace" => Opening::Replace,
        _ => Opening::Fresh,
    };
    let subjects = std::slice::from_ref(named);
    let mut settings = settings.clone();
    settings.fewer.extend(FirstLook::of(&settings, subjects).into_iter().flat_map(|look| look.fewer));
    let evaluation = Evaluation {
        subjects,
        settings: &settings,
        out,
        command: "Explainer.evaluate".to_owned(),
        show_user_ids: false,
    };
    let mut run = evaluation.open(how)?;
    signals.expect(run.units());
    run.explain(signals)?;
    let audits = match audit {
        Some((people, trainings, firm)) => {
            let k = settings.ks[0];
            let options = AuditOptions { people, k, trainings, firm, ..AuditOptions::default() };
            run.audit(&options, Device::Cpu, &mut Listening(signals))?
        }
        None => Vec::new(),
    };
    let (results, _) = run.finish(audits)?;
    Ok(serde_json::to_string(&results)?)
}
