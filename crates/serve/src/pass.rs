//! Passes: what a signed link carries. Whoever has one sees one person's page, and nobody else's, until it expires.
//!
//! `USER.EXPIRES.SIGNATURE`: the id in base64url, seconds since 1970, and the HMAC-SHA256 of both, in base64url.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// What is signed begins with it, so that no other signature made with the same key is taken for a pass.
const PURPOSE: &str = "grease.link/1";

/// The secret that signs passes.
#[derive(Clone)]
pub struct LinkKey(Hmac<Sha256>);

/// A key that is easily guessed signs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key has {length} bytes; a key nobody guesses has at least {}", LinkKey::SHORTEST)]
pub struct WeakKey {
    pub length: usize,
}

/// Why a pass opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassError {
    /// It is no pass, or was signed with another key, or somebody changed it.
    NotSigned,
    /// Its time is over.
    Expired,
}

impl LinkKey {
    /// Bytes a key has at least.
    pub const SHORTEST: usize = 16;

    /// From the secret itself.
    pub fn new(secret: &[u8]) -> Result<Self, WeakKey> {
        let weak = WeakKey { length: secret.len() };
        if secret.len() < Self::SHORTEST {
            return Err(weak);
        }
        Hmac::new_from_slice(secret).map(Self).map_err(|_| weak)
    }

    /// A pass for `user` until `expires`, to the second.
    pub fn sign(&self, user: &str, expires: SystemTime) -> String {
        let seconds = expires.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
        let signature = self.over(user, seconds).finalize().into_bytes();
        format!("{}.{seconds}.{}", URL_SAFE_NO_PAD.encode(user), URL_SAFE_NO_PAD.encode(signature))
    }

    /// Whom a pass is for.
    pub(crate) fn open(&self, pass: &str, now: SystemTime) -> Result<String, PassError> {
        let (user, seconds, signature) = parts(pass).ok_or(PassError::NotSigned)?;
        // Takes as long wherever the first difference is.
        self.over(&user, seconds).verify_slice(&signature).map_err(|_| PassError::NotSigned)?;
        let now = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
        if now >= seconds { Err(PassError::Expired) } else { Ok(user) }
    }

    fn over(&self, user: &str, seconds: u64) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(format!("{PURPOSE}\n{seconds}\n{user}").as_bytes());
        mac
    }
}

fn parts(pass: &str) -> Option<(String, u64, Vec<u8>)> {
    let mut parts = pass.split('.');
    let (user, seconds, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let user = String::from_utf8(URL_SAFE_NO_PAD.decode(user).ok()?).ok()?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    parts.next().is_none().then_some((user, seconds.parse().ok()?, signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn a_pass_opens_one_person_until_its_time_is_over() {
        let key = LinkKey::new(b"a key of many bytes").unwrap();
        for user in ["mira", "", "a.b\nc", "Zoë", "42"] {
            let pass = key.sign(user, at(1000));
            assert_eq!(key.open(&pass, at(999)), Ok(user.to_owned()));
            assert_eq!(key.open(&pass, at(1000)), Err(PassError::Expired));
            let other = LinkKey::new(b"another key of many bytes").unwrap();
            assert_eq!(other.open(&pass, at(0)), Err(PassError::NotSigned));
        }
    }

    #[test]
    fn nothing_about_a_pass_can_be_changed() {
        let key = LinkKey::new(b"a key of many bytes").unwrap();
        let pass = key.sign("mira", at(1000));
        let of_theo = key.sign("theo", at(1000));
        let [user, seconds, signature] = pass.split('.').collect::<Vec<_>>()[..] else { panic!() };
        let theo = of_theo.split('.').next().unwrap();
        let longer = format!("{user}.9{seconds}.{signature}");
        for changed in [
            format!("{theo}.{seconds}.{signature}"),
            longer,
            format!("{user}.{seconds}."),
            format!("{pass}.more"),
            pass[..pass.len() - 2].to_owned(),
            String::new(),
            "..".to_owned(),
            "x".repeat(10_000),
        ] {
            assert_eq!(key.open(&changed, at(0)), Err(PassError::NotSigned), "{changed}");
        }
    }

    #[test]
    fn others_can_sign_too_so_the_form_is_fixed() {
        let key = LinkKey::new(b"0123456789abcdef").unwrap();
        // As openssl has it: printf 'grease.link/1\n2000000000\nmira' | openssl dgst -sha256 -hmac 0123456789abcdef -binary
        assert_eq!(
            key.sign("mira", at(2_000_000_000)),
            "bWlyYQ.2000000000.2cDp6eYuXDPQJO3M7RKMEXRYke6qV-8EbDzFFn2XcaE"
        );
        assert_eq!(LinkKey::new(b"short").err(), Some(WeakKey { length: 5 }));
    }
}
