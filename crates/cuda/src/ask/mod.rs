//! A model's answers from a card: all edits of a call side by side.
//!
//! ```text
//! held      the model on the card: graph, layers of the unedited graph, what was learned
//! lowered   edits as kernels read them
//! desk      a thread's stream, with room for some edits: who is reached, their rows layer by layer, scores
//! ```

mod desk;
mod held;
mod lowered;

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use grease_graph::{
    Abilities, Access, CardWork, Closely, Edge, Edit, Embeddings, Graph, ItemId, Profile, Recommender,
    ScoreError, UserId, Weighed, Work, check_request, score_items_of_all,
};
use grease_models::{Architecture, Weights};

use crate::ask::desk::{Desk, Kernels};
use crate::ask::held::Model;
use crate::card::{Card, CardError};

/// Edits answered at a time: more would not be quicker.
const MOST_ROOM: usize = 64;
/// Threads that are answered at a time; others wait for one of them.
const MOST_DESKS: usize = 16;

/// A recommender whose scores on edited graphs come from a card. What is asked anew is answered by the processor, and so is everything
/// that a certificate rests on.
pub struct OnCard {
    inner: Arc<dyn Recommender>,
    card: Arc<Card>,
    model: Model,
    kernels: Kernels,
    /// Edits a desk has room for.
    room: usize,
    desks: Desks,
    work: Mutex<CardWork>,
}

impl OnCard {
    /// Brings a model to the card. `inner` is the same model on the processor.
    pub fn new(
        card: Arc<Card>,
        inner: Arc<dyn Recommender>,
        architecture: Architecture,
        weights: &Weights,
    ) -> Result<Self, CardError> {
        Model::check(&architecture)?;
        let graph = inner.graph();
        card.need(Model::bytes(graph, &architecture))?;
        let kernels = Kernels::new(&card, architecture.dim.div_ceil(4) as u32)?;
        let model = Model::new(&card, graph, architecture, weights, &kernels)?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let most = threads.min(MOST_DESKS);
        let an_edit = Desk::bytes_an_edit(&model);
        card.need(an_edit)?;
        // Half of what is free: others may want some, too.
        let fits = card.free()? / 2 / an_edit.max(1);
        // A key has 31 bits.
        let room = (fits / most).clamp(1, MOST_ROOM).min(i32::MAX as usize / model.held.nodes as usize);
        let desks = Desks::new(most.min(fits.max(1)));
        Ok(Self { model, kernels, room, desks, card, inner, work: Mutex::default() })
    }

    fn answer(&self, question: (UserId, Profile), edits: &[Edit], out: &mut [f32]) -> Result<(), CardError> {
        let mut desk = match self.desks.take() {
            Some(desk) => desk,
            None => Desk::new(&self.card, &self.model, self.room).inspect_err(|_| self.desks.give_up())?,
        };
        let started = Instant::now();
        let answered = desk.answer(&self.model, &self.kernels, self.inner.graph(), question, edits, out);
        self.desks.give_back(desk);
        self.count(|work| {
            work.answered += edits.len() as u64;
            work.answering += started.elapsed();
        });
        answered
    }

    fn count(&self, add: impl FnOnce(&mut CardWork)) {
        add(&mut self.work.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Recommender for OnCard {
    fn graph(&self) -> &Graph {
        self.inner.graph()
    }

    fn access(&self) -> Access {
        self.inner.access()
    }

    fn abilities(&self) -> Abilities {
        self.inner.abilities()
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        self.inner.embeddings()
    }

    fn input_features(&self) -> Option<Embeddings<'_>> {
        self.inner.input_features()
    }

    fn closely(&self, user: UserId, candidates: &[bool]) -> Option<Box<dyn Closely + '_>> {
        self.inner.closely(user, candidates)
    }

    fn weighed(
        &self,
        user: UserId,
        profile: Profile,
        edit: &Edit,
        edges: &[Edge],
        items: &[ItemId],
    ) -> Result<Option<Box<dyn Weighed + '_>>, ScoreError> {
        self.inner.weighed(user, profile, edit, edges, items)
    }

    /// What rests on an answer is asked of the processor.
    fn repeats_itself(&self) -> bool {
        false
    }

    fn counts_anew(&self) -> bool {
        true
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        check_request(self.graph(), user, edits, out)?;
        let is_unedited = |edit: &Edit| edit.is_empty() && profile == Profile::Kept;
        if !edits.iter().all(is_unedited) {
            self.answer((user, profile), edits, out)
                .map_err(|error| ScoreError::Failed(error.to_string()))?;
        }
        // The list itself is the processor's: it is then the same wherever it is seen.
        let each = edits.iter().zip(out.chunks_exact_mut(self.graph().items().max(1)));
        each.filter(|(edit, _)| is_unedited(edit))
            .try_for_each(|(edit, out)| self.inner.score(user, profile, std::slice::from_ref(edit), out))
    }

    fn score_anew(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        let started = Instant::now();
        let answered = self.inner.score(user, profile, edits, out);
        self.count(|work| {
            work.checked += edits.len() as u64;
            work.checking += started.elapsed();
        });
        answered
    }

    fn work(&self) -> Option<Work> {
        let card = *self.work.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Work { card, ..self.inner.work().unwrap_or_default() })
    }

    fn score_items(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        items: &[ItemId],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        score_items_of_all(self, user, profile, edits, items, out)
    }

    fn score_each(&self, users: &[UserId], out: &mut [f32]) -> Result<(), ScoreError> {
        self.inner.score_each(users, out)
    }
}

/// Desks nobody sits at, and how many more there may be.
struct Desks {
    free: Mutex<(Vec<Desk>, usize)>,
    one_is_free: Condvar,
}

impl Desks {
    fn new(most: usize) -> Self {
        Self { free: Mutex::new((Vec::new(), most)), one_is_free: Condvar::new() }
    }

    /// A desk; nothing where the caller is to make one.
    fn take(&self) -> Option<Desk> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(desk) = free.0.pop() {
                return Some(desk);
            }
            if free.1 > 0 {
                free.1 -= 1;
                return None;
            }
            free = self.one_is_free.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give_back(&self, desk: Desk) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).0.push(desk);
        self.one_is_free.notify_one();
    }

    /// The desk was not made after all.
    fn give_up(&self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).1 += 1;
        self.one_is_free.notify_one();
    }
}
