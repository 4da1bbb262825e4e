//! A recommender that cannot be asked about edited graphs: the surrogate is all there is, and the results say so.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use grease_graph::Profile;

use crate::case::{Case, Common};
use crate::desk::Desk;
use crate::explainer::Explainer;
use crate::ledger::Ledger;
use crate::search::{Aim, order};
use crate::stand_in::{StandIn, contenders_with};
use crate::surrogate::{FitOptions, Ground, Lessons};
use crate::{Cited, Explanation, Goal, Neighbourhood, Reason, Status, SurrogateView};

impl Explainer {
    /// Explanations nobody checked, of all watched items.
    ///
    /// A neutral profile cannot be asked for either, so the learned one is kept throughout.
    pub(crate) fn guess(
        &self,
        desk: &Desk<'_>,
        ledger: &mut Ledger<'_>,
        near: &Neighbourhood,
        goals: &[Goal],
    ) -> Vec<Explanation> {
        desk.choose_contenders(ledger, &[desk.before], &[]);
        let real = contenders_with(ledger, desk.before);
        let ground = Ground::new(near, self.shown(), Profile::Kept);
        let start = self.global();
        let options = match start {
            Some(_) => FitOptions::local(desk.task.seed),
            None => FitOptions { seed: desk.task.seed, ..FitOptions::default() },
        };
        let stand_in = StandIn::untaught(&ground, Lessons { answers: &[], scores: &real }, &options, start);
        let wanted = ledger.watched().to_vec();
        let common = Common {
            desk,
            method: self.method(),
            neutral: None,
            basics: 1.0 / (wanted.len() * goals.len()).max(1) as f32,
            neighbourhood: Some(near),
            stand_in: Some(&stand_in),
            visits: OnceCell::new(),
        };
        let mut guesses = Vec::new();
        for (watched, &item) in wanted.iter().enumerate() {
            for &goal in goals {
                let case = Case { common: &common, goal, item, watched, shared: None };
                guesses.push(case.guessed(ledger, &stand_in));
            }
        }
        guesses
    }
}

impl Case<'_, '_> {
    fn guessed(&self, ledger: &Ledger<'_>, stand_in: &StandIn<'_>) -> Explanation {
        let (desk, k) = (self.desk(), self.desk().task.k);
        let mut rules = desk.rules(self.goal, self.item);
        rules.profile = Profile::Kept;
        let mut explanation = self.begun(ledger, rules.profile, desk.before);
        explanation.queries = self.common.basics;
        let pool = self.pool(&BTreeSet::new());
        let known = self.nothing_to_search(ledger, &rules, desk.before);
        if let Some(reason) = known.or(pool.is_empty().then_some(Reason::NoHistory)) {
            explanation.reason = Some(reason);
            return explanation;
        }
        // Scores are known with everything in place; that something is evicted goes by the surrogate's word too.
        let mut anchored = stand_in.anchored(&contenders_with(ledger, desk.before), &[]);
        let rank_before = anchored.standing(self.item, k).map_or(explanation.rank_before, |s| s.rank);
        anchored.flip(&stand_in.local(&rules.evicted));
        let aim = if rules.wanted_inside { Aim::Raise } else { Aim::Lower };
        let steps = order(&mut anchored, self.item, k, aim, &stand_in.local(&pool), rules.cap);
        let enough = steps.iter().position(|step| rules.gain(step.margin) > 0.0);
        let cited: Vec<u32> = enough.map_or(&[][..], |last| &steps[..=last]).iter().map(|s| s.edge).collect();
        let rank_after =
            enough.and_then(|_| anchored.standing_after(&cited, self.item, k)).map(|standing| standing.rank);
        explanation.surrogate = Some(SurrogateView { rank_before, rank_after, fidelity: None });
        if cited.is_empty() {
            explanation.reason = Some(Reason::SurrogateFoundNone { rank: Some(rank_before) });
        } else {
            let edge = |&local: &u32| stand_in.ground.neighbourhood().edge(local);
            explanation.status = Status::Unverified;
            explanation.edges =
                cited.iter().map(edge).map(|edge| Cited { change: rules.change, edge }).collect();
        }
        explanation
    }
}
