//! `grease` serving in a process of its own, for as long as it is wanted.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use crate::failure::Failure;
use crate::process::shown;

/// A service that listens; ended with this.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
}

impl Served {
    /// Runs a command that serves, and waits until it says where.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Failure> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let named = shown(command);
        let failed = |error: io::Error| Failure::work(format!("`{named}`: {error}"));
        let mut child = command.spawn().map_err(failed)?;
        let pipe = child.stderr.take().ok_or_else(|| Failure::work("no standard error"))?;
        let mut said = BufReader::new(pipe);
        let mut all = String::new();
        loop {
            let before = all.len();
            if said.read_line(&mut all).map_err(failed)? == 0 {
                let _ = child.wait();
                return Err(Failure::work(format!("`{named}` ended before it listened: {all}")));
            }
            if let Some(address) = address_in(&all[before..]) {
                // Whatever else it says is read, so that it never waits for us.
                std::thread::spawn(move || io::copy(&mut said, &mut io::sink()));
                return Ok(Self { child, address });
            }
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("http://")?;
    rest.split(|c: char| c.is_whitespace() || c == '/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_in_the_line_that_says_it() {
        assert_eq!(address_in("listening at http://127.0.0.1:4711\n"), "127.0.0.1:4711".parse().ok());
        assert_eq!(address_in("reading the model\n"), None);
    }
}
