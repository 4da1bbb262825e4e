//! Edges in a given order: how many of the first do it.

use grease_graph::{Edge, ScoreError};

use super::search::{Ending, Found, Search, Stop};

/// The shortest prefix of an order that does it, if longer ones do as well: gallop, then bisect. The gallop goes on beyond what may
/// be cited, as some of it may be spared, unless a set that long is known already. Where it comes to the end, the lengths within
/// the cap that it jumped over are tried too: more edges are not always better.
///
/// In haste they are not.
pub(super) fn shortest_prefix(
    search: &mut Search<'_, '_>,
    order: &[Edge],
    is_hasty: bool,
) -> Result<Option<Found>, Stop> {
    let within = order.len().min(search.rules.cap);
    let longest = if search.shortest.is_some() || within == 0 { within } else { order.len() };
    let (mut short, mut length) = (0, 1);
    let mut found = loop {
        if short >= longest {
            if is_hasty {
                return Ok(None);
            }
            let all: Vec<Vec<Edge>> = (1..=within).map(|length| order[..length].to_vec()).collect();
            let answers = search.ask(&all)?;
            for (at, edges) in all.into_iter().enumerate() {
                if search.reached(answers[at])? {
                    return Ok(Some(Found { edges, answer: answers[at], minimal: None }));
                }
            }
            return Ok(None);
        }
        let length_now = length.min(longest);
        let answer = search.ask(&[order[..length_now].to_vec()])?[0];
        if search.reached(answer)? {
            break Found { edges: order[..length_now].to_vec(), answer, minimal: None };
        }
        short = length_now;
        length *= 2;
    };
    while found.edges.len() - short > 1 {
        let middle = (short + found.edges.len()) / 2;
        let Ok(answers) = search.ask(&[order[..middle].to_vec()]) else { break };
        if search.reached(answers[0])? {
            found = Found { edges: order[..middle].to_vec(), answer: answers[0], minimal: None };
        } else {
            short = middle;
        }
    }
    Ok(Some(found))
}

/// Edges in order until it does it, nothing pruned: how baselines are run in the literature. Prefixes are asked a few at a time,
/// as many as were asked before, because the recommender answers several at once faster.
pub(crate) fn until_it_does(search: &mut Search<'_, '_>, order: &[Edge]) -> Result<Ending, ScoreError> {
    let longest = order.len().min(search.rules.cap);
    let mut asked = 0;
    while asked < longest {
        let until = (2 * asked + 1).min(longest);
        let prefixes: Vec<Vec<Edge>> = (asked + 1..=until).map(|length| order[..length].to_vec()).collect();
        let answers = match search.ask(&prefixes) {
            Ok(answers) => answers,
            Err(Stop::OutOfBudget) => return Ok(Ending::OutOfBudget),
            Err(Stop::Score(error)) => return Err(error),
        };
        for (edges, answer) in prefixes.into_iter().zip(answers) {
            if search.reached(answer)? {
                return Ok(Ending::Found(Found { edges, answer, minimal: None }));
            }
        }
        asked = until;
    }
    Ok(Ending::Short)
}
