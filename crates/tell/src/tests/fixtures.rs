//! One record of every shape there is.

use grease_explain::{Change, Evicted, Goal, Minimum, Scope, Status, SurrogateView};
use grease_graph::{Profile, Words};

use super::weaker::{both_at_once, firmly, joint, weaker};
use crate::{CitedEdge, Record, SCHEMA, sentence};

pub(crate) fn listeners() -> Words {
    Words {
        person: "listener".into(),
        did: "listened to".into(),
        item: "artist".into(),
        items: "artists".into(),
    }
}

pub(super) const TITLES: [&str; 12] = [
    "Aurora Migration",
    "Lichen Horizon Study",
    "Nocturnal Estuary",
    "The Angry Toasters",
    "Uncle Almanac",
    "Cousin Ledger",
    "MC Captain Almanac",
    "Toothless Traffic Cones",
    "The Cheap Caretakers",
    "The Hostile Photocopier",
    "Paper Lighthouse",
    "Second Breakfast",
];

pub(super) const TARGET: &str = "fjord";

/// An edge of the person, with the nth title.
pub(crate) fn own(n: usize) -> (&'static str, Option<usize>) {
    ("diego", Some(n))
}

/// Somebody else's edge with the explained item.
pub(crate) fn side(user: &'static str) -> (&'static str, Option<usize>) {
    (user, None)
}

/// Somebody else's edge with the nth title.
pub(crate) fn bridge(user: &'static str, n: usize) -> (&'static str, Option<usize>) {
    (user, Some(n))
}

pub(crate) fn edges(change: Change, edges: &[(&str, Option<usize>)]) -> Vec<CitedEdge> {
    let edge = |&(user, title): &(&str, Option<usize>)| CitedEdge {
        change,
        user: user.into(),
        item: title.map_or(TARGET.into(), |n| format!("a{n}")),
        title: Some(title.map_or("Fjord Weather Station", |n| TITLES[n]).into()),
    };
    edges.iter().map(edge).collect()
}

pub(super) fn bare(goal: Goal) -> Record {
    Record {
        schema: SCHEMA.into(),
        user: "diego".into(),
        history: None,
        item: TARGET.into(),
        item_title: Some("Fjord Weather Station".into()),
        k: 10,
        goal,
        scope: Scope::Own,
        profile: Profile::Kept,
        method: "grease".into(),
        status: Status::Verified,
        reason: None,
        edges: Vec::new(),
        evicted: None,
        rank_before: 3,
        margin_before: Some(0.25),
        rank_start: Some(3),
        rank_after: Some(12),
        margin_after: Some(-0.125),
        replaced_by: None,
        replaced_by_title: None,
        minimal: Some(true),
        minimum: None,
        proof_queries: None,
        firm: None,
        alone: None,
        holds_when_retrained: None,
        instead: None,
        profile_share: None,
        queries: 6.5,
        surrogate: None,
        neighbourhood: None,
        seed: 1,
        model: "3f1c".into(),
        data: "9ab2".into(),
        sentence: String::new(),
    }
}

/// Scope own where only the person's own edges are cited, hops otherwise.
fn scope_of(edges: &[CitedEdge]) -> Scope {
    if edges.iter().all(|edge| edge.user == "diego") { Scope::Own } else { Scope::Hops }
}

pub(crate) fn counterfactual(cited: &[(&str, Option<usize>)]) -> Record {
    let edges = edges(Change::Removed, cited);
    Record {
        scope: scope_of(&edges),
        edges,
        replaced_by: Some("nacht".into()),
        replaced_by_title: Some("Nachtzug".into()),
        ..bare(Goal::Counterfactual)
    }
}

pub(crate) fn factual(cited: &[(&str, Option<usize>)]) -> Record {
    let edges = edges(Change::Kept, cited);
    let own = scope_of(&edges) == Scope::Own;
    Record {
        scope: if own { Scope::Own } else { Scope::Target },
        profile: if own { Profile::Neutral } else { Profile::Kept },
        evicted: Some(if own { Evicted::Own } else { Evicted::Target }),
        edges,
        rank_start: None,
        rank_after: Some(7),
        margin_after: Some(0.0625),
        ..bare(Goal::Factual)
    }
}

pub(crate) fn why_not(change: Change, cited: &[(&str, Option<usize>)]) -> Record {
    let edges = edges(change, cited);
    Record {
        scope: scope_of(&edges),
        edges,
        rank_before: 14,
        margin_before: Some(-0.125),
        rank_start: Some(14),
        rank_after: Some(8),
        margin_after: Some(0.03125),
        ..bare(Goal::WhyNot)
    }
}

/// Nothing smaller does it.
pub(crate) fn proved(record: Record) -> Record {
    Record { minimum: Some(Minimum::Proved), proof_queries: Some(120), ..record }
}

