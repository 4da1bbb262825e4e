//! The surrogate of one person's list: fitted once for all its items, taught by the recommender's answers, and asked which
//! of many edges are worth a question.

use grease_graph::{Edge, ItemId, ScoreError};
use serde::{Deserialize, Serialize};

use super::activations::Activations;
use super::anchored::Anchored;
use super::fit::{FitOptions, Lessons, Surrogate};
use super::inputs::Inputs;
use super::lessons::Lesson;
use super::neighbourhood::NeighbourhoodSize;
use super::tutor::Tutor;
use crate::ask::{Ledger, Person, Rules};

/// What the surrogate itself thinks, beside what the recommender says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SurrogateView {
    /// The item's rank before any edit.
    pub rank_before: usize,
    /// The item's rank after the edit.
    pub rank_after: Option<usize>,
    /// Spearman correlation of predicted and real score changes over held-out edits.
    pub fidelity: Option<f32>,
}

/// A surrogate ready to be asked.
pub(crate) struct LocalSurrogate<'g> {
    pub(crate) inputs: &'g Inputs<'g>,
    pub(crate) surrogate: Surrogate,
    activations: Activations,
    fidelity: Option<f32>,
}

impl<'g> LocalSurrogate<'g> {
    /// Fitted to what the recommender shows, and to nothing else.
    pub(crate) fn untaught(
        inputs: &'g Inputs<'g>,
        lessons: Lessons<'_>,
        options: &FitOptions,
        start: Option<&Surrogate>,
    ) -> Result<Self, ScoreError> {
        let surrogate = Surrogate::fit(inputs, lessons, options, start)?;
        let activations = surrogate.on(inputs);
        Ok(Self { inputs, surrogate, activations, fidelity: None })
    }

    /// Fitted to what the recommender shows and to its answers: what the person's `own` interactions do, which is known, and
    /// a few others, which are asked about here.
    pub(crate) fn taught(
        inputs: &'g Inputs<'g>,
        person: &Person<'_>,
        ledger: &mut Ledger<'_>,
        own: &[Edge],
        start: Option<&Surrogate>,
    ) -> Result<Self, ScoreError> {
        let (lessons, exams, scores) = Tutor::new(inputs, person, ledger)?.lessons(own)?;
        let seed = person.task.seed;
        let options = match start {
            Some(_) => FitOptions::local(seed),
            None => FitOptions { seed, ..FitOptions::default() },
        };
        let lessons = Lessons { answers: &lessons, scores: &scores };
        Ok(Self::untaught(inputs, lessons, &options, start)?.examined(&scores, &exams))
    }

    /// A surrogate nobody taught, examined like those that were.
    pub(crate) fn as_published(
        inputs: &'g Inputs<'g>,
        surrogate: Surrogate,
        person: &Person<'_>,
        ledger: &mut Ledger<'_>,
    ) -> Result<Self, ScoreError> {
        let (exams, scores) = Tutor::new(inputs, person, ledger)?.exams_alone()?;
        let activations = surrogate.on(inputs);
        Ok(Self { inputs, surrogate, activations, fidelity: None }.examined(&scores, &exams))
    }

    fn examined(self, scores: &[(ItemId, f32)], exams: &[Lesson]) -> Self {
        Self { fidelity: self.anchored(scores, &[]).fidelity(exams), ..self }
    }

    /// The surrogate, agreeing with the recommender where `absent` edges are away.
    pub(crate) fn anchored(&self, real: &[(ItemId, f32)], absent: &[u32]) -> Anchored<'_> {
        Anchored::new(self.inputs, &self.surrogate, &self.activations, real, absent)
    }

    /// The surrogate judging by itself among these items.
    pub(crate) fn unanchored(&self, candidates: impl Iterator<Item = ItemId>) -> Anchored<'_> {
        Anchored::unanchored(self.inputs, &self.surrogate, &self.activations, candidates, &[])
    }

    /// Local numbers of those edges that are in the neighbourhood.
    pub(crate) fn local<'e>(&self, edges: impl IntoIterator<Item = &'e Edge>) -> Vec<u32> {
        edges.into_iter().filter_map(|&edge| self.inputs.neighbourhood().find(edge)).collect()
    }

    /// The edges of `pool` that should move the item most, by their slopes where the search starts.
    pub(crate) fn shortlist(
        &self,
        real: &[(ItemId, f32)],
        rules: &Rules<'_>,
        item: ItemId,
        k: usize,
        pool: &[Edge],
        most: usize,
    ) -> Vec<Edge> {
        let anchored = &mut self.anchored(real, &self.local(&rules.evicted));
        let edges = self.local(pool);
        let slopes = anchored.slopes(item, k, &edges);
        let mut ranked: Vec<(f32, u32)> = slopes
            .iter()
            .zip(&edges)
            .map(|(&slope, &edge)| {
                let change = if anchored.is_present(edge) { -slope } else { slope };
                (rules.direction.gain(change), edge)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(most);
        ranked.into_iter().map(|(_, edge)| self.inputs.neighbourhood().edge(edge)).collect()
    }

    /// What it thinks of an explanation.
    pub(crate) fn view(
        &self,
        real: &[(ItemId, f32)],
        rules: &Rules<'_>,
        item: ItemId,
        k: usize,
        cited: &[Edge],
    ) -> Option<SurrogateView> {
        let anchored = &mut self.anchored(real, &self.local(&rules.evicted));
        let rank_before = anchored.standing(item, k)?.rank;
        let local = self.local(cited);
        let all = local.len() == cited.len() && !cited.is_empty();
        let rank_after = all.then(|| anchored.standing_after(&local, item, k)).flatten().map(|s| s.rank);
        Some(SurrogateView { rank_before, rank_after, fidelity: self.fidelity })
    }

    /// How well it did in its exams.
    pub(crate) fn fidelity(&self) -> Option<f32> {
        self.fidelity
    }

    /// What it was fitted on.
    pub(crate) fn size(&self) -> NeighbourhoodSize {
        self.inputs.neighbourhood().size()
    }
}
