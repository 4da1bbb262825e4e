//! The checks of what an oracle says it can be asked beside the usual.

use grease_graph::{Edge, Edit, Embeddings, Graph, Profile, Recommender as _, UserId};

use super::questions::{Outcome, alike, failed, named, ok, skipped, unanswered, warning};
use crate::oracle::Oracle;

pub(super) fn neutral(oracle: &Oracle, people: &[UserId]) -> Outcome {
    let said = oracle.hello().abilities;
    if !oracle.abilities().neutral {
        return skipped(
            "not among its abilities; factual explanations use what the recommender has learned about the person",
        );
    }
    for &user in people {
        if let Err(error) = oracle.scores_after(user, Profile::Neutral, &Edit::none()) {
            return unanswered(&error);
        }
    }
    if !said.neutral {
        return ok("asked as newcomers with the same history");
    }
    // Somebody without a profile is a newcomer with the same history, where it knows such.
    if said.newcomers && said.others {
        for &user in people {
            let moved = moved_to_newcomer(oracle.graph(), user);
            let newcomer = oracle.graph().newcomer();
            match (
                oracle.scores_after(user, Profile::Neutral, &Edit::none()),
                oracle.scores_after(newcomer, Profile::Kept, &moved),
            ) {
                (Err(error), _) | (_, Err(error)) => return unanswered(&error),
                (Ok(neutral), Ok(new)) if !alike(&neutral, &new) => {
                    return warning(
                        format!(
                            "the neutral scores of {} are not those of a newcomer with the same history",
                            named(oracle, user)
                        ),
                        "set aside all that was learned about the person, and only that",
                    );
                }
                _ => {}
            }
        }
    }
    ok("answered")
}

fn moved_to_newcomer(graph: &Graph, user: UserId) -> Edit {
    let held = graph.items_of(user);
    let history = held.iter().map(|&item| Edge::new(graph.newcomer().0, item));
    Edit::new(held.iter().map(|&item| Edge::new(user.0, item)), history)
}

pub(super) fn newcomers(oracle: &Oracle, people: &[UserId]) -> Outcome {
    let graph = oracle.graph();
    if !oracle.abilities().newcomers {
        return skipped("not among its abilities; `history` cannot be used");
    }
    let mut answers = Vec::new();
    for &user in people {
        let brought = Edit::history(graph.newcomer(), graph.items_of(user).iter().copied());
        match oracle.scores_after(graph.newcomer(), Profile::Neutral, &brought) {
            Ok(scores) => answers.push((graph.items_of(user), scores)),
            Err(error) => return unanswered(&error),
        }
    }
    let differ = answers.iter().any(|(history, scores)| {
        answers.iter().any(|(other, others)| history != other && !alike(scores, others))
    });
    if answers.len() > 1 && !differ {
        return warning(
            "all newcomers get the same scores, whatever their history",
            "score a newcomer by `history`",
        );
    }
    ok(format!("answered, for {} histories", answers.len()))
}

pub(super) fn others(oracle: &Oracle, people: &[UserId]) -> Outcome {
    let graph = oracle.graph();
    if !oracle.abilities().others {
        return skipped("not among its abilities; only `scope` own can be used");
    }
    let mut changed = 0;
    for &user in people {
        // Everybody who shares an item loses it: whatever comes from other people comes from those.
        let shared = graph.items_of(user).iter().flat_map(|&item| {
            let whom = graph.users_of(grease_graph::ItemId(item)).iter();
            whom.filter(|&&other| other != user.0).map(move |&other| Edge::new(other, item))
        });
        let edit = Edit::removing(shared.take(1000));
        match (oracle.scores(user), oracle.scores_after(user, Profile::Kept, &edit)) {
            (Err(error), _) | (_, Err(error)) => return unanswered(&error),
            (Ok(before), Ok(after)) => changed += usize::from(!alike(&before, &after)),
        }
    }
    if changed == 0 {
        return warning(
            "removing what other people share with them changes nobody's scores",
            "leave `others` out of the abilities if other people's interactions cannot be imagined away",
        );
    }
    ok(format!("other people's interactions change the scores, for {changed} of {} people", people.len()))
}

pub(super) fn embeddings(oracle: &Oracle, people: &[UserId]) -> Outcome {
    if !oracle.hello().embeddings {
        return skipped("it shows none; method cosine compares items by who chose them");
    }
    let Some(Embeddings { users, items, width }) = oracle.embeddings() else {
        return failed(
            "it says it shows some, but there are none that could be used",
            "answer them as docs/oracle.md says, or say \"embeddings\": false",
        );
    };
    for &user in people {
        let own = &users[user.row() * width..][..width];
        let dot =
            |item: usize| own.iter().zip(&items[item * width..][..width]).map(|(a, b)| a * b).sum::<f32>();
        let Ok(scores) = oracle.scores(user) else { continue };
        let best = |of: &dyn Fn(usize) -> f32| {
            let mut rows: Vec<usize> = (0..scores.len()).collect();
            rows.sort_by(|&a, &b| of(b).total_cmp(&of(a)).then(a.cmp(&b)));
            rows.truncate((scores.len() / 2).clamp(1, 10));
            rows.sort_unstable();
            rows
        };
        if best(&|item| scores[item]) != best(&dot) {
            return warning(
                format!(
                    "products of the embeddings rank other items first than the scores do, for {}",
                    named(oracle, user)
                ),
                "a score should be the product of both vectors; leave embeddings out where it is not",
            );
        }
    }
    ok("their products rank items as the scores do")
}
