//! Checking stored explanations again, on the recommender as it is now.

mod read;
mod standing;
mod verdict;

use std::collections::BTreeSet;

use grease_explain::{Change, Evicted, Goal, Status};
use grease_graph::{
    Candidates, Edge, Edit, Graph, ItemId, Profile, Recommender, ScoreError, UserId, Who, Words,
};
use grease_models::folder::Dataset;
use grease_tell::{CitedEdge, Record, Wording, is_pseudonym};

pub use standing::Standing;

#[cfg(fuzzing)]
pub use read::parse_records;
pub use read::{ReadRecordsError, read_records};
pub use verdict::{Broken, Obstacle, Verdict};

/// Checks records with a recommender.
///
/// From the record alone it builds the edited graph anew, asks the model and counts ranks by itself: nothing is shared with the
/// search that found the explanation.
pub(crate) struct Verifier<'a> {
    pub(crate) recommender: &'a dyn Recommender,
    pub(crate) data: &'a Dataset,
    /// Not part of a record: those the explanations were made with.
    pub(crate) candidates: &'a Candidates,
    /// The words its sentences are told in.
    pub(crate) words: &'a Words,
    /// Hashes of the model and its data, as records have them.
    pub(crate) hashes: (&'a str, &'a str),
}

/// A record with rows instead of names.
struct Claim<'a> {
    record: &'a Record,
    who: Who,
    item: ItemId,
    edges: Vec<Edge>,
}

impl Verifier<'_> {
    /// Asks the model whether what the record claims is so: that the item is on the list (or not, for why-not), that the
    /// edges change that, and, where it says so, that none of them can be spared.
    pub(crate) fn verify(&self, record: &Record) -> Result<Verdict, ScoreError> {
        let wording = record.wording(self.words);
        if wording == Wording::OtherFacts {
            return Ok(Verdict::Broken(Broken::Sentence));
        }
        if !matches!(record.status, Status::Verified | Status::Trivial) {
            return Ok(Verdict::NoClaim(record.status));
        }
        let claim = match self.claim(record) {
            Ok(claim) => claim,
            Err(obstacle) => return Ok(Verdict::Unchecked(obstacle)),
        };
        let graph = self.recommender.graph();
        let whole = claim.who.edit(graph, &[], &[]);
        let before = self.ask(&claim, Profile::Kept, &whole)?;
        // What was stored about this very model has to be as it is; another one may rank otherwise and bear it out all the same.
        let is_same = (record.model.as_str(), record.data.as_str()) == self.hashes;
        let wanted_before = record.goal != Goal::WhyNot;
        if (before.rank <= record.k) != wanted_before {
            return Ok(Verdict::Broken(Broken::Start { rank: before.rank, k: record.k }));
        }
        let Some(edit) = claim.edit(graph, None) else {
            return Ok(Verdict::Broken(Broken::NoSuchInteraction));
        };
        let after = self.ask(&claim, record.profile, &edit)?;
        if !claim.reached(&after) {
            return Ok(Verdict::Broken(Broken::Rank { was: record.rank_after, rank: after.rank }));
        }
        if is_same && !record.rank_after.is_some_and(|rank| (after.ranks.0..=after.ranks.1).contains(&rank)) {
            return Ok(Verdict::Broken(Broken::Rank { was: record.rank_after, rank: after.rank }));
        }
        if is_same && let Some(said) = &record.replaced_by {
            let start = if record.profile == Profile::Kept {
                before
            } else {
                self.ask(&claim, record.profile, &whole)?
            };
            let new = |item: &&ItemId| !start.list.contains(item) && self.data.items.id(item.0) == said;
            if record.goal != Goal::Counterfactual || !after.list.iter().any(|item| new(&item)) {
                return Ok(Verdict::Broken(Broken::Replacement { item: said.clone() }));
            }
        }
        if record.minimal == Some(true) {
            for (spared, cited) in record.edges.iter().enumerate() {
                let Some(edit) = claim.edit(graph, Some(spared)) else { continue };
                if claim.reached(&self.ask(&claim, record.profile, &edit)?) {
                    return Ok(Verdict::Broken(Broken::Spare { item: cited.item.clone() }));
                }
            }
        }
        let reworded = wording == Wording::Other;
        Ok(Verdict::Holds { was: record.rank_after, rank: after.rank, reworded })
    }

    fn ask(&self, claim: &Claim<'_>, profile: Profile, edit: &Edit) -> Result<Standing, ScoreError> {
        let user = claim.who.row(self.recommender.graph());
        let scores = self.recommender.scores_after(user, profile, edit)?;
        let allowed = self.candidates.after(self.recommender.graph(), &claim.who, edit);
        Standing::of(&scores, &allowed, claim.record.k, claim.item)
    }

    /// The record's names as rows.
    fn claim<'r>(&self, record: &'r Record) -> Result<Claim<'r>, Obstacle> {
        let graph = self.recommender.graph();
        let kind = match record.goal {
            Goal::Factual => record.evicted.is_some() && all(record, &[Change::Kept]),
            Goal::Counterfactual => record.evicted.is_none() && all(record, &[Change::Removed]),
            Goal::WhyNot => record.evicted.is_none() && all(record, &[Change::Removed, Change::Added]),
        };
        let counts = record.k > 0 && record.edges.is_empty() == (record.status == Status::Trivial);
        if !kind || !counts {
            return Err(Obstacle::Contradictory);
        }
        let who = match &record.history {
            Some(brought) => {
                Who::Newcomer(brought.iter().map(|item| self.item(item)).collect::<Result<_, _>>()?)
            }
            None => Who::Known(self.user(&record.user)?),
        };
        let item = self.item(&record.item)?;
        let edge = |cited: &CitedEdge| {
            let user = if cited.user == record.user {
                who.row(graph)
            } else if is_pseudonym(&cited.user) {
                return Err(Obstacle::Pseudonym(cited.user.clone()));
            } else {
                self.user(&cited.user)?
            };
            Ok(Edge { user, item: self.item(&cited.item)? })
        };
        let edges = record.edges.iter().map(edge).collect::<Result<_, _>>()?;
        let claim = Claim { record, who, item, edges };
        // An item that would itself be added is none either.
        let cited = claim.edit(graph, None).unwrap_or_default();
        match self.candidates.after(graph, &claim.who, &cited)[item.row()] {
            true => Ok(claim),
            false => Err(Obstacle::NotACandidate),
        }
    }

    fn user(&self, id: &str) -> Result<UserId, Obstacle> {
        self.data.users.row(id).map(UserId).ok_or_else(|| Obstacle::UnknownUser(id.to_owned()))
    }

    fn item(&self, id: &str) -> Result<ItemId, Obstacle> {
        self.data.items.row(id).map(ItemId).ok_or_else(|| Obstacle::UnknownItem(id.to_owned()))
    }
}

