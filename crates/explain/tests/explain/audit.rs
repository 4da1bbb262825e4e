//! Checks everything an explanation claims, by another way than it was found: the edited graph is put together here from
//! the definitions, scored from scratch in `f64`, and ranked by counting.

use std::collections::BTreeSet;

use grease_explain::{
    Certificate, Change, Evicted, Explanation, Goal, Instead, Reason, Scope, Status, Task, Weaker, Who,
};
use grease_graph::{Edge, Edit, Graph, ItemId, Profile, UserId};

/// Scores of all items for somebody on an edited graph, from scratch.
pub(crate) type Truth<'a> = &'a dyn Fn(UserId, Profile, &Edit) -> Vec<f64>;

/// Somebody who believes nothing.
pub(crate) struct Auditor<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) task: &'a Task,
    /// All items that were explained together: they share a neighbourhood.
    pub(crate) together: &'a [ItemId],
    pub(crate) truth: Truth<'a>,
    /// Relative error up to which two scores count as equal; 0 for whole numbers.
    pub(crate) rounding: f64,
}

/// Where the item stands.
#[derive(Debug)]
pub(crate) struct Place {
    /// The best and the worst rank it can have, as scores closer than rounding may stand either way.
    ranks: (usize, usize),
    /// Whether another's score is the same, but for rounding.
    tied: bool,
    pub(crate) margin: f64,
    /// A margin closer to zero than this could be rounding.
    slack: f64,
    pub(crate) list: Vec<ItemId>,
}

impl Place {
    fn allows(&self, rank: usize) -> bool {
        (self.ranks.0..=self.ranks.1).contains(&rank)
    }
}

