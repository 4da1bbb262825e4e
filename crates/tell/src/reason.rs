//! Why nothing was found, as a record has it.

use std::fmt;

use grease_explain::{Reason, ReasonCode};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why nothing was found: the code, and the whole in words, which begins with it. On the wire it is the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidReason {
    /// None where a record has a code of another version.
    code: Option<ReasonCode>,
    text: String,
}

impl SaidReason {
    /// Which.
    pub fn code(&self) -> Option<ReasonCode> {
        self.code
    }
}

impl From<Reason> for SaidReason {
    fn from(reason: Reason) -> Self {
        Self { code: Some(reason.code()), text: reason.to_string() }
    }
}

impl From<&str> for SaidReason {
    fn from(text: &str) -> Self {
        let code = text.split(':').next().and_then(|code| code.parse().ok());
        Self { code, text: text.to_owned() }
    }
}

impl fmt::Display for SaidReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for SaidReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for SaidReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(String::deserialize(deserializer)?.as_str().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again_whatever_the_code() {
        for reason in [Reason::NoHistory, Reason::CapReached { cap: 3, found: None, best_rank: Some(7) }] {
            let said = SaidReason::from(reason);
            let json = serde_json::to_string(&said).unwrap();
            assert_eq!(json, format!("\"{reason}\""));
            assert_eq!(serde_json::from_str::<SaidReason>(&json).unwrap(), said);
        }
        let other = SaidReason::from("tired: try tomorrow");
        assert_eq!((other.code(), other.to_string().as_str()), (None, "tired: try tomorrow"));
    }
}
