//! What the figures say, at the shortest lists of each table: computed, and true whatever they are.

use std::cmp::Ordering;

use grease_explain::{Goal, Method, Rigour};

use super::figures::{count, counted, decimals, edges, share};
use super::select::{GOALS, View, cell, ks, models, tables};
use super::words;
use crate::{Audit, Cell, ModelResults, Results};
use grease::Share;
use grease::calibration::{Calibration, HeldOut};

/// How often an explanation should hold that one wants to rely on.
const FIRM: f64 = 0.9;

/// What there is to say of one model and table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub about: String,
    /// A few sentences each on PN and on PS, or on everything.
    pub says: Vec<String>,
}

/// What the figures say: first over all of them, then of each model and table.
///
/// Shares are compared as they are written, so that nobody reads of a difference that the tables do not show.
pub fn findings(results: &Results) -> Vec<Finding> {
    let mut found: Vec<Finding> = overall(results).into_iter().collect();
    for (_, model) in models(results) {
        for view in views(results) {
            let says: Vec<String> = GOALS.iter().filter_map(|goal| of_goal(model, view, *goal)).collect();
            if !says.is_empty() {
                let about =
                    format!("{}, top-{}, {}", words::model(&model.model), view.k, words::table(view.table));
                found.push(Finding { about, says });
            }
        }
    }
    for (_, model) in models(results) {
        found.extend(model.audit.as_ref().map(|audit| Finding {
            about: format!("{}, trained again", words::model(&model.model)),
            says:
                [trained_again(audit)].into_iter().chain(audit.calibration.as_ref().map(promised)).collect(),
        }));
    }
    found
}

fn views(results: &Results) -> Vec<View> {
    let shortest = |table| ks(results, table).first().map(|k| View { table, k: *k });
    tables(results).into_iter().filter_map(shortest).collect()
}

/// In how many comparisons grease is ahead, and how much of what surrogates claim holds.
fn overall(results: &Results) -> Option<Finding> {
    let (mut ahead, mut level, mut behind) = (0, 0, 0);
    let mut claims: Vec<(f64, f64)> = Vec::new();
    let (mut pairs, mut verified, mut ceiling) = (0, 0, 0);
    for view in views(results) {
        for (_, model) in models(results) {
            for goal in GOALS {
                let best = best_other(model, view, goal);
                if let (Some(grease), Some(best)) = (grease(model, view, goal), best.first()) {
                    match written(grease).cmp(&written(best)) {
                        Ordering::Greater => ahead += 1,
                        Ordering::Equal => level += 1,
                        Ordering::Less => behind += 1,
                    }
                }
                let row = view.row(goal, Method::Grease, Rigour::Certified);
                for gap in model.gaps.iter().filter(|gap| gap.row == row) {
                    pairs += gap.pairs;
                    verified += gap.verified;
                    ceiling += gap.ceiling;
                }
                let paper = cell(model, view.row(goal, Method::Paper, Rigour::Certified));
                claims.extend(
                    paper
                        .filter(|cell| cell.attempted > 0)
                        .and_then(|cell| cell.judged.map(|judged| (judged.mean, cell.share.mean))),
                );
            }
        }
    }
    let mut says = Vec::new();
    let all = ahead + level + behind;
    if all > 0 {
        says.push(format!(
            "In {}, grease verifies a greater share than every other method but the ceiling in {ahead}, the same as the best of them in {level} and a smaller one in {behind}.",
            counted(all, "comparison (model, edges and goal)", "comparisons (model, edges and goal)")
        ));
    }
    if pairs > 0 {
        says.push(format!(
            "Of the {} the ceiling was computed for, it verifies {} and grease {}.",
            counted(pairs, "pair", "pairs"),
            count(ceiling),
            count(verified)
        ));
    }
    says.extend(claimed(&claims));
    (!says.is_empty())
        .then(|| Finding { about: "At the shortest lists".to_owned(), says: vec![says.join(" ")] })
}

/// How much of what surrogates claim holds, over pairs of both shares.
fn claimed(claims: &[(f64, f64)]) -> Option<String> {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let least = share(claims.iter().map(of).fold(f64::INFINITY, f64::min));
        let most = share(claims.iter().map(of).fold(f64::NEG_INFINITY, f64::max));
        if least == most { most } else { format!("{least} to {most}") }
    };
    (!claims.is_empty()).then(|| {
        format!(
            "The algorithm as published is satisfied, by its own surrogate, with {} of the pairs; {} hold on the recommender.",
            range(|claim| claim.0),
            range(|claim| claim.1)
        )
    })
}

fn of_goal(model: &ModelResults, view: View, goal: Goal) -> Option<String> {
    let parts: Vec<String> =
        [beside(model, view, goal), ceiling(model, view, goal), as_published(model, view, goal)]
            .into_iter()
            .flatten()
            .collect();
    (!parts.is_empty()).then(|| format!("{}: {}.", words::share(goal), parts.join(". ")))
}

