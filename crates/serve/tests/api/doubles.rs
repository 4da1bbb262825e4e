//! Recommenders that are slow, fail or break.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use grease::Subject;
use grease::graph::doubles::CoNeighbours;
use grease::graph::{Edit, Graph, Profile, Recommender, ScoreError, UserId};

use grease_testing::folder;

/// How it behaves.
pub(crate) enum Temper {
    /// Takes its time for every question.
    Slow(Duration),
    /// Answers so many questions, then fails for as many, and so on.
    Fails(usize),
    /// Breaks.
    Panics,
}

struct Odd {
    inner: CoNeighbours,
    temper: Temper,
    asked: Arc<AtomicUsize>,
}

impl Recommender for Odd {
    fn graph(&self) -> &Graph {
        self.inner.graph()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        let before = self.asked.fetch_add(1, Ordering::SeqCst);
        match self.temper {
            Temper::Slow(time) => std::thread::sleep(time),
            Temper::Fails(after) if (before / after) % 2 == 1 => {
                return Err(ScoreError::Failed("cannot open /srv/secret/weights.bin".into()));
            }
            Temper::Panics => panic!("a bug in /srv/secret"),
            Temper::Fails(_) => {}
        }
        self.inner.score(user, profile, edits, out)
    }
}

/// The small service with such a recommender, and how often it was asked.
pub(crate) fn with(temper: Temper) -> (Subject, Arc<AtomicUsize>) {
    let data = folder().data.clone();
    let graph = Graph::new(data.users.len(), data.items.len(), &data.train.listed()).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let odd = Odd { inner: CoNeighbours::new(graph), temper, asked: Arc::clone(&asked) };
    (Subject::foreign(data, Arc::new(odd), "double", ["odd"]), asked)
}
