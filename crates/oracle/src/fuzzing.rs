//! An oracle whose answers are known beforehand, for the fuzzer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use grease_graph::Interactions;

use crate::error::OracleError;
use crate::hello::Hello;
use crate::meter::Meter;
use crate::options::OracleOptions;
use crate::oracle::Oracle;
use crate::transport::{Reader, Request, Transport};

/// Answers with these lines, whatever it is asked: the first to hello.
pub fn saying(lines: &[u8], interactions: &Interactions) -> Result<Oracle, OracleError> {
    let mut lines = lines.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
    let hello = lines.next().unwrap_or_default();
    let said = Said { hello, rest: Mutex::new(lines.collect()) };
    Oracle::over(Box::new(said), interactions, OracleOptions::default(), Arc::new(Meter::new()))
}

struct Said {
    hello: Vec<u8>,
    rest: Mutex<VecDeque<Vec<u8>>>,
}

impl Transport for Said {
    fn hello(&self) -> Result<Hello, OracleError> {
        Hello::read(&self.hello, 0).map_err(|fault| fault.error)
    }

    fn ask(&self, request: &Request<'_>, read: &mut Reader<'_>) -> Result<(), OracleError> {
        let line = self.rest.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let silent = || OracleError::Reply { asked: request.asked.to_string(), reason: "nothing".into() };
        read(&line.ok_or_else(silent)?).map_err(|fault| fault.error)
    }

    fn free(&self) -> usize {
        1
    }
}
