//! Oracles that are processes: started when they are needed, each asked by one thread at a time, started anew once where
//! they fail, and ended with everything they started.

mod child;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use child::{Child, Failed};

use crate::ender::Ender;
use crate::error::OracleError;
use crate::hello::Hello;
use crate::message::Expected;
use crate::meter::Meter;
use crate::options::{OracleOptions, Voice};
use crate::transport::{LONGEST_HELLO, Reader, Request, Transport};

/// How long processes have to end by themselves once nobody asks any more.
const FAREWELL: Duration = Duration::from_secs(1);

/// What an error says of a second failure.
const AGAIN: &str = ", also after it was started anew";

/// Some processes of one command.
pub(crate) struct Processes {
    command: String,
    timeout: Duration,
    workers: usize,
    voice: Voice,
    meter: Arc<Meter>,
    ender: Ender,
    greeting: Vec<u8>,
    /// What the first of them said; all others must say the same.
    hello: OnceLock<Hello>,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Child>,
    /// Processes there are, idle or at work.
    started: usize,
}

/// The right to have one process; given back when dropped.
struct Seat<'p>(&'p Processes);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.state().started -= 1;
        self.0.freed.notify_one();
    }
}

impl Processes {
    pub(crate) fn new(command: &str, greeting: Vec<u8>, options: &OracleOptions, meter: Arc<Meter>) -> Self {
        Self {
            command: command.to_owned(),
            timeout: options.timeout,
            workers: options.workers.max(1),
            voice: options.voice.clone(),
            meter,
            ender: options.ender.clone(),
            greeting,
            hello: OnceLock::new(),
            state: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle process, or a new one where there may be more; waits where there may not.
    fn check_out(&self) -> Result<(Child, Seat<'_>), OracleError> {
        let mut state = self.state();
        loop {
            if let Some(child) = state.idle.pop() {
                return Ok((child, Seat(self)));
            }
            if state.started < self.workers {
                state.started += 1;
                drop(state);
                let seat = Seat(self);
                return Ok((self.start()?, seat));
            }
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn check_in(&self, child: Child, seat: Seat<'_>) {
        // The process keeps its seat while it is idle.
        std::mem::forget(seat);
        self.state().idle.push(child);
        self.freed.notify_one();
    }

    /// A process that has introduced itself; tried twice where it ends or says nothing, but for a command that is not there.
    fn start(&self) -> Result<Child, OracleError> {
        match self.start_once("") {
            Err(OracleError::Ended { status, .. }) if !status.contains("no such command") => {}
            Err(OracleError::Timeout { .. }) => {}
            other => return other,
        }
        self.meter.restart();
        self.start_once(AGAIN)
    }

    fn start_once(&self, again: &'static str) -> Result<Child, OracleError> {
        let mut child =
            Child::start(&self.command, self.voice.clone(), self.ender.clone()).map_err(|error| {
                OracleError::Start { command: self.command.clone(), reason: error.to_string() }
            })?;
        let asked = Expected::Hello;
        let request = Request { body: &self.greeting, asked: &asked, longest: LONGEST_HELLO };
        let line = match child.ask(&request, self.timeout) {
            Ok(line) => line,
            Err(failed) => return Err(self.failure(child, failed, &request, again)),
        };
        let hello = Hello::read(&line, 0).map_err(|fault| fault.error)?;
        self.hello.get_or_init(|| hello.clone()).agrees(&hello)?;
        Ok(child)
    }

    /// Ends a process that failed and says how it did.
    fn failure(
        &self,
        child: Child,
        failed: Failed,
        request: &Request<'_>,
        again: &'static str,
    ) -> OracleError {
        let asked = request.asked.to_string();
        let (status, stderr) = child.end(Duration::ZERO);
        match failed {
            Failed::Late => {
                OracleError::Timeout { asked, seconds: self.timeout.as_secs_f64(), again, stderr }
            }
            Failed::Ended => OracleError::Ended { asked, status, again, stderr },
            Failed::TooLong => OracleError::TooLong { asked, limit: request.longest },
        }
    }
}

impl Transport for Processes {
    fn hello(&self) -> Result<Hello, OracleError> {
        if let Some(hello) = self.hello.get() {
            return Ok(hello.clone());
        }
        let (child, seat) = self.check_out()?;
        self.check_in(child, seat);
        self.hello.get().cloned().ok_or_else(|| OracleError::Hello("it said nothing".into()))
    }

    fn ask(&self, request: &Request<'_>, read: &mut Reader<'_>) -> Result<(), OracleError> {
        let (mut child, seat) = self.check_out()?;
        let mut again = "";
        loop {
            let started = Instant::now();
            match child.ask(request, self.timeout) {
                Ok(line) => {
                    let took = started.elapsed();
                    let result = read(&line);
                    child.give_back(line);
                    return match result {
                        Ok(()) => {
                            self.meter.request(took);
                            self.check_in(child, seat);
                            Ok(())
                        }
                        Err(fault) if fault.astray => {
                            child.end(Duration::ZERO);
                            Err(fault.error)
                        }
                        Err(fault) => {
                            self.meter.request(took);
                            self.check_in(child, seat);
                            Err(fault.error)
                        }
                    };
                }
                Err(failed) => {
                    let hopeless = matches!(failed, Failed::TooLong) || !again.is_empty();
                    let error = self.failure(child, failed, request, again);
                    if hopeless {
                        return Err(error);
                    }
                    again = AGAIN;
                    self.meter.restart();
                    child = self.start_once(again)?;
                }
            }
        }
    }

    fn free(&self) -> usize {
        let state = self.state();
        state.idle.len() + self.workers.saturating_sub(state.started)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        let mut idle = std::mem::take(&mut self.state().idle);
        // All at once: they end side by side.
        idle.iter_mut().for_each(Child::dismiss);
        let until = Instant::now() + FAREWELL;
        for child in idle {
            child.end(until.saturating_duration_since(Instant::now()));
        }
    }
}
