//! The messages: questions written, answers read and checked. No answer can make this panic.

mod numbers;
mod write;

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use numbers::{decode_floats, decode_rows, read_rows};
pub(crate) use write::{embeddings, hello, score};

use crate::error::{OracleError, excerpt};

/// What an oracle was asked, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// To introduce itself.
    Hello,
    /// For scores.
    Score {
        /// Of whom; `None` for somebody new.
        user: Option<String>,
        edits: usize,
    },
    /// For embeddings of so many users.
    Embeddings(usize),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Hello => f.write_str("to introduce itself (hello)"),
            Expected::Score { user, edits } => {
                f.write_str("for the scores of ")?;
                match user {
                    Some(user) => write!(f, "`{}`", excerpt(user.as_bytes()))?,
                    None => f.write_str("somebody new")?,
                }
                write!(f, " after {edits} edit{}", if *edits == 1 { "" } else { "s" })
            }
            Expected::Embeddings(users) => write!(f, "for the embeddings of {users} users"),
        }
    }
}

/// An answer that cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) error: OracleError,
    /// Whether nobody knows any more which answer comes next: the process must not be asked again.
    pub(crate) astray: bool,
}

impl Fault {
    pub(crate) fn of(error: OracleError) -> Self {
        let astray = matches!(
            error,
            OracleError::NotJson { .. } | OracleError::WrongId { .. } | OracleError::TooLong { .. }
        );
        Self { error, astray }
    }

    /// What an answer must not be.
    pub(crate) fn reply(asked: &Expected, reason: impl fmt::Display) -> Self {
        Self::of(OracleError::Reply { asked: asked.to_string(), reason: reason.to_string() })
    }
}

/// What every answer has.
#[derive(Deserialize)]
struct Envelope {
    id: Option<Value>,
    error: Option<Value>,
}

/// Checks that a line is the answer to the question with this id, and no error.
pub(crate) fn envelope(line: &[u8], id: u64, asked: &Expected) -> Result<(), Fault> {
    let envelope: Envelope = object(line, asked)?;
    accept(envelope, id, asked)
}

/// An answer as one or other struct.
fn object<'l, T: Deserialize<'l>>(line: &'l [u8], asked: &Expected) -> Result<T, Fault> {
    serde_json::from_slice(line).map_err(|error| {
        let is_object = line.trim_ascii_start().starts_with(b"{");
        if is_object && error.is_syntax() && has_nan(line) {
            return Fault::reply(asked, "it has NaN or Infinity; every score must be a finite number");
        }
        if is_object && error.is_data() {
            return Fault::reply(asked, error);
        }
        Fault::of(OracleError::NotJson { asked: asked.to_string(), said: excerpt(line) })
    })
}

fn has_nan(line: &[u8]) -> bool {
    [&b"NaN"[..], b"Infinity"].iter().any(|word| line.windows(word.len()).any(|window| window == *word))
}

fn accept(envelope: Envelope, id: u64, asked: &Expected) -> Result<(), Fault> {
    if envelope.id.as_ref().and_then(Value::as_u64) != Some(id) {
        // An error about a question it could not even read has no id to repeat.
        if let (None | Some(Value::Null), Some(Value::String(said))) = (&envelope.id, &envelope.error) {
            return Err(refused(said, asked));
        }
        let got = envelope.id.map_or("none".to_owned(), |got| excerpt(got.to_string().as_bytes()));
        return Err(Fault::of(OracleError::WrongId { asked: asked.to_string(), expected: id, got }));
    }
    match envelope.error {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(said)) => Err(refused(&said, asked)),
        Some(other) => Err(refused(&other.to_string(), asked)),
    }
}

fn refused(said: &str, asked: &Expected) -> Fault {
    Fault::of(OracleError::Said { asked: asked.to_string(), said: excerpt(said.as_bytes()) })
}

/// An answer with scores; one of the three is there.
#[derive(Deserialize)]
pub(crate) struct Scores<'a> {
    id: Option<Value>,
    error: Option<Value>,
    #[serde(borrow)]
    pub(crate) scores: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) scores_f32: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) ranked: Option<&'a RawValue>,
}

