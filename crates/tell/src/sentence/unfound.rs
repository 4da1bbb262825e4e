//! What is said when nothing was found: that nothing was found, and why.

use grease_explain::{Evicted, Goal, ReasonCode, Scope, Status};
use grease_graph::Profile;

use super::voice::Voice;
use crate::grammar::{capitalised, participle, share};
use crate::reason::SaidReason;
use crate::title::clean;

/// A factual explanation that holds with nothing put back.
pub(super) fn trivial(voice: &Voice<'_>) -> String {
    let (target, list, did) = (voice.target(), voice.on_the_list(), &voice.called.words.did);
    if voice.profile() == Profile::Neutral {
        return format!(
            "Nothing you {did} is needed for {target}: even knowing nothing about you, the recommender would put it {}.",
            voice.among_the_rest()
        );
    }
    let gone = match voice.record.evicted {
        Some(Evicted::Target) => format!("all that you {did}, and all who {did} it, left out"),
        _ => format!("all that you {did} left out"),
    };
    format!(
        "{} is {list} because of what the recommender has learned about you overall, not because of any one {}: even with {gone}, it would be there.{}",
        capitalised_name(voice, &target),
        voice.called.words.item,
        carries(voice)
    )
}

/// None found, by the reason.
pub(super) fn not_found(voice: &Voice<'_>) -> String {
    let target = voice.target();
    match voice.record.reason.as_ref().and_then(SaidReason::code) {
        None => format!("{}.", looked_for(voice, &target)),
        Some(ReasonCode::AlreadyOutside) => outside(voice, &capitalised_name(voice, &target)),
        Some(ReasonCode::AlreadyInside) => format!(
            "{} is {} already, in {}.",
            capitalised_name(voice, &target),
            voice.on_the_list(),
            Voice::place(voice.record.rank_before)
        ),
        Some(code) => {
            format!("{}: {}.", looked_for(voice, &target), why(voice, code).trim_end_matches('.'))
        }
    }
}

/// It was not there to begin with.
fn outside(voice: &Voice<'_>, target: &str) -> String {
    let (record, list) = (voice.record, voice.on_the_list());
    if voice.profile() == Profile::Neutral && record.rank_before <= record.k {
        return format!(
            "{target} is {list} because of what the recommender has learned about you overall: were you {}, it would not be there, even with all that you {}.",
            voice.somebody_new(),
            voice.called.words.did,
        );
    }
    format!("{target} is not {list} to begin with: it is in {}.", Voice::place(record.rank_before))
}

/// Why nothing was found, as the end of a sentence; in fewer words where another answer follows.
pub(super) fn why(voice: &Voice<'_>, code: ReasonCode) -> String {
    let (did, item, items) = (&voice.called.words.did, &voice.called.words.item, &voice.called.words.items);
    let own = voice.record.scope == Scope::Own;
    match code {
        ReasonCode::OutOfBudget => {
            "the search used up the questions it may ask the recommender. More questions may bring an answer"
                .to_owned()
        }
        ReasonCode::CapReached if voice.instead().is_some() => {
            format!("the few {items} that may be named at once are not enough")
        }
        ReasonCode::CapReached if own => {
            format!("the few {items} that may be named at once are not enough. A longer answer may exist")
        }
        ReasonCode::CapReached => {
            "what little may be named at once is not enough. A longer answer may exist".to_owned()
        }
        ReasonCode::NothingSuffices => nothing_suffices(voice),
        ReasonCode::CarriedByProfile if voice.profile() == Profile::Neutral => {
            "even knowing nothing about you, the recommender would put it there".to_owned()
        }
        ReasonCode::CarriedByProfile => {
            let there = voice.firm().map_or_else(|| "there".to_owned(), |_| voice.on_the_list());
            let gone = match voice.instead() {
                Some(_) => format!("with all that you {did} left out"),
                None => format!("no part of what you {did} that was tried does it, and with all of it left out"),
            };
            format!(
                "{gone}, what the recommender has learned about you overall would keep it {there}.{}",
                carries(voice)
            )
        }
        ReasonCode::NoSetIsBoth => "what is enough and what is needed are not the same".to_owned(),
        ReasonCode::ProposalFallsShort => "what the method that was asked proposes is not enough".to_owned(),
        ReasonCode::SurrogateFoundNone => {
            "the stand-in model that was asked instead of the recommender sees no way".to_owned()
        }
        ReasonCode::NoHistory => format!("there is nothing you {did} that may be named"),
        ReasonCode::ItemWithoutInteractions if own => {
            format!("this {item} is too new, so there is nothing to go by")
        }
        ReasonCode::ItemWithoutInteractions => {
            format!("nobody has {} it yet, so there is nothing to go by", participle(did))
        }
        ReasonCode::AnswersDiffer => {
            "asked the same question twice, the recommender gave different answers, so nothing it says can be relied on"
                .to_owned()
        }
        ReasonCode::FewerCandidatesThanPlaces => {
            format!("there are no more {items} to recommend than places on the list, so none can leave it")
        }
        ReasonCode::AlreadyOutside | ReasonCode::AlreadyInside => {
            unreachable!("where it stands is a sentence of its own")
        }
    }
}

