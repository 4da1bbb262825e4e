//! Where an audited item stands, asked of the model as it was, as edited and as trained again.

use std::collections::BTreeSet;

use grease_explain::{Candidates, Who};
use grease_graph::{Edit, ItemId, Profile, Recommender, ScoreError, recommend};
use grease_models::Model;

use super::plan::Case;
use grease::Standing;

/// The models to ask.
pub(super) struct Judge<'a> {
    /// Length of the lists.
    pub(super) k: usize,
    /// As it was.
    pub(super) model: &'a Model,
    /// As it was, without everybody's deletions.
    pub(super) edited: Model,
    /// Trained without them.
    pub(super) retrained: Model,
}

/// Where one item stands.
pub(super) struct Standings {
    pub(super) before: Standing,
    pub(super) edited: Standing,
    pub(super) jointly_edited: Standing,
    pub(super) retrained: Standing,
}

impl Judge<'_> {
    /// Where the item stands for the person of this case.
    pub(super) fn standings(&self, case: &Case) -> Result<Standings, ScoreError> {
        let own = Edit::removing(case.deleted.iter().copied());
        Ok(Standings {
            before: self.standing(self.model, case, &Edit::none())?,
            edited: self.standing(self.model, case, &own)?,
            jointly_edited: self.standing(&self.edited, case, &Edit::none())?,
            retrained: self.standing(&self.retrained, case, &Edit::none())?,
        })
    }

    fn standing(&self, model: &Model, case: &Case, edit: &Edit) -> Result<Standing, ScoreError> {
        let graph = self.model.graph();
        let allowed = Candidates::default().mask(graph.items(), graph.items_of(case.user));
        let scores = model.scores_after(case.user, Profile::Kept, edit)?;
        Standing::of(&scores, &allowed, self.k, case.item)
    }

    /// The share of the person's list that training again left on it.
    pub(super) fn list_kept(&self, case: &Case) -> Result<f64, ScoreError> {
        let (before, after) = (self.list(self.model, case)?, self.list(&self.retrained, case)?);
        Ok(before.intersection(&after).count() as f64 / before.len().max(1) as f64)
    }

    /// What was deleted stays no candidate: the history is the one the person had.
    fn list(&self, model: &Model, case: &Case) -> Result<BTreeSet<ItemId>, ScoreError> {
        let history = self.model.graph().items_of(case.user);
        let candidates = Candidates {
            except: history.iter().map(|&item| ItemId(item)).collect(),
            ..Candidates::default()
        };
        let list = recommend(model, &Who::Known(case.user), self.k, &candidates)?;
        Ok(list.into_iter().map(|listed| listed.item).collect())
    }
}