/// Grease beside the best other method.
fn beside(model: &ModelResults, view: View, goal: Goal) -> Option<String> {
    let best = best_other(model, view, goal);
    let names: Vec<String> = best.iter().map(|cell| called(cell)).collect();
    let names = grease_tell::list(&names);
    let Some(grease) = grease(model, view, goal) else {
        let first = best.first()?;
        return Some(format!(
            "there is nothing of grease; most is verified by {names}, {}",
            share(first.share.mean)
        ));
    };
    let own = format!(
        "{} {} of {}",
        called(grease),
        share(grease.share.mean),
        counted(grease.attempted, "pair", "pairs")
    );
    let Some(first) = best.first() else {
        return Some(format!("{own}, with no other method to compare with"));
    };
    let apart = written(grease) - written(first);
    let how = match apart.cmp(&0) {
        Ordering::Equal => return Some(format!("{own}, level with the best other, {names}")),
        Ordering::Greater => "above",
        Ordering::Less => "below",
    };
    let apart = apart.abs() as f64 / 1000.0;
    let sd = grease.share.sd.max(first.share.sd);
    let repeated = grease.repeats > 1 && first.repeats > 1;
    let noise = if repeated && apart <= sd { ", no more than repeats differ among themselves" } else { "" };
    Some(format!(
        "{own}, {} {how} the {} of the best other, {names}{noise}",
        share(apart),
        share(first.share.mean)
    ))
}

fn ceiling(model: &ModelResults, view: View, goal: Goal) -> Option<String> {
    let row = view.row(goal, Method::Grease, Rigour::Certified);
    if let Some(gap) = model.gaps.iter().find(|gap| gap.row == row && gap.pairs > 0) {
        let lengths = gap.both.map_or_else(String::new, |both| {
            format!(", with {} and {} edges where both find one", edges(both.edges), edges(both.other_edges))
        });
        return Some(format!(
            "Of the ceiling’s {}: grease {}, the ceiling {}{lengths}",
            counted(gap.pairs, "pair", "pairs"),
            count(gap.verified),
            count(gap.ceiling)
        ));
    }
    let exact =
        cell(model, view.row(goal, Method::Exact, Rigour::Certified)).filter(|cell| cell.attempted > 0)?;
    Some(format!(
        "The ceiling {} of its {}",
        share(exact.share.mean),
        counted(exact.attempted, "pair", "pairs")
    ))
}

fn as_published(model: &ModelResults, view: View, goal: Goal) -> Option<String> {
    let paper =
        cell(model, view.row(goal, Method::Paper, Rigour::Certified)).filter(|cell| cell.attempted > 0)?;
    let claim = paper
        .judged
        .map_or_else(String::new, |judged| format!("the surrogate claims {}, ", share(judged.mean)));
    let printed = paper
        .published
        .map_or_else(String::new, |says| format!(", the paper prints {}", decimals(says.share, 2)));
    Some(format!("As published: {claim}the recommender confirms {}{printed}", share(paper.share.mean)))
}

/// How firm an explanation should be, and whether to believe it.
fn promised(found: &Calibration) -> String {
    let firm = match found.firm_for(FIRM) {
        Some(1) => format!("Explanations hold in {FIRM:.2} of the cases as they are"),
        Some(places) => format!(
            "To hold in {FIRM:.2} of the cases, ask for explanations that are firm by {places} places"
        ),
        None => format!("None that was tried holds in {FIRM:.2} of the cases"),
    };
    let HeldOut { error, by_chance, .. } = found.held_out;
    format!(
        "{firm}. What is promised of people it was not fitted on is off by {} on average; {} would be chance.",
        share(error),
        share(by_chance)
    )
}

fn trained_again(audit: &Audit) -> String {
    let cases = |part: Share| {
        let [low, high] = [part.low, part.high].map(|bound| decimals(bound, 2));
        match part.of {
            0 => "none of 0 cases".to_owned(),
            all => format!("{} of {} cases ({low} to {high})", share(part.share), count(all)),
        }
    };
    format!(
        "After training again without what the explanation names, the item is off the list in {}; without as much else, in {}; with nothing of the person’s taken away, in {}. Editing the graph and training again come to the same verdict in {}.",
        cases(audit.explained.leave_retrained),
        cases(audit.at_random.leave_retrained),
        cases(audit.untouched.leave_retrained),
        cases(audit.overall.edited.agreement),
    )
}

fn grease(model: &ModelResults, view: View, goal: Goal) -> Option<&Cell> {
    cell(model, view.row(goal, Method::Grease, Rigour::Certified)).filter(|cell| cell.attempted > 0)
}

/// The best of the others, the ceiling aside; more than one where they are level.
fn best_other(model: &ModelResults, view: View, goal: Goal) -> Vec<&Cell> {
    let runs = |cell: &&Cell| {
        view.holds_for(&cell.row, goal)
            && !matches!(cell.row.method, Method::Grease | Method::Exact)
            && cell.attempted > 0
    };
    let others: Vec<&Cell> = model.cells.iter().filter(runs).collect();
    let best = others.iter().map(|cell| written(cell)).max();
    others.into_iter().filter(|cell| Some(written(cell)) == best).collect()
}

fn called(cell: &Cell) -> String {
    let mark = if cell.subsample { " †" } else { "" };
    format!("{}{mark}", words::spoken(cell.row.method, cell.row.rigour))
}

/// The share in thousandths, as the tables write it.
fn written(cell: &Cell) -> i64 {
    share(cell.share.mean).parse::<f64>().map_or(i64::MIN, |share| (share * 1000.0).round() as i64)
}
