//! Ctrl-C: once asks for a clean end, twice ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Code, Failure};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C sets the flag that is returned.
pub(crate) fn watch() -> Result<&'static AtomicBool, Failure> {
    ctrlc::set_handler(interrupt).map_err(Failure::unexpected)?;
    Ok(&INTERRUPTED)
}

fn interrupt() {
    if INTERRUPTED.swap(true, Ordering::SeqCst) {
        std::process::exit(Code::Interrupted as i32);
    }
}