pub(crate) fn trivial() -> Record {
    Record {
        status: Status::Trivial,
        profile: Profile::Kept,
        rank_start: Some(4),
        rank_after: Some(4),
        edges: Vec::new(),
        minimal: None,
        profile_share: Some(0.66),
        ..factual(&[own(0)])
    }
}

pub(crate) fn unverified(record: Record) -> Record {
    let surrogate = SurrogateView { rank_before: 4, rank_after: Some(15), fidelity: None };
    Record {
        status: Status::Unverified,
        rank_after: None,
        margin_after: None,
        replaced_by: None,
        replaced_by_title: None,
        minimal: None,
        queries: 0.0,
        surrogate: Some(surrogate),
        ..record
    }
}

pub(crate) fn refuted(record: Record) -> Record {
    let inside = record.goal == Goal::Counterfactual;
    Record {
        status: Status::Refuted,
        method: "paper".into(),
        rank_after: Some(if inside { 5 } else { 17 }),
        margin_after: Some(if inside { 0.0625 } else { -0.25 }),
        replaced_by: None,
        replaced_by_title: None,
        minimal: None,
        queries: 1.0,
        ..record
    }
}

pub(crate) fn not_found(goal: Goal, scope: Scope, reason: &str) -> Record {
    let ask = match goal {
        Goal::Factual => factual(&[own(0)]),
        Goal::Counterfactual => counterfactual(&[own(0)]),
        Goal::Joint => joint(&[own(0)]),
        Goal::WhyNot => why_not(Change::Removed, &[own(0)]),
    };
    Record {
        scope,
        status: Status::NotFound,
        reason: Some(reason.into()),
        edges: Vec::new(),
        rank_after: None,
        margin_after: None,
        replaced_by: None,
        replaced_by_title: None,
        minimal: None,
        alone: None,
        ..ask
    }
}

/// The same of somebody the model has never seen.
pub(crate) fn newcomer(mut record: Record) -> Record {
    record.user = "newcomer".into();
    record.history = Some(vec!["a0".into(), "a1".into(), "a2".into()]);
    let told = record.instead.iter_mut().flat_map(|instead| &mut instead.edges);
    record.edges.iter_mut().chain(told).for_each(|edge| edge.user = "newcomer".into());
    record
}

pub(crate) fn titled(record: Record, titles: &[Option<&str>]) -> Record {
    let mut record = record;
    for (edge, title) in record.edges.iter_mut().zip(titles) {
        edge.title = title.map(str::to_owned);
    }
    record
}

/// A name for each case, the words, and the record with its sentence filled in.
pub(crate) fn all() -> Vec<(&'static str, Words, Record)> {
    let mut cases = verified();
    cases.extend(smallest());
    cases.extend(both_at_once());
    cases.extend(speaking(super::promised::cases()));
    cases.extend(unsure());
    cases.extend(weaker());
    cases.extend(firmly());
    cases.extend(names_and_words());
    for (_, words, record) in &mut cases {
        record.sentence = sentence(record, words);
    }
    cases
}

