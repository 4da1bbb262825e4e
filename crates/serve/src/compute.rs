//! Threads that compute, apart from those that talk to clients; a bounded queue before them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, timeout_at};

use crate::options::Limits;
use crate::queue::{Job, Lane, Queue, Takes, Turn};

thread_local! {
    /// Whether anybody still waits for what this thread computes.
    static FOR: RefCell<Option<Arc<Turn>>> = const { RefCell::new(None) };
}

/// Whether nobody waits any more for what this thread is computing.
pub(crate) fn is_abandoned() -> bool {
    FOR.with_borrow(|turn| turn.as_ref().is_some_and(|turn| turn.is_gone()))
}

/// Why nothing was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotComputed {
    /// As many wait already as may, or it waited for too long before it could begin.
    Full,
    /// It took too long.
    TimedOut,
    /// It panicked, which is a bug.
    Broken,
}

/// The threads. Dropped, they finish what they are at.
pub(crate) struct Compute {
    shared: Arc<Computing>,
    timeout: Duration,
    patience: Duration,
}

struct Computing {
    queue: Queue,
    running: AtomicU64,
    refused: AtomicU64,
    abandoned: AtomicU64,
}

/// What comes of one piece of work, part by part.
pub(crate) struct Parts<T, E> {
    coming: UnboundedReceiver<Part<T, E>>,
    waiting: Waiting,
    patient_until: Instant,
    deadline: Instant,
}

enum Part<T, E> {
    Here(T),
    /// There is no more.
    End(Result<(), E>),
}

impl<T, E: From<NotComputed>> Parts<T, E> {
    /// The next part; none after the last. Nothing comes after an error.
    pub(crate) async fn next(&mut self) -> Option<Result<T, E>> {
        let part = match timeout_at(self.patient_until, self.coming.recv()).await {
            Ok(part) => part,
            Err(_) if self.waiting.turn.lose_patience() => {
                self.waiting.is_over = true;
                return Some(Err(self.waiting.shared.refuse().into()));
            }
            Err(_) => match timeout_at(self.deadline, self.coming.recv()).await {
                Ok(part) => part,
                Err(_) => return Some(Err(NotComputed::TimedOut.into())),
            },
        };
        if let Some(Part::Here(part)) = part {
            return Some(Ok(part));
        }
        self.waiting.is_over = true;
        match part {
            Some(Part::End(result)) => result.err().map(Err),
            _ => None,
        }
    }
}

/// How busy the threads are, and what was not computed so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Busy {
    /// Quick questions that wait.
    pub(crate) quick: usize,
    /// Long ones.
    pub(crate) long: usize,
    /// Being computed.
    pub(crate) running: u64,
    /// Refused so far, as too many waited or for too long.
    pub(crate) refused: u64,
    /// Given up so far, as nobody waited any more.
    pub(crate) abandoned: u64,
}

/// Somebody's place in the line. Dropped before it is over, it tells the thread that nobody waits any more.
struct Waiting {
    turn: Arc<Turn>,
    shared: Arc<Computing>,
    is_over: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_over {
            self.turn.leave();
            self.shared.abandoned.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Compute {
    pub(crate) fn new(limits: &Limits) -> Self {
        let shared = Arc::new(Computing {
            queue: Queue::new(limits.queue),
            running: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            abandoned: AtomicU64::new(0),
        });
        // One thread more than asked for, which takes quick work only: it shares the processor with searches instead of
        // standing behind them.
        let takes = std::iter::repeat_n(Takes::Any, limits.threads.max(1)).chain([Takes::QuickOnly]);
        for takes in takes {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.work(takes));
        }
        Self { shared, timeout: limits.timeout, patience: limits.patience.min(limits.timeout) }
    }

    /// Has something computed that takes one question to the recommender, and waits: it never waits behind searches alone. A caller
    /// that stops waiting has the work given up.
    pub(crate) async fn run_quick<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, NotComputed> {
        self.run_in(Lane::Quick, work).await
    }

    async fn run_in<R: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, NotComputed> {
        let hand_over_all = move |hand_over: &mut dyn FnMut(R)| {
            hand_over(work());
            Ok(())
        };
        let mut parts = self.begin(lane, hand_over_all)?;
        let all = parts.next().await.unwrap_or(Err(NotComputed::Broken));
        parts.waiting.is_over |= all.is_ok();
        all
    }

    /// Has something computed; each part that is handed over can be had at once. Given up when what is returned is dropped.
    pub(crate) fn begin<T: Send + 'static, E: From<NotComputed> + Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&mut dyn FnMut(T)) -> Result<(), E> + Send + 'static,
    ) -> Result<Parts<T, E>, NotComputed> {
        let (sender, coming) = unbounded_channel();
        let work = Box::new(move || {
            // Who no longer listens is noticed elsewhere.
            let mut hand_over = |part| _ = sender.send(Part::Here(part));
            let result = catch_unwind(AssertUnwindSafe(|| work(&mut hand_over)));
            let _ = sender.send(Part::End(result.unwrap_or(Err(NotComputed::Broken.into()))));
        });
        let now = Instant::now();
        let waiting = self.stand_in_line(lane, work)?;
        Ok(Parts { coming, waiting, patient_until: now + self.patience, deadline: now + self.timeout })
    }

    /// Has it done when its turn comes, unless what is returned was dropped before.
    fn stand_in_line(&self, lane: Lane, work: Box<dyn FnOnce() + Send>) -> Result<Waiting, NotComputed> {
        let turn = Arc::<Turn>::default();
        match self.shared.queue.push(lane, Job { turn: Arc::clone(&turn), work }) {
            true => Ok(Waiting { turn, shared: Arc::clone(&self.shared), is_over: false }),
            false => Err(self.shared.refuse()),
        }
    }

