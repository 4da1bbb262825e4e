//! What a service allows.

use std::time::Duration;

use crate::pass::LinkKey;

/// How a recommender is served.
#[derive(Clone)]
pub struct ServeOptions {
    /// What everybody must send as `Authorization: Bearer TOKEN`, where it is given.
    pub token: Option<String>,
    /// Signs the links that open one person's page. Where there is one, whoever has neither the token nor such a link gets nothing.
    pub link_key: Option<LinkKey>,
    /// Whether it may be asked by any name. Otherwise, where nothing is wanted of whoever asks, only addresses and localhost will do:
    /// else any page in a browser on this machine could ask, once its own name leads here.
    pub any_host: bool,
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
    /// Edits tried for one list to prove that nothing smaller does it.
    pub prove: usize,
    /// Further explanations of one item.
    pub alternatives: usize,
    /// Goals of one item.
    pub goals: usize,
    /// How far a neighbourhood reaches.
    pub hops: usize,
    pub threads: usize,
    /// Requests that may wait for one of them: so many quick ones, and so many long ones.
    pub queue: usize,
    /// How long a request may wait before it is begun. Whoever waits longer is refused instead of being answered too late.
    pub patience: Duration,
    /// How long a request may take.
    pub timeout: Duration,
    /// Explanations that are remembered.
    pub remembered: usize,
    /// Connections at a time; who comes later waits to be let in.
    pub connections: usize,
    /// How long a connection may be silent.
    pub silence: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self { token: None, link_key: None, any_host: false, user_search: true, limits: Limits::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            k: 100,
            body: 64 << 10,
            items: 200,
            queries: 1000,
            prove: 100_000,
            alternatives: 5,
            goals: 4,
            hops: 4,
            threads: std::thread::available_parallelism().map_or(2, usize::from),
            queue: 64,
            patience: Duration::from_secs(1),
            timeout: Duration::from_secs(30),
            remembered: 10_000,
            connections: 1024,
            silence: Duration::from_secs(60),
        }
    }
}
