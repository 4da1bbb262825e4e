//! A recommender that remembers what it was asked about one person, so that comparing methods does not ask the same thing
//! once a method. What each explanation would have asked by itself is counted by the explainer all the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use grease_graph::{Edit, Profile, Recommender, RowHash, ScoreError, UserId, check_request};

/// Scores kept for a thread's person: 256 MB of them. Beyond that everything is forgotten and remembered anew.
const ROOM: usize = 1 << 26;

/// A recommender with a memory for the person a thread is at work on.
pub(crate) struct Remembering {
    inner: Arc<dyn Recommender>,
    memories: Mutex<HashMap<ThreadId, Arc<Mutex<Memory>>>>,
}

/// All scores, and what it took to ask for them.
type Answer = (Box<[f32]>, Duration);

/// What a thread knows about one person.
#[derive(Default)]
struct Memory {
    user: Option<UserId>,
    /// Looked up, never walked.
    answers: HashMap<(Profile, Edit), Answer, RowHash>,
    /// Time spent asking.
    spent: Duration,
    /// Time that asking for everything handed out took when it was first asked for.
    worth: Duration,
}

impl Remembering {
    pub(crate) fn new(inner: Arc<dyn Recommender>) -> Self {
        Self { inner, memories: Mutex::default() }
    }

    fn memory(&self) -> Arc<Mutex<Memory>> {
        let mut memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(memories.entry(std::thread::current().id()).or_default())
    }

    /// Forgets what this thread knows, so that a piece of work does not depend on what was worked on before.
    pub(crate) fn forget(&self) {
        *self.memory().lock().unwrap_or_else(PoisonError::into_inner) = Memory::default();
    }

    /// Does something on this thread and says how long it would have taken without remembering: each answer counts what it took
    /// when it was first asked for.
    pub(crate) fn timed<R>(&self, work: impl FnOnce() -> R) -> (R, Duration) {
        let memory = self.memory();
        let clock = || {
            let memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            (memory.spent, memory.worth)
        };
        let (spent, worth) = clock();
        let started = Instant::now();
        let result = work();
        let elapsed = started.elapsed();
        let (spent, worth) = (clock().0 - spent, clock().1 - worth);
        (result, elapsed.saturating_sub(spent) + worth)
    }
}

impl Recommender for Remembering {
    grease_graph::as_it_is!(self => self.inner);

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        check_request(self.graph(), user, edits, out)?;
        let memory = self.memory();
        let memory = &mut *memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.user != Some(user) {
            memory.user = Some(user);
            memory.answers.clear();
        }
        let items = self.graph().items();
        let known = |memory: &Memory, edit: &Edit| memory.answers.contains_key(&(profile, edit.clone()));
        if memory.answers.len().saturating_add(edits.len()).saturating_mul(items) > ROOM {
            memory.answers.clear();
        }
        let fresh: Vec<Edit> = edits.iter().filter(|edit| !known(memory, edit)).cloned().collect();
        if !fresh.is_empty() {
            let mut scores = vec![0f32; items * fresh.len()];
            let started = Instant::now();
            self.inner.score(user, profile, &fresh, &mut scores)?;
            let spent = started.elapsed();
            memory.spent += spent;
            let each = spent / fresh.len() as u32;
            for (edit, scores) in fresh.into_iter().zip(scores.chunks_exact(items.max(1))) {
                memory.answers.insert((profile, edit), (scores.into(), each));
            }
        }
        for (edit, out) in edits.iter().zip(out.chunks_exact_mut(items.max(1))) {
            if let Some((scores, cost)) = memory.answers.get(&(profile, edit.clone())) {
                out.copy_from_slice(scores);
                memory.worth += *cost;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::doubles::{CoNeighbours, Counted};
    use grease_graph::{Edge, Graph, conformance};

    use super::*;

    fn small() -> Graph {
        let edges = [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (2, 2)].map(|(u, i)| Edge::new(u, i));
        Graph::new(3, 3, &edges).unwrap()
    }

    #[test]
    fn it_is_the_recommender_it_remembers() {
        conformance::check(&|graph| {
            let inner = CoNeighbours::new(graph.clone());
            Box::new(Remembering::new(Arc::new(inner)))
        });
    }

    #[test]
    fn everything_is_asked_once_until_it_is_forgotten() {
        let inner = Arc::new(Counted::new(CoNeighbours::new(small())));
        let remembering = Remembering::new(inner.clone());
        let asked = || inner.take().edits;
        let without = Edit::removing([Edge::new(0, 0)]);
        let mut first = vec![0f32; 6];
        remembering.score(UserId(0), Profile::Kept, &[Edit::none(), without.clone()], &mut first).unwrap();
        let again = remembering.scores_after(UserId(0), Profile::Kept, &without).unwrap();
        assert_eq!((asked(), &again[..]), (2, &first[3..]));
        remembering.scores_after(UserId(0), Profile::Neutral, &without).unwrap();
        assert_eq!(asked(), 1, "another profile is another question");
        remembering.scores(UserId(1)).unwrap();
        remembering.scores(UserId(0)).unwrap();
        assert_eq!(asked(), 2, "only one person is remembered");
        remembering.forget();
        remembering.scores(UserId(0)).unwrap();
        assert_eq!(asked(), 1);
        let (_, first) = remembering.timed(|| remembering.scores(UserId(0)));
        assert!(first > Duration::ZERO, "what is remembered counts what it once took");
    }
}