    /// How busy the threads are.
    pub(crate) fn busy(&self) -> Busy {
        let Computing { queue, running, refused, abandoned } = &*self.shared;
        Busy {
            quick: queue.waiting(Lane::Quick),
            long: queue.waiting(Lane::Long),
            running: running.load(Ordering::Relaxed),
            refused: refused.load(Ordering::Relaxed),
            abandoned: abandoned.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Compute {
    fn drop(&mut self) {
        self.shared.queue.close();
    }
}

impl Computing {
    fn refuse(&self) -> NotComputed {
        self.refused.fetch_add(1, Ordering::Relaxed);
        NotComputed::Full
    }

    fn work(&self, takes: Takes) {
        // Each thread works alone: requests, not parts of them, run side by side.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        while let Some(Job { turn, work }) = self.queue.pop(takes) {
            // Who is gone before their turn costs nothing.
            if !turn.begin() {
                continue;
            }
            self.running.fetch_add(1, Ordering::Relaxed);
            FOR.set(Some(turn));
            work();
            FOR.set(None);
            self.running.fetch_sub(1, Ordering::Relaxed);
        }
        drop(alone);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn on<R>(future: impl Future<Output = R>) -> R {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    impl Compute {
        /// A search of one part.
        async fn search<R: Send + 'static>(
            &self,
            work: impl FnOnce() -> R + Send + 'static,
        ) -> Result<R, NotComputed> {
            self.run_in(Lane::Long, work).await
        }
    }

    /// One thread for searches, and room for one more to wait.
    fn small() -> Limits {
        Limits { threads: 1, queue: 1, timeout: Duration::from_secs(60), ..Limits::default() }
    }

    #[test]
    fn a_full_queue_refuses_and_a_panic_is_survived() {
        let patience = Duration::from_secs(60);
        let compute = Compute::new(&Limits { patience, ..small() });
        on(async {
            assert_eq!(compute.search(|| panic!("a bug")).await, Err::<(), _>(NotComputed::Broken));
            let (go, wait) = channel::<()>();
            let busy = compute.search(move || wait.recv().is_ok());
            // One is computed, one waits, and there is no room for a third.
            let waiting = async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                compute.search(|| 2).await
            };
            let refused = async {
                tokio::time::sleep(Duration::from_millis(200)).await;
                let refused = compute.search(|| 3).await;
                let quick = compute.run_quick(|| 4).await;
                let busy = compute.busy();
                assert_eq!((busy.quick, busy.long, busy.refused, busy.abandoned), (0, 1, 1, 0));
                go.send(()).unwrap();
                (refused, quick)
            };
            let (busy, waiting, refused) = tokio::join!(busy, waiting, refused);
            assert_eq!((busy, waiting), (Ok(true), Ok(2)));
            assert_eq!(refused, (Err(NotComputed::Full), Ok(4)), "quick questions have a line of their own");
        });
    }

    #[test]
    fn what_waited_too_long_is_refused_while_others_are_computed_and_never_begun() {
        let compute = Compute::new(&Limits { patience: Duration::from_millis(400), ..small() });
        let (go, wait) = channel::<()>();
        let (tell, told) = channel();
        on(async {
            let busy = async { compute.search(move || wait.recv().is_ok()).await };
            let impatient = async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                let late = compute.search(move || tell.send(()).is_ok()).await;
                go.send(()).unwrap();
                late
            };
            let (busy, late) = tokio::join!(busy, impatient);
            assert_eq!(busy, Ok(true), "patience ends when work begins");
            assert_eq!(late, Err(NotComputed::Full));
            assert_eq!(compute.search(|| 5).await, Ok(5), "its place in the line is free again");
        });
        assert!(told.recv().is_err(), "it was dropped without being begun");
    }

    #[test]
    fn what_takes_too_long_is_told_that_nobody_waits() {
        let compute = Compute::new(&Limits { timeout: Duration::from_millis(200), ..small() });
        let (tell, told) = channel();
        let result = on(compute.search(move || {
            while !is_abandoned() {
                std::thread::sleep(Duration::from_millis(1));
            }
            tell.send(()).unwrap();
        }));
        assert_eq!(result, Err(NotComputed::TimedOut));
        told.recv_timeout(Duration::from_secs(5)).unwrap();
        assert_eq!(compute.busy().abandoned, 1);
    }

    #[test]
    fn parts_come_before_the_work_is_done_and_what_went_wrong_comes_last() {
        let compute = Compute::new(&small());
        on(async {
            let (go, wait) = channel::<()>();
            let work = move |hand_over: &mut dyn FnMut(u8)| {
                hand_over(1);
                wait.recv().unwrap();
                hand_over(2);
                Ok::<_, NotComputed>(())
            };
            let mut parts = compute.begin(Lane::Long, work).unwrap();
            assert_eq!(parts.next().await, Some(Ok(1)));
            go.send(()).unwrap();
            assert_eq!(
                [parts.next().await, parts.next().await, parts.next().await],
                [Some(Ok(2)), None, None]
            );
            let breaks = |hand_over: &mut dyn FnMut(u8)| {
                hand_over(1);
                panic!("a bug");
            };
            let mut parts = compute.begin::<_, NotComputed>(Lane::Long, breaks).unwrap();
            assert_eq!(parts.next().await, Some(Ok(1)));
            assert_eq!(parts.next().await, Some(Err(NotComputed::Broken)));
            drop(parts);
            assert_eq!(compute.busy().abandoned, 0);
        });
    }
}
