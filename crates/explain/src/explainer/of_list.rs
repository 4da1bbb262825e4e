//! Explaining a list as a whole.

use grease_graph::{Access, Profile};

use super::{ExplainError, Explainer};
use crate::ask::{Change, Cited, Person};
use crate::explanation::{ListExplanation, Rewritten, needed};
use crate::find::{Effects, Turnover};
use crate::task::{Goal, ProfileChoice, Scope, Task};

impl Explainer {
    /// The fewest own interactions found without which at least this share of a person's list would be another.
    ///
    /// By what each interaction does alone, whatever the method; checked on the recommender.
    pub fn explain_list(&self, task: &Task, share: f64) -> Result<ListExplanation, ExplainError> {
        if task.k == 0 {
            return Err(ExplainError::NoPlaces);
        }
        if !(share > 0.0 && share <= 1.0) {
            return Err(ExplainError::NoShare(share));
        }
        if task.scope != Scope::Own || task.profile == ProfileChoice::Neutral {
            return Err(ExplainError::ListBeyondOwn);
        }
        if self.recommender.access() == Access::Frozen {
            return Err(ExplainError::ListOfFrozen);
        }
        let (mut person, mut ledger) = Person::ask_list(&*self.recommender, task)?;
        let before = ledger.answer(person.before).list.clone();
        ledger.watch(before.clone())?;
        person.keep_what_can_be_asked(&before, ledger.questions(task.queries));
        let (many, cap) = (needed(share, before.len()), task.caps.remove);
        let mut found = None;
        if !before.is_empty() && !person.citable.is_empty() {
            if !person.singles_fit() {
                person.choose_contenders(&mut ledger, &[person.before], &[]);
            }
            let mut each = person.ask_singles(&mut ledger, Goal::Counterfactual)?;
            let nothing = each.remove(0);
            if person.singles_fit() {
                person.choose_contenders(&mut ledger, &[nothing], &each);
            }
            let singles: Vec<_> = person.citable.iter().copied().zip(each).collect();
            let effects = Effects::new(&ledger, task.k, nothing, &singles);
            let turnover = Turnover { person: &person, before: before.clone(), many, cap };
            let budget = ledger.questions(task.queries);
            found = turnover.find(&mut ledger, &effects, budget)?;
            // A claim rests on the answer: where another one might come, it is asked for again.
            if let Some(turned) = &found {
                let edit = ledger.edit(turned.answer).clone();
                if let Some(again) = ledger.ask_anew(Profile::Kept, &edit)?
                    && again.list != ledger.answer(turned.answer).list
                {
                    found = None;
                }
            }
        }
        Ok(ListExplanation {
            user: person.user,
            k: task.k,
            share,
            method: self.method,
            found: found.map(|turned| Rewritten {
                edges: turned.edges.iter().map(|&edge| Cited { change: Change::Removed, edge }).collect(),
                after: ledger.answer(turned.answer).list.clone(),
                minimal: turned.minimal,
            }),
            before,
            cap,
            citable: person.citable.len(),
            queries: ledger.asked(),
            seed: task.seed,
        })
    }
}