pub(super) fn speaking(cases: Vec<(&'static str, Record)>) -> Vec<(&'static str, Words, Record)> {
    cases.into_iter().map(|(name, record)| (name, listeners(), record)).collect()
}

fn verified() -> Vec<(&'static str, Words, Record)> {
    let many: Vec<_> = (0..10).map(own).collect();
    let mixed = [own(0), own(1), side("other-1"), side("other-2"), bridge("other-3", 2)];
    let crowd = [
        bridge("other-1", 1),
        bridge("other-2", 2),
        bridge("other-3", 3),
        side("other-4"),
        bridge("other-4", 1),
        side("other-5"),
    ];
    let kept = |record: Record| Record { profile: Profile::Kept, ..record };
    let mut swap = why_not(Change::Removed, &[own(0)]);
    swap.edges.extend(edges(Change::Added, &[own(1)]));
    speaking(vec![
        ("counterfactual, one", counterfactual(&[own(0)])),
        ("counterfactual, two", counterfactual(&[own(0), own(1)])),
        ("counterfactual, three", counterfactual(&[own(0), own(1), own(2)])),
        ("counterfactual, ten", counterfactual(&many)),
        (
            "counterfactual, two, one can be spared",
            Record { minimal: Some(false), ..counterfactual(&[own(0), own(1)]) },
        ),
        (
            "counterfactual, two, not known whether both",
            Record { minimal: None, ..counterfactual(&[own(0), own(1)]) },
        ),
        (
            "counterfactual, nothing known in its place",
            Record { replaced_by: None, ..counterfactual(&[own(0)]) },
        ),
        ("counterfactual, list of one", Record { k: 1, rank_before: 1, ..counterfactual(&[own(0)]) }),
        ("counterfactual, item side", counterfactual(&[side("other-1")])),
        (
            "counterfactual, item side, three people",
            counterfactual(&[side("other-1"), side("other-2"), side("other-3")]),
        ),
        ("counterfactual, bridge", counterfactual(&[bridge("other-1", 0)])),
        ("counterfactual, own and item side", counterfactual(&[own(0), side("other-1")])),
        ("counterfactual, own and bridge", counterfactual(&[own(0), bridge("other-1", 1)])),
        ("counterfactual, two people", counterfactual(&[bridge("other-1", 1), side("other-2")])),
        ("counterfactual, somebody's two", counterfactual(&[bridge("other-1", 1), bridge("other-1", 2)])),
        ("counterfactual, all kinds", counterfactual(&mixed)),
        ("counterfactual, a crowd", counterfactual(&crowd)),
        (
            "counterfactual, ids shown",
            counterfactual(&[own(0), bridge("zoe", 1), side("adam"), side("mira")]),
        ),
        ("factual, one", factual(&[own(0)])),
        ("factual, two", factual(&[own(0), own(1)])),
        ("factual, four", factual(&[own(0), own(1), own(2), own(3)])),
        ("factual, mostly the profile's", Record { profile_share: Some(0.67), ..factual(&[own(0)]) }),
        ("factual, list of one", Record { k: 1, rank_after: Some(1), ..factual(&[own(0)]) }),
        ("factual, profile kept", kept(factual(&[own(0), own(1)]))),
        ("factual, own and item side", factual(&[own(0), side("other-1")])),
        ("factual, item side only", factual(&[side("other-1"), side("other-2")])),
        (
            "factual, target scope, own only",
            Record { scope: Scope::Target, evicted: Some(Evicted::Target), ..kept(factual(&[own(0)])) },
        ),
        ("why not, one removed", why_not(Change::Removed, &[own(0)])),
        ("why not, two removed", why_not(Change::Removed, &[own(0), own(1)])),
        ("why not, one added", why_not(Change::Added, &[own(0)])),
        ("why not, three removed", why_not(Change::Removed, &[own(0), own(1), own(2)])),
        ("why not, three added", why_not(Change::Added, &[own(0), own(1), own(2)])),
        ("why not, one removed and one added", swap),
        ("why not, list of one", Record { k: 1, rank_after: Some(1), ..why_not(Change::Added, &[own(0)]) }),
        ("why not, item side added", why_not(Change::Added, &[side("other-1")])),
    ])
}

/// Where it is known whether fewer would do.
fn smallest() -> Vec<(&'static str, Words, Record)> {
    speaking(vec![
        ("counterfactual, one, proved", proved(counterfactual(&[own(0)]))),
        ("counterfactual, two, proved", proved(counterfactual(&[own(0), own(1)]))),
        ("counterfactual, three, proved", proved(counterfactual(&[own(0), own(1), own(2)]))),
        ("counterfactual, all kinds, proved", proved(counterfactual(&[own(0), own(1), side("other-1")]))),
        (
            "counterfactual, two, searched",
            Record { minimum: Some(Minimum::Searched), ..counterfactual(&[own(0), own(1)]) },
        ),
        ("factual, two, proved", proved(factual(&[own(0), own(1)]))),
        ("factual, four, proved", proved(factual(&[own(0), own(1), own(2), own(3)]))),
        ("why not, two removed, proved", proved(why_not(Change::Removed, &[own(0), own(1)]))),
        ("why not, three added, proved", proved(why_not(Change::Added, &[own(0), own(1), own(2)]))),
    ])
}

fn unsure() -> Vec<(&'static str, Words, Record)> {
    use Goal::{Counterfactual, Factual, WhyNot};
    use Scope::{Hops, Own, Target};
    let neutral = |record: Record| Record { profile: Profile::Neutral, ..record };
    let shared = |record: Record| Record { profile_share: Some(0.8), ..record };
    let first = |record: Record| Record { k: 1, ..record };
    let outside = |record: Record| Record { rank_before: 14, rank_start: Some(14), ..record };
    speaking(vec![
        ("trivial", trivial()),
        ("trivial, target scope", Record { scope: Target, evicted: Some(Evicted::Target), ..trivial() }),
        ("trivial, profile neutral", neutral(trivial())),
        ("refuted counterfactual", refuted(counterfactual(&[own(0)]))),
        (
            "refuted counterfactual, list of one",
            Record { rank_after: Some(1), ..first(refuted(counterfactual(&[own(0), own(1)]))) },
        ),
        ("refuted factual", refuted(factual(&[own(0)]))),
        ("refuted why not", refuted(why_not(Change::Added, &[own(0)]))),
        ("unverified counterfactual", unverified(counterfactual(&[own(0)]))),
        (
            "unverified counterfactual, all kinds",
            unverified(counterfactual(&[own(0), bridge("other-1", 1), side("other-1")])),
        ),
        ("unverified factual", unverified(factual(&[own(0)]))),
        ("unverified why not", unverified(why_not(Change::Removed, &[own(0)]))),
        ("out of budget", not_found(Counterfactual, Own, "out_of_budget: allow more")),
        ("out of budget, factual", not_found(Factual, Own, "out_of_budget: allow more")),
        ("out of budget, why not", not_found(WhyNot, Own, "out_of_budget: allow more")),
        ("cap reached", not_found(Counterfactual, Own, "cap_reached: …")),
        ("cap reached, hops", not_found(Counterfactual, Hops, "cap_reached: …")),
        ("nothing suffices", not_found(Counterfactual, Own, "nothing_suffices: …")),
        ("nothing suffices, factual", not_found(Factual, Own, "nothing_suffices: …")),
        ("nothing suffices, why not", not_found(WhyNot, Own, "nothing_suffices: …")),
        ("nothing suffices, target", not_found(Factual, Target, "nothing_suffices: …")),
        ("carried by profile", not_found(Counterfactual, Own, "carried_by_profile: …")),
        ("carried by profile, share known", shared(not_found(Counterfactual, Own, "carried_by_profile: …"))),
        (
            "carried by profile, profile neutral",
            neutral(not_found(Counterfactual, Own, "carried_by_profile: …")),
        ),
        ("no history", not_found(Counterfactual, Own, "no_history: …")),
        ("stand-in found none", not_found(Counterfactual, Hops, "surrogate_found_none: …")),
        ("item without interactions", not_found(Factual, Target, "item_without_interactions: …")),
        ("item without interactions, own", not_found(Factual, Own, "item_without_interactions: …")),
        ("already outside", outside(not_found(Counterfactual, Own, "already_outside: …"))),
        ("already outside, as a new listener", not_found(Factual, Own, "already_outside: …")),
        ("already inside", Record { rank_before: 3, ..not_found(WhyNot, Own, "already_inside: …") }),
        ("answers differ", not_found(Counterfactual, Own, "answers_differ: …")),
        ("fewer candidates than places", not_found(Counterfactual, Own, "fewer_candidates_than_places: …")),
        ("not found, list of one", first(not_found(WhyNot, Own, "cap_reached: …"))),
        ("not found, no reason given", Record { reason: None, ..not_found(Factual, Own, "") }),
    ])
}

fn names_and_words() -> Vec<(&'static str, Words, Record)> {
    let long = "An extraordinarily long title that goes on and on until nobody remembers how it began, let alone why";
    let three = || counterfactual(&[own(0), own(1), own(2)]);
    let untitled =
        Record { item_title: None, replaced_by_title: None, ..titled(three(), &[None, None, None]) };
    let nameless = Record {
        item: String::new(),
        item_title: Some(" ".into()),
        ..not_found(Goal::WhyNot, Scope::Own, "already_inside: …")
    };
    let mut cases = speaking(vec![
        ("no titles", untitled.clone()),
        (
            "no title, at the start",
            Record {
                reason: Some("already_outside: …".into()),
                status: Status::NotFound,
                edges: Vec::new(),
                ..untitled
            },
        ),
        ("no name at all", nameless),
        (
            "titles that several have",
            titled(three(), &[Some("Fjord Weather Station"), Some("The The"), Some("The The")]),
        ),
        (
            "titles that could be misread",
            titled(three(), &[Some("And One"), Some("The The"), Some("Me, Myself & \"I\"")]),
        ),
        ("long titles", titled(three(), &[Some(long), Some("Or"), Some(long)])),
        (
            "titles of many lines and directions",
            titled(three(), &[Some("Line\nbreak\u{7}"), Some("أم كلثوم"), Some("\u{202E}gnahc")]),
        ),
        ("a newcomer", newcomer(counterfactual(&[own(0), own(1)]))),
        ("a newcomer, factual", newcomer(factual(&[own(0)]))),
        ("a newcomer, trivial", newcomer(trivial())),
        (
            "a newcomer, nothing suffices",
            newcomer(Record {
                profile: Profile::Kept,
                ..not_found(Goal::Counterfactual, Scope::Own, "nothing_suffices: …")
            }),
        ),
    ]);
    let words = |person: &str, did: &str, item: &str, items: &str| Words {
        person: person.into(),
        did: did.into(),
        item: item.into(),
        items: items.into(),
    };
    let mixed = [own(0), own(1), side("other-1"), bridge("other-2", 2)];
    cases.push(("visitors", words("visitor", "visited", "place", "places"), counterfactual(&mixed)));
    cases.push(("viewers", words("viewer", "saw", "film", "films"), counterfactual(&mixed)));
    cases.push(("the usual words", Words::default(), counterfactual(&mixed)));
    cases.push(("the usual words, factual", Words::default(), factual(&[own(0), own(1)])));
    cases
}
