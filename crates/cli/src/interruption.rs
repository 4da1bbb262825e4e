//! Ctrl-C: once asks for a clean end where there can be one, twice ends at once. Nothing that was started is left behind.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use grease::oracle::Ender;

use crate::failure::{Code, Failure};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State { handled: false, what: None, enders: Vec::new() });

struct State {
    /// Whether Ctrl-C is ours already.
    handled: bool,
    /// What follows the first Ctrl-C, where it does not end all at once.
    what: Option<&'static str>,
    /// What ends with us.
    enders: Vec<Ender>,
}

/// From now on Ctrl-C sets the flag that is returned, and says `what` follows, where there is something to say.
pub(crate) fn watch(what: &'static str) -> Result<&'static AtomicBool, Failure> {
    change(|state| state.what = Some(what))?;
    Ok(&INTERRUPTED)
}

/// What was watched is over: from now on Ctrl-C ends all at once again.
pub(crate) fn watched() {
    STATE.lock().unwrap_or_else(PoisonError::into_inner).what = None;
}

/// From now on these processes end with us, however we end; they are not in the terminal's group.
pub(crate) fn end_with_us(ender: Ender) -> Result<(), Failure> {
    change(|state| state.enders.push(ender))
}

fn change(how: impl FnOnce(&mut State)) -> Result<(), Failure> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    how(&mut state);
    if !state.handled {
        ctrlc::set_handler(interrupt).map_err(Failure::unexpected)?;
        state.handled = true;
    }
    Ok(())
}

fn interrupt() {
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let again = INTERRUPTED.swap(true, Ordering::SeqCst);
    match state.what {
        Some(what) if !again => {
            if !what.is_empty() {
                let _ = writeln!(io::stderr().lock(), "{what}");
            }
        }
        _ => {
            state.enders.iter().for_each(Ender::end);
            std::process::exit(Code::Interrupted as i32);
        }
    }
}
