//! One item, one goal: from the start to an [`Explanation`].

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;

use grease_graph::{Edge, ItemId, Profile, ScoreError};

use super::instead::Told;
use super::joint::Parts;
use super::proving::known_of_smaller;
use super::rounds::Round;
use super::shared::Shared;
use crate::ask::{AnswerId, Cited, Evicted, Ledger, Person, Rules};
use crate::explanation::{Explanation, Instead, Minimum, Outcome, Reason, Status};
use crate::find::{Certifier, Checked, Found};
use crate::methods::{Context, Given, Learned, Method, Visits, frozen};
use crate::surrogate::{LocalSurrogate, Neighbourhood, SurrogateView};
use crate::task::{Caps, Goal, Scope};

/// What all items of one person's list have in common.
pub(super) struct List<'c, 'a> {
    pub(super) person: &'c Person<'a>,
    pub(super) method: Method,
    /// Its code, where it was given from outside.
    pub(super) given: Option<Given<'c>>,
    /// The unedited graph, profile neutral; `None` where that cannot be asked.
    pub(super) neutral: Option<AnswerId>,
    /// One explanation's share of the questions asked for all of them.
    pub(super) basics: f32,
    /// The surroundings of the person and the list, for scopes that need them.
    pub(super) neighbourhood: Option<&'c Neighbourhood>,
    /// The surrogate, for methods that need it.
    pub(super) surrogate: Option<&'c LocalSurrogate<'c>>,
    /// Where a walk from the person goes, once a method asks.
    pub(super) visits: OnceCell<Visits>,
    /// What methods learned of the recommender.
    pub(super) learned: &'c Learned,
    /// Estimates of what the recommender would say, where it has some to offer: a search goes by them.
    pub(super) estimates: Option<RefCell<Ledger<'a>>>,
    /// Whether asking costs next to nothing.
    pub(super) is_close: bool,
    /// What of the task's edits to prove something with is left.
    pub(super) to_prove: Cell<usize>,
}

/// One item to explain for one goal.
pub(super) struct Pair<'c, 'a> {
    pub(super) list: &'c List<'c, 'a>,
    pub(super) goal: Goal,
    pub(super) item: ItemId,
    /// Its place among the watched.
    pub(super) watched: usize,
    pub(super) shared: Option<&'c Shared>,
    /// Where it has to be both at once: what is needed, and what is enough.
    pub(super) parts: Option<&'c Parts>,
    /// Whether the first set that does it will do, and whether everybody is looked at for it.
    pub(super) is_hasty: bool,
    pub(super) is_strict: bool,
}

/// What came of it, what the surrogate thinks of that, and what is known about smaller sets.
struct Answered {
    outcome: Outcome,
    surrogate: Option<SurrogateView>,
    minimum: Option<Minimum>,
    /// Edits tried to know that.
    proof_queries: Option<usize>,
    /// What was found instead.
    instead: Option<Instead>,
}

impl From<Outcome> for Answered {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, surrogate: None, minimum: None, proof_queries: None, instead: None }
    }
}

impl<'c, 'a> Pair<'c, 'a> {
    /// Explains, and adds the explanation and its alternatives.
    pub(super) fn explain(
        &self,
        ledger: &mut Ledger<'a>,
        into: &mut Vec<Explanation>,
    ) -> Result<(), ScoreError> {
        let mut used = BTreeSet::new();
        for alternative in 0..=self.list.person.task.alternatives {
            let (mut explanation, longer) = self.one(ledger, &used)?;
            if alternative == 0 {
                // What is asked for all was asked for the first: the others come on top.
                explanation.queries += self.list.basics + self.shared.map_or(0.0, |shared| shared.share);
            }
            let found = explanation.status() == Status::Verified;
            if alternative > 0 && !found {
                break;
            }
            used.extend(explanation.edges().iter().map(|cited| cited.edge));
            into.push(explanation);
            into.extend(longer);
            if !found {
                break;
            }
        }
        Ok(())
    }

    /// An explanation within the task's caps; where there is none and the task looks beyond, also what is found there.
    fn one(
        &self,
        ledger: &mut Ledger<'a>,
        used: &BTreeSet<Edge>,
    ) -> Result<(Explanation, Option<Explanation>), ScoreError> {
        let task = self.list.person.task;
        let Some(beyond) = task.beyond else { return Ok((self.within(task.caps, ledger, used)?, None)) };
        if self.list.method == Method::Paper {
            // Its caps only choose among what it comes across: once is enough.
            let longer = self.within(beyond, ledger, used)?;
            return Ok(match longer.edges().len() > task.caps.of(self.goal) {
                true => (longer.clone().given_up(), Some(longer)),
                false => (longer, None),
            });
        }
        let explanation = self.within(task.caps, ledger, used)?;
        let searched = matches!(
            explanation.reason(),
            Some(Reason::CapReached { .. } | Reason::CarriedByProfile { .. } | Reason::OutOfBudget { .. })
        );
        if !searched {
            return Ok((explanation, None));
        }
        let longer = self.within(beyond, ledger, used)?;
        Ok((explanation, Some(longer).filter(|longer| longer.status() == Status::Verified)))
    }

