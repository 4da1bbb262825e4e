//! What was done and how to read what came of it, in words.

use super::figures::{counted, decimals};
use super::select::tables;
use super::words;
use crate::{Results, Sample, Settings, Table};

/// What the report is, in a sentence.
pub(super) fn lead(results: &Results) -> String {
    let models = counted(results.models.len(), "recommender", "recommenders");
    format!(
        "Explanations of {models}, each checked by asking the recommender itself, beside the paper’s figures, baselines and the best that a search without limits finds."
    )
}

/// The settings, a sentence each.
pub(super) fn settings(settings: &Settings) -> Vec<String> {
    let last = settings.seed.saturating_add(settings.repeats.saturating_sub(1) as u64);
    let seeds = if settings.repeats > 1 {
        format!("{} repeats, seeds {} to {last}", settings.repeats, settings.seed)
    } else {
        format!("one repeat, seed {}", settings.seed)
    };
    let people = match settings.sample {
        Sample::Share(share) => format!("{} % of the people with a history", percent(share)),
        Sample::People(people) => counted(people, "person", "people"),
    };
    let ks: Vec<String> = settings.ks.iter().map(|k| format!("top-{k}")).collect();
    let mut said = vec![
        format!(
            "{}: each draws {people} and explains every item of their {} lists.",
            grease_tell::capitalised(&seeds),
            grease_tell::list(&ks)
        ),
        format!(
            "At most {} edges are put back and {} removed; budget curves look at up to {}. At most {} an explanation; only the ceiling asks without limit.",
            settings.max_add,
            settings.max_remove,
            settings.budget,
            counted(settings.queries, "query", "queries"),
        ),
    ];
    for &table in &settings.tables {
        let fewer = fewer(settings, table);
        if !fewer.is_empty() {
            let table = grease_tell::capitalised(words::table(table));
            said.push(format!("{table}: of each repeat’s people {}.", grease_tell::list(&fewer)));
        }
    }
    if settings.stability_people > 0 && settings.repeats > 1 {
        let people = counted(settings.stability_people, "person is", "people are");
        said.push(format!("For stability, {people} explained with every seed."));
    }
    if settings.importance_people > 0 && settings.methods.iter().any(|method| method.has_an_order()) {
        let people = counted(settings.importance_people, "person", "people");
        said.push(format!("Importance curves look at {people} a repeat."));
    }
    if settings.prove > 0 {
        let edits = counted(settings.prove, "edit", "edits");
        said.push(format!("Minima of own interactions are proved apart, within {edits} a list."));
    }
    said
}

/// Which methods look at fewer people in a table: those that look at as many in one go.
fn fewer(settings: &Settings, table: Table) -> Vec<String> {
    let mut by_people: Vec<(usize, Vec<String>)> = Vec::new();
    for &method in &settings.methods {
        let Some(people) = settings.people_of(table, method) else { continue };
        let name = method.name().to_owned();
        match by_people.iter_mut().find(|(some, _)| *some == people) {
            Some((_, names)) => names.push(name),
            None => by_people.push((people, vec![name])),
        }
    }
    by_people
        .into_iter()
        .map(|(people, names)| {
            let (names, several) = (grease_tell::list(&names), names.len() > 1);
            match (people, several) {
                (0, false) => format!("{names} looks at none"),
                (0, true) => format!("{names} look at none"),
                (_, false) => format!("{names} looks at {people}"),
                (_, true) => format!("{names} look at {people}"),
            }
        })
        .collect()
}

/// What has to be known to read the figures: terms and what they mean.
pub(super) fn reading(results: &Results) -> Vec<(&'static str, String)> {
    let mut terms = vec![
        ("Pairs", "A person and an item of their real list. Every pair attempted is in every denominator; none is left out because it is hard.".to_owned()),
        ("PN, PS", "Share of pairs with a verified explanation. PN, counterfactual: without these edges the item leaves the list. PS, factual: with these edges alone, all others of the kind taken away, it is on the list.".to_owned()),
        ("EC", "Mean number of edges, over verified explanations only. A method that solves only the easy pairs looks short: lengths are to be compared on pairs both solve, in the counts.".to_owned()),
        ("Published, judged, verified", "What the paper prints; what the method’s own surrogate is satisfied with; what holds when the recommender is asked. Only the last is a fact about the recommender.".to_owned()),
        ("In its own right, certified", "In its own right a baseline takes edges in its order until the recommender agrees, as in the literature. Certified, its answer is also pruned until no edge can be spared, as everybody’s may be.".to_owned()),
        ("Ceiling", "The best that is known: every method, greedy and beam search, without a limit of queries. Not computed for edges within hops, where there are too many.".to_owned()),
        ("Ahead, within, behind", "Grease beside another method, on the same pairs: ahead where the whole 95 % interval of the difference is in its favour, behind where it is against it. What is drawn are people’s lists, as the pairs of one list go together.".to_owned()),
        ("Plausible", "Could somebody have the history that an explanation leaves? The largest overlap (what is in both over what is in either) with that of one of 1,000 people drawn by seed; 1 where somebody did exactly this.".to_owned()),
        ("Marks", "± is the standard deviation over repeats, – means there is none. Bold is the best verified share of its model, the ceiling aside. † looked at fewer people.".to_owned()),
    ];
    if results.settings.repeats < 2 {
        terms.retain(|(term, _)| *term != "Marks");
        terms.push(("Marks", "– means there is none. Bold is the best verified share of its model, the ceiling aside. † looked at fewer people. With a single repeat there is no deviation.".to_owned()));
    }
    for table in tables(results) {
        let (term, meaning) = match table {
            Table::Paper => (
                "Edges as in the paper",
                "Counterfactual explanations may cite any edge of the neighbourhood, factual ones interactions of the person and of the item. The learned profile stays.",
            ),
            Table::Own => (
                "The person’s own interactions",
                "Only what the person did is cited. Factual explanations set the learned profile aside, as if a newcomer had this history. The paper has no such table: its figures are for the edges it uses.",
            ),
        };
        terms.push((term, meaning.to_owned()));
    }
    terms
}

/// Which program wrote the results in which format.
pub(super) fn versions(results: &Results) -> String {
    format!("GREASE {}, format {}.", words::named(&results.grease), words::named(&results.schema))
}

/// The command on one line; nothing where none is known.
pub(super) fn command(results: &Results) -> Option<String> {
    grease_tell::clean(&results.command)
}

fn percent(share: f64) -> String {
    let text = decimals(share * 100.0, 2);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
