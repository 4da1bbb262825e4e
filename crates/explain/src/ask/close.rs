//! Asking a recommender that can be looked at closely: about contenders only, and about the others as much as a claim needs.

use std::collections::BTreeSet;

use grease_graph::{Closely, Edit, Panel, Profile, ScoreError};

/// Best items of the unedited graph, as each profile reads it, that are thought to contend for a place. Fewer than where all scores
/// are there anyhow: whoever else matters is found by a bound.
const CONTENDERS: usize = 128;

/// One person looked at closely, with those who contend for a place on their list.
pub(super) struct CloseLook<'a> {
    close: Box<dyn Closely + 'a>,
    panel: Panel,
    contenders: Vec<u32>,
}

impl<'a> CloseLook<'a> {
    /// Those who look best as things are contend, until it is said who does.
    pub(super) fn new(close: Box<dyn Closely + 'a>, base: &Edit, k: usize) -> Result<Self, ScoreError> {
        let mut look = Self { close, panel: 0, contenders: Vec::new() };
        let best = look.best(&[Profile::Kept], base, k)?;
        look.contend(best)?;
        Ok(look)
    }

    /// Those who look best as things are, as these profiles read it.
    pub(super) fn best(
        &mut self,
        profiles: &[Profile],
        base: &Edit,
        k: usize,
    ) -> Result<BTreeSet<u32>, ScoreError> {
        let most = CONTENDERS.max(k.saturating_mul(4));
        let mut best = BTreeSet::new();
        for &profile in profiles {
            best.extend(self.close.best(profile, base, most)?);
        }
        Ok(best)
    }

    /// Says who contends.
    pub(super) fn contend(&mut self, contenders: BTreeSet<u32>) -> Result<(), ScoreError> {
        self.contenders = contenders.into_iter().collect();
        self.close.forget(0);
        self.panel = self.close.choose(&self.contenders)?;
        Ok(())
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

    /// Nobody else scores more than this.
    pub(super) fn bound(&mut self, profile: Profile, edit: &Edit) -> Result<f32, ScoreError> {
        self.close.bound(profile, edit, self.panel)
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
        let panel = self.close.choose(&others)?;
        let mut scores = vec![0f32; others.len()];
        let scored = self.close.score(profile, edit, panel, &mut scores);
        self.close.forget(panel);
        scored?;
        Ok(others.into_iter().zip(scores).collect())
    }
}
