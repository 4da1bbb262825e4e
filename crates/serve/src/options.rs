//! What a service allows.

use std::time::Duration;

/// How a recommender is served.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// What everybody must send as `Authorization: Bearer TOKEN`, where it is given.
    pub token: Option<String>,
    /// Whether people can be searched for. Without it a page can be given out for one person.
    pub user_search: bool,
    /// The most of everything.
    pub limits: Limits,
}

/// The most of everything.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Length of a list.
    pub k: usize,
    /// Bytes of a request's body.
    pub body: usize,
    /// Items of one request: to explain, to imagine away or there, in a history.
    pub items: usize,
    /// Questions to the recommender for one explanation.
    pub queries: usize,
    /// Threads that compute.
    pub threads: usize,
    /// Requests that may wait for one of them: so many quick ones, and so many long ones.
    pub queue: usize,
    /// How long a request may wait before it is begun. Whoever waits longer is refused instead of being answered too late.
    pub patience: Duration,
    /// How long a request may take.
    pub timeout: Duration,
    /// Explanations that are remembered.
    pub remembered: usize,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self { token: None, user_search: true, limits: Limits::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            k: 100,
            body: 64 << 10,
            items: 200,
            queries: 1000,
            threads: std::thread::available_parallelism().map_or(2, usize::from),
            queue: 64,
            patience: Duration::from_secs(1),
            timeout: Duration::from_secs(30),
            remembered: 10_000,
        }
    }
}
