//! Oracles behind HTTP: each request is a POST. Connections are used again, and a service that is busy or out of reach
//! is asked again, later each time.

mod patience;

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::http::{HeaderName, HeaderValue, Uri};

use crate::address::{Token, without_secrets};
use crate::error::{OracleError, excerpt};
use crate::hello::Hello;
use crate::message::{Expected, Fault};
use crate::meter::Meter;
use crate::transport::{LONGEST_HELLO, Reader, Request, Transport};
use patience::{LONGEST_WAIT, pause, retry_after};

/// How often a request is sent at most.
const TRIES: u32 = 5;
/// Of a service's complaint, how much is read.
const LONGEST_COMPLAINT: usize = 64 << 10;

/// A service at an address.
pub(crate) struct Service {
    agent: ureq::Agent,
    url: String,
    /// The address as it may be shown: without what may be secret in it.
    shown: String,
    token: Option<Token>,
    timeout: Duration,
    backoff: Duration,
    workers: usize,
    meter: Arc<Meter>,
    greeting: Vec<u8>,
    at_work: Mutex<usize>,
    freed: Condvar,
}

/// Why a try gave nothing.
enum Miss {
    /// Trying again is of no use.
    Final(OracleError),
    /// The service is busy, perhaps for as long as it says, or out of reach.
    Passing { error: OracleError, after: Option<Duration> },
    /// No answer in time: worth one more try.
    Late,
}

/// One of so many requests at a time.
struct Turn<'s>(&'s Service);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.freed.notify_one();
    }
}

impl Service {
    pub(crate) fn new(
        url: &str,
        token: Option<Token>,
        greeting: Vec<u8>,
        (workers, timeout, backoff): (usize, Duration, Duration),
        meter: Arc<Meter>,
    ) -> Result<Self, OracleError> {
        let shown = without_secrets(url);
        let wrong = |reason: &str| OracleError::Url { url: shown.clone(), reason: reason.to_owned() };
        let uri: Uri = url.parse().map_err(|_| wrong("it cannot be read"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
            return Err(wrong("expected http://HOST or https://HOST, perhaps with a port and a path"));
        }
        if let Some(token) = &token {
            HeaderName::try_from(token.header()).map_err(|_| {
                OracleError::Token(format!("`{}` is not the name of a header", token.header()))
            })?;
            HeaderValue::try_from(token.value())
                .map_err(|_| OracleError::Token("it has characters that no header can have".into()))?;
        }
        let workers = workers.max(1);
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A request with a token goes where it was sent, and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // What the environment says is not for a library to read.
            .proxy(None)
            .timeout_global(Some(timeout))
            .max_idle_connections(workers)
            .max_idle_connections_per_host(workers)
            .user_agent(concat!("grease/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Self {
            agent,
            url: url.to_owned(),
            shown,
            token,
            timeout,
            backoff,
            workers,
            meter,
            greeting,
            at_work: Mutex::new(0),
            freed: Condvar::new(),
        })
    }

    fn turn(&self) -> Turn<'_> {
        let mut at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        while *at_work >= self.workers {
            at_work = self.freed.wait(at_work).unwrap_or_else(PoisonError::into_inner);
        }
        *at_work += 1;
        Turn(self)
    }

    /// Sends a request until it is answered, or for the last time.
    fn answer(&self, request: &Request<'_>) -> Result<(Vec<u8>, Duration), OracleError> {
        let mut late = false;
        let mut tries = 1;
        loop {
            let started = Instant::now();
            let after = match self.once(request, tries) {
                Ok(body) => return Ok((body, started.elapsed())),
                Err(Miss::Final(error)) => return Err(error),
                Err(Miss::Late) if late || tries == TRIES => {
                    return Err(OracleError::Timeout {
                        asked: request.asked.to_string(),
                        seconds: self.timeout.as_secs_f64(),
                        again: if late { ", also when it was asked again" } else { "" },
                        stderr: String::new(),
                    });
                }
                Err(Miss::Late) => {
                    late = true;
                    Some(Duration::ZERO)
                }
                Err(Miss::Passing { error, after }) => {
                    if tries == TRIES || after.is_some_and(|after| after > LONGEST_WAIT) {
                        return Err(error);
                    }
                    after
                }
            };
            self.meter.retry();
            std::thread::sleep(pause(self.backoff, tries, after, request.body));
            tries += 1;
        }
    }

