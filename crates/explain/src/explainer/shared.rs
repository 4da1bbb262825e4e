//! What the whole list can share, asked once.

use std::rc::Rc;

use grease_graph::{Profile, ScoreError};

use crate::ask::{AnswerId, Ledger, Person};
use crate::find::Effects;
use crate::task::{Goal, Scope};

/// What the whole list shares.
pub(super) struct SharedAnswers {
    /// The unedited graph, profile neutral, where that can be asked.
    pub(super) neutral: Option<AnswerId>,
    /// Questions it took beside the singles.
    pub(super) basics: usize,
    singles: Vec<(Goal, Shared)>,
}

/// What single interactions do, asked once for the list.
pub(super) struct Shared {
    pub(super) effects: Rc<Effects>,
    /// One explanation's share of the questions.
    pub(super) share: f32,
}

/// The answers with nothing and with each citable interaction cited, for one goal.
struct Singles {
    goal: Goal,
    nothing: AnswerId,
    each: Vec<AnswerId>,
    /// Questions it took.
    asked: usize,
}

impl SharedAnswers {
    /// Asks it, as far as the method needs it, and chooses who contends for a place.
    pub(super) fn ask(
        asks_singles: bool,
        person: &Person<'_>,
        ledger: &mut Ledger<'_>,
        goals: &[Goal],
    ) -> Result<Self, ScoreError> {
        let before = ledger.asked();
        let whole = person.task.who.edit(person.graph(), &[], &[]);
        let neutral = match person.recommender.abilities().neutral {
            true => Some(ledger.ask(Profile::Neutral, &[whole])?[0]),
            false => None,
        };
        let mut basics = ledger.asked() - before;
        let mut bases = vec![person.before];
        bases.extend(neutral);
        if !person.singles_fit() {
            person.choose_contenders(ledger, &bases, &[]);
        }
        let mut singles: Vec<Singles> = Vec::new();
        for goal in goals_with_singles(asks_singles, person.task.scope, goals) {
            let before = ledger.asked();
            let mut each = person.ask_singles(ledger, goal)?;
            let (nothing, asked) = (each.remove(0), ledger.asked() - before);
            bases.push(nothing);
            // What no explanation is about was asked for all of them.
            basics += if goals.contains(&goal) { 0 } else { asked };
            singles.push(Singles { goal, nothing, each, asked });
        }
        if person.singles_fit() {
            let others: Vec<AnswerId> = singles.iter().flat_map(|of| of.each.iter().copied()).collect();
            bases.dedup();
            person.choose_contenders(ledger, &bases, &others);
        }
        let items = ledger.watched().len().max(1) as f32;
        let effects = |Singles { goal, nothing, each, asked }: Singles| {
            let each: Vec<_> = person.citable.iter().copied().zip(each).collect();
            let effects = Effects::new(ledger, person.list_rules(goal).places, nothing, &each);
            (goal, Shared { effects: Rc::new(effects), share: asked as f32 / items })
        };
        Ok(Self { neutral, basics, singles: singles.into_iter().map(effects).collect() })
    }

    /// By estimates: only the profile's part is asked of the recommender itself.
    pub(super) fn estimate(
        person: &Person<'_>,
        ledger: &mut Ledger<'_>,
        estimates: &mut Ledger<'_>,
        goals: &[Goal],
    ) -> Result<Self, ScoreError> {
        let before = ledger.asked();
        let neutral = match person.recommender.abilities().neutral {
            true => Some(ledger.ask(Profile::Neutral, &[person.base()])?[0]),
            false => None,
        };
        person.choose_contenders(ledger, &[person.before], &[]);
        let mut shared = Self::ask(true, person, estimates, goals)?;
        shared.singles.iter_mut().for_each(|(_, shared)| shared.share = 0.0);
        Ok(Self { neutral, basics: ledger.asked() - before, ..shared })
    }

    /// What is known for this goal.
    pub(super) fn of(&self, goal: Goal) -> Option<&Shared> {
        self.singles.iter().find(|(g, _)| *g == goal).map(|(_, shared)| shared)
    }
}

/// What both at once is made of.
pub(super) const BOTH: [Goal; 2] = [Goal::Factual, Goal::Counterfactual];

/// For which goals it is worth knowing what each own interaction does. Where a factual search evicts the item too, that
/// differs from item to item; a surrogate is taught by what taking interactions away does.
fn goals_with_singles(asks_singles: bool, scope: Scope, goals: &[Goal]) -> Vec<Goal> {
    if !asks_singles {
        return Vec::new();
    }
    match scope {
        // What does both at once is found from what does each.
        Scope::Own if goals.contains(&Goal::Joint) => {
            let others = goals.iter().copied().filter(|goal| !BOTH.contains(goal) && *goal != Goal::Joint);
            BOTH.into_iter().chain(others).collect()
        }
        Scope::Own => goals.to_vec(),
        Scope::Target | Scope::Hops => vec![Goal::Counterfactual],
    }
}
