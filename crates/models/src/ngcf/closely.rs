//! One person looked at closely: the [estimate](Estimate) for edits of their own interactions, and the exact path for all others.

use std::slice::from_ref;

use grease_graph::{
    Closely, Edit, ItemId, Panel, Profile, Recommender, ScoreError, Sight, UserId, check_chosen,
    check_request,
};
use grease_kernels::dense::matvec;
use grease_kernels::top_k;

use crate::halves::row;
use crate::ngcf::Ngcf;
use crate::ngcf::estimate::Estimate;

/// A person and what was last asked about them.
pub(super) struct Person<'a> {
    model: &'a Ngcf,
    user: UserId,
    candidates: Vec<bool>,
    panels: Vec<Chosen>,
    estimate: Estimate<'a>,
    /// The query that `estimate`, and as far as `known` says `catalogue`, have the answer to.
    asked: Option<(Profile, Edit)>,
    known: Known,
    /// One score an item.
    catalogue: Vec<f32>,
}

/// What the scores of the catalogue are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Of another query.
    Nothing,
    /// Estimates of all candidates.
    Estimates,
    /// Exact scores of all items. There is no estimate.
    Scores,
}

/// Some items, side by side.
struct Chosen {
    items: Vec<u32>,
    /// Each item and its place among them, by item.
    places: Vec<(u32, usize)>,
    /// Their output embeddings on the unedited graph.
    rows: Vec<f32>,
}

impl Chosen {
    fn place(&self, item: u32) -> Option<usize> {
        self.places.binary_search_by_key(&item, |place| place.0).ok().map(|at| self.places[at].1)
    }
}

impl<'a> Person<'a> {
    pub(super) fn new(model: &'a Ngcf, user: UserId, candidates: &[bool]) -> Self {
        // The first to ask computes them, and that is not to happen in the middle of an answer.
        model.hidden();
        Self {
            model,
            user,
            candidates: candidates.to_vec(),
            panels: Vec::new(),
            estimate: Estimate::new(model, user),
            asked: None,
            known: Known::Nothing,
            catalogue: vec![0.0; model.graph().items()],
        }
    }

    /// Answers as much of a query as all need, unless it is the one just asked.
    fn ask(&mut self, profile: Profile, edit: &Edit) -> Result<(), ScoreError> {
        if self.asked.as_ref().is_some_and(|(p, e)| *p == profile && e == edit) {
            return Ok(());
        }
        check_request(self.model.graph(), self.user, from_ref(edit), &self.catalogue)?;
        self.asked = None;
        self.known = Known::Nothing;
        if edit.removed().iter().chain(edit.added()).all(|edge| edge.user == self.user) {
            self.estimate.set(profile, edit);
        } else {
            self.model.score(self.user, profile, from_ref(edit), &mut self.catalogue)?;
            self.known = Known::Scores;
        }
        self.asked = Some((profile, edit.clone()));
        Ok(())
    }

    /// Fills the catalogue for a query. Of an own item that is no candidate it says what was true before the edit.
    fn ask_about_all(&mut self, profile: Profile, edit: &Edit) -> Result<(), ScoreError> {
        self.ask(profile, edit)?;
        if self.known == Known::Nothing {
            let candidates = &self.candidates;
            matvec(self.model.output().items, self.estimate.output(), &mut self.catalogue);
            let place = |item: u32| is_candidate(candidates, item).then_some(item as usize);
            self.estimate.correct(place, &mut self.catalogue);
            self.known = Known::Estimates;
        }
        Ok(())
    }
}

fn is_candidate(candidates: &[bool], item: u32) -> bool {
    candidates.get(item as usize).copied().unwrap_or(false)
}

impl Closely for Person<'_> {
    fn sight(&self) -> Sight {
        Sight::Estimate
    }

    fn choose(&mut self, items: &[u32]) -> Result<Panel, ScoreError> {
        let ids: Vec<ItemId> = items.iter().map(|&item| ItemId(item)).collect();
        check_chosen(self.model.graph(), &[], &ids, &[])?;
        let output = self.model.output();
        let mut places: Vec<(u32, usize)> = items.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let mut rows = Vec::with_capacity(items.len() * output.width);
        items.iter().for_each(|&item| rows.extend_from_slice(row(output.items, output.width, item)));
        self.panels.push(Chosen { items: items.to_vec(), places, rows });
        Ok(self.panels.len() - 1)
    }

    fn forget(&mut self, panel: Panel) {
        self.panels.truncate(panel);
    }

    fn score(
        &mut self,
        profile: Profile,
        edit: &Edit,
        panel: Panel,
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        let expected = self.panels[panel].items.len();
        if out.len() != expected {
            return Err(ScoreError::Room { got: out.len(), expected });
        }
        self.ask(profile, edit)?;
        let chosen = &self.panels[panel];
        if self.known == Known::Scores {
            out.iter_mut().zip(&chosen.items).for_each(|(out, &item)| *out = self.catalogue[item as usize]);
        } else {
            matvec(&chosen.rows, self.estimate.output(), out);
            self.estimate.correct(|item| chosen.place(item), out);
        }
        Ok(())
    }

    fn best(&mut self, profile: Profile, edit: &Edit, count: usize) -> Result<Vec<u32>, ScoreError> {
        self.ask_about_all(profile, edit)?;
        let best = top_k(&self.catalogue, count, |item| is_candidate(&self.candidates, item));
        Ok(best.into_iter().map(|ranked| ranked.index).collect())
    }

    fn above(
        &mut self,
        profile: Profile,
        edit: &Edit,
        panel: Panel,
        threshold: f32,
    ) -> Result<Vec<u32>, ScoreError> {
        self.ask_about_all(profile, edit)?;
        let (scores, chosen) = (&self.catalogue, &self.panels[panel]);
        let above =
            scores.iter().zip(&self.candidates).zip(0u32..).filter_map(|((&score, &candidate), item)| {
                (score > threshold && candidate && chosen.place(item).is_none()).then_some(item)
            });
        Ok(above.collect())
    }
}
