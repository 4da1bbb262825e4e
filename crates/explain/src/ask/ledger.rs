//! Asking the black box: each question once, every question counted.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use grease_graph::conformance::TOLERANCE;
use grease_graph::{
    Edge, Edit, ItemId, Profile, Recommender, RowHash, ScoreError, Sight, UserId, check_finite,
};

use super::close::CloseLook;
use super::standing::{Ranking, Standing};
use crate::task::Places;

/// Scores asked for at once: 16 MB of them. More are asked for in parts.
const ROOM: usize = 1 << 22;

/// What a search without a limit of questions leaves for the next items, in bytes: more is forgotten.
const KEPT: usize = 32 << 20;

/// Questions that may be asked of a recommender that is looked at closely, for each one otherwise.
const CLOSE_QUESTIONS: usize = 100;

/// What the recommender said about one edited graph, as far as anybody will want to know it again.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(super) profile: Profile,
    pub(super) edit: Edit,
    /// One for each watched item: among all items whose scores are above [`line`](Self::line), or among all where that is lower than
    /// every score.
    pub(crate) standings: Vec<Standing>,
    /// The list, best first.
    pub(crate) list: Vec<ItemId>,
    /// Margins closer to zero than this could be rounding.
    pub(crate) tolerance: f32,
    /// Scores of the contenders; of all items as long as nobody said who contends.
    pub(crate) scores: Vec<f32>,
    /// Nobody but those looked at scores more than this: minus infinity where all were.
    pub(super) line: f32,
    /// Who else is above the line, beside contenders, with their scores: where the others were looked at.
    pub(crate) outsiders: Vec<(u32, f32)>,
    /// The score that decides who is on the list, and who is not.
    pub(super) threshold: f32,
}

/// Number of an answer in its [`Ledger`].
pub(crate) type AnswerId = usize;

/// All questions about one person and their answers.
///
/// One answer holds for every item of the person's list, so whoever asks what was asked before asks for free.
pub(crate) struct Ledger<'a> {
    pub(super) recommender: &'a dyn Recommender,
    pub(super) user: UserId,
    pub(super) places: Places,
    /// Candidates as things are; what an edit adds to the history is none.
    allowed: Vec<bool>,
    pub(super) watched: Vec<ItemId>,
    /// Where they are among the contenders, where a close look is possible.
    pub(super) watched_at: Vec<ItemId>,
    /// Where the recommender can be looked at closely, and is exact then.
    pub(super) look: Option<CloseLook<'a>>,
    /// Looked up, never walked: its order does not matter.
    known: HashMap<Profile, HashMap<Edit, AnswerId, RowHash>>,
    pub(super) answers: Vec<Answer>,
    pub(super) contenders: Option<Vec<u32>>,
    pub(super) asked: usize,
}

impl<'a> Ledger<'a> {
    /// Nothing asked yet, nothing watched. `base` is the edit that makes the person as they are.
    pub(crate) fn new(
        recommender: &'a dyn Recommender,
        user: UserId,
        places: Places,
        allowed: Vec<bool>,
        base: &Edit,
    ) -> Self {
        let close = recommender.closely(user, &allowed).filter(|close| close.sight() == Sight::Exact);
        let look = close.map(|close| CloseLook::new(close, base));
        Self::asking(recommender, user, places, allowed, look)
    }

    /// A ledger of estimates, where the recommender has some: they say where to look, and nothing of it is a claim.
    pub(crate) fn of_estimates(&self, base: &Edit) -> Result<Option<Self>, ScoreError> {
        let Some(close) = self.recommender.closely(self.user, &self.allowed) else { return Ok(None) };
        if close.sight() != Sight::Estimate {
            return Ok(None);
        }
        let look = CloseLook::new(close, base);
        let mut estimates =
            Self::asking(self.recommender, self.user, self.places, self.allowed.clone(), Some(look));
        estimates.watch(self.watched.clone())?;
        Ok(Some(estimates))
    }

    fn asking(
        recommender: &'a dyn Recommender,
        user: UserId,
        places: Places,
        allowed: Vec<bool>,
        look: Option<CloseLook<'a>>,
    ) -> Self {
        Self {
            recommender,
            user,
            places,
            allowed,
            watched: Vec::new(),
            watched_at: Vec::new(),
            look,
            known: HashMap::default(),
            answers: Vec::new(),
            contenders: None,
            asked: 0,
        }
    }

    /// Whether a question costs next to nothing.
    pub(crate) fn is_close(&self) -> bool {
        self.look.is_some()
    }

