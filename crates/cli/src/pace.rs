//! How far a long run is, how fast it goes and how long it will still take.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use grease::RunObserver;
use indicatif::{HumanDuration, ProgressBar};

use crate::output::Output;
use crate::progress::{bar, has_room, rate};

/// Without a terminal, a line this often.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    People,
    Answers,
}

impl Counted {
    fn name(self) -> &'static str {
        match self {
            Counted::People => "people",
            Counted::Answers => "answers",
        }
    }
}

/// A bar on a terminal; elsewhere a line now and then.
pub(crate) struct Pace {
    counted: Counted,
    all: usize,
    /// Done before this run began: they say nothing about its speed.
    before: usize,
    done: AtomicUsize,
    begun: Instant,
    said: Mutex<Instant>,
    bar: Option<ProgressBar>,
    output: Output,
    interrupted: &'static AtomicBool,
}

impl Pace {
    /// Of a run in which a person takes no longer than a few seconds. It is cancelled once `interrupted` is set.
    pub(crate) fn of_people(
        all: usize,
        before: usize,
        output: Output,
        interrupted: &'static AtomicBool,
    ) -> Self {
        Self::new(Counted::People, (all, before), output, interrupted)
    }

    /// Of a run in which a person may take minutes.
    pub(crate) fn of_answers(
        all: usize,
        before: usize,
        output: Output,
        interrupted: &'static AtomicBool,
    ) -> Self {
        Self::new(Counted::Answers, (all, before), output, interrupted)
    }

    fn new(
        counted: Counted,
        (all, before): (usize, usize),
        output: Output,
        interrupted: &'static AtomicBool,
    ) -> Self {
        let bar = has_room(output).then(|| {
            let bar =
                bar(all, &format!("{{wide_bar}} {{pos}}/{{len}} {}  {{rate}}  {{eta}} left", counted.name()));
            bar.set_position(before as u64);
            bar.reset_eta();
            bar
        });
        let now = Instant::now();
        let done = AtomicUsize::new(before);
        Self { counted, all, before, done, begun: now, said: Mutex::new(now), bar, output, interrupted }
    }

    /// Clears the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn tell(&self, done: usize) {
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
            return;
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.elapsed() < BETWEEN_LINES || done >= self.all {
            return;
        }
        *said = Instant::now();
        self.output.note(self.line(done, self.begun.elapsed()));
    }

    fn line(&self, done: usize, took: Duration) -> String {
        let a_second = done.saturating_sub(self.before) as f64 / took.as_secs_f64();
        let left = Duration::try_from_secs_f64(self.all.saturating_sub(done) as f64 / a_second);
        let left = left.map_or_else(
            |_| "how long is not known yet".to_owned(),
            |left| format!("{} left", HumanDuration(left)),
        );
        format!("{done} of {} {}, {}, {left}", self.all, self.counted.name(), rate(a_second))
    }
}

impl RunObserver for Pace {
    fn done(&self, people: usize) {
        if self.counted == Counted::People {
            self.tell(people);
        }
    }

    fn answered(&self, explanations: usize) {
        if self.counted == Counted::Answers {
            self.tell(self.done.fetch_add(explanations, Ordering::Relaxed) + explanations);
        }
    }

    fn cancelled(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NOBODY: AtomicBool = AtomicBool::new(false);

    #[test]
    fn what_is_slow_has_a_rate_too() {
        let pace = Pace::of_answers(1000, 100, Output::new(true), &NOBODY);
        let line = |done| pace.line(done, Duration::from_secs(30));
        assert_eq!(line(400), "400 of 1000 answers, 10 a second, 60 seconds left");
        assert_eq!(line(115), "115 of 1000 answers, 30 a minute, 30 minutes left");
        assert_eq!(line(100), "100 of 1000 answers, 0 an hour, how long is not known yet");
        pace.answered(5);
        pace.answered(7);
        pace.done(1);
        assert_eq!(pace.done.load(Ordering::Relaxed), 112);
    }
}
