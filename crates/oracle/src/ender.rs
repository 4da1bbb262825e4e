//! Ending all processes at once, for those who are about to quit without further ado.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Ends the processes of an oracle at once, with everything they started; from any thread.
///
/// For programs that quit without dropping the oracle, as on a second Ctrl-C.
#[derive(Debug, Clone, Default)]
pub struct Ender(Arc<Mutex<BTreeSet<u32>>>);

impl Ender {
    /// Ends them. Questions under way fail, or start new processes.
    pub fn end(&self) {
        // Locked all the while: a process is taken off before it is waited for, so these numbers are still theirs.
        for &process in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            kill_group(process);
        }
    }

    pub(crate) fn started(&self, process: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(process);
    }

    /// It is killed with its group, and can be waited for now.
    pub(crate) fn kill(&self, process: u32) {
        let mut processes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kill_group(process);
        processes.remove(&process);
    }
}

#[cfg(unix)]
fn kill_group(process: u32) {
    let group = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_process: u32) {}
