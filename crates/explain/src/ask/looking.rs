//! The questions of a [`Ledger`] about a recommender that can be looked at closely: contenders first, the others where they matter.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use grease_graph::conformance::TOLERANCE;
use grease_graph::{Edge, Edit, ItemId, Profile, ScoreError, Sums, check_finite};
use grease_kernels::top_k;

use super::close::CloseLook;
use super::ledger::{Answer, AnswerId, Ledger};
use super::rules::{Change, Rules};
use super::standing::Ranking;
use crate::task::Direction;

impl Answer {
    /// Whether the list, and so every margin, is that of the whole catalogue.
    fn is_whole(&self) -> bool {
        self.line <= self.threshold
    }
}

impl Ledger<'_> {
    /// Looked at closely, those contend who look best as things are, as each profile reads it.
    pub(super) fn choose_close_contenders(&mut self) -> Result<(), ScoreError> {
        let Some(look) = &mut self.look else { return Ok(()) };
        let mut contenders: BTreeSet<u32> = match self.answers.first() {
            Some(before) => {
                let is_candidate = |item: u32| before.scores[item as usize] > f32::NEG_INFINITY;
                let best = top_k(&before.scores, CloseLook::many(self.places), is_candidate);
                best.iter().map(|ranked| ranked.index).collect()
            }
            None => look.best(Profile::Kept, self.places)?.into_iter().collect(),
        };
        if self.recommender.abilities().neutral {
            contenders.extend(look.best(Profile::Neutral, self.places)?);
        }
        contenders.extend(self.watched.iter().map(|item| item.0));
        look.contend(contenders.clone())?;
        self.watched_at = places(look.contenders(), &self.watched);
        self.keep_only(contenders);
        Ok(())
    }

    pub(super) fn look_at_all(&mut self, profile: Profile, fresh: Vec<Edit>) -> Result<(), ScoreError> {
        if self.recommender.is_given_up() {
            return Err(ScoreError::Cancelled);
        }
        for edit in fresh {
            let answer = self.look_at(profile, edit)?;
            self.asked += 1;
            self.note(answer);
        }
        Ok(())
    }

    /// What the contenders' scores after an edit say, and what is known of the others at once.
    fn look_at(&mut self, profile: Profile, edit: Edit) -> Result<Answer, ScoreError> {
        let look = self.look.as_mut().expect("only where a close look is possible");
        let scores = look.scores(profile, &edit)?;
        let tolerance = TOLERANCE * check_finite(&scores)?;
        Ok(self.read_close(profile, edit, scores, &[], (f32::INFINITY, tolerance)))
    }

    /// What scores of the contenders and some others say.
    fn read_close(
        &self,
        profile: Profile,
        edit: Edit,
        mut scores: Vec<f32>,
        others: &[(u32, f32)],
        (line, tolerance): (f32, f32),
    ) -> Answer {
        let look = self.look.as_ref().expect("only where a close look is possible");
        let gained: Vec<u32> = edit.gained(self.user).map(|item| item.0).collect();
        let mut items = Cow::Borrowed(look.contenders());
        let (mut all, mut watched) = (scores.clone(), Cow::Borrowed(&self.watched_at));
        if !others.is_empty() {
            let mut pairs: Vec<(u32, f32)> = items.iter().copied().zip(scores.iter().copied()).collect();
            pairs.extend_from_slice(others);
            pairs.sort_unstable_by_key(|&(item, _)| item);
            items = pairs.iter().map(|&(item, _)| item).collect();
            all = pairs.iter().map(|&(_, score)| score).collect();
            if self.contenders.is_some() {
                watched = Cow::Owned(places(&items, &self.watched));
            }
        }
        let mut allowed = vec![true; items.len()];
        if !gained.is_empty() {
            allowed
                .iter_mut()
                .zip(items.iter())
                .for_each(|(allowed, item)| *allowed = !gained.contains(item));
            let contenders = look.contenders().iter().zip(&mut scores);
            contenders.filter(|(item, _)| gained.contains(item)).for_each(|(_, s)| *s = f32::NEG_INFINITY);
        }
        let ranking = Ranking::of(&mut all, &allowed, self.places, &watched, tolerance);
        let list = ranking.best.iter().take(self.places.k).map(|ranked| ItemId(items[ranked.index as usize]));
        Answer {
            profile,
            edit,
            standings: ranking.standings,
            list: list.collect(),
            tolerance,
            scores,
            line,
            outsiders: others.to_vec(),
            threshold: ranking
                .best
                .get(self.places.toward(Direction::Out))
                .map_or(f32::NEG_INFINITY, |last| last.score),
        }
    }

    /// Makes sure that the list is that of the whole catalogue, and the rank of each of some items (by their places among the watched).
    pub(crate) fn settle(
        &mut self,
        at: AnswerId,
        watched: impl IntoIterator<Item = usize>,
    ) -> Result<(), ScoreError> {
        let answer = &self.answers[at];
        let wanted = watched.into_iter().map(|at| answer.standings[at].score - answer.tolerance);
        let threshold = wanted.fold(answer.threshold, f32::min);
        let (profile, edit) = (answer.profile, answer.edit.clone());
        let Some(look) = self.look.as_mut().filter(|_| answer.line > threshold) else { return Ok(()) };
        let others = look.above(profile, &edit, threshold)?;
        let scores = std::mem::take(&mut self.answers[at].scores);
        let tolerance = self.answers[at].tolerance;
        self.answers[at] = self.read_close(profile, edit, scores, &others, (threshold, tolerance));
        Ok(())
    }

    /// What some other items than the contenders score with nothing and with each of some edges cited: `[1 + edges, items]`; none where no
    /// close look is possible. Neither kept nor counted: these answers were asked for about the contenders.
    pub(crate) fn singles_of_others(
        &mut self,
        rules: &Rules<'_>,
        edges: &[Edge],
        items: &[u32],
    ) -> Result<Option<Vec<f32>>, ScoreError> {
        let Some(look) = &mut self.look else { return Ok(None) };
        let nothing = std::iter::once(rules.edit(&[]));
        let edits: Vec<Edit> = nothing.chain(edges.iter().map(|&edge| rules.edit(&[edge]))).collect();
        look.scores_of(rules.profile, &edits, items).map(Some)
    }

    /// Whether an item is surely where it is wanted, beyond rounding: to be in, nobody else may be ahead, and that is looked at.
    ///
    /// That others than contenders might put it out is not: it seldom happens, and a search can do without.
    pub(crate) fn surely_reached(
        &mut self,
        rules: &Rules<'_>,
        at: AnswerId,
        watched: usize,
    ) -> Result<bool, ScoreError> {
        match rules.direction {
            Direction::Out => Ok(rules.reached(&self.answers[at], watched)),
            Direction::In => self.reached(rules, at, watched),
        }
    }

    /// Whether an item is where it is wanted, beyond rounding. Who else there is, is looked at where it matters.
    pub(crate) fn reached(
        &mut self,
        rules: &Rules<'_>,
        at: AnswerId,
        watched: usize,
    ) -> Result<bool, ScoreError> {
        let answer = &self.answers[at];
        let seems = rules.reached(answer, watched);
        // To be out it is enough that k contenders are ahead; to be in, nobody else may be.
        let is_sure = seems == (rules.direction == Direction::Out);
        let standing = answer.standings[watched];
        if is_sure || answer.is_whole() || answer.line <= standing.score - answer.tolerance {
            return Ok(seems);
        }
        self.settle(at, Some(watched))?;
        Ok(rules.reached(&self.answers[at], watched))
    }

    /// Whether an item is where it is wanted after an edit, beyond rounding; the answer is not kept, nor counted.
    pub(crate) fn try_out(
        &mut self,
        rules: &Rules<'_>,
        edit: Edit,
        watched: usize,
        proof: bool,
    ) -> Result<bool, ScoreError> {
        if self.recommender.is_given_up() {
            return Err(ScoreError::Cancelled);
        }
        let answer = self.look_at(rules.profile, edit)?;
        self.answers.push(answer);
        let at = self.answers.len() - 1;
        let reached = match proof {
            true => self.reached(rules, at, watched),
            false => self.surely_reached(rules, at, watched),
        };
        self.answers.pop();
        reached
    }

    /// Whether sums of one size can be had: where own interactions are taken away, the profile is kept, and a close look is possible.
    pub(crate) fn has_sums(&self, rules: &Rules<'_>) -> bool {
        let is_known = self.user != self.recommender.graph().newcomer();
        let is_removal = rules.change == Change::Removed && rules.direction == Direction::Out;
        let has_sums = self.look.as_ref().is_some_and(CloseLook::is_exact);
        has_sums && is_known && is_removal && rules.profile == Profile::Kept
    }

    /// What taking away sets of one size of some own edges does to the contenders, by sums; none where that is not known.
    pub(crate) fn sums(
        &mut self,
        rules: &Rules<'_>,
        pool: &[Edge],
        size: usize,
    ) -> Result<Option<Rc<Sums>>, ScoreError> {
        if !self.has_sums(rules) || pool.iter().any(|edge| edge.user != self.user) {
            return Ok(None);
        }
        let Some(look) = &mut self.look else { return Ok(None) };
        look.sums(&items_of(pool), size)
    }

    /// The same for nearly everybody who could pass an item (by its place among the watched), and where it is among them.
    pub(crate) fn wide_sums(
        &mut self,
        rules: &Rules<'_>,
        pool: &[Edge],
        size: usize,
        watched: usize,
    ) -> Result<Option<(Rc<Sums>, usize)>, ScoreError> {
        if !self.has_sums(rules) || pool.iter().any(|edge| edge.user != self.user) {
            return Ok(None);
        }
        let Some(look) = &mut self.look else { return Ok(None) };
        let sums = look.wide_sums(&items_of(pool), size)?;
        Ok(sums.map(|sums| (sums, look.wide_place(self.watched[watched].0))))
    }
}

/// Where items are among ascending rows that have them all.
fn places(rows: &[u32], items: &[ItemId]) -> Vec<ItemId> {
    let place = |item: &ItemId| rows.binary_search(&item.0).expect("watched items contend");
    items.iter().map(|item| ItemId(place(item) as u32)).collect()
}

fn items_of(edges: &[Edge]) -> Vec<u32> {
    edges.iter().map(|edge| edge.item.0).collect()
}
