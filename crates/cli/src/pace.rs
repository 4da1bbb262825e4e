//! How far a long run is, how fast it goes and how long it will still take.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use grease::RunObserver;
use indicatif::{HumanDuration, ProgressBar};

use crate::output::Output;
use crate::progress::{bar, has_room};

/// Without a terminal, a line this often.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// A bar on a terminal; elsewhere a line now and then.
pub(crate) struct Pace {
    people: usize,
    /// Done before this run began: they say nothing about its speed.
    before: usize,
    begun: Instant,
    said: Mutex<Instant>,
    bar: Option<ProgressBar>,
    output: Output,
    interrupted: &'static AtomicBool,
}

impl Pace {
    /// The run is cancelled once `interrupted` is set.
    pub(crate) fn new(
        people: usize,
        before: usize,
        output: Output,
        interrupted: &'static AtomicBool,
    ) -> Self {
        let bar = has_room(output).then(|| {
            let bar = bar(people, "{wide_bar} {pos}/{len} people  {rate}  {eta} left");
            bar.set_position(before as u64);
            bar.reset_eta();
            bar
        });
        let now = Instant::now();
        Self { people, before, begun: now, said: Mutex::new(now), bar, output, interrupted }
    }

    /// Clears the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl RunObserver for Pace {
    fn done(&self, people: usize) {
        if let Some(bar) = &self.bar {
            bar.set_position(people as u64);
            return;
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.elapsed() < BETWEEN_LINES || people == self.people {
            return;
        }
        *said = Instant::now();
        let rate = (people - self.before) as f64 / self.begun.elapsed().as_secs_f64();
        let left = Duration::from_secs_f64((self.people - people) as f64 / rate);
        self.output.note(format_args!(
            "{people} of {} people, {rate:.1} a second, {} left",
            self.people,
            HumanDuration(left)
        ));
    }

    fn cancelled(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}