    pub(super) fn rules(&self, caps: Caps) -> Rules<'a> {
        Rules { cap: caps.of(self.goal), ..self.list.person.rules(self.goal, self.item) }
    }

    fn within(
        &self,
        caps: Caps,
        ledger: &mut Ledger<'a>,
        used: &BTreeSet<Edge>,
    ) -> Result<Explanation, ScoreError> {
        let rules = self.rules(caps);
        let asked = ledger.asked();
        let start = ledger.ask(rules.profile, &[rules.edit(&[])])?[0];
        ledger.settle(start, Some(self.watched))?;
        let answered = if let Some(reason) = self.nothing_to_search(ledger, &rules, start) {
            Outcome::NotFound(reason).into()
        } else if self.list.method == Method::Paper {
            self.by_paper(ledger, &rules, start, used)?
        } else {
            match self.certifier(ledger, (&rules, None), start).check(&[], Some(true))? {
                Checked::Holds(nothing_needed) => Outcome::Trivial(nothing_needed).into(),
                Checked::Denied(_) => self.search(caps, ledger, start, used)?,
                unsure @ Checked::Unsure(_) => Outcome::from(unsure).into(),
            }
        };
        let queries = (ledger.asked() - asked) as f32;
        let Answered { outcome, surrogate, minimum, proof_queries, instead } = answered;
        let explanation = self.explanation(ledger, rules.profile, start, outcome);
        Ok(Explanation { queries, surrogate, minimum, proof_queries, instead, ..explanation })
    }

    /// With what is known before the search.
    fn explanation(
        &self,
        ledger: &Ledger<'_>,
        profile: Profile,
        start: AnswerId,
        outcome: Outcome,
    ) -> Explanation {
        let (person, task) = (self.list.person, self.list.person.task);
        let before = ledger.answer(person.before).standings[self.watched];
        // Without the learned row the score is the history's part; the rest is the profile's.
        let share = |neutral: AnswerId| {
            let history = ledger.answer(neutral).standings[self.watched].score;
            (1.0 - history / before.score).clamp(0.0, 1.0)
        };
        let of_own = task.scope == Scope::Own && before.score > 0.0;
        Explanation {
            user: person.user,
            item: self.item,
            k: task.k,
            goal: self.goal,
            scope: task.scope,
            profile,
            method: self.list.method,
            outcome,
            evicted: person.evicted(self.goal),
            rank_before: before.rank,
            margin_before: before.margin,
            rank_start: ledger.answer(start).standings[self.watched].placed(),
            profile_share: self.list.neutral.filter(|_| of_own).map(share),
            queries: 0.0,
            minimum: None,
            proof_queries: None,
            instead: None,
            firm: task.firm,
            surrogate: None,
            neighbourhood: self.list.surrogate.map(LocalSurrogate::size),
            seed: task.seed,
        }
    }

    pub(super) fn context(&self) -> Context<'_, 'a> {
        Context {
            person: self.list.person,
            item: self.item,
            goal: self.goal,
            effects: self.shared.map(|shared| &*shared.effects),
            both: self.parts.and_then(|parts| parts.both.clone()),
            surrogate: self.list.surrogate,
            visits: &self.list.visits,
            learned: self.list.learned,
            is_close: self.list.is_close,
            is_hasty: self.is_hasty,
            is_estimate: self.list.estimates.is_some(),
            given: self.list.given.as_ref(),
        }
    }

    pub(super) fn certifier<'s>(
        &'s self,
        ledger: &'s mut Ledger<'a>,
        (rules, also): (&'s Rules<'a>, Option<&'s Rules<'a>>),
        start: AnswerId,
    ) -> Certifier<'s, 'a> {
        Certifier {
            person: self.list.person,
            ledger,
            rules,
            also,
            as_found: false,
            watched: self.watched,
            start,
        }
    }

    /// What Algorithm 1 comes to; it proves nothing.
    fn by_paper(
        &self,
        ledger: &mut Ledger<'a>,
        rules: &Rules<'a>,
        start: AnswerId,
        used: &BTreeSet<Edge>,
    ) -> Result<Answered, ScoreError> {
        let (outcome, surrogate) = self.as_published(ledger, rules, start, &self.pool(used))?;
        let minimum = (outcome.size() > 0).then(|| known_of_smaller(outcome.size()));
        Ok(Answered { surrogate, minimum, ..outcome.into() })
    }

    /// What the surrogate thinks does it, where the recommender cannot be asked. A neutral profile cannot be asked for either, so the
    /// learned one is kept.
    pub(super) fn guess(&self, ledger: &Ledger<'_>, surrogate: &LocalSurrogate<'_>) -> Explanation {
        let person = self.list.person;
        let rules = Rules { profile: Profile::Kept, ..person.rules(self.goal, self.item) };
        let pool = self.pool(&BTreeSet::new());
        let known = self.nothing_to_search(ledger, &rules, person.before);
        let (outcome, view) = match known.or(pool.is_empty().then_some(Reason::NoHistory)) {
            Some(reason) => (Outcome::NotFound(reason), None),
            None => {
                let real = ledger.contenders_with(person.before);
                let rank = ledger.answer(person.before).standings[self.watched].rank;
                let (edges, view) = frozen::guess(surrogate, &real, &rules, (self.item, rank), &pool);
                let cited = |edge| Cited { change: rules.change, edge };
                let outcome = match edges.is_empty() {
                    true => Outcome::NotFound(Reason::SurrogateFoundNone { rank: Some(view.rank_before) }),
                    false => Outcome::Guess(edges.into_iter().map(cited).collect()),
                };
                (outcome, Some(view))
            }
        };
        let explanation = self.explanation(ledger, rules.profile, person.before, outcome);
        Explanation { queries: self.list.basics, surrogate: view, ..explanation }
    }

    fn search(
        &self,
        caps: Caps,
        ledger: &mut Ledger<'a>,
        start: AnswerId,
        used: &BTreeSet<Edge>,
    ) -> Result<Answered, ScoreError> {
        let rounds = self.rounds(caps, used, &ledger.answer(start).list);
        if let Some(reason) = self.parts.and_then(Parts::reason) {
            let instead = self.parts_instead();
            return Ok(Answered { instead, ..Outcome::NotFound(reason).into() });
        }
        let allowed = match self.list.method {
            Method::Exact => usize::MAX,
            // Without any of an item's interactions hardly anything is as it was: such a question is about the whole graph.
            _ if self.list.person.evicted(self.goal) == Some(Evicted::Target) => {
                self.list.person.task.queries
            }
            _ => ledger.questions(self.list.person.task.queries),
        };
        let mut tried = self.tried(ledger, &rounds, allowed)?;
        if tried.best.is_none() {
            tried.best = self.gone_through(ledger, &rounds[0])?.map(|found| (0, found));
        }
        if let Some((at, found)) = tried.best {
            return self.checked(ledger, &rounds[at], found, start, used);
        }
        let surrogate = self.view(ledger, &rounds[0].rules, start, &[]);
        let reason = self.why_short(ledger, &rounds, &tried, start)?;
        match self.instead(ledger, &rounds[0], tried, reason)? {
            Some(Told::Answer(found)) => self.checked(ledger, &rounds[0], found, start, used),
            Some(Told::Instead(instead)) => {
                Ok(Answered { surrogate, instead: Some(instead), ..Outcome::NotFound(reason).into() })
            }
            None => Ok(Answered { surrogate, ..Outcome::NotFound(reason).into() }),
        }
    }

    /// What the recommender says of what was found, and what is known about smaller sets.
    fn checked(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        found: Found,
        start: AnswerId,
        used: &BTreeSet<Edge>,
    ) -> Result<Answered, ScoreError> {
        // Of what an earlier answer left, nothing is the least.
        let (found, known) = match used.is_empty() {
            true => self.proved(ledger, round, found)?,
            false => (found, None),
        };
        let surrogate = self.view(ledger, &round.rules, start, &found.edges);
        let rules = (&round.rules, round.also.as_ref());
        let checked = self.certifier(ledger, rules, start).check(&found.edges, found.minimal)?;
        Ok(Answered {
            surrogate,
            minimum: known.map(|(minimum, _)| minimum),
            proof_queries: known.map(|(_, tried)| tried),
            ..Outcome::from(checked).into()
        })
    }

    /// What the surrogate thinks of it, where there is one.
    fn view(
        &self,
        ledger: &Ledger<'_>,
        rules: &Rules<'_>,
        start: AnswerId,
        cited: &[Edge],
    ) -> Option<SurrogateView> {
        let k = self.list.person.task.k;
        self.list.surrogate?.view(&ledger.contenders_with(start), rules, self.item, k, cited)
    }
}
