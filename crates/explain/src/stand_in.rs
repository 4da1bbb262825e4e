//! The surrogate of one person's list: fitted once for all its items, taught by the recommender's answers, and asked which
//! of many edges are worth a question.

use std::collections::BTreeSet;

use grease_graph::{Edge, ItemId, ScoreError, seed};
use rand::Rng;

use crate::desk::Desk;
use crate::effects::Effects;
use crate::ledger::{AnswerId, Ledger};
use crate::rules::Rules;
use crate::surrogate::{Activations, Anchored, FitOptions, Ground, Lesson, Lessons, Surrogate};
use crate::{NeighbourhoodSize, SurrogateView};

/// Edges beyond the person's own that are asked about to teach the surrogate what such edges do.
const WIDE_LESSONS: usize = 12;
/// Sets of edges it is examined on, never taught.
const EXAMS: usize = 6;
/// The person's own edges in such a set, and those of others: what explanations are made of, not what there is most of.
const EXAM_EDGES: (usize, usize) = (2, 1);
/// Contenders whose score changes make up a lesson.
const LESSON_ITEMS: usize = 120;

/// A surrogate ready to be asked.
pub(crate) struct StandIn<'g> {
    pub(crate) ground: &'g Ground<'g>,
    pub(crate) surrogate: Surrogate,
    activations: Activations,
    fidelity: Option<f32>,
}

impl<'g> StandIn<'g> {
    /// Fitted to what the recommender shows, and to nothing else.
    pub(crate) fn untaught(
        ground: &'g Ground<'g>,
        lessons: Lessons<'_>,
        options: &FitOptions,
        start: Option<&Surrogate>,
    ) -> Self {
        let surrogate = Surrogate::fit(ground, lessons, options, start);
        let activations = surrogate.on(ground);
        Self { ground, surrogate, activations, fidelity: None }
    }

    /// Fitted to what the recommender shows and to its answers: what the person's own interactions do, which is known, and
    /// a few others, which are asked about here.
    pub(crate) fn taught(
        ground: &'g Ground<'g>,
        desk: &Desk<'_>,
        ledger: &mut Ledger<'_>,
        rules: &Rules<'_>,
        own: &Effects,
        start: Option<&Surrogate>,
    ) -> Result<Self, ScoreError> {
        let mut school = School { ground, ledger, rules, before: 0 };
        school.before = school.ask(&[])?;
        let mut rng = seed::rng_at(desk.task.seed, "lessons", u64::from(desk.user.0));
        let mut wide = near_the_ends(ground, desk);
        seed::shuffle(&mut rng, &mut wide);
        let mut lessons = Vec::new();
        for edge in own.edges.iter().copied().chain(wide.iter().copied().take(WIDE_LESSONS)) {
            lessons.extend(school.lesson(&[edge])?);
        }
        let exams = school.exams(&mut rng, own.edges.clone(), wide)?;
        let scores = school.scores();
        let shows_nothing = start.is_none();
        let options = if shows_nothing {
            FitOptions { seed: desk.task.seed, ..FitOptions::default() }
        } else {
            FitOptions::local(desk.task.seed)
        };
        let taught = Self::untaught(ground, Lessons { answers: &lessons, scores: &scores }, &options, start);
        let fidelity = taught.anchored(&scores, &[]).fidelity(&exams);
        Ok(Self { fidelity, ..taught })
    }

    /// A surrogate nobody taught, examined like those that were.
    pub(crate) fn examined(
        ground: &'g Ground<'g>,
        surrogate: Surrogate,
        desk: &Desk<'_>,
        ledger: &mut Ledger<'_>,
        rules: &Rules<'_>,
    ) -> Result<Self, ScoreError> {
        let mut school = School { ground, ledger, rules, before: 0 };
        school.before = school.ask(&[])?;
        let mut rng = seed::rng_at(desk.task.seed, "exams", u64::from(desk.user.0));
        let exams = school.exams(&mut rng, desk.citable.clone(), near_the_ends(ground, desk))?;
        let scores = school.scores();
        let activations = surrogate.on(ground);
        let untaught = Self { ground, surrogate, activations, fidelity: None };
        let fidelity = untaught.anchored(&scores, &[]).fidelity(&exams);
        Ok(Self { fidelity, ..untaught })
    }