    fn once(&self, request: &Request<'_>, tries: u32) -> Result<Vec<u8>, Miss> {
        let mut post = self.agent.post(&self.url).content_type("application/json");
        if let Some(token) = &self.token {
            post = post.header(token.header(), token.value());
        }
        let mut response = post.send(request.body).map_err(|error| self.miss(error, request, tries))?;
        let status = response.status().as_u16();
        let after = response.headers().get("retry-after").and_then(|value| retry_after(value.to_str().ok()?));
        let longest = if status == 200 { request.longest } else { LONGEST_COMPLAINT };
        let body = response.body_mut().with_config().limit(longest as u64 + 1).read_to_vec();
        if status == 200 {
            return body.map_err(|error| self.miss(error, request, tries));
        }
        let said = excerpt(&body.unwrap_or_default());
        let error = OracleError::Status {
            asked: request.asked.to_string(),
            status,
            tries: times(tries),
            body: if said.is_empty() { said } else { format!(": {}", self.hidden(&said)) },
        };
        Err(if matches!(status, 429 | 503) { Miss::Passing { error, after } } else { Miss::Final(error) })
    }

    fn miss(&self, error: ureq::Error, request: &Request<'_>, tries: u32) -> Miss {
        let asked = request.asked.to_string();
        match error {
            ureq::Error::Timeout(_) => Miss::Late,
            ureq::Error::BodyExceedsLimit(_) => {
                Miss::Final(OracleError::TooLong { asked, limit: request.longest })
            }
            error => {
                let passing = matches!(
                    error,
                    ureq::Error::Io(_)
                        | ureq::Error::ConnectionFailed
                        | ureq::Error::HostNotFound
                        | ureq::Error::Protocol(_)
                );
                let reason = self.hidden(&error.to_string());
                let error =
                    OracleError::Connection { url: self.shown.clone(), asked, tries: times(tries), reason };
                if passing { Miss::Passing { error, after: None } } else { Miss::Final(error) }
            }
        }
    }

    /// What is wrong with an answer, said of an address: behind it there is no program whose words we could see.
    fn said_here(&self, fault: Fault) -> OracleError {
        match fault.error {
            OracleError::NotJson { asked, said } => {
                OracleError::NoOracle { url: self.shown.clone(), asked, said: self.hidden(&said) }
            }
            error => error,
        }
    }

    /// A text without the token and without what the address may hide.
    fn hidden(&self, text: &str) -> String {
        let text = self.token.as_ref().map_or_else(|| text.to_owned(), |token| token.hidden_in(text));
        if self.url == self.shown { text } else { text.replace(&self.url, &self.shown) }
    }
}

fn times(tries: u32) -> String {
    if tries == 1 { String::new() } else { format!(", {tries} times") }
}

impl Transport for Service {
    fn hello(&self) -> Result<Hello, OracleError> {
        let asked = Expected::Hello;
        let request = Request { body: &self.greeting, asked: &asked, longest: LONGEST_HELLO };
        let _turn = self.turn();
        let (body, _) = self.answer(&request)?;
        Hello::read(body.trim_ascii(), 0).map_err(|fault| self.said_here(fault))
    }

    fn ask(&self, request: &Request<'_>, read: &mut Reader<'_>) -> Result<(), OracleError> {
        let turn = self.turn();
        let (body, took) = self.answer(request)?;
        drop(turn);
        self.meter.request(took);
        read(body.trim_ascii()).map_err(|fault| self.said_here(fault))
    }

    fn free(&self) -> usize {
        self.workers.saturating_sub(*self.at_work.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str, token: Option<Token>) -> String {
        let limits = (1, Duration::from_secs(1), Duration::ZERO);
        match Service::new(url, token, Vec::new(), limits, Arc::new(Meter::new())) {
            Ok(_) => panic!("{url} was accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        let said = refused("ftp://me:pw@host/x?key=1", None);
        assert!(said.contains("`ftp://host/x`") && !said.contains("pw") && !said.contains("key"), "{said}");
        assert!(refused("not an address", None).contains("is not the address"));
    }

    #[test]
    fn a_token_no_header_can_carry_is_refused_without_showing_it() {
        let said = refused("http://host", Some(Token::bearer("two\nlines")));
        assert!(said.contains("characters that no header can have") && !said.contains("two"), "{said}");
        assert!(refused("http://host", Some(Token::in_header("a b", "x"))).contains("`a b`"));
    }
}
