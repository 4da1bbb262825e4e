//! The first half of a sentence: whose interactions with what are imagined away, kept or added.

use grease_explain::{Change, Evicted};
use grease_graph::Profile;

use super::voice::Voice;
use crate::CitedEdge;
use crate::grammar::{list, number, participle, plural};
use crate::pseudonyms::is_pseudonym;

/// The most items named one by one; of more, the strongest are named and the rest counted.
pub(super) const NAMED: usize = 6;

/// The most groups of other people told apart.
const GROUPS: usize = 3;

/// Somebody, or several people alike, and the items of their cited interactions.
struct Party<'a> {
    /// `None` for the person spoken to.
    others: Option<Vec<&'a str>>,
    /// One interaction for each item.
    edges: Vec<&'a CitedEdge>,
    /// Interactions in all, where not everybody here has one with every item.
    times: Option<usize>,
}

/// A premise, ready for the main clause.
pub(super) struct Premise {
    /// Begins with a small letter, ends without a comma.
    pub(super) text: String,
    /// What the main clause calls the explained item: its name, or "it" where the premise ended on it.
    pub(super) target: String,
}

/// "had you not listened to A, and had another listener not listened to B". `None` if nothing is cited.
pub(super) fn had(voice: &Voice<'_>) -> Option<Premise> {
    let mut clauses = Vec::new();
    let mut ends_on_target = false;
    for change in [Change::Removed, Change::Kept, Change::Added] {
        let parties = parties(voice, change);
        for (at, party) in parties.iter().enumerate() {
            let done = participle(&voice.called.words.did);
            let (who, items) = (party.called(voice, &parties[..at]), party.items(voice));
            let (did, times) = (&voice.called.words.did, party.times.map(number));
            clauses.push(match (change, items.as_slice()) {
                (Change::Removed, many) if let Some(times) = times => {
                    format!("without the {times} times {who} {did} one of {}", list(many))
                }
                (_, many) if let Some(times) = times => {
                    format!("had {who} {times} times between them {done} one of {}", list(many))
                }
                (Change::Removed, [one]) => format!("had {who} not {done} {one}"),
                (Change::Removed, [a, b]) => format!("had {who} {done} neither {a} nor {b}"),
                (Change::Removed, many) => format!("had {who} {done} none of {}", list(many)),
                (Change::Added, items) => format!("had {who} also {done} {}", list(items)),
                (Change::Kept, items) => format!("had {who} {done} {}", list(items)),
            });
            ends_on_target = party.only_target(voice);
        }
    }
    let text = clauses.join(", and ");
    (!text.is_empty())
        .then(|| Premise { text, target: if ends_on_target { "it".into() } else { voice.target() } })
}

/// "knowing only that you listened to A", and what else was assumed. `None` if nothing is cited.
pub(super) fn knowing(voice: &Voice<'_>) -> Option<Premise> {
    let parties = parties(voice, Change::Kept);
    let target = voice.target();
    let facts: Vec<String> = parties
        .iter()
        .enumerate()
        .map(|(at, party)| {
            let (who, items) = (party.called(voice, &parties[..at]), list(&party.items(voice)));
            format!("that {who} {} {items}", voice.called.words.did)
        })
        .collect();
    if facts.is_empty() {
        return None;
    }
    let names_target = voice.edges().any(|edge| edge.item == voice.record.item);
    let ends_on_target = parties.last().is_some_and(|party| party.only_target(voice));
    let (about, named) = match voice.record.evicted {
        Some(Evicted::Target) if names_target => {
            (format!(" about you and this {} only", voice.called.words.item), ends_on_target)
        }
        Some(Evicted::Target) => (format!(" about you and {target} only"), true),
        _ => (" only".to_owned(), ends_on_target),
    };
    let facts = list(&facts);
    let text = match voice.profile() {
        // Of somebody new nothing else is known anyhow.
        Profile::Neutral if voice.record.history.is_some() => format!("knowing{about} {facts}"),
        Profile::Neutral => format!("knowing{about} {facts}, and nothing else about you"),
        Profile::Kept => {
            format!("with what it has learned about you overall, and knowing{about} {facts}")
        }
    };
    Some(Premise { text, target: if named { "it".into() } else { target } })
}

