//! Finished explanations: the same question is not answered twice, and each can be asked for its picture.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grease::Record;
use grease::models::folder::hash_of_lines;
use serde::Serialize;

/// Records of one request, as everywhere, each with the id of its picture in the same order.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    pub(crate) ids: Vec<String>,
    #[serde(rename = "explanations")]
    pub(crate) records: Vec<Record>,
}

/// What is remembered, the oldest forgotten first.
pub(crate) struct Store {
    room: usize,
    kept: Mutex<Kept>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// How much is remembered, and how often it helped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Remembered {
    pub(crate) records: usize,
    pub(crate) hits: u64,
    pub(crate) misses: u64,
}

#[derive(Default)]
struct Kept {
    /// By what was asked.
    told: HashMap<Arc<str>, Arc<Told>>,
    /// Which explanation an id is of.
    pictures: HashMap<String, (Arc<str>, usize)>,
    /// Oldest first.
    order: VecDeque<Arc<str>>,
    records: usize,
}

impl Store {
    pub(crate) fn new(room: usize) -> Self {
        Self { room, kept: Mutex::default(), hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was told to the same question.
    pub(crate) fn recall(&self, asked: &str) -> Option<Arc<Told>> {
        let told = self.kept().told.get(asked).map(Arc::clone);
        let helped = if told.is_some() { &self.hits } else { &self.misses };
        helped.fetch_add(1, Ordering::Relaxed);
        told
    }

    /// How much is remembered, and how often it helped.
    pub(crate) fn remembered(&self) -> Remembered {
        Remembered {
            records: self.kept().records,
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    /// Remembers what was told.
    pub(crate) fn keep(&self, asked: &str, records: Vec<Record>) -> Arc<Told> {
        let id = |at: usize| hash_of_lines([asked, &at.to_string()])[..24].to_owned();
        let told = Arc::new(Told { ids: (0..records.len()).map(id).collect(), records });
        let mut kept = self.kept();
        // One text for all who refer to it: a question is longer than many an answer.
        let asked: Arc<str> = asked.into();
        if kept.told.insert(Arc::clone(&asked), Arc::clone(&told)).is_none() {
            kept.order.push_back(Arc::clone(&asked));
            kept.records += told.records.len();
        }
        for (at, id) in told.ids.iter().enumerate() {
            kept.pictures.insert(id.clone(), (Arc::clone(&asked), at));
        }
        while kept.records > self.room {
            let Some(oldest) = kept.order.pop_front() else { break };
            if let Some(gone) = kept.told.remove(&oldest) {
                kept.records -= gone.records.len();
                gone.ids.iter().for_each(|id| _ = kept.pictures.remove(id));
            }
        }
        told
    }

    /// The explanation with this id, as long as it is remembered.
    pub(crate) fn find(&self, id: &str) -> Option<Record> {
        let kept = self.kept();
        let (asked, at) = kept.pictures.get(id)?;
        kept.told.get(asked)?.records.get(*at).cloned()
    }
}
