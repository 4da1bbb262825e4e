//! Checking stored explanations again, on the recommender as it is now.

mod read;
mod standing;
mod statement;
mod verdict;

use grease_explain::{Change, Goal, Status, Weaker};
use grease_graph::{Candidates, Edge, Edit, ItemId, Profile, Recommender, ScoreError, UserId, Who, Words};
use grease_models::folder::Dataset;
use grease_tell::{CitedEdge, Record, Retrained, Wording, is_pseudonym};

use statement::Said;

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
    said: Said,
}

impl Verifier<'_> {
    /// Asks the model whether what the record claims is so: that the item is on the list (or not, for why-not), that the
    /// edges change that, and, where it says so, that none of them can be spared. What it says instead of an answer is a claim, too.
    pub(crate) fn verify(&self, record: &Record) -> Result<Verdict, ScoreError> {
        let wording = record.wording(self.words);
        if wording == Wording::OtherFacts {
            return Ok(Verdict::Broken(Broken::Sentence));
        }
        let is_instead = record.status == Status::NotFound && record.instead.is_some();
        if !matches!(record.status, Status::Verified | Status::Trivial) && !is_instead {
            return Ok(Verdict::NoClaim(record.status));
        }
        let claim = match self.claim(record) {
            Ok(claim) => claim,
            Err(obstacle) => return Ok(Verdict::Unchecked(obstacle)),
        };
        let graph = self.recommender.graph();
        let whole = claim.who.edit(graph, &[], &[]);
        let before = self.ask(&claim, record.k, Profile::Kept, &whole)?;
        let wanted_before = record.goal != Goal::WhyNot;
        if (before.rank <= record.k) != wanted_before {
            return Ok(Verdict::Broken(Broken::Start { rank: before.rank, k: record.k }));
        }
        if let Some(broken) = self.broken(&claim, &whole, &before)? {
            return Ok(Verdict::Broken(broken));
        }
        let first = &claim.said.statements[0];
        let rank = match first.edit(graph, &claim.who, claim.item) {
            Some(edit) => self.ask(&claim, record.k, first.profile, &edit)?.rank,
            None => return Ok(Verdict::Broken(Broken::NoSuchInteraction)),
        };
        Ok(Verdict::Holds { was: first.rank, rank, reworded: wording == Wording::Other })
    }

    /// What of a claim is not so.
    fn broken(
        &self,
        claim: &Claim<'_>,
        whole: &Edit,
        before: &Standing,
    ) -> Result<Option<Broken>, ScoreError> {
        let (record, graph) = (claim.record, self.recommender.graph());
        // What was stored about this very model has to be as it is; another one may rank otherwise and bear it out all the same.
        let is_same = (record.model.as_str(), record.data.as_str()) == self.hashes;
        for statement in &claim.said.statements {
            let Some(edit) = statement.edit(graph, &claim.who, claim.item) else {
                return Ok(Some(Broken::NoSuchInteraction));
            };
            let after = self.ask(claim, statement.places, statement.profile, &edit)?;
            let is_rank = |&rank: &usize| (after.ranks.0..=after.ranks.1).contains(&rank);
            if !statement.holds(&after) || (is_same && !statement.rank.as_ref().is_some_and(is_rank)) {
                return Ok(Some(Broken::Rank { was: statement.rank, rank: after.rank }));
            }
        }
        if is_same && let Some(said) = &record.replaced_by {
            let first = &claim.said.statements[0];
            let start = self.ask(claim, record.k, first.profile, whole)?;
            let start = if first.profile == Profile::Kept { before } else { &start };
            let new = |item: &&ItemId| !start.list.contains(item) && self.data.items.id(item.0) == said;
            let edit = first.edit(graph, &claim.who, claim.item).unwrap_or_default();
            let after = self.ask(claim, record.k, first.profile, &edit)?;
            let is_told = matches!(record.goal, Goal::Counterfactual | Goal::Joint);
            if !is_told || !after.list.iter().any(|item| new(&item)) {
                return Ok(Some(Broken::Replacement { item: said.clone() }));
            }
        }
        self.spare(claim)
    }

    /// An edge that can be spared, although it says that none can.
    fn spare(&self, claim: &Claim<'_>) -> Result<Option<Broken>, ScoreError> {
        let graph = self.recommender.graph();
        let many = claim.said.statements[0].edges.len();
        for spared in (0..many).filter(|_| claim.said.minimal) {
            let mut holds = true;
            for statement in claim.said.sparing(spared) {
                let Some(edit) = statement.edit(graph, &claim.who, claim.item) else { continue };
                let after = self.ask(claim, statement.places, statement.profile, &edit)?;
                holds = holds && statement.holds(&after);
            }
            if holds {
                let item = claim.said.statements[0].edges[spared].1.item;
                return Ok(Some(Broken::Spare { item: self.data.items.id(item.0).to_owned() }));
            }
        }
        Ok(None)
    }

    fn ask(
        &self,
        claim: &Claim<'_>,
        places: usize,
        profile: Profile,
        edit: &Edit,
    ) -> Result<Standing, ScoreError> {
        let user = claim.who.row(self.recommender.graph());
        let scores = self.recommender.scores_after(user, profile, edit)?;
        let allowed = self.candidates.after(self.recommender.graph(), &claim.who, edit);
        Standing::of(&scores, &allowed, places, claim.item)
    }

    /// The record's names as rows.
    fn claim<'r>(&self, record: &'r Record) -> Result<Claim<'r>, Obstacle> {
        if !goes_together(record) {
            return Err(Obstacle::Contradictory);
        }
        let graph = self.recommender.graph();
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
        let rows = |cited: &[CitedEdge]| cited.iter().map(edge).collect::<Result<Vec<Edge>, _>>();
        let instead = record.instead.as_ref().map_or(&[][..], |instead| &instead.edges);
        let said = Said::of(record, &rows(&record.edges)?, &rows(instead)?).ok_or(Obstacle::Contradictory)?;
        // An item that would itself be added is none either.
        let first = said.statements.first().ok_or(Obstacle::Contradictory)?;
        let cited = first.edit(graph, &who, item).unwrap_or_default();
        match self.candidates.after(graph, &who, &cited)[item.row()] {
            true => Ok(Claim { record, who, item, said }),
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

/// Whether goal, status, eviction and edges go together.
fn goes_together(record: &Record) -> bool {
    let all = |edges: &[CitedEdge], changes: &[Change]| edges.iter().all(|c| changes.contains(&c.change));
    let kind = match record.goal {
        Goal::Factual => record.evicted.is_some() && all(&record.edges, &[Change::Kept]),
        Goal::Counterfactual => record.evicted.is_none() && all(&record.edges, &[Change::Removed]),
        // The person known by them alone has nothing else, and is known by nothing else.
        Goal::Joint => {
            record.evicted.is_none()
                && record.profile == Profile::Kept
                && all(&record.edges, &[Change::Removed])
                && (record.status != Status::Verified || record.alone.is_some())
        }
        Goal::WhyNot => record.evicted.is_none() && all(&record.edges, &[Change::Removed, Change::Added]),
    };
    let counts = match record.status {
        Status::Verified => !record.edges.is_empty(),
        _ => record.edges.is_empty(),
    };
    let instead = record.instead.as_ref().is_none_or(|told| {
        let (removed, kept) = (all(&told.edges, &[Change::Removed]), all(&told.edges, &[Change::Kept]));
        let fits = match told.question {
            Weaker::HistoryAlone => removed && told.profile == Profile::Neutral,
            Weaker::Many => removed || kept,
            Weaker::Parts => {
                let of_both = all(&told.edges, &[Change::Removed, Change::Kept]) && !removed && !kept;
                record.goal == Goal::Joint && of_both && record.alone.is_some()
            }
        };
        // Setting the profile aside may be all it takes.
        fits && (told.question == Weaker::HistoryAlone || !told.edges.is_empty())
    });
    let firm = record.firm.is_none_or(|firm| (1..=usize::MAX / 4).contains(&firm));
    let promised = record.holds_when_retrained.is_none_or(|Retrained { share, low, high }| {
        0.0 <= low && low <= share && share <= high && high <= 1.0
    });
    let said = kind && counts && instead && promised && entered(record);
    record.k > 0 && record.k < usize::MAX / 4 && firm && said
}

/// Whether what it says gets in has a place to come to.
fn entered(record: &Record) -> bool {
    let is_in = record.goal != Goal::Counterfactual
        || record.instead.as_ref().is_some_and(|told| told.edges.iter().any(|c| c.change == Change::Kept));
    !is_in || record.firm.is_none_or(|firm| firm <= record.k)
}

#[cfg(test)]
mod tests;