    /// The surrogate, agreeing with the recommender where `absent` edges are away.
    pub(crate) fn anchored(&self, real: &[(ItemId, f32)], absent: &[u32]) -> Anchored<'_> {
        Anchored::new(self.ground, &self.surrogate, &self.activations, real, absent)
    }

    /// The surrogate judging by itself among these items.
    pub(crate) fn unanchored(&self, candidates: impl Iterator<Item = ItemId>) -> Anchored<'_> {
        Anchored::unanchored(self.ground, &self.surrogate, &self.activations, candidates, &[])
    }

    /// Local numbers of those edges that are in the neighbourhood.
    pub(crate) fn local<'e>(&self, edges: impl IntoIterator<Item = &'e Edge>) -> Vec<u32> {
        edges.into_iter().filter_map(|&edge| self.ground.neighbourhood().find(edge)).collect()
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
                (rules.gain(change), edge)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(most);
        ranked.into_iter().map(|(_, edge)| self.ground.neighbourhood().edge(edge)).collect()
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
        self.ground.neighbourhood().size()
    }
}

/// Where lessons come from.
struct School<'s, 'l, 'a> {
    ground: &'s Ground<'s>,
    ledger: &'s mut Ledger<'l>,
    rules: &'s Rules<'a>,
    before: AnswerId,
}

impl School<'_, '_, '_> {
    fn ask(&mut self, edges: &[Edge]) -> Result<AnswerId, ScoreError> {
        Ok(self.ledger.ask(self.rules.profile, &[self.rules.edit(edges)])?[0])
    }

    /// What a few sets like those of explanations do.
    fn exams(
        &mut self,
        rng: &mut impl Rng,
        mut own: Vec<Edge>,
        mut wide: Vec<Edge>,
    ) -> Result<Vec<Lesson>, ScoreError> {
        let mut exams = Vec::new();
        for _ in 0..EXAMS {
            seed::shuffle(rng, &mut own);
            seed::shuffle(rng, &mut wide);
            let set = own.iter().take(EXAM_EDGES.0).chain(wide.iter().take(EXAM_EDGES.1));
            exams.extend(self.lesson(&set.copied().collect::<Vec<Edge>>())?);
        }
        Ok(exams)
    }

    /// What these edges do together; nothing if one of them is not in the neighbourhood.
    fn lesson(&mut self, edges: &[Edge]) -> Result<Option<Lesson>, ScoreError> {
        let neighbourhood = self.ground.neighbourhood();
        let Some(mut after) =
            edges.iter().map(|&edge| neighbourhood.find(edge)).collect::<Option<Vec<u32>>>()
        else {
            return Ok(None);
        };
        after.sort_unstable();
        let answer = self.ask(edges)?;
        let (before, now) = (&self.ledger.answer(self.before).scores, &self.ledger.answer(answer).scores);
        let changes =
            self.places().map(|at| (ItemId(self.ledger.contenders()[at]), now[at] - before[at])).collect();
        Ok(Some(Lesson { before: Vec::new(), after, changes }))
    }

    /// Real scores where lessons start.
    fn scores(&self) -> Vec<(ItemId, f32)> {
        contenders_with(self.ledger, self.before)
    }

    /// Contenders worth a lesson: evenly through all of them, and everything that is watched.
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let contenders = self.ledger.contenders();
        let stride = contenders.len().div_ceil(LESSON_ITEMS).max(1);
        let watched: BTreeSet<u32> = self.ledger.watched().iter().map(|item| item.0).collect();
        (0..contenders.len()).filter(move |&at| at % stride == 0 || watched.contains(&contenders[at]))
    }
}

/// The contenders with what an answer says of them.
pub(crate) fn contenders_with(ledger: &Ledger<'_>, answer: AnswerId) -> Vec<(ItemId, f32)> {
    let scores = &ledger.answer(answer).scores;
    ledger.contenders().iter().zip(scores).map(|(&item, &score)| (ItemId(item), score)).collect()
}

/// Edges of other people with the person's items or the explained ones: beyond these an edge does little.
fn near_the_ends(ground: &Ground<'_>, desk: &Desk<'_>) -> Vec<Edge> {
    let neighbourhood = ground.neighbourhood();
    let own: BTreeSet<u32> = desk.own.iter().map(|edge| edge.item.0).collect();
    let targets: BTreeSet<u32> =
        neighbourhood.targets().iter().map(|&local| neighbourhood.items()[local as usize]).collect();
    (0..neighbourhood.len() as u32)
        .map(|edge| neighbourhood.edge(edge))
        .filter(|edge| edge.user != desk.user)
        .filter(|edge| own.contains(&edge.item.0) || targets.contains(&edge.item.0))
        .collect()
}
