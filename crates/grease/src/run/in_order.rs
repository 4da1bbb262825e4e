//! Working on many at once and handing out the results one by one, in order.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How far ahead of the slowest the others may work, for each thread: results wait in memory until it is their turn.
pub(crate) const AHEAD_A_THREAD: usize = 16;

/// Does `work` on every input, as many at once as there are threads, and gives each result to `take` in the order of
/// the inputs, as soon as it is that one's turn. The first error of `take` ends it all.
///
/// Where one input takes long the others wait for it rather than pile up their results, so that memory does not go with
/// the number of inputs. `take` is called by the caller's own thread, and may wait for a disk while the others work.
///
/// Called by a thread of rayon's pool it does one after another: that thread would be missing from the pool, and `work`
/// that is parallel itself could wait for it forever.
///
/// ```
/// let mut squares = Vec::new();
/// grease::in_order(&[1, 2, 3], |n| n * n, |square| { squares.push(square); Ok::<(), ()>(()) })?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), ()>(())
/// ```
pub fn in_order<'i, T: Sync, R: Send, E>(
    inputs: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
    take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    in_order_ahead(AHEAD_A_THREAD, inputs, work, take)
}

/// [`in_order`] where inputs differ much in what they take: the others may be so many inputs a thread ahead of the slowest.
pub(super) fn in_order_ahead<'i, T: Sync, R: Send, E>(
    ahead_a_thread: usize,
    inputs: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    if rayon::current_thread_index().is_some() {
        return inputs.iter().try_for_each(|input| take(work(input)));
    }
    let threads = rayon::current_num_threads();
    // Where there is enough to do for everybody, each works alone: handing parts of a small piece of work to others costs
    // more than it saves.
    in_order_by(threads, ahead_a_thread, inputs.len() > threads, inputs, work, take)
}

/// [`in_order`] by so many threads and no more, whoever calls: none shares its work with others.
pub(super) fn in_order_with<'i, T: Sync, R: Send, E>(
    threads: usize,
    inputs: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
    take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    in_order_by(threads.max(1), AHEAD_A_THREAD, true, inputs, work, take)
}

fn in_order_by<'i, T: Sync, R: Send, E>(
    threads: usize,
    ahead_a_thread: usize,
    alone: bool,
    inputs: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let desk = Desk {
        inputs: inputs.len(),
        ahead: threads * ahead_a_thread,
        state: Mutex::new(State { next: 0, turn: 0, waiting: BTreeMap::new(), ended: false, panic: None }),
        handed_in: Condvar::new(),
        turned: Condvar::new(),
    };
    let worker = || {
        let _alone =
            alone.then(|| rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build());
        let done = catch_unwind(AssertUnwindSafe(|| {
            while let Some(at) = desk.claim() {
                desk.hand_in(at, work(&inputs[at]));
            }
        }));
        if let Err(panic) = done {
            // Nobody must wait for a turn that never comes.
            desk.end(Some(panic));
        }
    };
    // Threads of their own, because they wait for each other. A pool's threads that wait for a part of their work take up
    // other work meanwhile, such as the next input, and the first could not go on before the next is done.
    let taken = std::thread::scope(|scope| {
        for _ in 0..threads.min(inputs.len()) {
            scope.spawn(worker);
        }
        let taken = catch_unwind(AssertUnwindSafe(|| {
            while let Some(result) = desk.next_result() {
                take(result)?;
            }
            Ok(())
        }));
        desk.end(None);
        taken
    });
    match desk.state.into_inner().unwrap_or_else(PoisonError::into_inner).panic {
        Some(panic) => resume_unwind(panic),
        None => taken.unwrap_or_else(|panic| resume_unwind(panic)),
    }
}

/// Where results wait for their turn.
struct Desk<R> {
    inputs: usize,
    /// How far from the turn an input may be to be worked on.
    ahead: usize,
    state: Mutex<State<R>>,
    /// A result is there, or all ended.
    handed_in: Condvar,
    /// The turn moved on, or all ended.
    turned: Condvar,
}

struct State<R> {
    /// The first input nobody works on.
    next: usize,
    /// The first whose result was not fetched.
    turn: usize,
    waiting: BTreeMap<usize, R>,
    ended: bool,
    /// Of somebody at work.
    panic: Option<Box<dyn Any + Send>>,
}

