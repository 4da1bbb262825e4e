//! The fewest interactions after which much of a list is another: not one item has to go, but some of them, whichever.

use std::collections::BTreeSet;

use grease_graph::{Edge, ItemId, Profile, ScoreError};

use super::effects::{Effects, add};
use super::search::each_left_out;
use crate::ask::{Answer, AnswerId, Ledger, Person};

/// Edges added at most before the recommender is asked again.
const STRIDE: usize = 3;
/// Smaller sets tried once one is found.
const SMALLER: usize = 3;

/// What is looked for: so many of a list's items gone.
pub(crate) struct Turnover<'t, 'a> {
    pub(crate) person: &'t Person<'a>,
    pub(crate) before: Vec<ItemId>,
    /// How many of them have to go; at least one.
    pub(crate) many: usize,
    /// The most edges.
    pub(crate) cap: usize,
}

/// A set after which it is so.
pub(crate) struct Turned {
    pub(crate) edges: Vec<Edge>,
    pub(crate) answer: AnswerId,
    /// Whether every edge is needed; none where it was not found out.
    pub(crate) minimal: Option<bool>,
}

/// Edges on the way, by their places, and what the contenders' scores are believed to be there.
#[derive(Clone)]
struct Way {
    cited: Vec<usize>,
    scores: Vec<f32>,
    pace: f32,
}