    /// Says whose standing is wanted from each answer: candidates, before contenders are chosen.
    pub(crate) fn watch(&mut self, watched: Vec<ItemId>) -> Result<(), ScoreError> {
        assert!(self.contenders.is_none(), "standings need all scores");
        self.watched = watched;
        for answer in &mut self.answers {
            let Answer { scores, tolerance, .. } = answer;
            let ranking = Ranking::of(scores, &self.allowed, self.places, &self.watched, *tolerance);
            answer.standings = ranking.standings;
        }
        if self.look.is_some() {
            self.choose_close_contenders()?;
        }
        Ok(())
    }

    /// Whether an item may be listed.
    pub(crate) fn is_candidate(&self, item: ItemId) -> bool {
        self.allowed.get(item.row()).copied().unwrap_or(false)
    }

    /// What is watched.
    pub(crate) fn watched(&self) -> &[ItemId] {
        &self.watched
    }

    /// Questions that reached the recommender.
    pub(crate) fn asked(&self) -> usize {
        self.asked
    }

    /// So many of the questions that reached the recommender were no part of a search.
    pub(crate) fn uncount(&mut self, questions: usize) {
        self.asked -= questions;
    }

    /// How many questions may be asked where so many are allowed: a budget is for recommenders that take their time.
    pub(crate) fn questions(&self, allowed: usize) -> usize {
        if self.is_close() { allowed.saturating_mul(CLOSE_QUESTIONS) } else { allowed }
    }

    fn is_known(&self, profile: Profile, edit: &Edit) -> bool {
        self.known.get(&profile).is_some_and(|known| known.contains_key(edit))
    }

    /// How many of these would reach the recommender.
    pub(crate) fn unknown(&self, profile: Profile, edits: &[Edit]) -> usize {
        edits.iter().filter(|edit| !self.is_known(profile, edit)).count()
    }

    /// The answers, in the order of the questions; those not asked before are asked together.
    pub(crate) fn ask(&mut self, profile: Profile, edits: &[Edit]) -> Result<Vec<AnswerId>, ScoreError> {
        let mut seen: HashSet<&Edit, RowHash> = HashSet::default();
        let fresh: Vec<Edit> = edits
            .iter()
            .filter(|edit| !self.is_known(profile, edit) && seen.insert(*edit))
            .cloned()
            .collect();
        match &self.look {
            // The list itself is asked for as everybody asks for it: it is then the same wherever it is seen.
            Some(_) if self.contenders.is_some() => self.look_at_all(profile, fresh)?,
            _ => self.ask_all(profile, &fresh)?,
        }
        Ok(edits.iter().map(|edit| self.known[&profile][edit]).collect())
    }

    fn ask_all(&mut self, profile: Profile, fresh: &[Edit]) -> Result<(), ScoreError> {
        let items = self.recommender.graph().items();
        for part in fresh.chunks((ROOM / items.max(1)).max(1)) {
            let mut scores = vec![0f32; items * part.len()];
            self.recommender.score(self.user, profile, part, &mut scores)?;
            self.asked += part.len();
            for (at, edit) in part.iter().enumerate() {
                let answer = self.read(profile, edit.clone(), &mut scores[at * items..][..items])?;
                self.note(answer);
            }
        }
        Ok(())
    }

    /// The answer to a question that was asked before, asked again, not counted and not kept; none where the same one is sure to
    /// come.
    pub(crate) fn ask_anew(&mut self, profile: Profile, edit: &Edit) -> Result<Option<Answer>, ScoreError> {
        if self.recommender.repeats_itself() {
            return Ok(None);
        }
        let mut scores = vec![0f32; self.recommender.graph().items()];
        self.recommender.score_anew(self.user, profile, std::slice::from_ref(edit), &mut scores)?;
        self.read(profile, edit.clone(), &mut scores).map(Some)
    }

    /// Whether only what is asked anew counts.
    pub(crate) fn counts_anew(&self) -> bool {
        self.recommender.counts_anew()
    }

    /// Puts the answer that counts in the place of the first one.
    pub(crate) fn correct(&mut self, at: AnswerId, again: Answer) {
        self.answers[at] = again;
    }

    pub(super) fn note(&mut self, answer: Answer) {
        self.known.entry(answer.profile).or_default().insert(answer.edit.clone(), self.answers.len());
        self.answers.push(answer);
    }

