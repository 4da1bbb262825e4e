//! How an oracle is asked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use grease_graph::ItemId;

use crate::ender::Ender;

/// The most workers, and the most threads that make sense: each costs memory and time to start, and is seldom asked.
pub const MOST_WORKERS: usize = 1_024;

/// How an oracle is asked.
#[derive(Debug, Clone)]
pub struct OracleOptions {
    /// The most processes, or the most requests at a time; at least one, at most [`MOST_WORKERS`].
    pub workers: usize,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Bytes of answers to remember; 0 remembers nothing.
    pub memory: usize,
    /// Wait so long before asking again where a service is busy or out of reach; twice as long each time.
    pub backoff: Duration,
    /// The length of the lists that are wanted of an oracle that answers only its first items; 0 if that is not known.
    pub list: usize,
    /// Items whose scores are wanted of such an oracle in every answer.
    pub always: Vec<ItemId>,
    /// Who hears what the oracle says on stderr, and what is to be said about it.
    pub voice: Voice,
    /// Ends the processes where nobody will drop the oracle.
    pub ender: Ender,
}

impl Default for OracleOptions {
    /// One worker, a minute, half a gigabyte, a quarter of a second.
    fn default() -> Self {
        Self {
            workers: 1,
            timeout: Duration::from_secs(60),
            memory: 512 << 20,
            backoff: Duration::from_millis(250),
            list: 0,
            always: Vec::new(),
            voice: Voice::default(),
            ender: Ender::default(),
        }
    }
}

/// Who hears what an oracle says beside its answers, a line at a time, from any thread.
#[derive(Clone)]
pub struct Voice(Arc<dyn Fn(&str) + Send + Sync>);

impl Voice {
    /// Calls this with every line.
    pub fn new(hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    pub(crate) fn say(&self, line: &str) {
        (self.0)(line);
    }
}

impl Default for Voice {
    /// Nobody.
    fn default() -> Self {
        Self::new(|_| ())
    }
}

impl fmt::Debug for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Voice")
    }
}