impl Auditor<'_> {
    fn user(&self) -> UserId {
        match &self.task.who {
            Who::Known(user) => *user,
            Who::Newcomer(_) => self.graph.newcomer(),
        }
    }

    /// The person's own interactions.
    pub(crate) fn own(&self) -> BTreeSet<Edge> {
        match &self.task.who {
            Who::Known(user) => self.graph.items_of(*user).iter().map(|&i| Edge::new(user.0, i)).collect(),
            Who::Newcomer(items) => {
                items.iter().map(|&item| Edge { user: self.graph.newcomer(), item }).collect()
            }
        }
    }

    fn of_item(&self, item: ItemId) -> BTreeSet<Edge> {
        self.graph.users_of(item).iter().map(|&user| Edge::new(user, item.0)).collect()
    }

    /// The edit that cites these edges, by the definitions: the world as it is, what is evicted away, then each change.
    fn edit(&self, explanation: &Explanation, edges: &[(Change, Edge)], evicts: bool) -> Edit {
        let known: BTreeSet<Edge> = self.graph.edges().collect();
        let mut world: BTreeSet<Edge> = known.union(&self.own()).copied().collect();
        if evicts {
            let mut evicted = self.own();
            if explanation.scope == Scope::Target {
                evicted.extend(self.of_item(explanation.item));
            }
            world.retain(|edge| !evicted.contains(edge));
        }
        for &(change, edge) in edges {
            let changed = match change {
                Change::Removed => world.remove(&edge),
                Change::Kept | Change::Added => world.insert(edge),
            };
            assert!(changed, "{edge:?} was not there to be {change:?}: {explanation:?}");
        }
        Edit::new(known.difference(&world).copied(), world.difference(&known).copied())
    }

    /// Where an item stands among the candidates after an edit.
    pub(crate) fn place(&self, item: ItemId, profile: Profile, edit: &Edit) -> Place {
        self.place_of(item, profile, edit, self.task.k)
    }

    /// The same, its margin being that of a list of another length.
    fn place_of(&self, item: ItemId, profile: Profile, edit: &Edit, places: usize) -> Place {
        let scores = (self.truth)(self.user(), profile, edit);
        let mut history: BTreeSet<ItemId> = self.own().iter().map(|edge| edge.item).collect();
        // What is imagined there is history, too.
        history.extend(edit.added().iter().filter(|edge| edge.user == self.user()).map(|edge| edge.item));
        let wanted = |item: &ItemId| {
            self.task.candidates.only.as_ref().is_none_or(|only| only.contains(item))
                && !self.task.candidates.except.contains(item)
        };
        let mut best: Vec<ItemId> = (0..scores.len() as u32)
            .map(ItemId)
            .filter(|item| !history.contains(item) && wanted(item))
            .collect();
        best.sort_by(|a, b| scores[b.row()].total_cmp(&scores[a.row()]).then(a.cmp(b)));
        let slack = self.rounding * scores.iter().fold(0f64, |most, s| most.max(s.abs()));
        let score = scores[item.row()];
        let others: Vec<ItemId> = best.iter().copied().filter(|&other| other != item).collect();
        assert_eq!(others.len() + 1, best.len(), "{item:?} is no candidate");
        let ranks = match self.rounding {
            0.0 => {
                let rank = best.iter().position(|&other| other == item).unwrap() + 1;
                (rank, rank)
            }
            _ => {
                let count = |is_above: &dyn Fn(f64) -> bool| {
                    others.iter().filter(|other| is_above(scores[other.row()])).count()
                };
                (count(&|other| other > score + slack) + 1, count(&|other| other >= score - slack) + 1)
            }
        };
        let threshold = others.get(places - 1).map_or(f64::NEG_INFINITY, |o| scores[o.row()]);
        best.truncate(self.task.k);
        let tied = others.iter().any(|other| (scores[other.row()] - score).abs() <= 2.0 * slack);
        Place { ranks, tied, margin: score - threshold, slack, list: best }
    }

    /// Where the item stands with these edges cited, and how far beyond the edge of the list on the side it should be.
    pub(crate) fn with(&self, explanation: &Explanation, edges: &[(Change, Edge)]) -> (Place, f64) {
        match explanation.goal {
            Goal::Factual => self.by(explanation, edges, explanation.profile),
            Goal::Counterfactual => self.without(explanation, edges, explanation.profile),
            Goal::WhyNot => {
                let edit = self.edit(explanation, edges, false);
                self.inside(explanation, explanation.profile, &edit)
            }
            Goal::Joint => {
                let (mut place, out) = self.without(explanation, edges, Profile::Kept);
                let kept: Vec<(Change, Edge)> = edges.iter().map(|&(_, edge)| (Change::Kept, edge)).collect();
                let (alone, inside) = self.by(explanation, &kept, Profile::Neutral);
                place.slack = place.slack.max(alone.slack);
                (place, out.min(inside))
            }
        }
    }

    /// Without these edges: how firmly the item is out.
    fn without(&self, e: &Explanation, edges: &[(Change, Edge)], profile: Profile) -> (Place, f64) {
        let edit = self.edit(e, edges, false);
        let places = self.task.k + self.task.firm - 1;
        let firmly = self.place_of(e.item, profile, &edit, places);
        (self.place(e.item, profile, &edit), -firmly.margin)
    }

    /// By these edges alone: how firmly the item is in.
    fn by(&self, e: &Explanation, edges: &[(Change, Edge)], profile: Profile) -> (Place, f64) {
        self.inside(e, profile, &self.edit(e, edges, true))
    }

    fn inside(&self, e: &Explanation, profile: Profile, edit: &Edit) -> (Place, f64) {
        let firmly = self.place_of(e.item, profile, edit, self.task.k + 1 - self.task.firm);
        (self.place(e.item, profile, edit), firmly.margin)
    }

    /// Checks every claim.
    pub(crate) fn check(&self, e: &Explanation) {
        let task = self.task;
        assert_eq!((e.user, e.k, e.scope, e.seed), (self.user(), task.k, task.scope, task.seed), "{e:?}");
        assert_eq!(e.profile, task.profile.resolve(e.goal, e.scope), "{e:?}");
        assert_eq!(e.evicted, self.evicted(e.goal), "{e:?}");
        assert!(e.queries >= 0.0 && e.queries.is_finite(), "{e:?}");
        assert_eq!(e.reason().is_some(), e.status() == Status::NotFound, "{e:?}");

        let before = self.place(e.item, Profile::Kept, &self.edit_of_nothing());
        assert!(before.allows(e.rank_before), "before: {before:?}, {e:?}");
        self.assert_margin(e, e.margin_before, &before);
        let (start, gain_at_start) = self.with(e, &[]);
        // A rank among ties is none.
        let rightly_placed = e.rank_start.map_or(start.tied, |rank| start.allows(rank));
        assert!(rightly_placed, "at the start: {start:?}, {e:?}");

        let edges: Vec<(Change, Edge)> = e.edges().iter().map(|c| (c.change, c.edge)).collect();
        self.check_edges(e, &edges);
        let (after, gain) = self.with(e, &edges);
        match e.status() {
            Status::Verified => {
                assert!(!edges.is_empty(), "{e:?}");
                assert!(gain > 0.0, "does not hold: {after:?}, {e:?}");
                let (rank, firm) = (e.rank_after().unwrap(), self.task.firm);
                let is_out = matches!(e.goal, Goal::Counterfactual | Goal::Joint);
                assert!(if is_out { rank >= e.k + firm } else { rank + firm <= e.k + 1 }, "{e:?}");
                assert_eq!((e.instead.as_ref(), e.alone().is_some()), (None, e.goal == Goal::Joint), "{e:?}");
                if let Some((rank, _)) = e.alone() {
                    assert!(rank + firm <= e.k + 1, "{e:?}");
                }
                assert!(gain_at_start <= start.slack, "nothing had to be cited: {e:?}");
            }
            Status::Trivial => {
                assert!(edges.is_empty() && e.goal == Goal::Factual && gain > 0.0, "{after:?}, {e:?}");
            }
            Status::Refuted => {
                assert_eq!(e.method.name(), "paper");
                assert!(!edges.is_empty() && gain <= after.slack, "it does hold: {after:?}, {e:?}");
            }
            Status::Unverified => panic!("the recommender could be asked: {e:?}"),
            Status::NotFound => {
                assert!(edges.is_empty() && e.rank_after().is_none() && e.minimal().is_none(), "{e:?}");
                self.check_reason(e, &before, &start);
                e.instead.iter().for_each(|instead| self.check_instead(e, instead));
                return;
            }
        }
        assert!(after.allows(e.rank_after().unwrap()), "{after:?}, {e:?}");
        self.assert_margin(e, e.margin_after().unwrap(), &after);
        self.check_replacement(e, &start, &after);
        if e.minimal() == Some(true) {
            self.check_minimal(e, &edges);
        }
    }

    /// What is told in place of an answer is as true as one.
    fn check_instead(&self, e: &Explanation, instead: &Instead) {
        let own = self.own();
        let cited = |certificate: &Certificate| -> Vec<(Change, Edge)> {
            certificate.edges().iter().map(|c| (c.change, c.edge)).collect()
        };
        let holds = |certificate: &Certificate, change: Change, profile: Profile| {
            let edges = cited(certificate);
            assert!(
                (instead.question == Weaker::HistoryAlone || !edges.is_empty())
                    && edges.iter().all(|(c, edge)| *c == change && own.contains(edge)),
                "{e:?}"
            );
            assert!(edges.iter().all(|(_, edge)| !self.task.never_cite.contains(&edge.item)), "{e:?}");
            let told = |edges: &[(Change, Edge)]| match change {
                Change::Kept => self.by(e, edges, profile),
                _ => self.without(e, edges, profile),
            };
            let (place, gain) = told(&edges);
            assert!(gain > 0.0 && place.allows(certificate.rank_after()), "{place:?}, {e:?}");
            self.assert_margin(e, certificate.margin_after(), &place);
            for out in (0..edges.len()).filter(|_| certificate.minimal() == Some(true)) {
                let mut fewer = edges.clone();
                fewer.remove(out);
                let (place, gain) = told(&fewer);
                assert!(gain <= 2.0 * place.slack, "one can be spared: {place:?}, {e:?}");
            }
        };
        let (told, caps) = (instead.certificate(), self.task.caps);
        match (instead.question, e.goal) {
            (Weaker::HistoryAlone, Goal::Counterfactual | Goal::Joint) => {
                assert_eq!(instead.profile, Profile::Neutral);
                holds(told, Change::Removed, Profile::Neutral);
            }
            (Weaker::Many, Goal::Factual) => {
                assert!(told.edges().len() > caps.add, "{e:?}");
                holds(told, Change::Kept, instead.profile);
            }
            (Weaker::Many, Goal::Counterfactual | Goal::Joint) => match told.edges()[0].change {
                Change::Kept => holds(told, Change::Kept, Profile::Neutral),
                _ => {
                    assert!(told.edges().len() > caps.remove && instead.profile == Profile::Kept, "{e:?}");
                    holds(told, Change::Removed, Profile::Kept);
                }
            },
            (Weaker::Parts, Goal::Joint) => {
                holds(told, Change::Removed, Profile::Kept);
                let enough = instead.enough().unwrap();
                holds(enough, Change::Kept, Profile::Neutral);
                assert_eq!(e.alone(), Some((enough.rank_after(), enough.margin_after())), "{e:?}");
            }
            other => panic!("{other:?}: {e:?}"),
        }
    }

    fn edit_of_nothing(&self) -> Edit {
        match self.task.who {
            Who::Known(_) => Edit::none(),
            Who::Newcomer(_) => Edit::adding(self.own()),
        }
    }

    fn evicted(&self, goal: Goal) -> Option<Evicted> {
        match (goal, self.task.scope) {
            (Goal::Factual, Scope::Own) => Some(Evicted::Own),
            (Goal::Factual, _) => Some(Evicted::Target),
            _ => None,
        }
    }

    fn assert_margin(&self, e: &Explanation, claimed: f32, place: &Place) {
        let claimed = f64::from(claimed);
        let close = claimed == place.margin || (claimed - place.margin).abs() <= 2.0 * place.slack;
        assert!(close, "margin {claimed} should be {place:?}: {e:?}");
    }

    /// Few enough, within the scope, of the right kind, and nothing that must not be named.
    fn check_edges(&self, e: &Explanation, edges: &[(Change, Edge)]) {
        let (own, task) = (self.own(), self.task);
        for &(change, edge) in edges {
            assert!(!task.never_cite.contains(&edge.item), "{edge:?} must not be cited: {e:?}");
            let mine = own.contains(&edge);
            match (e.goal, change) {
                (Goal::Factual, Change::Kept)
                | (Goal::Counterfactual | Goal::Joint | Goal::WhyNot, Change::Removed) => {
                    assert!(self.graph.has(edge) || mine, "{edge:?} is not there: {e:?}");
                    let within = match e.scope {
                        Scope::Own => mine,
                        Scope::Target => mine || edge.item == e.item,
                        Scope::Hops => mine || self.nearby().contains(&edge),
                    };
                    assert!(within, "{edge:?} is beyond the scope: {e:?}");
                }
                (Goal::WhyNot, Change::Added) => {
                    assert!(edge.user == e.user && !mine && edge.item != e.item, "{edge:?}: {e:?}");
                }
                _ => panic!("{edge:?} cannot be {change:?}: {e:?}"),
            }
        }
        let count = |wanted: fn(Change) -> bool| edges.iter().filter(|(change, _)| wanted(*change)).count();
        assert!(count(|change| change == Change::Removed) <= task.caps.remove, "{e:?}");
        assert!(count(|change| change != Change::Removed) <= task.caps.add, "{e:?}");
    }

    /// The interactions among everybody and everything within `hops` steps of the person or an explained item.
    fn nearby(&self) -> BTreeSet<Edge> {
        let edges: BTreeSet<Edge> =
            self.graph.edges().collect::<BTreeSet<_>>().union(&self.own()).copied().collect();
        let mut users = BTreeSet::from([self.user()]);
        let mut items: BTreeSet<ItemId> = self.together.iter().copied().collect();
        for _ in 0..self.task.hops {
            let reached: Vec<Edge> = edges
                .iter()
                .filter(|e| users.contains(&e.user) || items.contains(&e.item))
                .copied()
                .collect();
            users.extend(reached.iter().map(|edge| edge.user));
            items.extend(reached.iter().map(|edge| edge.item));
        }
        edges.into_iter().filter(|edge| users.contains(&edge.user) && items.contains(&edge.item)).collect()
    }

    fn check_replacement(&self, e: &Explanation, start: &Place, after: &Place) {
        let Some(new) = e.replaced_by() else {
            // Somebody takes the place of what has left, but a tie or an item not to be named may hide who.
            let new: Vec<&ItemId> = after.list.iter().filter(|item| !start.list.contains(item)).collect();
            let hidden = new.iter().any(|item| self.task.never_cite.contains(item));
            let goes = matches!(e.goal, Goal::Counterfactual | Goal::Joint);
            let silent = !goes || e.status() != Status::Verified || hidden;
            assert!(silent, "one of {new:?} replaces it: {e:?}");
            return;
        };
        assert!(matches!(e.goal, Goal::Counterfactual | Goal::Joint), "{e:?}");
        assert!(e.status() == Status::Verified && new != e.item, "{e:?}");
        assert!(!self.task.never_cite.contains(&new), "{e:?}");
        if self.rounding == 0.0 {
            let first = after.list.iter().find(|item| !start.list.contains(item));
            assert_eq!(Some(&new), first, "{e:?}");
        } else {
            assert!(after.list.contains(&new) && !start.list.contains(&new), "{start:?}, {after:?}, {e:?}");
        }
    }

    /// Leaving out any single edge undoes it.
    fn check_minimal(&self, e: &Explanation, edges: &[(Change, Edge)]) {
        for out in 0..edges.len() {
            let mut fewer = edges.to_vec();
            let (_, spared) = fewer.remove(out);
            let (place, gain) = self.with(e, &fewer);
            // Beyond rounding: what only just holds does not count.
            assert!(gain <= 2.0 * place.slack, "{spared:?} can be spared: {place:?}, {e:?}");
        }
    }

    fn check_reason(&self, e: &Explanation, before: &Place, start: &Place) {
        match e.reason().unwrap() {
            Reason::AlreadyOutside { rank } => {
                assert!(rank > e.k && (before.allows(rank) || start.allows(rank)), "{e:?}");
            }
            Reason::AlreadyInside { rank } => {
                assert!(rank <= e.k && (before.allows(rank) || start.allows(rank)), "{e:?}");
            }
            Reason::FewerCandidatesThanPlaces => {
                let places = e.k.saturating_add(self.task.firm - 1);
                let place = self.place_of(e.item, Profile::Kept, &self.edit_of_nothing(), places);
                assert!(before.margin == f64::INFINITY || place.margin == f64::INFINITY, "{e:?}");
            }
            Reason::CarriedByProfile { rank, .. } => {
                let all: Vec<_> = self.own().into_iter().map(|edge| (Change::Removed, edge)).collect();
                assert!(rank <= e.k && self.with(e, &all).0.allows(rank), "{e:?}");
            }
            Reason::NoHistory => {
                let citable = |edge: &Edge| !self.task.never_cite.contains(&edge.item);
                assert!(!self.own().iter().any(citable), "there is a history: {e:?}");
            }
            Reason::ItemWithoutInteractions => assert!(self.graph.users_of(e.item).is_empty(), "{e:?}"),
            Reason::CapReached { cap, .. } => {
                assert!(cap <= self.task.caps.add.max(self.task.caps.remove), "{e:?}");
            }
            Reason::NothingSuffices { edges, .. } => self.check_nothing_suffices(e, edges),
            Reason::OutOfBudget { .. } => {}
            Reason::AnswersDiffer { .. } => panic!("it says the same whenever it is asked: {e:?}"),
            Reason::ProposalFallsShort { .. } => assert!(e.method.is_given(), "{e:?}"),
            Reason::NoSetIsBoth { .. } => assert_eq!(e.goal, Goal::Joint, "{e:?}"),
            Reason::SurrogateFoundNone { .. } => assert_eq!(e.method.name(), "paper"),
        }
    }

    /// Neither any single one of the person's interactions nor all of them do it.
    fn check_nothing_suffices(&self, e: &Explanation, edges: usize) {
        let change = match (e.scope, e.goal) {
            (Scope::Own, Goal::Factual) => Change::Kept,
            (Scope::Own, Goal::Counterfactual) => Change::Removed,
            _ => return,
        };
        let citable = |edge: &Edge| !self.task.never_cite.contains(&edge.item);
        let all: Vec<(Change, Edge)> =
            self.own().into_iter().filter(citable).map(|edge| (change, edge)).collect();
        assert_eq!(edges, all.len(), "{e:?}");
        for enough in all.iter().map(std::slice::from_ref).chain([&all[..]]) {
            let (place, gain) = self.with(e, enough);
            assert!(gain <= 2.0 * place.slack, "{enough:?} suffices: {e:?}");
        }
    }
}
