//! Method `paper`: the surrogate's own answer, told as such, and what the recommender says of it.

use std::collections::BTreeSet;

use grease_graph::{Edge, ItemId, ScoreError};

use crate::case::Case;
use crate::certify::Found;
use crate::ledger::{AnswerId, Ledger};
use crate::rules::Rules;
use crate::search::{Aim, PaperOptions, paper};
use crate::{Explanation, Goal, Reason, Status, SurrogateView};

impl<'a> Case<'_, 'a> {
    /// Runs Algorithm 1, then asks the recommender about its answer once. Nothing is extended or pruned.
    pub(crate) fn judge(
        &self,
        ledger: &mut Ledger<'a>,
        rules: &Rules<'a>,
        start: AnswerId,
        used: &BTreeSet<Edge>,
        explanation: &mut Explanation,
    ) -> Result<(), ScoreError> {
        let stand_in = self.common.stand_in.expect("method paper has a surrogate");
        let near = stand_in.ground.neighbourhood();
        let candidates: Vec<ItemId> =
            near.items().iter().map(|&item| ItemId(item)).filter(|&item| ledger.is_candidate(item)).collect();
        let mut surrogate = stand_in.unanchored(candidates.into_iter());
        let aim = if rules.wanted_inside { Aim::Raise } else { Aim::Lower };
        let allowed: Vec<Edge> = match rules.evicted.is_empty() {
            true => self.pool(used),
            false => self.pool(used).into_iter().filter(|edge| rules.evicted.contains(edge)).collect(),
        };
        let judged = paper(
            &mut surrogate,
            self.item,
            self.desk().task.k,
            aim,
            &stand_in.local(&rules.evicted),
            &stand_in.local(&allowed),
            rules.cap,
            &PaperOptions::default(),
        );
        let Some(judged) = judged else {
            explanation.reason = Some(Reason::SurrogateFoundNone { rank: None });
            return Ok(());
        };
        explanation.surrogate = Some(SurrogateView {
            rank_before: judged.rank_before,
            rank_after: judged.rank_after,
            fidelity: stand_in.fidelity(),
        });
        if rules.reached(ledger.answer(start), self.watched) {
            self.needs_nothing(explanation, ledger, rules, start);
            return Ok(());
        }
        let edges: Vec<Edge> = judged.edges.unwrap_or_default().iter().map(|&edge| near.edge(edge)).collect();
        if edges.is_empty() {
            explanation.reason = Some(Reason::SurrogateFoundNone { rank: Some(judged.rank_before) });
            return Ok(());
        }
        let answer = ledger.ask(rules.profile, &[rules.edit(&edges)])?[0];
        let holds = rules.reached(ledger.answer(answer), self.watched);
        explanation.status = if holds { Status::Verified } else { Status::Refuted };
        self.apply(explanation, ledger, rules, &Found { edges, answer, minimal: None });
        if holds && self.goal == Goal::Counterfactual {
            explanation.replaced_by = self.newly_listed(ledger, start, answer);
        }
        Ok(())
    }
}
