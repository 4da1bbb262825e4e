//! Where an oracle is.

use std::fmt;

/// Where an oracle is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A command for `sh -c`; it reads questions from stdin and answers on stdout.
    Command(String),
    /// An `http` or `https` address that takes questions as the body of POST requests.
    Url {
        url: String,
        /// What the service wants to see, where it does.
        token: Option<Token>,
    },
}

impl Address {
    /// As it may be shown: an address without passwords and without what follows a question mark.
    pub fn shown(&self) -> String {
        match self {
            Address::Command(command) => command.clone(),
            Address::Url { url, .. } => without_secrets(url),
        }
    }
}

/// The address without `user:password@` and without what follows a question mark.
pub(crate) fn without_secrets(url: &str) -> String {
    let url = url.split_once('?').map_or(url, |(before, _)| before);
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

/// What a service wants to see before it answers. It is sent in a header, and shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    header: String,
    value: String,
    secret: String,
}

impl Token {
    /// Sent as `Authorization: Bearer TOKEN`.
    pub fn bearer(token: &str) -> Self {
        Self { header: "Authorization".into(), value: format!("Bearer {token}"), secret: token.to_owned() }
    }

    /// Sent as `HEADER: TOKEN`.
    pub fn in_header(header: &str, token: &str) -> Self {
        Self { header: header.to_owned(), value: token.to_owned(), secret: token.to_owned() }
    }

    pub(crate) fn header(&self) -> &str {
        &self.header
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// A text without the token, should a server have repeated it.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        if self.secret.is_empty() { text.to_owned() } else { text.replace(&self.secret, "[token]") }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("header", &self.header).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        let shown = |url: &str| Address::Url { url: url.into(), token: None }.shown();
        assert_eq!(shown("https://me:pw@host:8000/a/b?key=1"), "https://host:8000/a/b");
        assert_eq!(shown("http://host"), "http://host");
    }

    #[test]
    fn a_token_shows_itself_nowhere() {
        let token = Token::bearer("s3cret");
        assert_eq!((token.header(), token.value()), ("Authorization", "Bearer s3cret"));
        assert!(!format!("{token:?}").contains("s3cret"));
        assert_eq!(token.hidden_in("no such key: s3cret"), "no such key: [token]");
        assert_eq!(Token::in_header("X-Key", "k").value(), "k");
    }
}
