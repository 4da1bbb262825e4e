//! The answer to a weaker question, after the sentence that the one asked has none.

use grease_explain::{Change, Goal, ReasonCode, Weaker};
use grease_graph::Profile;

use super::premise::{NAMED, named};
use super::unfound::{looked_for, why};
use super::voice::Voice;
use crate::grammar::{list, number};
use crate::reason::SaidReason;
use crate::{CitedEdge, Instead};

/// How many of a long answer are named.
const FIRST: usize = 3;

/// That nothing was found, and what was found instead. `None` where nothing was, or nothing that may be spoken of.
pub(super) fn instead(voice: &Voice<'_>) -> Option<String> {
    let told = voice.instead()?;
    match told.question {
        Weaker::HistoryAlone => history_alone(voice, told),
        Weaker::Many => many(voice),
        Weaker::Parts => parts(voice, told),
    }
}

/// "Going by what you listened to alone, it would not be there without A."
fn history_alone(voice: &Voice<'_>, told: &Instead) -> Option<String> {
    let cited = voice.own(Change::Removed);
    let code = voice.record.reason.as_ref().and_then(SaidReason::code);
    let nothing = looked_for(voice, &voice.target());
    let nothing = match code {
        None | Some(ReasonCode::AlreadyInside | ReasonCode::AlreadyOutside) => nothing,
        Some(code) => format!("{nothing}: {}", why(voice, code).trim_end_matches('.')),
    };
    // Of somebody new nothing was learned; else the reason may have spoken of it just now.
    let aside = match (voice.profile(), code) {
        (Profile::Neutral, _) | (_, Some(ReasonCode::CarriedByProfile)) => "",
        _ => " leaving aside what the recommender has learned about you,",
    };
    if told.edges.is_empty() {
        let (did, off) = (&voice.called.words.did, off(voice, "it", told.rank_after));
        return Some(format!("{nothing}. Going by what you {did} alone,{aside} {off} at all."));
    }
    (!cited.is_empty()).then(|| {
        format!(
            "{nothing}. Going by what you {} alone,{aside} {} without {}.{}",
            voice.called.words.did,
            off(voice, "it", told.rank_after),
            list(&named(voice, &cited)),
            one_back(voice),
        )
    })
}

/// "It stands firmly: what was found to move it takes 20 of your artists, A, B and C first."
fn many(voice: &Voice<'_>) -> Option<String> {
    let (removed, kept) = (voice.own(Change::Removed), voice.own(Change::Kept));
    let is_needed = !removed.is_empty();
    let cited = if is_needed { removed } else { kept };
    let what = match (is_needed, voice.record.goal) {
        (false, _) => "What was found to be enough takes",
        (true, Goal::Joint) => "What was found to be needed takes",
        (true, _) if cited.len() > NAMED => "It stands firmly: what was found to move it takes",
        (true, _) => "What was found to move it takes",
    };
    let rest = match is_needed {
        true => one_back(voice),
        false => {
            voice.together("Neither alone is enough", "take any one of them away, and it would not be there")
        }
    };
    (!cited.is_empty()).then(|| {
        let nothing = looked_for(voice, &voice.target()).replacen("Nothing", "Nothing short", 1);
        format!("{nothing}. {what} {}.{rest}", counted(voice, &cited))
    })
}

/// "A, B and C", or "20 of your artists, A, B and C first".
fn counted(voice: &Voice<'_>, cited: &[&CitedEdge]) -> String {
    if cited.len() <= NAMED {
        return list(&named(voice, cited));
    }
    // Only what a newcomer brought is in a record.
    let all = voice.record.history.as_ref().map_or_else(String::new, |all| format!("{} ", all.len()));
    let first = list(&named(voice, &cited[..FIRST]));
    format!("{} of your {all}{}, {first} first", number(cited.len()), voice.called.words.items)
}

/// "A is part of both: with only C known besides it is enough, and without it and B …"
fn parts(voice: &Voice<'_>, told: &Instead) -> Option<String> {
    let (needed, enough) = (voice.own(Change::Removed), voice.own(Change::Kept));
    if needed.is_empty() || enough.is_empty() {
        return None;
    }
    let is_in = |edges: &[&CitedEdge], edge: &CitedEdge| edges.iter().any(|other| other.item == edge.item);
    let (both, only_needed): (Vec<&CitedEdge>, Vec<&CitedEdge>) =
        needed.iter().copied().partition(|edge| is_in(&enough, edge));
    let only_enough: Vec<&CitedEdge> = enough.iter().copied().filter(|edge| !is_in(&needed, edge)).collect();
    let said = |edges: &[&CitedEdge]| list(&named(voice, edges));
    let target = voice.target();
    let (nothing, off) = (looked_for(voice, &target), off(voice, &target, told.rank_after));
    let (are, they, them, themselves) = match both.len() {
        0 => {
            let are = if enough.len() == 1 { "is" } else { "are" };
            let (enough, needed, alone) = (said(&enough), said(&needed), voice.nothing_else());
            return Some(format!("{nothing}. But {enough} {are} enough{alone} and without {needed}, {off}."));
        }
        1 => ("is", "it is", "it", "by itself"),
        _ => ("are", "they are", "them", "by themselves"),
    };
    let by = match only_enough.as_slice() {
        [] => themselves.to_owned(),
        besides => format!("with only {} known besides,", said(besides)),
    };
    let without = list(&[vec![them.to_owned()], named(voice, &only_needed)].concat());
    let both = said(&both);
    Some(format!(
        "{nothing}. But {both} {are} part of both: {by} {they} enough, and without {without}, {off}."
    ))
}

/// Off the list; how far, where that was asked.
fn off(voice: &Voice<'_>, what: &str, rank: usize) -> String {
    match voice.firm() {
        Some(_) => format!("{what} would fall to {}", Voice::place(rank)),
        None => format!("{what} would not be {}", voice.on_the_list()),
    }
}

fn one_back(voice: &Voice<'_>) -> String {
    voice.together("Leaving out just one of them is not enough", "with any one of them back, it would stay")
}
