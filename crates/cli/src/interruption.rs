//! Ctrl-C: once asks for a clean end, twice ends at once.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Code, Failure};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C sets the flag that is returned, and says `what` follows, where there is something to say.
pub(crate) fn watch(what: &'static str) -> Result<&'static AtomicBool, Failure> {
    let interrupt = move || {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(Code::Interrupted as i32);
        }
        if !what.is_empty() {
            let _ = writeln!(io::stderr().lock(), "{what}");
        }
    };
    ctrlc::set_handler(interrupt).map_err(Failure::unexpected)?;
    Ok(&INTERRUPTED)
}
