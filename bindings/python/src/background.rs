//! Work with the interpreter released: on a thread of its own, while the calling thread listens for Ctrl-C and tells how far it is.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use grease::RunObserver;
use grease::graph::{Interrupted, Watch};
use pyo3::prelude::*;

use crate::errors::Failure;

/// How often the calling thread looks up while it waits.
pub(crate) const LOOK_UP: Duration = Duration::from_millis(50);

/// What worker and caller tell each other.
#[derive(Default)]
pub(crate) struct Signals {
    cancelled: Arc<AtomicBool>,
    done: AtomicUsize,
    all: AtomicUsize,
}

impl Signals {
    /// Where something deep inside the work has to know that it is cancelled.
    pub(crate) fn with_flag(cancelled: &Arc<AtomicBool>) -> Self {
        Self { cancelled: Arc::clone(cancelled), ..Self::default() }
    }

    /// Whether the worker should end.
    pub(crate) fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// How much there is to do.
    pub(crate) fn expect(&self, all: usize) {
        self.all.store(all, Ordering::SeqCst);
    }

    /// How much is done.
    pub(crate) fn progress(&self, done: usize) {
        self.done.store(done, Ordering::SeqCst);
    }
}

impl RunObserver for Signals {
    fn done(&self, people: usize) {
        self.progress(people);
    }

    fn cancelled(&self) -> bool {
        self.cancelled()
    }
}

impl Watch for Signals {
    fn begin(&self, _: &str, steps: u64) {
        self.expect(steps as usize);
        self.progress(0);
    }

    fn advance(&self, steps: u64) -> Result<(), Interrupted> {
        self.done.fetch_add(steps as usize, Ordering::SeqCst);
        if Signals::cancelled(self) { Err(Interrupted) } else { Ok(()) }
    }
}

/// Does `work` in the background. `tell` is called with what is done and what there is to do, now and then and at the end; what it
/// raises ends the work, as Ctrl-C does.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    signals: &Signals,
    tell: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let tell: Option<Py<PyAny>> = tell.map(|tell| tell.clone().unbind());
    py.detach(|| {
        std::thread::scope(|scope| {
            let (finished, wait) = channel();
            let worker = scope.spawn(move || {
                let result = work();
                // Where nobody waits any more nobody needs to know.
                let _ = finished.send(());
                result
            });
            let mut raised = None;
            loop {
                let ended = wait.recv_timeout(LOOK_UP) != Err(RecvTimeoutError::Timeout);
                if raised.is_none() {
                    raised = Python::attach(|py| look_up(py, signals, tell.as_ref())).err();
                    signals.cancelled.fetch_or(raised.is_some(), Ordering::SeqCst);
                }
                if ended {
                    break;
                }
            }
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            match raised {
                Some(error) => {
                    // The flag may outlive this work.
                    signals.cancelled.store(false, Ordering::SeqCst);
                    Err(error)
                }
                None => Ok(result?),
            }
        })
    })
}

fn look_up(py: Python<'_>, signals: &Signals, tell: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    if let Some(tell) = tell {
        let all = signals.all.load(Ordering::SeqCst);
        tell.call1(py, (signals.done.load(Ordering::SeqCst), all))?;
    }
    Ok(())
}
