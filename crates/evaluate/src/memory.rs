//! A recommender that remembers what it was asked about one person, so that comparing methods does not ask the same thing
//! once a method. What each explanation would have asked by itself is counted by the explainer all the same.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use grease_graph::{Edge, Edit, Profile, Recommender, RowHash, ScoreError, UserId, check_request};

/// What is kept of a thread's person, in bytes. Beyond that everything is forgotten and remembered anew.
const ROOM: usize = 80 << 20;

/// Asked for at once: between two such parts it is seen whether anybody still waits.
const PART: usize = 256;

/// A recommender with a memory for the person a thread is at work on.
pub(crate) struct Remembering {
    inner: Arc<dyn Recommender>,
    /// Whether nobody waits any more.
    given_up: Arc<AtomicBool>,
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
    /// What they take, in bytes.
    size: usize,
    /// Time spent asking.
    spent: Duration,
    /// Time that asking for everything handed out took when it was first asked for.
    worth: Duration,
}

/// About what an edit and its answer take, in bytes.
fn size(edit: &Edit, items: usize) -> usize {
    size_of::<f32>() * items + size_of::<Edge>() * (edit.removed().len() + edit.added().len())
}

impl Memory {
    fn clear(&mut self) {
        self.answers.clear();
        self.size = 0;
    }

    /// What was said of these edits, and how long it took.
    fn keep(&mut self, profile: Profile, edits: &[Edit], scores: &[f32], spent: Duration) {
        self.spent += spent;
        let (items, each) = (scores.len() / edits.len(), spent / edits.len() as u32);
        for (at, edit) in edits.iter().enumerate() {
            self.size += size(edit, items);
            let scores = scores[at * items..][..items].into();
            self.answers.insert((profile, edit.clone()), (scores, each));
        }
    }
}

impl Remembering {
    /// Answers until it is given up.
    pub(crate) fn new(inner: Arc<dyn Recommender>, given_up: Arc<AtomicBool>) -> Self {
        Self { inner, given_up, memories: Mutex::default() }
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

    fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed) || self.inner.is_given_up()
    }

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
            memory.clear();
        }
        let items = self.graph().items();
        if memory.size + edits.iter().map(|edit| size(edit, items)).sum::<usize>() > ROOM {
            memory.clear();
        }
        let known = |edit: &Edit| memory.answers.contains_key(&(profile, edit.clone()));
        let fresh: Vec<Edit> = edits.iter().filter(|edit| !known(edit)).cloned().collect();
        for part in fresh.chunks(PART) {
            if self.is_given_up() {
                return Err(ScoreError::Cancelled);
            }
            let mut scores = vec![0f32; items * part.len()];
            let started = Instant::now();
            self.inner.score(user, profile, part, &mut scores)?;
            memory.keep(profile, part, &scores, started.elapsed());
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
    use grease_graph::{Graph, conformance};

    use super::*;

    fn small() -> Graph {
        let edges = [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (2, 2)].map(|(u, i)| Edge::new(u, i));
        Graph::new(3, 3, &edges).unwrap()
    }

    #[test]
    fn it_is_the_recommender_it_remembers() {
        conformance::check(&|graph| {
            let inner = CoNeighbours::new(graph.clone());
            Box::new(Remembering::new(Arc::new(inner), Arc::default()))
        });
    }

    #[test]
    fn once_given_up_it_answers_nobody() {
        let given_up = Arc::new(AtomicBool::new(false));
        let remembering = Remembering::new(Arc::new(CoNeighbours::new(small())), Arc::clone(&given_up));
        remembering.scores(UserId(0)).unwrap();
        given_up.store(true, Ordering::Relaxed);
        assert!(remembering.is_given_up());
        assert_eq!(remembering.scores(UserId(1)), Err(ScoreError::Cancelled));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let edges: Vec<Edge> = (0..80).map(|item| Edge::new(0, item)).collect();
        let graph = Graph::new(1, 1 << 19, &edges).unwrap();
        let remembering = Remembering::new(Arc::new(CoNeighbours::new(graph)), Arc::default());
        for edge in &edges {
            remembering.scores_after(UserId(0), Profile::Kept, &Edit::removing([*edge])).unwrap();
            let memory = remembering.memory();
            let memory = memory.lock().unwrap();
            let kept: usize = memory.answers.values().map(|(scores, _)| size_of_val(&scores[..])).sum();
            assert!(kept <= memory.size && memory.size <= ROOM, "{kept} of {}", memory.size);
        }
    }

    #[test]
    fn everything_is_asked_once_until_it_is_forgotten() {
        let inner = Arc::new(Counted::new(CoNeighbours::new(small())));
        let remembering = Remembering::new(inner.clone(), Arc::default());
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
