//! An explanation as a sentence for the person it is about.

mod instead;
mod joint;
mod premise;
mod promise;
mod unfound;
mod voice;
mod wording;

use grease_explain::{Change, Goal, Status};
use grease_graph::Words;

use crate::Record;
use crate::grammar::{capitalised, ordinal};
use premise::{Premise, had, knowing};

pub(crate) use unfound::brief;
pub(crate) use voice::Voice;
pub use wording::Wording;

/// Why nobody should take a guess for more.
const STAND_IN: &str = "It comes from a stand-in model: the recommender itself could not be asked.";

/// The record in plain words, addressed to the person: what was found, what was assumed, and whether it was checked.
pub fn sentence(record: &Record, words: &Words) -> String {
    let voice = Voice::new(record, words);
    let told = match (record.status, record.goal) {
        (Status::NotFound, _) => instead::instead(&voice),
        (Status::Trivial, _) => Some(unfound::trivial(&voice)),
        (_, Goal::Factual) => knowing(&voice).map(|premise| factual(&voice, premise)),
        (_, Goal::Counterfactual) => had(&voice).map(|premise| counterfactual(&voice, premise)),
        (_, Goal::Joint) => joint::joint(&voice),
        (_, Goal::WhyNot) => had(&voice).map(|premise| why_not(&voice, premise)),
    };
    // A record that claims something but cites nothing has nothing to tell.
    told.unwrap_or_else(|| unfound::not_found(&voice))
}

/// The cited items one by one, where the sentence only counts some of them.
pub(crate) fn counted(record: &Record, words: &Words) -> Vec<String> {
    premise::counted(&Voice::new(record, words))
}

fn factual(voice: &Voice<'_>, premise: Premise) -> String {
    let (Premise { text, target }, list) = (premise, voice.among_the_rest());
    match voice.record.status {
        Status::Refuted => {
            let but = voice.record.rank_after.map(|rank| format!(" but in {}", Voice::place(rank)));
            let (but, list) = (but.unwrap_or_default(), voice.firmly_among_the_rest());
            format!("A guess that proved wrong: {text}, the recommender would put {target} not {list}{but}.")
        }
        Status::Unverified => format!(
            "A guess, not checked: {text}, the recommender would perhaps put {target} {list}. {STAND_IN}"
        ),
        _ => format!(
            "{}, the recommender would still put {target} {list}{}.{}{}",
            capitalised(&text),
            firmly_in(voice),
            voice.together("Neither alone is enough", "take any one of them away, and it would not be there"),
            unfound::learned(voice)
        ),
    }
}

fn counterfactual(voice: &Voice<'_>, premise: Premise) -> String {
    let (Premise { text, target }, list) = (premise, voice.on_the_list());
    match voice.record.status {
        // Off the list, but not as far as it had to be.
        Status::Refuted if voice.record.rank_after.is_some_and(|rank| rank > voice.record.k) => {
            let clearly = voice.firm().map_or("clearly ", |_| "");
            format!("A guess that proved wrong: {text}, {target} would not {clearly}{}.", voice.leave())
        }
        Status::Refuted => {
            let at = voice.record.rank_after.map(|rank| format!(", in {}", Voice::place(rank)));
            let at = at.filter(|_| voice.record.k > 1).unwrap_or_default();
            format!("A guess that proved wrong: even {text}, {target} would still be {list}{at}.")
        }
        Status::Unverified => {
            format!("A guess, not checked: {text}, {target} would perhaps not be {list}. {STAND_IN}")
        }
        _ => {
            let instead = match (voice.replacement(), voice.record.rank_after) {
                (name, Some(rank)) if voice.firm().is_some() => {
                    let name =
                        name.map_or_else(String::new, |name| format!(", and {name} would be there instead"));
                    format!(", and not barely: it would fall to {}{name}", Voice::place(rank))
                }
                (Some(name), _) => format!(": {name} would be there instead"),
                (None, Some(rank)) => format!(" but in {}", Voice::place(rank)),
                (None, None) => String::new(),
            };
            let together = voice.together(
                "Leaving out just one of them is not enough",
                "with any one of them back, it would stay",
            );
            let again = promise::trained_again(voice);
            format!("{}, {target} would not be {list}{instead}.{together}{again}", capitalised(&text))
        }
    }
}

/// How far up, where that was asked.
fn firmly_in(voice: &Voice<'_>) -> String {
    match (voice.firm(), voice.record.rank_after) {
        (Some(_), Some(rank)) => format!(", and not barely: in {}", Voice::place(rank)),
        _ => String::new(),
    }
}

/// What would keep an item out after all.
fn undone(voice: &Voice<'_>) -> &'static str {
    let all = |change: Change| voice.edges().all(|edge| edge.change == change);
    if all(Change::Removed) {
        "with any one of them back, it would not be there"
    } else if all(Change::Added) {
        "leave any one out, and it would not be there"
    } else {
        "undo any one of them, and it would not be there"
    }
}

fn why_not(voice: &Voice<'_>, premise: Premise) -> String {
    let (Premise { text, target }, list) = (premise, voice.on_the_list());
    let now = voice.record.rank_before;
    match voice.record.status {
        Status::Refuted => {
            let list = voice.firm().map_or(list, |_| format!("in {}", voice.the_list()));
            format!("A guess that proved wrong: even {text}, {target} would not be {list}.")
        }
        Status::Unverified => {
            format!("A guess, not checked: {text}, {target} would perhaps be {list}. {STAND_IN}")
        }
        _ => {
            let place = match voice.record.rank_after {
                Some(rank) if voice.record.k > 1 => {
                    let barely = voice.firm().map_or("", |_| " and not barely:");
                    format!(",{barely} in {} instead of {}", Voice::place(rank), ordinal(now))
                }
                _ => format!(" instead of in {}", Voice::place(now)),
            };
            let together = voice.together("Just one of them is not enough", undone(voice));
            format!("{}, {target} would be {list}{place}.{together}", capitalised(&text))
        }
    }
}
