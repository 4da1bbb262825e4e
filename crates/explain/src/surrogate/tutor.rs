//! Lessons and exams for the surrogate of one person's list.

use std::collections::BTreeSet;

use grease_graph::{Edge, ItemId, ScoreError, seed};
use rand::Rng;

use super::inputs::Inputs;
use super::lessons::Lesson;
use crate::ask::{AnswerId, Ledger, Person, Rules};
use crate::task::Goal;

/// Edges beyond the person's own that are asked about to teach the surrogate what such edges do.
const WIDE_LESSONS: usize = 12;
/// Sets of edges it is examined on, never taught.
const EXAMS: usize = 6;
/// The person's own edges in such a set, and those of others: what explanations are made of, not what there is most of.
const EXAM_EDGES: (usize, usize) = (2, 1);
/// Contenders whose score changes make up a lesson.
const LESSON_ITEMS: usize = 120;

/// Asks the recommender what a surrogate is to learn, and what it is examined on.
pub(super) struct Tutor<'s, 'l, 'a> {
    inputs: &'s Inputs<'s>,
    person: &'s Person<'a>,
    ledger: &'s mut Ledger<'l>,
    rules: Rules<'a>,
    /// Where lessons start.
    before: AnswerId,
}

/// Real scores of the contenders.
type Scores = Vec<(ItemId, f32)>;

impl<'s, 'l, 'a> Tutor<'s, 'l, 'a> {
    /// Asks where lessons start: with nothing taken away.
    pub(super) fn new(
        inputs: &'s Inputs<'s>,
        person: &'s Person<'a>,
        ledger: &'s mut Ledger<'l>,
    ) -> Result<Self, ScoreError> {
        let rules = person.list_rules(Goal::Counterfactual);
        let before = ledger.ask(rules.profile, &[rules.edit(&[])])?[0];
        Ok(Self { inputs, person, ledger, rules, before })
    }

    /// What each of the person's own edges does and a few of others, sets to be examined on, and the scores all start from.
    pub(super) fn lessons(mut self, own: &[Edge]) -> Result<(Vec<Lesson>, Vec<Lesson>, Scores), ScoreError> {
        let mut rng = self.rng("lessons");
        let mut wide = self.near_the_ends();
        seed::shuffle(&mut rng, &mut wide);
        let mut lessons = Vec::new();
        for &edge in own.iter().chain(wide.iter().take(WIDE_LESSONS)) {
            lessons.extend(self.lesson(&[edge])?);
        }
        let exams = self.exams(&mut rng, own.to_vec(), wide)?;
        Ok((lessons, exams, self.ledger.contenders_with(self.before)))
    }

    /// Sets to be examined on, and the scores they start from.
    pub(super) fn exams_alone(mut self) -> Result<(Vec<Lesson>, Scores), ScoreError> {
        let mut rng = self.rng("exams");
        let exams = self.exams(&mut rng, self.person.citable.clone(), self.near_the_ends())?;
        Ok((exams, self.ledger.contenders_with(self.before)))
    }

    fn rng(&self, name: &str) -> impl Rng + use<> {
        seed::rng_at(self.person.task.seed, name, u64::from(self.person.user.0))
    }

    /// Edges of other people with the person's items or the explained ones: beyond these an edge does little.
    fn near_the_ends(&self) -> Vec<Edge> {
        let (neighbourhood, user) = (self.inputs.neighbourhood(), self.person.user);
        let own: BTreeSet<u32> = self.person.own.iter().map(|edge| edge.item.0).collect();
        let targets: BTreeSet<u32> =
            neighbourhood.targets().iter().map(|&local| neighbourhood.items()[local as usize]).collect();
        (0..neighbourhood.len() as u32)
            .map(|edge| neighbourhood.edge(edge))
            .filter(|edge| edge.user != user)
            .filter(|edge| own.contains(&edge.item.0) || targets.contains(&edge.item.0))
            .collect()
    }

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
        let neighbourhood = self.inputs.neighbourhood();
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

    /// Contenders worth a lesson: evenly through all of them, and everything that is watched.
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let contenders = self.ledger.contenders();
        let stride = contenders.len().div_ceil(LESSON_ITEMS).max(1);
        let watched: BTreeSet<u32> = self.ledger.watched().iter().map(|item| item.0).collect();
        (0..contenders.len()).filter(move |&at| at % stride == 0 || watched.contains(&contenders[at]))
    }
}