/// What was tried, where none of it is enough.
fn nothing_suffices(voice: &Voice<'_>) -> String {
    let (did, items) = (&voice.called.words.did, &voice.called.words.items);
    match (voice.record.scope, voice.record.goal) {
        (Scope::Target | Scope::Hops, _) => "nothing that was tried is enough".to_owned(),
        (Scope::Own, Goal::WhyNot) => {
            format!("none of the {items} that were tried would do it, nor all of them together")
        }
        (Scope::Own, Goal::Factual) => {
            format!("everything you {did} that may be named, taken together, is not enough")
        }
        (Scope::Own, Goal::Counterfactual | Goal::Joint) => {
            let all = match voice.record.history {
                Some(_) => "without all of it there would be no list",
                None => "even leaving out all that may be named would not clearly move it",
            };
            format!("no part of what you {did} that was tried does it, and {all}")
        }
    }
}

/// The same in a few words, for a picture whose sentence stands beside it.
pub(crate) fn brief(voice: &Voice<'_>) -> String {
    let (did, items) = (&voice.called.words.did, &voice.called.words.items);
    if voice.record.status == Status::Trivial {
        return format!("nothing you {did} is needed");
    }
    match voice.record.reason.as_ref().and_then(SaidReason::code) {
        None => "nothing was found".to_owned(),
        Some(ReasonCode::OutOfBudget) => "nothing within the questions allowed".to_owned(),
        Some(ReasonCode::CapReached) => "nothing as short as it has to be".to_owned(),
        Some(ReasonCode::NothingSuffices) => "nothing that was tried is enough".to_owned(),
        Some(ReasonCode::CarriedByProfile) => "nothing: it is there by what was learned about you".to_owned(),
        Some(ReasonCode::NoSetIsBoth) => "nothing is both enough and needed".to_owned(),
        Some(ReasonCode::ProposalFallsShort) => "nothing that the method proposes".to_owned(),
        Some(ReasonCode::SurrogateFoundNone) => "nothing that the stand-in model sees".to_owned(),
        Some(ReasonCode::NoHistory) => "nothing that may be named".to_owned(),
        Some(ReasonCode::ItemWithoutInteractions) => "nothing to go by".to_owned(),
        Some(ReasonCode::AlreadyOutside) => "not there to begin with".to_owned(),
        Some(ReasonCode::AlreadyInside) => "there already".to_owned(),
        Some(ReasonCode::FewerCandidatesThanPlaces) => format!("nothing: no other {items} to take its place"),
        Some(ReasonCode::AnswersDiffer) => "nothing sure: the recommender's answers differ".to_owned(),
    }
}

/// "Nothing was found …", by what was looked for.
pub(super) fn looked_for(voice: &Voice<'_>, target: &str) -> String {
    match voice.record.goal {
        Goal::Factual => {
            format!("Nothing was found that by itself puts {target} {}", voice.firmly_among_the_rest())
        }
        Goal::Counterfactual => {
            format!("Nothing was found without which {target} would {}", voice.leave())
        }
        Goal::Joint => {
            let firmly = voice.firm().map_or("", |_| ", and not barely");
            format!("Nothing was found that is both enough for {target} and needed for it{firmly}")
        }
        Goal::WhyNot => format!("Nothing was found that would bring {target} to {}", voice.the_list()),
    }
}

/// How much the learned profile carries, where it is known and at least half.
fn profile_share(voice: &Voice<'_>) -> Option<&'static str> {
    let learned = voice.record.profile_share.filter(|_| voice.record.history.is_none());
    learned.filter(|&part| part >= 0.5 && voice.record.scope == Scope::Own).map(share)
}

/// The same, after a sentence that imagined the profile away or did not speak of its weight.
pub(super) fn learned(voice: &Voice<'_>) -> String {
    profile_share(voice).map_or_else(String::new, |part| {
        format!(
            " On your real list, {part} of its score comes from what the recommender has learned about you overall."
        )
    })
}

/// The same, after a sentence that has.
fn carries(voice: &Voice<'_>) -> String {
    profile_share(voice).map_or_else(String::new, |part| format!(" That makes up {part} of its score."))
}

/// At the start of a sentence: our own words take a capital, a title stays as its makers wrote it.
pub(super) fn capitalised_name(voice: &Voice<'_>, name: &str) -> String {
    let titled = voice.record.item_title.as_deref().and_then(clean).is_some();
    if titled { name.to_owned() } else { capitalised(name) }
}
