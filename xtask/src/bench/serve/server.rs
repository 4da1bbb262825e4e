//! The server under test: a process of its own, watched from outside.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::served::Served;

/// `grease serve`, until it is dropped.
pub(in crate::bench) struct Server {
    served: Served,
    pub(in crate::bench) address: SocketAddr,
    /// From starting the process to its saying where it listens.
    pub(super) started_in: Duration,
}

impl Server {
    /// Starts it at a free port and waits until it listens.
    pub(in crate::bench) fn start(grease: &Path, model: &Path) -> Result<Self, Failure> {
        let mut command = Command::new(grease);
        command.args(["serve", "--port", "0", "--model"]).arg(model);
        let began = Instant::now();
        let served = Served::start(&mut command)?;
        Ok(Self { address: served.address, served, started_in: began.elapsed() })
    }

    /// The processor time it has used so far.
    pub(super) fn cpu(&self) -> Option<Duration> {
        cpu_of(&self.served.child.id().to_string())
    }

    /// The memory it holds now, in MB.
    pub(in crate::bench) fn resident_mb(&self) -> Option<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.served.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok().map(|kib: f64| kib * 1024.0 / 1e6)
    }

    /// Whether it still runs.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.served.child.try_wait(), Ok(None))
    }
}

/// The processor time this program has used so far.
pub(super) fn own_cpu() -> Option<Duration> {
    cpu_of("self")
}

/// User and system time of a process with all its threads; Linux counts both in hundredths of a second.
fn cpu_of(process: &str) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is the program's name in brackets, and may have anything in it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let hundredths: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * hundredths))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn our_own_time_grows_as_we_work() {
        let before = own_cpu().unwrap();
        let began = Instant::now();
        let mut work = 0u64;
        while own_cpu().unwrap() == before && began.elapsed() < Duration::from_secs(30) {
            work = std::hint::black_box(work + 1);
        }
        assert!(own_cpu().unwrap() > before);
    }
}
