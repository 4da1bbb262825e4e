//! Records of both at once, of answers to weaker questions, and of those that have to hold firmly.

use grease_explain::{Change, Goal, Scope, Weaker};
use grease_graph::{Profile, Words};

use super::fixtures::{
    bare, counterfactual, edges, factual, newcomer, not_found, own, proved, refuted, speaking, titled,
    unverified, why_not,
};
use crate::{Alone, Instead, Record};

type Cited<'a> = (&'a str, Option<usize>);

pub(crate) fn joint(cited: &[Cited<'_>]) -> Record {
    Record {
        edges: edges(Change::Removed, cited),
        replaced_by: Some("nacht".into()),
        replaced_by_title: Some("Nachtzug".into()),
        alone: Some(Alone { rank: 5, margin: Some(0.0625) }),
        ..bare(Goal::Joint)
    }
}

fn told(question: Weaker, profile: Profile, change: Change, cited: &[Cited<'_>]) -> Instead {
    let is_in = change == Change::Kept;
    Instead {
        question,
        profile,
        edges: edges(change, cited),
        rank_after: if is_in { 7 } else { 12 },
        margin_after: Some(if is_in { 0.0625 } else { -0.125 }),
        minimal: Some(true),
    }
}

/// By what the person did alone, without what was learned about them.
pub(crate) fn history_alone(reason: &str, cited: &[Cited<'_>]) -> Record {
    let instead = told(Weaker::HistoryAlone, Profile::Neutral, Change::Removed, cited);
    Record { instead: Some(instead), ..not_found(Goal::Counterfactual, Scope::Own, reason) }
}

/// More than may be cited: to be left out, or to be enough.
pub(crate) fn many(goal: Goal, change: Change, cited: &[Cited<'_>]) -> Record {
    let profile = if change == Change::Kept { Profile::Neutral } else { Profile::Kept };
    let instead = told(Weaker::Many, profile, change, cited);
    Record { instead: Some(instead), ..not_found(goal, Scope::Own, "cap_reached: …") }
}

/// What is needed and what is enough, where no set is both.
pub(crate) fn parts(needed: &[Cited<'_>], enough: &[Cited<'_>]) -> Record {
    let mut instead = told(Weaker::Parts, Profile::Kept, Change::Removed, needed);
    instead.edges.extend(edges(Change::Kept, enough));
    Record {
        instead: Some(instead),
        alone: Some(Alone { rank: 7, margin: Some(0.0625) }),
        ..not_found(Goal::Joint, Scope::Own, "no_set_is_both: …")
    }
}

/// At least four places beyond the edge.
pub(crate) fn firm(record: Record) -> Record {
    let place = |rank: usize| if rank > record.k { 15 } else { 6 };
    Record { firm: Some(4), rank_after: record.rank_after.map(place), ..record }
}

fn some(n: usize) -> Vec<Cited<'static>> {
    (0..n).map(own).collect()
}

pub(super) fn both_at_once() -> Vec<(&'static str, Words, Record)> {
    let lost = |record: Record| Record { replaced_by: None, replaced_by_title: None, ..record };
    let none_known = |reason: &str| not_found(Goal::Joint, Scope::Own, reason);
    speaking(vec![
        ("both at once, one", joint(&some(1))),
        ("both at once, one, nothing known in its place", lost(joint(&some(1)))),
        ("both at once, two", joint(&some(2))),
        ("both at once, two, nothing known in its place", lost(joint(&some(2)))),
        ("both at once, two, proved", proved(joint(&some(2)))),
        ("both at once, three, proved", proved(joint(&some(3)))),
        ("both at once, two, one can be spared", Record { minimal: Some(false), ..joint(&some(2)) }),
        ("both at once, eight", joint(&some(8))),
        ("both at once, list of one", Record { k: 1, rank_before: 1, ..joint(&some(1)) }),
        ("both at once, a newcomer", newcomer(joint(&some(2)))),
        ("both at once, no titles", Record { item_title: None, ..titled(joint(&some(1)), &[None]) }),
        (
            "both at once, titles that several have",
            titled(joint(&some(3)), &[Some("Fjord Weather Station"), Some("The The"), Some("The The")]),
        ),
        ("refuted both at once", refuted(joint(&some(1)))),
        ("unverified both at once", unverified(Record { alone: None, ..joint(&some(2)) })),
        ("both at once, out of budget", none_known("out_of_budget: …")),
        ("both at once, carried by profile", none_known("carried_by_profile: …")),
        ("both at once, nothing is both", none_known("no_set_is_both: …")),
    ])
}

pub(super) fn weaker() -> Vec<(&'static str, Words, Record)> {
    use Change::{Kept, Removed};
    use Goal::{Counterfactual, Factual, Joint};
    let carried = "carried_by_profile: …";
    let unknown = |mut record: Record| {
        record.instead.iter_mut().for_each(|instead| instead.minimal = None);
        record
    };
    let shared = |record: Record| Record { profile_share: Some(0.8), ..record };
    let both = |record: Record| Record { goal: Joint, evicted: None, ..record };
    speaking(vec![
        ("by the history alone, one", history_alone(carried, &some(1))),
        ("by the history alone, nothing left out", history_alone(carried, &[])),
        ("by the history alone, two, share known", shared(history_alone(carried, &some(2)))),
        ("by the history alone, three, nothing suffices", history_alone("nothing_suffices: …", &some(3))),
        ("by the history alone, eight, cap reached", unknown(history_alone("cap_reached: …", &some(8)))),
        ("by the history alone, out of budget", history_alone("out_of_budget: …", &some(1))),
        ("by the history alone, no reason given", Record { reason: None, ..history_alone("", &some(1)) }),
        ("by the history alone, both at once", both(history_alone(carried, &some(1)))),
        ("many, twelve", many(Counterfactual, Removed, &some(12))),
        ("many, twelve, not known whether all", unknown(many(Counterfactual, Removed, &some(12)))),
        ("many, two", many(Counterfactual, Removed, &some(2))),
        (
            "many, twelve, a newcomer",
            Record {
                history: Some((0..36).map(|n| format!("a{n}")).collect()),
                ..newcomer(many(Counterfactual, Removed, &some(12)))
            },
        ),
        ("many, list of one", Record { k: 1, ..many(Counterfactual, Removed, &some(12)) }),
        ("many, seven are enough", many(Factual, Kept, &some(7))),
        ("many, two are enough", many(Factual, Kept, &some(2))),
        ("many, both at once", both(many(Counterfactual, Removed, &some(12)))),
        (
            "many, both at once, seven are enough",
            Record { profile: Profile::Kept, ..both(many(Factual, Kept, &some(7))) },
        ),
        ("parts", parts(&[own(0), own(1)], &[own(0), own(2)])),
        ("parts, two in common", parts(&[own(0), own(1), own(3)], &[own(0), own(1), own(2)])),
        ("parts, more is needed", parts(&[own(0), own(1), own(2)], &[own(0)])),
        ("parts, more has to be known", parts(&[own(0)], &[own(0), own(1), own(2)])),
        ("parts, nothing in common", parts(&[own(0)], &[own(1)])),
        ("parts, eight are needed", parts(&some(8), &[own(0), own(9)])),
        ("parts, a newcomer", newcomer(parts(&[own(0), own(1)], &[own(0), own(2)]))),
    ])
}

pub(super) fn firmly() -> Vec<(&'static str, Words, Record)> {
    let lost = |record: Record| Record { replaced_by: None, replaced_by_title: None, ..record };
    let told = |mut record: Record| {
        record.firm = Some(4);
        record.instead.iter_mut().for_each(|instead| instead.rank_after = 15);
        record
    };
    let none_known = |goal, reason| told(not_found(goal, Scope::Own, reason));
    speaking(vec![
        ("firmly, counterfactual", firm(counterfactual(&some(1)))),
        ("firmly, counterfactual, nothing known in its place", lost(firm(counterfactual(&some(1))))),
        ("firmly, factual", firm(factual(&some(2)))),
        ("firmly, why not", firm(why_not(Change::Added, &some(1)))),
        ("firmly, both at once", firm(joint(&some(1)))),
        ("firmly, both at once, two, nothing known in its place", lost(firm(joint(&some(2))))),
        ("firmly, refuted", told(refuted(counterfactual(&some(1))))),
        (
            "firmly, refuted, off the list",
            Record { rank_after: Some(12), ..told(refuted(counterfactual(&some(1)))) },
        ),
        ("firmly, refuted factual", Record { rank_after: Some(9), ..told(refuted(factual(&some(1)))) }),
        (
            "firmly, refuted why not",
            Record { rank_after: Some(9), ..told(refuted(why_not(Change::Added, &some(1)))) },
        ),
        ("firmly, cap reached", none_known(Goal::Counterfactual, "cap_reached: …")),
        ("firmly, carried by profile", none_known(Goal::Counterfactual, "carried_by_profile: …")),
        ("firmly, cap reached, factual", none_known(Goal::Factual, "cap_reached: …")),
        ("firmly, cap reached, why not", none_known(Goal::WhyNot, "cap_reached: …")),
        ("firmly, by the history alone", told(history_alone("carried_by_profile: …", &some(1)))),
        ("firmly, parts", told(parts(&[own(0), own(1)], &[own(0), own(2)]))),
    ])
}
