//! Who waits for a thread that computes: a line for quick questions and one for long ones, each as long as it may be.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How long something takes, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// One question to the recommender: a list, a what-if.
    Quick,
    /// A search.
    Long,
}

/// Which lines a thread takes work from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// From both, whatever came first.
    Any,
    /// From the quick one alone, so that quick questions never stand behind long ones only.
    QuickOnly,
}

/// Where one request is: it waits, its work was begun, or nobody waits for it any more.
#[derive(Debug, Default)]
pub(crate) struct Turn(AtomicU8);

const WAITS: u8 = 0;
const BEGUN: u8 = 1;
const GONE: u8 = 2;

impl Turn {
    /// Whether the work may begin; whoever comes first, a thread or the end of patience, has it.
    pub(crate) fn begin(&self) -> bool {
        self.0.compare_exchange(WAITS, BEGUN, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Gives up unless the work was begun.
    pub(crate) fn lose_patience(&self) -> bool {
        self.0.compare_exchange(WAITS, GONE, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Nobody waits any more.
    pub(crate) fn leave(&self) {
        self.0.store(GONE, Ordering::SeqCst);
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.load(Ordering::SeqCst) == GONE
    }
}

/// Something to compute, and for whom.
pub(crate) struct Job {
    pub(crate) turn: Arc<Turn>,
    pub(crate) work: Box<dyn FnOnce() + Send>,
}

/// Both lines.
pub(crate) struct Queue {
    /// The most in each.
    room: usize,
    lines: Mutex<Lines>,
    /// Something came for a thread that takes any, and for one that takes quick work only.
    any: Condvar,
    quick: Condvar,
}

#[derive(Default)]
struct Lines {
    quick: VecDeque<(Instant, Job)>,
    long: VecDeque<(Instant, Job)>,
    closed: bool,
}

impl Lines {
    fn line(&mut self, lane: Lane) -> &mut VecDeque<(Instant, Job)> {
        match lane {
            Lane::Quick => &mut self.quick,
            Lane::Long => &mut self.long,
        }
    }

    /// What a thread does next.
    fn next(&mut self, takes: Takes) -> Option<Job> {
        let since = |line: &VecDeque<(Instant, Job)>| line.front().map(|(since, _)| *since);
        let lane = match (since(&self.quick), since(&self.long), takes) {
            (Some(quick), Some(long), Takes::Any) if long < quick => Lane::Long,
            (Some(_), _, _) => Lane::Quick,
            (None, Some(_), Takes::Any) => Lane::Long,
            _ => return None,
        };
        self.line(lane).pop_front().map(|(_, job)| job)
    }
}

impl Queue {
    /// With room for so many in each line.
    pub(crate) fn new(room: usize) -> Self {
        Self { room, lines: Mutex::default(), any: Condvar::new(), quick: Condvar::new() }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands in line; false where there is no room.
    pub(crate) fn push(&self, lane: Lane, job: Job) -> bool {
        let mut lines = self.lines();
        let line = lines.line(lane);
        if line.len() >= self.room {
            // Who is gone makes room.
            line.retain(|(_, job)| !job.turn.is_gone());
        }
        if line.len() >= self.room {
            return false;
        }
        line.push_back((Instant::now(), job));
        drop(lines);
        self.any.notify_one();
        if lane == Lane::Quick {
            self.quick.notify_one();
        }
        true
    }

    /// The next one, once there is one; none after the queue was closed and is empty.
    pub(crate) fn pop(&self, takes: Takes) -> Option<Job> {
        let mut lines = self.lines();
        loop {
            if let Some(job) = lines.next(takes) {
                return Some(job);
            }
            if lines.closed {
                return None;
            }
            let more = if takes == Takes::Any { &self.any } else { &self.quick };
            lines = more.wait(lines).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing will come any more.
    pub(crate) fn close(&self) {
        self.lines().closed = true;
        self.any.notify_all();
        self.quick.notify_all();
    }

    /// How many wait in a line.
    pub(crate) fn waiting(&self, lane: Lane) -> usize {
        self.lines().line(lane).iter().filter(|(_, job)| !job.turn.is_gone()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(turn: &Arc<Turn>) -> Job {
        Job { turn: Arc::clone(turn), work: Box::new(|| {}) }
    }

    #[test]
    fn whatever_came_first_is_next_but_for_threads_that_take_quick_work_only() {
        let queue = Queue::new(4);
        let turns: Vec<Arc<Turn>> = (0..4).map(|_| Arc::default()).collect();
        for (turn, lane) in turns.iter().zip([Lane::Long, Lane::Quick, Lane::Long, Lane::Quick]) {
            assert!(queue.push(lane, job(turn)));
        }
        let is = |taken: Option<Job>, at: usize| Arc::ptr_eq(&taken.unwrap().turn, &turns[at]);
        assert!(is(queue.pop(Takes::QuickOnly), 1));
        assert!(is(queue.pop(Takes::Any), 0));
        assert!(is(queue.pop(Takes::Any), 2));
        queue.close();
        assert!(is(queue.pop(Takes::QuickOnly), 3), "what waits when it is closed is still done");
        assert!(queue.pop(Takes::Any).is_none() && queue.pop(Takes::QuickOnly).is_none());
    }

    #[test]
    fn a_full_line_leaves_room_in_the_other_and_who_is_gone_makes_room() {
        let queue = Queue::new(1);
        let first = Arc::default();
        assert!(queue.push(Lane::Long, job(&first)));
        assert!(!queue.push(Lane::Long, job(&Arc::default())));
        assert!(queue.push(Lane::Quick, job(&Arc::default())));
        assert!(first.lose_patience());
        assert_eq!((queue.waiting(Lane::Long), queue.waiting(Lane::Quick)), (0, 1));
        assert!(queue.push(Lane::Long, job(&Arc::default())));
    }

    #[test]
    fn work_that_was_begun_is_not_given_up_by_patience() {
        let turn = Turn::default();
        assert!(turn.begin());
        assert!(!turn.lose_patience() && !turn.is_gone());
        turn.leave();
        assert!(turn.is_gone() && !turn.begin());
    }
}
