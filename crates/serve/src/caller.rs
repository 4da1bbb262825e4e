//! Who asks, and whom they may ask about.

use std::net::IpAddr;
use std::time::SystemTime;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};

use crate::error::ApiError;
use crate::options::ServeOptions;
use crate::pass::PassError;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Somebody who may ask about everybody: they have the token, or none is wanted.
    Trusted,
    /// Somebody with a pass: they may ask about one person.
    Person(String),
}

impl Caller {
    /// By what they sent.
    pub(crate) fn of(headers: &HeaderMap, options: &ServeOptions) -> Result<Self, ApiError> {
        if options.token.is_none() && options.link_key.is_none() {
            return match options.any_host || is_plain_host(headers) {
                true => Ok(Self::Trusted),
                false => Err(ApiError::WrongHost),
            };
        }
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let sent = sent.and_then(|value| value.strip_prefix("Bearer ")).ok_or(ApiError::Unauthorised)?;
        if options.token.as_deref().is_some_and(|token| is_same(sent, token)) {
            return Ok(Self::Trusted);
        }
        let key = options.link_key.as_ref().ok_or(ApiError::Unauthorised)?;
        match key.open(sent, SystemTime::now()) {
            Ok(user) => Ok(Self::Person(user)),
            Err(PassError::Expired) => Err(ApiError::Expired),
            Err(PassError::NotSigned) => Err(ApiError::Unauthorised),
        }
    }

    /// Whoever has a pass is not even told whether somebody else exists.
    pub(crate) fn may_ask_about(&self, user: &str) -> Result<(), ApiError> {
        match self {
            Self::Person(own) if own != user => Err(ApiError::NotYours),
            _ => Ok(()),
        }
    }

    /// For what is about everybody at once.
    pub(crate) fn must_be_trusted(&self) -> Result<(), ApiError> {
        match self {
            Self::Trusted => Ok(()),
            Self::Person(_) => Err(ApiError::NotYours),
        }
    }

    /// Whom a pass is for.
    pub(crate) fn person(&self) -> Option<&str> {
        match self {
            Self::Trusted => None,
            Self::Person(own) => Some(own),
        }
    }
}

/// Whether it was asked by address or as localhost. Who sends no host is no browser.
fn is_plain_host(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST) else { return true };
    let Ok(Ok(host)) = host.to_str().map(str::parse::<Authority>) else { return false };
    let name = host.host().trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

/// Compared whole, whatever the first difference, so that nothing can be learned from how long it takes.
fn is_same(sent: &str, token: &str) -> bool {
    let differs = sent.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    sent.len() == token.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_anybodys_do_not_lead_here() {
        let asked = |host: &'static str| {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
            Caller::of(&headers, &ServeOptions::default())
        };
        for plain in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "192.168.0.7"] {
            assert_eq!(asked(plain), Ok(Caller::Trusted), "{plain}");
        }
        for named in
            ["example.org", "example.org:8080", "localhost.example.org", "127.0.0.1.example.org", "a b", ""]
        {
            assert_eq!(asked(named), Err(ApiError::WrongHost), "{named}");
        }
        let headers = HeaderMap::from_iter([(header::HOST, "example.org".parse().unwrap())]);
        let open = ServeOptions { any_host: true, ..ServeOptions::default() };
        assert_eq!(Caller::of(&headers, &open), Ok(Caller::Trusted));
    }

    #[test]
    fn a_pass_reaches_one_person() {
        let caller = Caller::Person("mira".into());
        assert_eq!(caller.may_ask_about("mira"), Ok(()));
        assert_eq!(caller.may_ask_about("theo"), Err(ApiError::NotYours));
        assert_eq!(caller.must_be_trusted(), Err(ApiError::NotYours));
        assert_eq!(Caller::Trusted.may_ask_about("theo"), Ok(()));
    }
}
