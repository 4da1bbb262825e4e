//! What can go wrong with somebody else's recommender.

use grease_graph::{GraphError, ScoreError};

use crate::options::MOST_WORKERS;
use crate::protocol::PROTOCOL;

/// Why an oracle gave no answer that can be used. `asked` says what it was asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The command could not be run at all.
    #[error("the oracle `{command}` could not be started: {reason}")]
    Start { command: String, reason: String },
    /// More workers than make sense.
    #[error("{0} workers are too many for an oracle; expected at most {MOST_WORKERS}")]
    Workers(usize),
    /// The process ended before it answered.
    #[error("the oracle ended ({status}) when it was asked {asked}{again}{stderr}")]
    Ended {
        asked: String,
        status: String,
        /// Whether it had been started anew for this.
        again: &'static str,
        /// The last it said on stderr, where it said something.
        stderr: String,
    },
    /// No answer in time.
    #[error("the oracle did not answer within {seconds} s when it was asked {asked}{again}{stderr}")]
    Timeout {
        asked: String,
        seconds: f64,
        /// Whether it had been asked before.
        again: &'static str,
        /// The last it said on stderr, where it said something.
        stderr: String,
    },
    /// Something that is not an object of JSON.
    #[error(
        "the oracle answered something that is not JSON when it was asked {asked}: `{said}`; a program that prints \
         to stdout must send those words to stderr"
    )]
    NotJson { asked: String, said: String },
    /// The same from an address, where something else may live.
    #[error(
        "what answers at {url} is no oracle: when it was asked {asked} it said `{said}`, which is not JSON; check host, \
         port and path of the address"
    )]
    NoOracle { url: String, asked: String, said: String },
    /// The answer to another question.
    #[error(
        "the oracle answered with id {got} when it was asked {asked} with id {expected}; a reply repeats the id of its request"
    )]
    WrongId {
        asked: String,
        expected: u64,
        /// The id of the answer, as it was written.
        got: String,
    },
    /// Another protocol, or another version of it.
    #[error("the oracle speaks {got}, expected \"grease\": \"{PROTOCOL}\" in its answer to hello")]
    Version { got: String },
    /// An introduction that makes no sense.
    #[error("the oracle's answer to hello cannot be used: {0}")]
    Hello(String),
    /// The data has items the oracle does not know.
    #[error(
        "the oracle does not know {count} of the {all} items of the interactions, such as {some}; its answer to hello must list every one of them"
    )]
    UnknownItems { count: usize, all: usize, some: String },
    /// Two processes of the same command introduce themselves differently.
    #[error("two processes of the oracle differ in their {what}; all must be the same recommender")]
    Disagree { what: &'static str },
    /// An answer that makes no sense.
    #[error("the oracle's answer cannot be used when it was asked {asked}: {reason}")]
    Reply { asked: String, reason: String },
    /// What the oracle itself says went wrong.
    #[error("the oracle refused when it was asked {asked}: {said}")]
    Said { asked: String, said: String },
    /// An answer longer than any sensible one.
    #[error("the oracle's answer is longer than {limit} bytes when it was asked {asked}")]
    TooLong { asked: String, limit: usize },
    /// An HTTP status that is not 200.
    #[error("the oracle answered with HTTP status {status} when it was asked {asked}{tries}{body}")]
    Status {
        asked: String,
        status: u16,
        /// How often it was asked, where more than once.
        tries: String,
        /// How the answer begins, where there is something to read.
        body: String,
    },
    /// No connection, or one that broke.
    #[error("the oracle at {url} could not be reached when it was asked {asked}{tries}: {reason}")]
    Connection {
        url: String,
        asked: String,
        /// How often it was asked, where more than once.
        tries: String,
        reason: String,
    },
    /// Not an address one could ask.
    #[error("`{url}` is not the address of an oracle: {reason}")]
    Url { url: String, reason: String },
    /// A token that cannot be sent.
    #[error("the token cannot be sent: {0}")]
    Token(String),
    /// The oracle's lists are shorter than what is asked of it.
    #[error(
        "the oracle answers only its first {top} items, too few for a list of {list} beside a history of {history}"
    )]
    TooFew {
        top: usize,
        /// The length of the lists that are wanted.
        list: usize,
        /// Interactions of the person, which are never listed.
        history: usize,
    },
    /// The interactions make no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl From<OracleError> for ScoreError {
    fn from(error: OracleError) -> Self {
        match error {
            OracleError::Said { .. } | OracleError::TooFew { .. } => ScoreError::Refused(error.to_string()),
            error => ScoreError::Failed(error.to_string()),
        }
    }
}

/// The start of a text, on one line and short enough for a message.
pub(crate) fn excerpt(text: &[u8]) -> String {
    const LONGEST: usize = 120;
    let head = &text[..text.len().min(4 * LONGEST)];
    let text = String::from_utf8_lossy(head);
    let text = text.trim();
    let mut shown: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.len() < text.len() || head.len() == 4 * LONGEST {
        shown.push('…');
    }
    shown
}