/// Reads an answer with scores as far as its parts.
pub(crate) fn scores<'a>(line: &'a [u8], id: u64, asked: &Expected) -> Result<Scores<'a>, Fault> {
    let mut reply: Scores<'a> = object(line, asked)?;
    accept(Envelope { id: reply.id.take(), error: reply.error.take() }, id, asked)?;
    Ok(reply)
}

/// An answer with embeddings, as numbers or in base64.
#[derive(Deserialize)]
pub(crate) struct Vectors<'a> {
    id: Option<Value>,
    error: Option<Value>,
    pub(crate) width: Option<u64>,
    #[serde(borrow)]
    pub(crate) users: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) users_f32: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) items: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) items_f32: Option<Text<'a>>,
}

/// Reads an answer with embeddings as far as its parts.
pub(crate) fn vectors<'a>(line: &'a [u8], id: u64, asked: &Expected) -> Result<Vectors<'a>, Fault> {
    let mut reply: Vectors<'a> = object(line, asked)?;
    accept(Envelope { id: reply.id.take(), error: reply.error.take() }, id, asked)?;
    Ok(reply)
}

/// A text that is borrowed where it can be.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asked() -> Expected {
        Expected::Score { user: Some("mira".into()), edits: 2 }
    }

    fn refused(line: &str) -> Fault {
        scores(line.as_bytes(), 1, &asked()).map(|_| ()).unwrap_err()
    }

    #[test]
    fn an_answer_that_is_none_is_named_for_what_it_is() {
        let cases = [
            ("Epoch 1", "not JSON", true),
            ("", "not JSON", true),
            ("[1]", "not JSON", true),
            (r#"{"id":2,"scores":[]}"#, "with id 2 when it was asked", true),
            (r#"{"scores":[]}"#, "with id none", true),
            (r#"{"id":"1","scores":[]}"#, "with id \"1\"", true),
            (r#"{"id":1,"scores":[[NaN]]}"#, "NaN or Infinity", false),
            (r#"{"id":1,"error":"unknown user mira"}"#, "refused", false),
            (r#"{"id":1,"error":{"code":3}}"#, "{\"code\":3}", false),
            (r#"{"id":null,"error":"what?"}"#, "what?", false),
        ];
        for (line, part, astray) in cases {
            let fault = refused(line);
            assert!(fault.error.to_string().contains(part), "{line}: {}", fault.error);
            assert_eq!(fault.astray, astray, "{line}");
        }
        let said = refused("Epoch 1").error.to_string();
        assert!(said.contains("for the scores of `mira` after 2 edits: `Epoch 1`"), "{said}");
    }

    /// Lines that are nearly answers.
    fn nearly() -> impl Strategy<Value = Vec<u8>> {
        let whole = r#"{"grease":"oracle/1","id":1,"name":"m","items":["a","b"],"width":1,"users":[[1]],"scores":[[1.0,-2e3]],"scores_f32":["AACAPwAAAMA="],"ranked":[{"top":[["a",1.5]],"items":{"b":0.5}}]}"#;
        let cut = (0..=whole.len(), 0..whole.len(), any::<u8>()).prop_map(move |(end, at, byte)| {
            let mut bytes = whole.as_bytes().to_vec();
            bytes[at] = byte;
            bytes.truncate(end);
            bytes
        });
        prop_oneof![cut, proptest::collection::vec(any::<u8>(), 0..200)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn no_line_whatever_makes_a_parser_panic(line in nearly()) {
            let asked = asked();
            let _ = crate::hello::Hello::read(&line, 1);
            let _ = envelope(&line, 1, &asked);
            if let Ok(parts) = scores(&line, 1, &asked) {
                let mut out = [0f32; 4];
                let name = |place: usize| format!("item {place}");
                for part in [parts.scores, parts.scores_f32, parts.ranked].into_iter().flatten() {
                    let _ = read_rows(part, &[1, 0], &mut out, name);
                    let _ = numbers::decode_rows(part, &[1, 0], &mut out, name);
                }
                let _ = parts.ranked.map(|part| crate::ranked::parse(part, &asked));
            }
            if let Ok(parts) = vectors(&line, 1, &asked) {
                let _ = parts.users_f32.map(|text| decode_floats(&text.0, 1));
            }
        }
    }
}