    /// What scores of all items after an edit say.
    fn read(&self, profile: Profile, edit: Edit, scores: &mut [f32]) -> Result<Answer, ScoreError> {
        let largest = check_finite(scores)?;
        let tolerance = TOLERANCE * largest;
        let mut allowed = Cow::Borrowed(&self.allowed);
        edit.gained(self.user).for_each(|item| allowed.to_mut()[item.row()] = false);
        let ranking = Ranking::of(scores, &allowed, self.places, &self.watched, tolerance);
        Ok(Answer {
            profile,
            edit,
            standings: ranking.standings,
            list: ranking.best.iter().take(self.places.k).map(|ranked| ItemId(ranked.index)).collect(),
            tolerance,
            scores: match &self.contenders {
                Some(contenders) => contenders.iter().map(|&item| scores[item as usize]).collect(),
                None => scores.to_vec(),
            },
            line: f32::NEG_INFINITY,
            outsiders: Vec::new(),
            threshold: f32::NEG_INFINITY,
        })
    }

    /// How many answers there are.
    pub(crate) fn len(&self) -> usize {
        self.answers.len()
    }

    /// Forgets the answers from this one on, where they are many: whoever needs one asks again.
    pub(crate) fn forget_much(&mut self, from: AnswerId) {
        if self.answers[from..].iter().map(size).sum::<usize>() > KEPT {
            for known in self.known.values_mut() {
                known.retain(|_, at| *at < from);
                known.shrink_to_fit();
            }
            self.answers.truncate(from);
        }
    }

    /// The answer to a question asked before.
    pub(crate) fn recall(&self, profile: Profile, edit: &Edit) -> Option<&Answer> {
        self.known.get(&profile)?.get(edit).map(|&at| &self.answers[at])
    }

    /// The edit an answer is about.
    pub(crate) fn edit(&self, at: AnswerId) -> &Edit {
        &self.answers[at].edit
    }

    /// An answer.
    pub(crate) fn answer(&self, at: AnswerId) -> &Answer {
        &self.answers[at]
    }

    /// Says whose scores matter from now on: all others are forgotten. Watched items always matter.
    pub(crate) fn keep_only(&mut self, contenders: BTreeSet<u32>) -> &[u32] {
        assert!(self.contenders.is_none(), "contenders are chosen once");
        let mut kept = contenders;
        kept.extend(self.watched.iter().map(|item| item.0));
        let kept: Vec<u32> = kept.into_iter().collect();
        for answer in &mut self.answers {
            answer.scores = kept.iter().map(|&item| answer.scores[item as usize]).collect();
        }
        self.contenders.insert(kept)
    }

    /// The contenders with what an answer says of them.
    pub(crate) fn contenders_with(&self, answer: AnswerId) -> Vec<(ItemId, f32)> {
        let scores = &self.answer(answer).scores;
        self.contenders().iter().zip(scores).map(|(&item, &score)| (ItemId(item), score)).collect()
    }

    /// Whose scores are kept, ascending; nobody before [`Ledger::keep_only`].
    pub(crate) fn contenders(&self) -> &[u32] {
        self.contenders.as_deref().unwrap_or_default()
    }
}

/// About what a question and its answer take, in bytes.
fn size(answer: &Answer) -> usize {
    2 * size_of::<Edge>() * (answer.edit.removed().len() + answer.edit.added().len())
        + size_of_val(&answer.standings[..])
        + size_of_val(&answer.list[..])
        + size_of_val(&answer.scores[..])
        + size_of_val(&answer.outsiders[..])
}

#[cfg(test)]
mod tests {
    use grease_graph::Graph;
    use grease_graph::doubles::CoNeighbours;

    use super::*;

    #[test]
    fn what_is_much_is_forgotten_and_can_be_asked_again() {
        let edges: Vec<Edge> = (0..40).map(|item| Edge::new(0, item)).collect();
        let recommender = CoNeighbours::new(Graph::new(1, 1 << 19, &edges).unwrap());
        let mut ledger =
            Ledger::new(&recommender, UserId(0), Places::of(1), vec![true; 1 << 19], &Edit::none());
        let edits: Vec<Edit> = edges.iter().map(|&edge| Edit::removing([edge])).collect();
        let mut ask = |some: &[Edit]| {
            let answers = ledger.ask(Profile::Kept, some).unwrap();
            ledger.forget_much(1);
            (answers, ledger.len(), ledger.asked())
        };
        assert_eq!(ask(&edits[..1]), (vec![0], 1, 1));
        // Two megabytes each.
        assert_eq!(ask(&edits[1..11]), ((1..11).collect(), 11, 11), "little is kept");
        assert_eq!(ask(&edits[11..31]), ((11..31).collect(), 1, 31), "much is not");
        assert_eq!(ask(&edits[..2]), (vec![0, 1], 2, 32), "what was there before stays");
    }
}
