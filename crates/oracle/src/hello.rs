//! How an oracle introduces itself.

use grease_graph::Abilities;
use serde::Deserialize;

use crate::error::OracleError;
use crate::message::{self, Expected, Fault};
use crate::protocol::PROTOCOL;

/// Edits a request where the oracle does not say.
const USUAL_BATCH: usize = 64;
/// The most edits a request, whatever the oracle says.
const LARGEST_BATCH: usize = 65_536;

/// What an oracle says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Hello {
    /// What it is called.
    pub name: String,
    /// Which version of it this is.
    pub version: Option<String>,
    /// The items it scores, in the order of its scores.
    pub items: Vec<String>,
    /// What else it can be asked.
    pub abilities: Abilities,
    /// The most edits it takes in one request.
    pub batch: usize,
    /// How many items it answers, where not all.
    pub top: Option<usize>,
    /// Whether it shows embeddings.
    pub embeddings: bool,
}

#[derive(Deserialize)]
struct Reply {
    grease: Option<serde_json::Value>,
    name: Option<String>,
    version: Option<String>,
    items: Option<Vec<String>>,
    #[serde(default)]
    abilities: Vec<String>,
    batch: Option<u64>,
    top: Option<u64>,
    #[serde(default)]
    embeddings: bool,
}

impl Hello {
    /// Reads the answer to a hello with this id.
    pub(crate) fn read(line: &[u8], id: u64) -> Result<Self, Fault> {
        message::envelope(line, id, &Expected::Hello)?;
        let unusable = |reason: String| Fault::of(OracleError::Hello(reason));
        let reply: Reply = serde_json::from_slice(line).map_err(|error| unusable(error.to_string()))?;
        match &reply.grease {
            Some(serde_json::Value::String(protocol)) if protocol == PROTOCOL => {}
            other => {
                let got = match other {
                    Some(value) => format!("\"grease\": {value}"),
                    None => "an unnamed protocol".into(),
                };
                return Err(Fault::of(OracleError::Version { got }));
            }
        }
        let mut abilities = Abilities::NONE;
        for word in &reply.abilities {
            match word.as_str() {
                "neutral" => abilities.neutral = true,
                "newcomers" => abilities.newcomers = true,
                "others" => abilities.others = true,
                _ => {
                    let reason =
                        format!("there is no ability `{word}`; there are neutral, newcomers and others");
                    return Err(unusable(reason));
                }
            }
        }
        let at_least_one = |what: &str, number: Option<u64>| match number {
            Some(0) => Err(unusable(format!("its {what} is 0, expected at least 1"))),
            Some(number) => Ok(Some(usize::try_from(number).unwrap_or(usize::MAX))),
            None => Ok(None),
        };
        Ok(Self {
            name: reply.name.ok_or_else(|| unusable("it has no `name`".into()))?,
            version: reply.version,
            items: reply.items.ok_or_else(|| {
                unusable("it has no `items`: the ids of all items, in the order of the scores".into())
            })?,
            abilities,
            batch: at_least_one("batch", reply.batch)?.unwrap_or(USUAL_BATCH).min(LARGEST_BATCH),
            top: at_least_one("top", reply.top)?,
            embeddings: reply.embeddings,
        })
    }

    /// Whether another process of the same command is the same recommender.
    pub(crate) fn agrees(&self, other: &Self) -> Result<(), OracleError> {
        let differs = [
            ("items", self.items != other.items),
            ("name", self.name != other.name),
            ("version", self.version != other.version),
            ("abilities", self.abilities != other.abilities),
            ("batch", self.batch != other.batch),
            ("top", self.top != other.top),
            ("embeddings", self.embeddings != other.embeddings),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            Some(&(what, _)) => Err(OracleError::Disagree { what }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> String {
        Hello::read(line.as_bytes(), 0).unwrap_err().error.to_string()
    }

    #[test]
    fn what_is_not_said_is_usual() {
        let line = r#"{"grease":"oracle/1","id":0,"name":"m","items":["a"],"top":null}"#;
        let hello = Hello::read(line.as_bytes(), 0).unwrap();
        assert_eq!((hello.batch, hello.top, hello.embeddings), (64, None, false));
        assert_eq!((hello.abilities, hello.version.as_deref()), (Abilities::NONE, None));
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_named() {
        let cases = [
            (r#"{"id":0,"name":"m","items":[]}"#, "an unnamed protocol"),
            (r#"{"grease":"oracle/2","id":0}"#, "\"oracle/2\", expected \"grease\": \"oracle/1\""),
            (r#"{"grease":"oracle/1","id":0,"items":[]}"#, "no `name`"),
            (r#"{"grease":"oracle/1","id":0,"name":"m"}"#, "no `items`"),
            (r#"{"grease":"oracle/1","id":0,"name":"m","items":[7]}"#, "expected a string"),
            (r#"{"grease":"oracle/1","id":0,"name":"m","items":[],"batch":0}"#, "its batch is 0"),
            (r#"{"grease":"oracle/1","id":0,"name":"m","items":[],"abilities":["fly"]}"#, "no ability `fly`"),
            (r#"{"grease":"oracle/1","id":4,"name":"m","items":[]}"#, "id 4"),
            (r#"{"id":0,"error":"out of memory"}"#, "out of memory"),
            ("Loading…", "send those words to stderr"),
        ];
        for (line, part) in cases {
            assert!(refused(line).contains(part), "{line}: {}", refused(line));
        }
    }

    #[test]
    fn processes_must_be_the_same_recommender() {
        let line = r#"{"grease":"oracle/1","id":0,"name":"m","items":["a"]}"#;
        let one = Hello::read(line.as_bytes(), 0).unwrap();
        let other = Hello { version: Some("2".into()), ..one.clone() };
        assert_eq!(one.agrees(&one), Ok(()));
        assert_eq!(one.agrees(&other), Err(OracleError::Disagree { what: "version" }));
    }
}
