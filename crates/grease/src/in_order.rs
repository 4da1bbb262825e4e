//! Working on many at once and handing out the results one by one, in order.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` on every input, as many at once as there are threads, and gives each result to `take` in the order of
/// the inputs, as soon as it is that one's turn. The first error of `take` ends it all.
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
    let next = AtomicUsize::new(0);
    let desk = Mutex::new(Desk { turn: 0, waiting: BTreeMap::new(), take, ended: None });
    // One input at a time for each thread, taken from the front: results are wanted in order, so work on the far
    // end of the inputs would only pile up.
    let worker = || {
        while let Some((at, input)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            inputs.get(at).map(|input| (at, input))
        } {
            let result = work(input);
            let mut desk = desk.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if desk.hand_in(at, result).is_err() {
                next.store(inputs.len(), Ordering::Relaxed);
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(inputs.len()) {
            scope.spawn(|_| worker());
        }
    });
    let desk = desk.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    desk.ended.map_or(Ok(()), Err)
}

/// Where results wait for their turn.
struct Desk<R, E, F> {
    turn: usize,
    waiting: BTreeMap<usize, R>,
    take: F,
    ended: Option<E>,
}

impl<R, E, F: FnMut(R) -> Result<(), E>> Desk<R, E, F> {
    /// `Err` once it has ended.
    fn hand_in(&mut self, at: usize, result: R) -> Result<(), ()> {
        self.waiting.insert(at, result);
        while self.ended.is_none()
            && let Some(result) = self.waiting.remove(&self.turn)
        {
            self.turn += 1;
            self.ended = (self.take)(result).err();
        }
        if self.ended.is_some() { Err(()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_inputs_whoever_is_fast() {
        let inputs: Vec<u64> = (0..200).collect();
        let slow_then_fast = |&n: &u64| {
            std::thread::sleep(std::time::Duration::from_micros((n % 7) * 100));
            n
        };
        let mut taken = Vec::new();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let done = pool.install(|| {
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
}
