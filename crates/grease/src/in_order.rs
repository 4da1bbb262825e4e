//! Working on many at once and handing out the results one by one, in order.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How far ahead of the slowest the others may work, for each thread: results wait in memory until it is their turn.
const AHEAD_A_THREAD: usize = 16;

/// Does `work` on every input, as many at once as there are threads, and gives each result to `take` in the order of
/// the inputs, as soon as it is that one's turn. The first error of `take` ends it all.
///
/// Where one input takes long the others wait for it rather than pile up their results, so that memory does not go with
/// the number of inputs.
///
/// ```
/// let mut squares = Vec::new();
/// grease::in_order(&[1, 2, 3], |n| n * n, |square| { squares.push(square); Ok::<(), ()>(()) })?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), ()>(())
/// ```
pub fn in_order<'i, T: Sync, R: Send, E: Send>(
    inputs: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
    take: impl FnMut(R) -> Result<(), E> + Send,
) -> Result<(), E> {
    let threads = rayon::current_num_threads().min(inputs.len());
    let desk = Desk {
        ahead: threads * AHEAD_A_THREAD,
        state: Mutex::new(State { next: 0, turn: 0, waiting: BTreeMap::new(), take, ended: None }),
        turned: Condvar::new(),
    };
    let worker = || {
        let done = catch_unwind(AssertUnwindSafe(|| {
            while let Some(at) = desk.claim(inputs.len()) {
                desk.hand_in(at, work(&inputs[at]));
            }
        }));
        if let Err(panic) = done {
            // The others must not wait for a turn that never comes.
            desk.end(Ended::Panic(panic));
        }
    };
    // Threads of their own, because they wait for each other. A pool's threads that wait for a part of their work take up
    // other work meanwhile, such as the next input, and the first could not go on before the next is done.
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(worker);
        }
    });
    match desk.state.into_inner().unwrap_or_else(PoisonError::into_inner).ended {
        None => Ok(()),
        Some(Ended::Error(error)) => Err(error),
        Some(Ended::Panic(panic)) => resume_unwind(panic),
    }
}

/// Where results wait for their turn.
struct Desk<R, E, F> {
    /// How far from the turn an input may be to be worked on.
    ahead: usize,
    state: Mutex<State<R, E, F>>,
    /// The turn moved on, or all ended.
    turned: Condvar,
}

struct State<R, E, F> {
    /// The first input nobody works on.
    next: usize,
    /// The first whose result was not taken.
    turn: usize,
    waiting: BTreeMap<usize, R>,
    take: F,
    ended: Option<Ended<E>>,
}

enum Ended<E> {
    Error(E),
    Panic(Box<dyn Any + Send>),
}

impl<R, E, F: FnMut(R) -> Result<(), E>> Desk<R, E, F> {
    fn state(&self) -> MutexGuard<'_, State<R, E, F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next input to work on; `None` when there are no more. Taken from the front: results are wanted in order.
    fn claim(&self, inputs: usize) -> Option<usize> {
        // Whoever works on the input whose turn it is waits for nobody, so the turn moves on.
        let wait = |state: &mut State<R, E, F>| {
            state.ended.is_none() && state.next < inputs && state.next >= state.turn + self.ahead
        };
        let mut state = self.turned.wait_while(self.state(), wait).unwrap_or_else(PoisonError::into_inner);
        if state.ended.is_some() || state.next >= inputs {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    fn hand_in(&self, at: usize, result: R) {
        let mut state = self.state();
        let State { turn, waiting, take, ended, .. } = &mut *state;
        waiting.insert(at, result);
        let before = *turn;
        while ended.is_none()
            && let Some(result) = waiting.remove(turn)
        {
            *turn += 1;
            *ended = take(result).err().map(Ended::Error);
        }
        if *turn > before {
            self.turned.notify_all();
        }
    }

    /// The first end counts.
    fn end(&self, how: Ended<E>) {
        self.state().ended.get_or_insert(how);
        self.turned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn the_order_is_that_of_the_inputs_whoever_is_fast() {
        let inputs: Vec<u64> = (0..200).collect();
        let slow_then_fast = |&n: &u64| {
            std::thread::sleep(Duration::from_micros((n % 7) * 100));
            n
        };
        let mut taken = Vec::new();
        let done = with_threads(4, || {
            in_order(&inputs, slow_then_fast, |n| {
                taken.push(n);
                Ok::<(), ()>(())
            })
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
                assert!(ahead <= threads * AHEAD_A_THREAD + threads, "{ahead} results wait");
            };
            let take = |()| {
                taken.fetch_add(1, Ordering::SeqCst);
                Ok::<(), ()>(())
            };
            with_threads(threads, || in_order(&inputs, work, take)).unwrap();
            assert_eq!(taken.into_inner(), inputs.len());
        }
    }

    #[test]
    fn a_panic_of_one_does_not_leave_the_others_waiting() {
        let inputs: Vec<usize> = (0..1_000).collect();
        let run = |bad: usize, in_take: bool| {
            with_threads(4, || {
                catch_unwind(AssertUnwindSafe(|| {
                    let work = |&n: &usize| {
                        assert!(in_take || n != bad, "no");
                        n
                    };
                    in_order(&inputs, work, |n| {
                        assert!(!in_take || n != bad, "no");
                        Ok::<(), ()>(())
                    })
                }))
            })
        };
        assert!(run(0, false).is_err() && run(700, false).is_err() && run(3, true).is_err());
    }

    #[test]
    fn work_may_itself_be_parallel() {
        use rayon::prelude::*;
        let inputs: Vec<u64> = (0..300).collect();
        let mut sums = 0;
        let work = |&n: &u64| (0..1_000u64).into_par_iter().map(|m| m % (n + 1)).sum::<u64>();
        let take = |sum| {
            sums += sum;
            Ok::<(), ()>(())
        };
        with_threads(2, || in_order(&inputs, work, take)).unwrap();
        assert!(sums > 0);
    }
}
