//! Both at once: what is enough by itself, and without which it would not be there.

use grease_explain::{Change, Status};

use super::STAND_IN;
use super::premise::named;
use super::unfound::capitalised_name;
use super::voice::Voice;
use crate::grammar::{list, number, ordinal, participle};

/// "… because you listened to A: that alone is enough …, and without it B would be there instead". `None` if nothing is cited.
pub(super) fn joint(voice: &Voice<'_>) -> Option<String> {
    let cited = voice.own(Change::Removed);
    let items = list(&named(voice, &cited));
    let (target, did) = (voice.target(), &voice.called.words.did);
    let having = format!("having {} {items}", participle(did));
    Some(match (voice.record.status, cited.len()) {
        (_, 0) => return None,
        (Status::Refuted, _) => {
            format!("A guess that proved wrong: {having} is not both enough for {target} and needed for it.")
        }
        (Status::Unverified, _) => format!(
            "A guess, not checked: {having} is perhaps both enough for {target} and needed for it. {STAND_IN}"
        ),
        (_, many) => {
            let (these, them) = match many {
                1 => ("that alone is".to_owned(), "it"),
                many => (format!("these {} alone are", number(many)), "them"),
            };
            format!(
                "{} is {} because you {did} {items}: {these} enough{} and without {them} {}.{}{}",
                capitalised_name(voice, &target),
                voice.on_the_list(),
                voice.nothing_else(),
                gone(voice, &target),
                firmly(voice, &target, them),
                voice.together(
                    "Just one of them does not do both",
                    "leave any one of them out, and the rest do not do both"
                ),
            )
        }
    })
}

/// What becomes of the list without them.
fn gone(voice: &Voice<'_>, target: &str) -> String {
    match (voice.replacement(), voice.record.rank_after) {
        (Some(name), _) => format!("{name} would be there instead"),
        (None, Some(rank)) if voice.firm().is_none() => {
            format!("{target} would be in {}", Voice::place(rank))
        }
        (None, _) => format!("{target} would not be there"),
    }
}

/// How far beyond the edge of the list, where that was asked.
fn firmly(voice: &Voice<'_>, target: &str, them: &str) -> String {
    match (voice.firm(), voice.record.alone, voice.record.rank_after) {
        (Some(_), Some(alone), Some(without)) => format!(
            " And not barely: with {them} alone {target} would be in {}, without {them} in {}.",
            Voice::place(alone.rank),
            ordinal(without)
        ),
        _ => String::new(),
    }
}
