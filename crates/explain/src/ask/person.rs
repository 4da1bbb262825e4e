//! What is known about one person before any of their items is explained, asked once and shared by the whole list.

use std::collections::BTreeSet;

use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, ScoreError, UserId};
use grease_kernels::top_k;

use super::ledger::{AnswerId, Ledger};
use super::likeness::Likeness;
use super::rules::{Change, Evicted, Rules};
use crate::task::{Direction, Goal, Scope, Task};

/// Best items of the unedited graph, as each profile reads it, that are thought to contend for a place.
const CONTENDERS: usize = 300;
/// Places below the list up to which the items of any single answer contend.
const BELOW_THE_LIST: usize = 5;
/// Scores kept until contenders are chosen: 64 MB of them.
const ROOM: usize = 1 << 24;

/// A person, and what is asked about their list.
pub(crate) struct Person<'a> {
    pub(crate) recommender: &'a dyn Recommender,
    pub(crate) task: &'a Task,
    pub(crate) user: UserId,
    /// All their interactions.
    pub(crate) own: Vec<Edge>,
    /// Those that may be cited.
    pub(crate) citable: Vec<Edge>,
    /// Whether some of them were left out, as there are more than may be asked about.
    pub(crate) cut: bool,
    /// The unedited graph, profile kept.
    pub(crate) before: AnswerId,
}

impl<'a> Person<'a> {
    /// Asks for the list: one question. The ledger has no watched items yet.
    pub(crate) fn ask_list(
        recommender: &'a dyn Recommender,
        task: &'a Task,
    ) -> Result<(Self, Ledger<'a>), ScoreError> {
        let graph = recommender.graph();
        let user = task.who.row(graph);
        let history = task.who.history(graph);
        let allowed = task.candidates.mask(graph.items(), &history);
        let own: Vec<Edge> = history.iter().map(|&item| Edge::new(user.0, item)).collect();
        let citable = own.iter().copied().filter(|edge| !task.never_cite.contains(&edge.item)).collect();
        let base = task.who.edit(graph, &[], &[]);
        let mut ledger = Ledger::new(recommender, user, task.places(), allowed, &base);
        let before = ledger.ask(Profile::Kept, &[base])?[0];
        Ok((Self { recommender, task, user, own, citable, cut: false, before }, ledger))
    }

    /// Of a history longer than the task allows questions, keeps what is likest to the items to explain.
    pub(crate) fn keep_what_can_be_asked(&mut self, wanted: &[ItemId], most: usize) {
        if self.citable.len() <= most {
            return;
        }
        self.cut = true;
        let likeness = Likeness::new(self.recommender);
        let to_any = |edge: &Edge| {
            wanted.iter().map(|&item| likeness.of_items(item, edge.item)).fold(f32::NEG_INFINITY, f32::max)
        };
        let mut ranked: Vec<(f32, Edge)> = self.citable.iter().map(|edge| (to_any(edge), *edge)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(most);
        self.citable = ranked.into_iter().map(|(_, edge)| edge).collect();
        self.citable.sort_unstable();
    }

    /// The edit that makes them as they are.
    pub(crate) fn base(&self) -> Edit {
        self.task.who.edit(self.graph(), &[], &[])
    }

    /// The recommender's graph.
    pub(crate) fn graph(&self) -> &'a Graph {
        self.recommender.graph()
    }

    /// The rules for one goal and item.
    pub(crate) fn rules(&self, goal: Goal, item: ItemId) -> Rules<'a> {
        let mut rules = self.list_rules(goal);
        if self.evicted(goal) == Some(Evicted::Target) {
            let of_item = self.graph().users_of(item).iter().map(|&user| Edge::new(user, item.0));
            rules.evicted.extend(of_item);
        }
        rules
    }

    /// The part of them that all items of the list share: of an eviction, the person's own interactions.
    pub(crate) fn list_rules(&self, goal: Goal) -> Rules<'a> {
        let own_are_evicted = self.evicted(goal).is_some();
        Rules {
            graph: self.graph(),
            who: &self.task.who,
            profile: self.task.profile.resolve(goal, self.task.scope),
            change: match goal {
                Goal::Factual => Change::Kept,
                Goal::Counterfactual | Goal::Joint | Goal::WhyNot => Change::Removed,
            },
            evicted: self.own.iter().copied().filter(|_| own_are_evicted).collect(),
            direction: goal.direction(),
            places: self.task.places().toward(goal.direction()),
            cap: self.task.caps.of(goal),
            spare: 0.0,
        }
    }

    /// What is taken away before a search for this goal.
    pub(crate) fn evicted(&self, goal: Goal) -> Option<Evicted> {
        match (goal, self.task.scope) {
            (Goal::Factual, Scope::Own) => Some(Evicted::Own),
            (Goal::Factual, Scope::Target | Scope::Hops) => Some(Evicted::Target),
            _ => None,
        }
    }

    /// Asks what each citable interaction does by itself, under rules that are the same for the whole list; the first answer is
    /// that with nothing cited.
    pub(crate) fn ask_singles(
        &self,
        ledger: &mut Ledger<'_>,
        goal: Goal,
    ) -> Result<Vec<AnswerId>, ScoreError> {
        let rules = self.list_rules(goal);
        let none = std::iter::once(rules.edit(&[]));
        let edits: Vec<Edit> = none.chain(self.citable.iter().map(|&edge| rules.edit(&[edge]))).collect();
        ledger.ask(rules.profile, &edits)
    }

    /// Chooses who contends for a place: the best of what was asked so far.
    pub(crate) fn choose_contenders(&self, ledger: &mut Ledger<'_>, bases: &[AnswerId], others: &[AnswerId]) {
        // Looked at closely, they were chosen with what is watched.
        if ledger.is_close() {
            return;
        }
        let mut contenders = BTreeSet::new();
        let mut take = |answer: AnswerId, most: usize| {
            let answer = ledger.answer(answer);
            let best = top_k(&answer.scores, most, |item| answer.scores[item as usize] > f32::NEG_INFINITY);
            contenders.extend(best.iter().map(|ranked| ranked.index));
        };
        let places = self.task.places().toward(Direction::Out);
        bases.iter().for_each(|&base| take(base, CONTENDERS.max(places.saturating_mul(4))));
        others.iter().for_each(|&other| take(other, places.saturating_add(BELOW_THE_LIST)));
        ledger.keep_only(contenders);
    }

    /// Whether all of a history's single answers can be held at once.
    pub(crate) fn singles_fit(&self) -> bool {
        self.citable.len().saturating_mul(self.graph().items()) <= ROOM
    }
}