/// The cited interactions with this change, by whose they are: the person first; others with the same items together.
fn parties<'a>(voice: &Voice<'a>, change: Change) -> Vec<Party<'a>> {
    let me = voice.record.user.as_str();
    let mut single: Vec<(&str, Vec<&CitedEdge>)> = Vec::new();
    for edge in voice.edges().filter(|edge| edge.change == change) {
        match single.iter_mut().find(|(user, _)| *user == edge.user) {
            Some((_, edges)) => edges.push(edge),
            None => single.push((&edge.user, vec![edge])),
        }
    }
    let mut own = Vec::new();
    let mut groups: Vec<Party<'a>> = Vec::new();
    for (user, edges) in single {
        if user == me {
            own.push(Party { others: None, edges, times: None });
            continue;
        }
        let alike = groups.iter_mut().find(|group| {
            group.edges.len() == edges.len() && group.edges.iter().zip(&edges).all(|(a, b)| a.item == b.item)
        });
        match alike.and_then(|group| group.others.as_mut()) {
            Some(others) => others.push(user),
            None => groups.push(Party { others: Some(vec![user]), edges, times: None }),
        }
    }
    if groups.len() > GROUPS {
        groups = vec![between_them(groups)];
    }
    // The explained item last, so that the main clause can say "it".
    groups.sort_by_key(|party| party.only_target(voice));
    own.extend(groups);
    own
}

/// Too many to tell apart: all of them, and all of their items once.
fn between_them(groups: Vec<Party<'_>>) -> Party<'_> {
    let times =
        groups.iter().map(|group| group.others.as_ref().map_or(1, Vec::len) * group.edges.len()).sum();
    let mut all = Party { others: Some(Vec::new()), edges: Vec::new(), times: Some(times) };
    for group in groups {
        all.others.iter_mut().for_each(|others| others.extend(group.others.iter().flatten()));
        for edge in group.edges {
            if !all.edges.iter().any(|known| known.item == edge.item) {
                all.edges.push(edge);
            }
        }
    }
    all
}

/// The cited items one by one, where the sentence only counts some of them.
pub(super) fn counted(voice: &Voice<'_>) -> Vec<String> {
    let all = [Change::Removed, Change::Kept, Change::Added].map(|change| parties(voice, change));
    let is_counted = all.iter().flatten().any(|party| party.edges.len() > NAMED);
    let mut items: Vec<&CitedEdge> = Vec::new();
    for edge in voice.edges().filter(|_| is_counted) {
        if !items.iter().any(|known| known.item == edge.item) {
            items.push(edge);
        }
    }
    items.iter().map(|edge| voice.plain_name(edge.title.as_deref(), &edge.item)).collect()
}

impl Party<'_> {
    fn only_target(&self, voice: &Voice<'_>) -> bool {
        self.edges.iter().all(|edge| edge.item == voice.record.item)
    }

    /// "you", "another listener", "three other listeners"; by id where ids are shown.
    fn called(&self, voice: &Voice<'_>, before: &[Party<'_>]) -> String {
        let person = &voice.called.words.person;
        let Some(others) = &self.others else { return "you".to_owned() };
        if others.iter().all(|user| is_pseudonym(user)) {
            let yet = if before.iter().any(|party| party.others.is_some()) { "yet " } else { "" };
            return match others.len() {
                1 => format!("{yet}another {person}"),
                n => format!("{} other {}", number(n), plural(person)),
            };
        }
        list(&others.iter().map(|user| voice.person(user)).collect::<Vec<_>>())
    }

    fn items(&self, voice: &Voice<'_>) -> Vec<String> {
        named(voice, &self.edges)
    }
}

/// The items of these interactions by name; of too many, the strongest, and the rest counted.
pub(super) fn named(voice: &Voice<'_>, edges: &[&CitedEdge]) -> Vec<String> {
    let name = |edge: &&CitedEdge| voice.name(edge.title.as_deref(), &edge.item);
    if edges.len() <= NAMED {
        return edges.iter().map(name).collect();
    }
    let mut named: Vec<String> = edges[..NAMED - 2].iter().map(name).collect();
    named.push(format!("{} more {}", number(edges.len() - named.len()), voice.called.words.items));
    named
}
