//! What every long run does: the units that are left, several at once, each on disk before the next.

use serde::Serialize;

use super::in_order::in_order_ahead;
use super::{Journal, JournalError, RunObserver};

/// Does the units that are left and keeps them in order, until all are done or the observer wants it to end. No thread is more than
/// `ahead` units ahead of the slowest.
pub fn run_units<U: Sync, D: Serialize + Send, E: From<JournalError> + Send>(
    journal: &mut Journal,
    left: &[U],
    ahead: usize,
    observer: &dyn RunObserver,
    work: impl Fn(&U) -> Result<D, E> + Sync,
    interrupted: impl Fn(usize) -> E,
) -> Result<(), E> {
    in_order_ahead(
        ahead,
        left,
        |unit| (!observer.cancelled()).then(|| work(unit)),
        |done| {
            let done = match done {
                None => return Err(interrupted(journal.done())),
                // It may have been told to end as well.
                Some(Err(_)) if observer.cancelled() => return Err(interrupted(journal.done())),
                Some(done) => done?,
            };
            journal.append(&done)?;
            observer.done(journal.done());
            Ok(())
        },
    )
}