impl<'a> Turnover<'_, 'a> {
    /// A set that does it, as small as sums find one.
    pub(crate) fn find(
        &self,
        ledger: &mut Ledger<'a>,
        effects: &Effects,
        mut budget: usize,
    ) -> Result<Option<Turned>, ScoreError> {
        let cap = self.cap.min(effects.edges.len());
        let mut way = Way { cited: Vec::new(), scores: effects.start.clone(), pace: 1.0 };
        let mut found = None;
        while way.cited.len() < cap && budget > 0 && found.is_none() {
            let until = cap.min(way.cited.len() + STRIDE);
            let begun = way.cited.len();
            while way.cited.len() < until
                && (way.cited.len() == begun || self.short(ledger, &way.scores) > 0.0)
            {
                self.grow(ledger, effects, &mut way);
            }
            let edges: Vec<Edge> = way.cited.iter().map(|&at| effects.edges[at]).collect();
            let answer = self.ask(ledger, &edges, &mut budget)?;
            if self.is_turned(ledger, answer) {
                found = Some(Turned { edges, answer, minimal: None });
            } else {
                way.scores = effects.of_answer(&ledger.answer(answer).scores);
                way.pace = effects.pace(&way.cited, &way.scores);
            }
        }
        let Some(found) = found else { return Ok(None) };
        let mut found = self.spared(ledger, found, &mut budget)?;
        for _ in 0..SMALLER {
            match self.smaller(ledger, effects, &found, &mut budget)? {
                Some(smaller) => found = self.spared(ledger, smaller, &mut budget)?,
                None => break,
            }
        }
        Ok(Some(found))
    }

    fn ask(
        &self,
        ledger: &mut Ledger<'a>,
        edges: &[Edge],
        budget: &mut usize,
    ) -> Result<AnswerId, ScoreError> {
        let asked = ledger.asked();
        let edit = self.person.task.who.edit(self.person.graph(), edges, &[]);
        let at = ledger.ask(Profile::Kept, &[edit])?[0];
        ledger.settle(at, 0..self.before.len())?;
        *budget = budget.saturating_sub(ledger.asked() - asked);
        Ok(at)
    }

    /// Whether enough of the list has gone, beyond rounding: the last of those who have to come is ahead of the last who has to go.
    pub(crate) fn is_turned(&self, ledger: &Ledger<'_>, at: AnswerId) -> bool {
        let answer = ledger.answer(at);
        let (staying, coming) = self.sides(ledger, answer);
        let last = self.many - 1;
        match (staying.get(last), coming.get(last)) {
            (Some(goes), Some(comes)) => comes - goes > answer.tolerance,
            _ => false,
        }
    }

    /// Scores of the list's items, the worst first, and of all others, the best first.
    fn sides(&self, ledger: &Ledger<'_>, answer: &Answer) -> (Vec<f32>, Vec<f32>) {
        let mut staying: Vec<f32> = answer.standings.iter().map(|standing| standing.score).collect();
        staying.sort_by(f32::total_cmp);
        let others = ledger.contenders().iter().zip(&answer.scores).map(|(&item, &score)| (item, score));
        let mut coming: Vec<f32> = others
            .chain(answer.outsiders.iter().copied())
            .filter(|(item, _)| !self.before.contains(&ItemId(*item)))
            .map(|(_, score)| score)
            .collect();
        coming.sort_by(|a, b| b.total_cmp(a));
        coming.truncate(self.before.len());
        (staying, coming)
    }

    /// How far it is, by contenders' scores: the distances of those who would have to change places, added up.
    fn short(&self, ledger: &Ledger<'_>, scores: &[f32]) -> f32 {
        let (mut staying, mut coming) = (Vec::new(), Vec::new());
        for (&item, &score) in ledger.contenders().iter().zip(scores) {
            match self.before.contains(&ItemId(item)) {
                true => staying.push(score),
                false => coming.push(score),
            }
        }
        staying.sort_by(f32::total_cmp);
        let many = self.many.min(coming.len());
        if many == 0 {
            return f32::INFINITY;
        }
        coming.select_nth_unstable_by(many - 1, |a, b| b.total_cmp(a));
        coming[..many].sort_by(|a, b| b.total_cmp(a));
        staying.iter().zip(&coming[..many]).map(|(stays, comes)| (stays - comes).max(0.0)).sum()
    }

    fn grow(&self, ledger: &Ledger<'_>, effects: &Effects, way: &mut Way) {
        let mut best: Option<(f32, usize)> = None;
        for edge in (0..effects.edges.len()).filter(|edge| !way.cited.contains(edge)) {
            let mut scores = way.scores.clone();
            add(&mut scores, effects.change(edge), way.pace);
            let short = self.short(ledger, &scores);
            if best.is_none_or(|best| short < best.0) {
                best = Some((short, edge));
            }
        }
        if let Some((_, edge)) = best {
            add(&mut way.scores, effects.change(edge), way.pace);
            way.cited.push(edge);
        }
    }

    /// With edges spared until none can be, or the budget ends.
    fn spared(
        &self,
        ledger: &mut Ledger<'a>,
        mut found: Turned,
        budget: &mut usize,
    ) -> Result<Turned, ScoreError> {
        'again: while found.edges.len() > 1 && *budget > found.edges.len() {
            for edges in each_left_out(&found.edges) {
                let answer = self.ask(ledger, &edges, budget)?;
                if self.is_turned(ledger, answer) {
                    found = Turned { edges, answer, minimal: None };
                    continue 'again;
                }
            }
            found.minimal = Some(true);
            return Ok(found);
        }
        found.minimal = (found.edges.len() == 1).then_some(true);
        Ok(found)
    }

    /// A set with one edge less, if sums see one and it does it: one left out, another exchanged.
    fn smaller(
        &self,
        ledger: &mut Ledger<'a>,
        effects: &Effects,
        found: &Turned,
        budget: &mut usize,
    ) -> Result<Option<Turned>, ScoreError> {
        let places: Vec<usize> = found
            .edges
            .iter()
            .filter_map(|edge| effects.edges.iter().position(|other| other == edge))
            .collect();
        if found.edges.len() < 3 || *budget == 0 {
            return Ok(None);
        }
        let here = effects.of_answer(&ledger.answer(found.answer).scores);
        let pace = effects.pace(&places, &here);
        let mut best: Option<(f32, BTreeSet<usize>)> = None;
        for (out, &left) in places.iter().enumerate() {
            for &other in &places[..out] {
                let mut without = here.clone();
                add(&mut without, effects.change(left), -pace);
                add(&mut without, effects.change(other), -pace);
                for into in (0..effects.edges.len()).filter(|edge| !places.contains(edge)) {
                    let mut scores = without.clone();
                    add(&mut scores, effects.change(into), pace);
                    let short = self.short(ledger, &scores);
                    if best.as_ref().is_none_or(|best| short < best.0) {
                        let rest = places.iter().copied().filter(|&at| at != left && at != other);
                        best = Some((short, rest.chain([into]).collect()));
                    }
                }
            }
        }
        let Some((_, set)) = best.filter(|(short, _)| *short <= 0.0) else { return Ok(None) };
        let edges: Vec<Edge> = set.into_iter().map(|at| effects.edges[at]).collect();
        let answer = self.ask(ledger, &edges, budget)?;
        Ok(self.is_turned(ledger, answer).then_some(Turned { edges, answer, minimal: None }))
    }
}
