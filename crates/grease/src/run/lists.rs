//! The lists of many people, without explanations.

use grease_graph::{Candidates, Listed, ScoreError, UserId, recommend_each};
use grease_tell::table::Place;
use serde::{Deserialize, Serialize};

use super::job::{Answered, Job, Run, RunError};
use super::{BatchRequest, Person, Shard, settings};
use crate::refusal::Refusal;
use crate::subject::Subject;

/// The lists of many people.
pub type Lists<'a> = Run<'a, Listing<'a>>;

/// Listing the best items for somebody.
pub struct Listing<'a> {
    subject: &'a Subject,
    k: usize,
    candidates: Candidates,
}

/// What the journal keeps of some people.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListedTogether {
    lists: Vec<OneList>,
}

/// One person's list: rows of items, best first, and their scores; or why there is none.
#[derive(Debug, Serialize, Deserialize)]
struct OneList {
    user: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scores: Vec<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl<'a> Lists<'a> {
    /// Of the question only the length and the candidates matter. Nothing is asked of the model yet.
    pub fn listing(subject: &'a Subject, request: &'a BatchRequest) -> Result<Self, Refusal> {
        let BatchRequest { question, people, shard } = request;
        let candidates = subject.candidates(question)?;
        let settings = settings::of_lists(subject, question.k, &candidates, Some(people), *shard);
        let listing = Listing { subject, k: question.k, candidates };
        Ok(Self::new(listing, Shard::part_of(*shard, people), settings))
    }
}

impl Job for Listing<'_> {
    type Unit = ListedTogether;
    type Row = Place;
    const TOGETHER: usize = 256;

    fn answer(&self, people: &[Person]) -> Result<ListedTogether, RunError> {
        let known: Vec<UserId> = people.iter().filter_map(Person::row).collect();
        let mut found: Vec<Vec<Listed>> = Vec::with_capacity(known.len());
        recommend_each(&**self.subject.recommender(), &known, self.k, &self.candidates, &mut |list| {
            found.push(list);
        })
        .map_err(|error| self.failed(known[found.len()], &error))?;
        let mut found = found.into_iter();
        let lists = people.iter().map(|person| {
            let user = self.name(person).to_owned();
            match person {
                Person::Unknown { error, .. } => {
                    OneList { user, items: Vec::new(), scores: Vec::new(), error: Some(error.clone()) }
                }
                Person::Known(_) | Person::Asking { .. } => {
                    let (items, scores) = found
                        .next()
                        .unwrap_or_default()
                        .iter()
                        .map(|place| (place.item.0, place.score))
                        .unzip();
                    OneList { user, items, scores, error: None }
                }
            }
        });
        Ok(ListedTogether { lists: lists.collect() })
    }

    fn rows(&self, unit: ListedTogether) -> Vec<Answered<Place>> {
        let items = &self.subject.data().items;
        let answered = |list: OneList| {
            let OneList { user, items: listed, scores, error } = list;
            let failure = error.map(|error| Place::Failure { user: user.clone(), error });
            let places = listed.iter().zip(scores).zip(1..).map(|((item, score), rank)| Place::Listed {
                user: user.clone(),
                rank,
                item: items.id(*item).to_owned(),
                item_title: items.title(*item).map(str::to_owned),
                score,
            });
            Answered { rows: places.chain(failure).collect(), user }
        };
        unit.lists.into_iter().map(answered).collect()
    }

    fn name<'p>(&'p self, person: &'p Person) -> &'p str {
        person.name(&self.subject.data().users)
    }
}

impl Listing<'_> {
    fn failed(&self, user: UserId, error: &ScoreError) -> RunError {
        let user = self.subject.data().users.id(user.0).to_owned();
        RunError::Recommender { doing: "while listing for", user, said: error.to_string() }
    }
}
