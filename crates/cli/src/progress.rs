//! How far it is, for people to watch.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use grease::models::train::{BatchProgress, EpochRecord, Observer};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::output::Output;

/// A bar on a terminal; elsewhere a line an evaluation.
pub(crate) struct Progress {
    epochs: u64,
    bar: Option<ProgressBar>,
    recall: Option<f64>,
    output: Output,
    interrupted: &'static AtomicBool,
}

impl Progress {
    /// Training is cancelled once `interrupted` is set.
    pub(crate) fn new(epochs: u64, output: Output, interrupted: &'static AtomicBool) -> Self {
        let bar = has_room(output).then(|| bar(0, "{wide_bar} {msg}  {eta} left"));
        Self { epochs, bar, recall: None, output, interrupted }
    }

    /// Without lines where there is no terminal.
    pub(crate) fn bar_only(self) -> Self {
        Self { output: Output::new(true), ..self }
    }

    /// Clears the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar over several people; hidden without a terminal, and where results go to the same one.
pub(crate) fn people_bar(people: usize, output: Output, results_in_a_file: bool) -> ProgressBar {
    let undisturbed = results_in_a_file || !std::io::stdout().is_terminal();
    if people < 2 || !undisturbed || !has_room(output) {
        return ProgressBar::hidden();
    }
    bar(people, "{wide_bar} {pos}/{len} people  {eta} left")
}

/// Whether somebody watches.
pub(crate) fn has_room(output: Output) -> bool {
    std::io::stderr().is_terminal() && !output.is_quiet()
}

/// So many in a time in which there are some.
pub(crate) fn rate(a_second: f64) -> String {
    let (some, time) = match a_second {
        fast if fast >= 1.0 => (fast, "a second"),
        slow if slow * 60.0 >= 1.0 => (slow * 60.0, "a minute"),
        slower => (slower * 3600.0, "an hour"),
    };
    if some >= 10.0 || some == some.trunc() {
        format!("{some:.0} {time}")
    } else {
        format!("{some:.1} {time}")
    }
}

/// A bar of this look; `{rate}` is how many a second.
pub(crate) fn bar(length: usize, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let shown = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = write!(out, "{}", rate(state.per_sec()));
    };
    let bar = ProgressBar::new(length as u64).with_style(style.with_key("rate", shown));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl Observer for Progress {
    fn batch_done(&mut self, at: BatchProgress) {
        let Some(bar) = &self.bar else { return };
        let done = (at.epoch - 1) * at.batches + at.batch;
        if bar.length() != Some(at.epochs * at.batches) {
            // Epochs done before --resume are not this run's speed.
            bar.set_length(at.epochs * at.batches);
            bar.set_position(done);
            bar.reset_eta();
        }
        bar.set_position(done);
        let rate = bar.per_sec() / at.batches as f64;
        let recall = self.recall.map_or(String::new(), |recall| format!("  recall@20 {recall:.4}"));
        bar.set_message(format!(
            "epoch {}/{}  loss {:.4}{recall}  {rate:.1}/s",
            at.epoch, at.epochs, at.loss
        ));
    }

    fn moved(&mut self, device: &str) {
        self.output.note(format_args!("device: {device}"));
    }

    fn epoch_done(&mut self, record: &EpochRecord) {
        tracing::debug!(epoch = record.epoch, loss = record.loss, "epoch done");
        let (Some(recall), Some(ndcg)) = (record.recall, record.ndcg) else { return };
        self.recall = Some(recall);
        if self.bar.is_none() {
            let width = self.epochs.to_string().len();
            self.output.note(format_args!(
                "epoch {:>width$}/{}  loss {:.4}  recall@20 {recall:.4}  ndcg@20 {ndcg:.4}",
                record.epoch, self.epochs, record.loss
            ));
        }
    }

    fn checkpoint_due(&self, _epoch: u64) -> bool {
        false
    }

    fn cancelled(&mut self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}