impl<R> Desk<R> {
    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next input to work on; `None` when there are no more. Taken from the front: results are wanted in order.
    fn claim(&self) -> Option<usize> {
        // Whoever works on the input whose turn it is waits for nobody, so the turn moves on.
        let too_far = |state: &mut State<R>| {
            !state.ended && state.next < self.inputs && state.next >= state.turn + self.ahead
        };
        let state = self.turned.wait_while(self.state(), too_far);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.ended || state.next >= self.inputs {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    fn hand_in(&self, at: usize, result: R) {
        let mut state = self.state();
        state.waiting.insert(at, result);
        if at == state.turn {
            self.handed_in.notify_one();
        }
    }

    /// The result whose turn it is; `None` after the last, and where somebody at work panicked.
    fn next_result(&self) -> Option<R> {
        let not_yet = |state: &mut State<R>| {
            !state.ended && state.turn < self.inputs && !state.waiting.contains_key(&state.turn)
        };
        let state = self.handed_in.wait_while(self.state(), not_yet);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.ended {
            return None;
        }
        let turn = state.turn;
        let result = state.waiting.remove(&turn)?;
        state.turn += 1;
        self.turned.notify_all();
        Some(result)
    }

    /// Nobody begins anything new.
    fn end(&self, panic: Option<Box<dyn Any + Send>>) {
        let mut state = self.state();
        state.ended = true;
        state.panic = state.panic.take().or(panic);
        self.handed_in.notify_all();
        self.turned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_order_is_that_of_the_inputs_whoever_is_fast() {
        let inputs: Vec<u64> = (0..200).collect();
        let slow_then_fast = |&n: &u64| {
            std::thread::sleep(Duration::from_micros((n % 7) * 100));
            n
        };
        let mut taken = Vec::new();
        let done = in_order_by(4, AHEAD_A_THREAD, true, &inputs, slow_then_fast, |n| {
            taken.push(n);
            Ok::<(), ()>(())
        });
        assert_eq!((done, taken), (Ok(()), inputs));
    }

    #[test]
    fn an_error_ends_it() {
        let inputs: Vec<u64> = (0..100_000).collect();
        let worked = AtomicUsize::new(0);
        let work = |&n: &u64| {
            worked.fetch_add(1, Ordering::Relaxed);
            n
        };
        let done = in_order(&inputs, work, |n| if n == 3 { Err(n) } else { Ok(()) });
        assert_eq!(done, Err(3));
        assert!(worked.into_inner() < inputs.len(), "nobody works on for nobody");
        assert_eq!(in_order(&[], |_: &u8| (), |()| Err(())), Ok(()));
    }

    #[test]
    fn nobody_runs_away_from_the_slow() {
        let inputs: Vec<usize> = (0..2_000).collect();
        for threads in [1, 2, 4] {
            let (begun, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = |&n: &usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                if n % 500 == 0 {
                    // Long enough for the others to do all there is.
                    std::thread::sleep(Duration::from_millis(20));
                }
                let ahead = begun.load(Ordering::SeqCst) - taken.load(Ordering::SeqCst);
                assert!(ahead <= threads * AHEAD_A_THREAD + 1, "{ahead} results wait");
            };
            let take = |()| {
                taken.fetch_add(1, Ordering::SeqCst);
                Ok::<(), ()>(())
            };
            in_order_by(threads, AHEAD_A_THREAD, true, &inputs, work, take).unwrap();
            assert_eq!(taken.into_inner(), inputs.len());
        }
    }

    #[test]
    fn a_panic_of_one_does_not_leave_the_others_waiting() {
        let inputs: Vec<usize> = (0..1_000).collect();
        let run = |bad: usize, in_take: bool| {
            catch_unwind(AssertUnwindSafe(|| {
                let work = |&n: &usize| {
                    assert!(in_take || n != bad, "no");
                    n
                };
                in_order_by(4, AHEAD_A_THREAD, true, &inputs, work, |n| {
                    assert!(!in_take || n != bad, "no");
                    Ok::<(), ()>(())
                })
            }))
        };
        assert!(run(0, false).is_err() && run(700, false).is_err() && run(3, true).is_err());
    }

    #[test]
    fn work_may_itself_be_parallel() {
        use rayon::prelude::*;
        let inputs: Vec<u64> = (0..300).collect();
        let work = |&n: &u64| (0..1_000u64).into_par_iter().map(|m| m % (n + 1)).sum::<u64>();
        let sums = || {
            let mut sums = Vec::new();
            let done = in_order(&inputs, work, |sum| {
                sums.push(sum);
                Ok::<(), ()>(())
            });
            done.map(|()| sums).unwrap()
        };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(sums(), one.install(sums), "also on the only thread of a pool");
    }
}
