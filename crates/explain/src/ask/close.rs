//! Asking a recommender that can be looked at closely: about contenders only, and about the others as much as a claim needs.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use grease_graph::{Closely, Edit, Panel, Profile, ScoreError, Sight, Sums};

use crate::task::{Direction, Places};

/// Best items of the unedited graph, as each profile reads it, that are thought to contend for a place. Fewer than where all scores
/// are there anyhow: whoever else matters is found by a bound.
const CONTENDERS: usize = 160;

/// One person looked at closely, with those who contend for a place on their list.
pub(super) struct CloseLook<'a> {
    close: Box<dyn Closely + 'a>,
    panel: Panel,
    contenders: Vec<u32>,
    /// Sums that were asked for, by panel, pool and size.
    sums: HashMap<(Panel, Vec<u32>, usize), Option<Rc<Sums>>>,
    base: Edit,
    /// Nearly everybody, ascending, once a proof needs them.
    wide: Option<(Panel, Vec<u32>)>,
}

/// Numbers of a table of sums for a proof: as many candidates are in it as that allows.
const WIDE: usize = 1 << 20;
/// The fewest candidates in it.
const FEWEST: usize = 1 << 10;

/// Items that are looked at together: a panel takes a number for each of them and each interaction of the person, and where much of a
/// history is gone nearly the whole catalogue may have to be looked at.
const AT_A_TIME: usize = 1 << 12;

impl<'a> CloseLook<'a> {
    /// Nobody contends yet; `base` is the edit that makes the person as they are.
    pub(super) fn new(close: Box<dyn Closely + 'a>, base: &Edit) -> Self {
        Self { close, panel: 0, contenders: Vec::new(), sums: HashMap::new(), base: base.clone(), wide: None }
    }

    /// How many of those who look best contend for these places.
    pub(super) fn many(places: Places) -> usize {
        CONTENDERS.max(places.toward(Direction::Out).saturating_mul(4))
    }

    /// Those who look best as things are, as a profile reads it.
    pub(super) fn best(&mut self, profile: Profile, places: Places) -> Result<Vec<u32>, ScoreError> {
        self.close.best(profile, &self.base, Self::many(places))
    }

    /// Says who contends.
    pub(super) fn contend(&mut self, contenders: BTreeSet<u32>) -> Result<(), ScoreError> {
        self.contenders = contenders.into_iter().collect();
        self.close.forget(0);
        self.sums.clear();
        self.wide = None;
        self.panel = self.close.choose(&self.contenders)?;
        Ok(())
    }

    /// Whether what is seen is what the recommender says.
    pub(super) fn is_exact(&self) -> bool {
        self.close.sight() == Sight::Exact
    }

    /// Who contends, ascending.
    pub(super) fn contenders(&self) -> &[u32] {
        &self.contenders
    }

    /// The contenders' scores after an edit.
    pub(super) fn scores(&mut self, profile: Profile, edit: &Edit) -> Result<Vec<f32>, ScoreError> {
        let mut scores = vec![0f32; self.contenders.len()];
        self.close.score(profile, edit, self.panel, &mut scores)?;
        Ok(scores)
    }

    /// What taking away sets of one size of some own items does to the contenders, by sums: to look, not to claim.
    pub(super) fn sums(&mut self, items: &[u32], size: usize) -> Result<Option<Rc<Sums>>, ScoreError> {
        self.sums_of(self.panel, items, size, false)
    }

    /// The same for nearly everybody, with how far it may be off.
    pub(super) fn wide_sums(&mut self, items: &[u32], size: usize) -> Result<Option<Rc<Sums>>, ScoreError> {
        let panel = match &self.wide {
            Some((panel, _)) => *panel,
            None => {
                let most = FEWEST.max(WIDE / items.len().max(1));
                let mut all: BTreeSet<u32> = self.contenders.iter().copied().collect();
                all.extend(self.close.best(Profile::Kept, &self.base, most)?);
                let all: Vec<u32> = all.into_iter().collect();
                let panel = self.close.choose(&all)?;
                self.wide = Some((panel, all));
                panel
            }
        };
        self.sums_of(panel, items, size, true)
    }

    /// Where a contender is among nearly everybody.
    pub(super) fn wide_place(&self, item: u32) -> usize {
        let (_, all) = self.wide.as_ref().expect("asked for sums before");
        all.binary_search(&item).expect("contenders are among them")
    }

    fn sums_of(
        &mut self,
        panel: Panel,
        items: &[u32],
        size: usize,
        proven: bool,
    ) -> Result<Option<Rc<Sums>>, ScoreError> {
        let key = (panel, items.to_vec(), size);
        if let Some(known) = self.sums.get(&key) {
            return Ok(known.clone());
        }
        let sums = self.close.sums(items, size, panel, proven)?.map(Rc::new);
        self.sums.insert(key, sums.clone());
        Ok(sums)
    }

    /// What some items score after each of some edits: `[edits, items]`.
    pub(super) fn scores_of(
        &mut self,
        profile: Profile,
        edits: &[Edit],
        items: &[u32],
    ) -> Result<Vec<f32>, ScoreError> {
        let mut scores = vec![0f32; edits.len() * items.len()];
        for (first, some) in (0..).step_by(AT_A_TIME).zip(items.chunks(AT_A_TIME)) {
            let panel = self.close.choose(some)?;
            let mut each = edits.iter().zip(scores.chunks_exact_mut(items.len()));
            let scored = each.try_for_each(|(edit, scores)| {
                self.close.score(profile, edit, panel, &mut scores[first..first + some.len()])
            });
            self.close.forget(panel);
            scored?;
        }
        Ok(scores)
    }

    /// Everybody else who could be above a threshold, with their scores.
    pub(super) fn above(
        &mut self,
        profile: Profile,
        edit: &Edit,
        threshold: f32,
    ) -> Result<Vec<(u32, f32)>, ScoreError> {
        let others = self.close.above(profile, edit, self.panel, threshold)?;
        if others.is_empty() {
            return Ok(Vec::new());
        }
        let scores = self.scores_of(profile, std::slice::from_ref(edit), &others)?;
        Ok(others.into_iter().zip(scores).collect())
    }
}