fn all(record: &Record, changes: &[Change]) -> bool {
    record.edges.iter().all(|cited| changes.contains(&cited.change))
}

impl Claim<'_> {
    /// The graph the record speaks of, but for one cited edge; `None` where it cites what is not there to be cited.
    fn edit(&self, graph: &Graph, spared: Option<usize>) -> Option<Edit> {
        let me = self.who.row(graph);
        let own: BTreeSet<Edge> =
            self.who.history(graph).into_iter().map(|item| Edge::new(me.0, item)).collect();
        let there = |edge: &Edge| own.contains(edge) || (edge.user != me && graph.has(*edge));
        let cited = self.edges.iter().copied().zip(&self.record.edges).enumerate();
        let cited = cited.filter(|(at, _)| Some(*at) != spared).map(|(_, cited)| cited);
        let (mut away, mut added) = (BTreeSet::new(), Vec::new());
        if let Some(evicted) = self.record.evicted {
            away.extend(own.iter().copied());
            if evicted == Evicted::Target {
                away.extend(graph.users_of(self.item).iter().map(|&user| Edge::new(user, self.item.0)));
            }
        }
        for (edge, CitedEdge { change, .. }) in cited {
            let possible = match change {
                Change::Removed => there(&edge) && away.insert(edge),
                Change::Kept => away.remove(&edge),
                Change::Added => {
                    added.push(edge);
                    !there(&edge)
                }
            };
            if !possible {
                return None;
            }
        }
        Some(self.who.edit(graph, &away.into_iter().collect::<Vec<_>>(), &added))
    }

    /// Whether the item is where the record says, beyond rounding.
    fn reached(&self, after: &Standing) -> bool {
        let gain = if self.record.goal == Goal::Counterfactual { -after.margin } else { after.margin };
        gain > after.tolerance
    }
}

#[cfg(test)]
mod tests;
