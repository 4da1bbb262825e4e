//! Long pieces of work that are no run over people: reading, writing, storing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use grease::graph::{Interrupted, Watch};
use indicatif::ProgressBar;

use crate::failure::Failure;
use crate::interruption;
use crate::output::Output;
use crate::progress::{bar, has_room};

/// A bar for each stage, on a terminal; Ctrl-C ends the work, and what it wrote aside is taken away.
pub(crate) struct Stages {
    bar: Mutex<Option<ProgressBar>>,
    output: Output,
    interrupted: &'static AtomicBool,
}

impl Stages {
    pub(crate) fn new(output: Output) -> Result<Self, Failure> {
        let interrupted = interruption::watch("ending; Ctrl-C again quits at once")?;
        Ok(Self { bar: Mutex::new(None), output, interrupted })
    }

    fn show(&self, next: Option<ProgressBar>) {
        let mut shown = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = std::mem::replace(&mut *shown, next) {
            last.finish_and_clear();
        }
    }
}

impl Watch for Stages {
    fn begin(&self, stage: &str, steps: u64) {
        if has_room(self.output) {
            let template =
                if steps == 0 { "{spinner} {msg}" } else { "{msg} {wide_bar} {percent} %  {eta} left" };
            self.show(Some(bar(steps as usize, template).with_message(stage.to_owned())));
        }
    }

    fn advance(&self, steps: u64) -> Result<(), Interrupted> {
        if let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.inc(steps);
        }
        if self.interrupted.load(Ordering::SeqCst) { Err(Interrupted) } else { Ok(()) }
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        self.show(None);
        interruption::watched();
    }
}
