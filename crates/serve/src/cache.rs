//! Finished explanations: the same question is not answered twice, and each can be asked for its picture.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grease::Record;
use grease::models::folder::hash_of_lines;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// An explanation, and the id of its picture.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Answer {
    /// Of its picture: `/api/explanations/{id}.svg`.
    pub(crate) id: String,
    /// The record, as everywhere.
    pub(crate) explanation: Box<RawValue>,
}

/// What is remembered, the oldest forgotten first.
pub(crate) struct Cache {
    room: usize,
    kept: Mutex<Kept>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// How much is remembered, and how often it helped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) records: usize,
    pub(crate) hits: u64,
    pub(crate) misses: u64,
}

#[derive(Default)]
struct Kept {
    /// Each by its id, with the question it answers. As JSON, in one piece: a record's many small pieces, come and gone ten thousand
    /// times, leave memory in tatters.
    records: HashMap<String, (Box<RawValue>, Arc<str>)>,
    /// Ids of all that answers a question, once all of it is there.
    answers: HashMap<Arc<str>, Vec<String>>,
    /// Ids, oldest first.
    order: VecDeque<String>,
}

/// Of an answer: which model was asked what. Of another model the answer may be another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key(Arc<str>);

impl Key {
    /// Questions may be long, and are kept: only their hash is.
    pub(crate) fn new(model: &str, asked: &str) -> Self {
        Self(hash_of_lines([model, asked]).into())
    }
}

impl Cache {
    pub(crate) fn new(room: usize) -> Self {
        Self { room, kept: Mutex::default(), hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was told to the same question.
    pub(crate) fn recall(&self, key: &Key) -> Option<Vec<Answer>> {
        let answer = self.look_up(key);
        let helped = if answer.is_some() { &self.hits } else { &self.misses };
        helped.fetch_add(1, Ordering::Relaxed);
        answer
    }

    /// How much is remembered, and how often it helped.
    pub(crate) fn contents(&self) -> Contents {
        Contents {
            records: self.kept().records.len(),
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    fn look_up(&self, key: &Key) -> Option<Vec<Answer>> {
        let kept = self.kept();
        let told = |id: &String| {
            kept.records.get(id).map(|(json, _)| Answer { id: id.clone(), explanation: json.clone() })
        };
        kept.answers.get(&key.0)?.iter().map(told).collect()
    }

    /// Remembers one explanation, the one `at` this place of the answer.
    pub(crate) fn keep(&self, key: &Key, at: usize, record: &Record) -> serde_json::Result<Answer> {
        let explanation = to_raw_value(record)?;
        let id = hash_of_lines([&key.0, at.to_string().as_str()])[..24].to_owned();
        let one = (explanation.clone(), Arc::clone(&key.0));
        let mut kept = self.kept();
        if kept.records.insert(id.clone(), one).is_none() {
            kept.order.push_back(id.clone());
        }
        while kept.order.len() > self.room {
            let Some(oldest) = kept.order.pop_front() else { break };
            if let Some((_, question)) = kept.records.remove(&oldest) {
                kept.answers.remove(&question);
            }
        }
        Ok(Answer { id, explanation })
    }

    /// Remembers that this is the whole answer.
    pub(crate) fn finish(&self, key: &Key, ids: Vec<String>) {
        // Of an answer of nothing, nothing would ever make it go.
        if !ids.is_empty() {
            let mut kept = self.kept();
            if ids.iter().all(|id| kept.records.contains_key(id)) {
                kept.answers.insert(Arc::clone(&key.0), ids);
            }
        }
    }

    /// The explanation with this id, as long as it is remembered.
    pub(crate) fn find(&self, id: &str) -> Option<Record> {
        let json = self.kept().records.get(id).map(|(json, _)| json.clone())?;
        serde_json::from_str(json.get()).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(item: &str) -> Record {
        let value = json!({
            "schema": grease::SCHEMA, "user": "mira", "item": item, "k": 10, "goal": "factual", "scope": "own",
            "profile": "kept", "method": "grease", "status": "verified", "edges": [], "rank_before": 1,
            "rank_start": 1, "queries": 1.0, "seed": 1, "model": "m", "data": "d", "sentence": "Because.",
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_oldest_are_forgotten_first_with_the_answers_they_belong_to() {
        let cache = Cache::new(3);
        let questions = ["a", "b"].map(|asked| Key::new("m", asked));
        let ids = questions.each_ref().map(|question| {
            let told = [0, 1].map(|at| cache.keep(question, at, &record(&at.to_string())).unwrap());
            cache.finish(question, told.iter().map(|told| told.id.clone()).collect());
            told.map(|told| told.id)
        });
        assert!(cache.find(&ids[0][0]).is_none(), "there is room for three");
        assert!(
            cache.find(&ids[0][1]).is_some() && cache.recall(&questions[0]).is_none(),
            "half an answer is none"
        );
        let told = cache.recall(&questions[1]).unwrap();
        assert_eq!(told.iter().map(|told| &told.id).collect::<Vec<_>>(), ids[1].each_ref());
        assert!(cache.recall(&Key::new("another model", "b")).is_none());
    }

    #[test]
    fn an_answer_that_does_not_fit_is_not_remembered_and_nothing_grows() {
        let cache = Cache::new(2);
        for asked in 0..50 {
            let question = Key::new("m", &asked.to_string());
            let ids = (0..5).map(|at| cache.keep(&question, at, &record("x")).unwrap().id).collect();
            cache.finish(&question, ids);
            cache.finish(&Key::new("m", "nothing"), Vec::new());
            assert!(cache.recall(&question).is_none());
        }
        let kept = cache.kept();
        assert_eq!((kept.records.len(), kept.order.len(), kept.answers.len()), (2, 2, 0));
    }
}
