//! Threads that compute, apart from those that talk to clients; a bounded queue before them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout_at};

thread_local! {
    /// Whether anybody still waits for what this thread computes.
    static ABANDONED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Whether nobody waits any more for what this thread is computing.
pub(crate) fn is_abandoned() -> bool {
    ABANDONED.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::SeqCst)))
}

/// Why nothing was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotComputed {
    /// As many wait already as may.
    Full,
    /// It took too long.
    TimedOut,
    /// It panicked, which is a bug.
    Broken,
}

type Work = Box<dyn FnOnce() + Send>;

/// The threads. Dropped, they finish what they are at.
pub(crate) struct Compute {
    queue: SyncSender<Work>,
    timeout: Duration,
}

/// What comes of one piece of work, part by part. Dropped, the work is given up.
pub(crate) struct Parts<T> {
    coming: UnboundedReceiver<Part<T>>,
    deadline: Instant,
    _waiting: Waiting,
}

enum Part<T> {
    Here(T),
    /// There is no more, and nothing went wrong.
    End,
}

/// Tells the thread when whoever waits is gone.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Compute {
    pub(crate) fn new(threads: usize, queue: usize, timeout: Duration) -> Self {
        let (sender, receiver) = sync_channel::<Work>(queue);
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..threads.max(1) {
            let receiver = Arc::clone(&receiver);
            std::thread::spawn(move || work(&receiver));
        }
        Self { queue: sender, timeout }
    }

    /// Has it computed, and waits. A caller that stops waiting has the work given up.
    pub(crate) async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, NotComputed> {
        let mut parts = self.begin(move |hand_over| hand_over(work()))?;
        parts.next().await.unwrap_or(Err(NotComputed::Broken))
    }

    /// Has it computed; what it hands over can be had at once.
    pub(crate) fn begin<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn FnMut(T)) + Send + 'static,
    ) -> Result<Parts<T>, NotComputed> {
        let abandoned = Arc::new(AtomicBool::new(false));
        let waiting = Waiting(Arc::clone(&abandoned));
        let (sender, coming) = unbounded_channel();
        let work = Box::new(move || {
            // Who is gone before their turn costs nothing.
            if abandoned.load(Ordering::SeqCst) {
                return;
            }
            ABANDONED.set(Some(abandoned));
            // Without an end whoever waits knows that it broke.
            let _ = catch_unwind(AssertUnwindSafe(|| hand_over_to(&sender, work)));
            ABANDONED.set(None);
        });
        self.queue.try_send(work).map_err(|_| NotComputed::Full)?;
        Ok(Parts { coming, deadline: Instant::now() + self.timeout, _waiting: waiting })
    }
}

fn hand_over_to<T>(sender: &UnboundedSender<Part<T>>, work: impl FnOnce(&mut dyn FnMut(T))) {
    // Who no longer listens is noticed by the flag.
    work(&mut |part| _ = sender.send(Part::Here(part)));
    let _ = sender.send(Part::End);
}

impl<T> Parts<T> {
    /// The next part; none after the last.
    pub(crate) async fn next(&mut self) -> Option<Result<T, NotComputed>> {
        match timeout_at(self.deadline, self.coming.recv()).await {
            Ok(Some(Part::Here(part))) => Some(Ok(part)),
            Ok(Some(Part::End)) => None,
            Ok(None) => Some(Err(NotComputed::Broken)),
            Err(_) => Some(Err(NotComputed::TimedOut)),
        }
    }
}

fn work(queue: &Mutex<Receiver<Work>>) {
    // Each thread works alone: requests, not parts of them, run side by side.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(work) => work(),
            Err(_) => break,
        }
    }
    drop(alone);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on<R>(future: impl Future<Output = R>) -> R {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    #[test]
    fn a_full_queue_refuses_and_a_panic_is_survived() {
        let compute = Compute::new(1, 1, Duration::from_secs(5));
        on(async {
            assert_eq!(compute.run(|| panic!("a bug")).await, Err::<(), _>(NotComputed::Broken));
            let (go, wait) = std::sync::mpsc::channel::<()>();
            let busy = compute.run(move || wait.recv().is_ok());
            // One is computed, one waits, and there is no room for a third.
            let waiting = async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                compute.run(|| 2).await
            };
            let refused = async {
                tokio::time::sleep(Duration::from_millis(200)).await;
                let refused = compute.run(|| 3).await;
                go.send(()).unwrap();
                refused
            };
            let (busy, waiting, refused) = tokio::join!(busy, waiting, refused);
            assert_eq!((busy, waiting, refused), (Ok(true), Ok(2), Err(NotComputed::Full)));
        });
    }

    #[test]
    fn what_takes_too_long_is_told_that_nobody_waits() {
        let compute = Compute::new(1, 4, Duration::from_millis(20));
        let (tell, told) = std::sync::mpsc::channel();
        let result = on(compute.run(move || {
            while !is_abandoned() {
                std::thread::sleep(Duration::from_millis(1));
            }
            tell.send(()).unwrap();
        }));
        assert_eq!(result, Err(NotComputed::TimedOut));
        told.recv_timeout(Duration::from_secs(5)).unwrap();
    }

    #[test]
    fn parts_come_before_the_work_is_done_and_a_break_in_between_is_noticed() {
        let compute = Compute::new(1, 4, Duration::from_secs(5));
        on(async {
            let (go, wait) = std::sync::mpsc::channel::<()>();
            let work = move |hand_over: &mut dyn FnMut(u8)| {
                hand_over(1);
                wait.recv().unwrap();
                hand_over(2);
            };
            let mut parts = compute.begin(work).unwrap();
            assert_eq!(parts.next().await, Some(Ok(1)));
            go.send(()).unwrap();
            assert_eq!((parts.next().await, parts.next().await), (Some(Ok(2)), None));
            let breaks = |hand_over: &mut dyn FnMut(u8)| {
                hand_over(1);
                panic!("a bug");
            };
            let mut parts = compute.begin(breaks).unwrap();
            assert_eq!(parts.next().await, Some(Ok(1)));
            assert_eq!(parts.next().await, Some(Err(NotComputed::Broken)));
        });
    }
}
