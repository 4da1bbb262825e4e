//! Explaining the lists of many people, all in the same way.

use grease_graph::{Field, Who};
use grease_tell::Record;
use grease_tell::table::Row;
use serde::{Deserialize, Serialize};

use super::job::{Answered, Job, Run, RunError};
#[cfg(fuzzing)]
use super::{JournalError, journal};
use super::{Person, Shard, settings};
use crate::question::Question;
use crate::refusal::{Refusal, RefusalKind};
use crate::subject::{Resolved, Subject};

/// The whole lists of many people, explained.
pub type Batch<'a> = Run<'a, Explaining<'a>>;

/// What is asked about everybody, for explanations and for lists.
#[derive(Debug, Clone)]
pub struct BatchRequest {
    /// All but whose list it is.
    pub question: Question,
    /// Everybody, each once, also those that belong to other shards.
    pub people: Vec<Person>,
    /// Which part of them is answered; all where there is none.
    pub shard: Option<Shard>,
}

/// Explaining one person's list.
pub struct Explaining<'a> {
    subject: &'a Subject,
    resolved: Resolved<'a>,
}

/// What the journal keeps of a person.
#[derive(Debug, Serialize, Deserialize)]
pub struct Unit {
    user: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    records: Vec<Record>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Unit {
    fn answered(self) -> Answered<Row> {
        let failure = self.error.map(|error| Row::Failure { user: self.user.clone(), error });
        let explained = self.records.into_iter().map(|record| Row::Explanation(Box::new(record)));
        Answered { user: self.user, rows: explained.chain(failure).collect() }
    }
}

impl<'a> Batch<'a> {
    /// Nothing is asked of the model yet.
    ///
    /// What can be asked of nobody, whoever it is, is refused here.
    pub fn explaining(subject: &'a Subject, request: &'a BatchRequest) -> Result<Self, Refusal> {
        let BatchRequest { question, people, shard } = request;
        let resolved = subject.resolve(question)?;
        let settings = settings::of_explanations(subject, question, &resolved, Some(people), *shard);
        Ok(Self::new(Explaining { subject, resolved }, Shard::part_of(*shard, people), settings))
    }
}

impl Job for Explaining<'_> {
    type Unit = Unit;
    type Row = Row;
    const TOGETHER: usize = 1;

    fn answer(&self, people: &[Person]) -> Result<Unit, RunError> {
        let [person] = people else { unreachable!("people are explained one by one") };
        let user = self.name(person).to_owned();
        let explained = match person {
            Person::Known(known) => self.resolved.records(&Who::Known(*known)),
            Person::Asking { user, items } => {
                let about = self.subject.items(items, Field::Items);
                about.and_then(|items| self.resolved.about(items)?.records(&Who::Known(*user)))
            }
            Person::Unknown { error, .. } => {
                return Ok(Unit { user, records: Vec::new(), error: Some(error.clone()) });
            }
        };
        match explained {
            Ok(records) => Ok(Unit { user, records, error: None }),
            // The run ends, and goes on from there when it is back.
            Err(Refusal { kind: RefusalKind::Method, message: said, .. }) => {
                Err(RunError::Method { doing: "while explaining", user, said })
            }
            Err(Refusal { kind, message: said, .. }) if kind.is_nobodys_answer() => {
                Err(RunError::Recommender { doing: "while explaining", user, said })
            }
            Err(refusal) => Ok(Unit { user, records: Vec::new(), error: Some(refusal.message) }),
        }
    }

    fn rows(&self, unit: Unit) -> Vec<Answered<Row>> {
        vec![unit.answered()]
    }

    fn name<'p>(&'p self, person: &'p Person) -> &'p str {
        person.name(&self.subject.data().users)
    }
}

/// The rows of a journal's bytes: for the fuzzer.
#[cfg(fuzzing)]
pub fn rows_of_journal(bytes: &[u8]) -> Result<Vec<Row>, JournalError> {
    Ok(journal::units_of::<Unit>(bytes)?.into_iter().flat_map(|unit| unit.answered().rows).collect())
}
