//! Sparing edges of a set that does it, until none can be spared.

use std::collections::BTreeSet;

use grease_graph::{Edge, ScoreError};

use super::effects::Effects;
use super::guided;
use super::search::{Found, Search, Stop, each_left_out};
use crate::ask::AnswerId;

/// Larger sets are thinned before each of their edges is looked at.
const FEW: usize = 10;
/// A set that is larger than may be cited by more than this is not looked at edge by edge: that costs a question an edge, and seldom
/// gets it below the cap.
const NEAR: usize = 6;

/// Spares edges until none can be spared, or the budget ends.
///
/// A single edge needs no question: nothing cited is where the search began, and that was not enough.
pub(crate) fn prune(
    search: &mut Search<'_, '_>,
    mut found: Found,
    guide: Option<&Effects>,
) -> Result<Found, ScoreError> {
    let near = near(search);
    match thin(search, &mut found, guide, near).and_then(|()| each_spared(search, &mut found, guide)) {
        // It is as good as it was when the budget ended.
        Ok(()) | Err(Stop::OutOfBudget) => Ok(found),
        Err(Stop::Score(error)) => Err(error),
    }
}

/// Each edge looked at, of a set that is not much larger than may be cited.
pub(crate) fn spared_if_near(search: &mut Search<'_, '_>, mut found: Found) -> Result<Found, ScoreError> {
    match each_spared(search, &mut found, None) {
        Ok(()) | Err(Stop::OutOfBudget) => Ok(found),
        Err(Stop::Score(error)) => Err(error),
    }
}

/// Many edges at a time spared of a set however large it is, as sums say; then as above.
pub(crate) fn thinned(
    search: &mut Search<'_, '_>,
    mut found: Found,
    guide: &Effects,
) -> Result<Found, ScoreError> {
    match thin(search, &mut found, Some(guide), usize::MAX) {
        Ok(()) | Err(Stop::OutOfBudget) => spared_if_near(search, found),
        Err(Stop::Score(error)) => Err(error),
    }
}

/// Looks at each edge until none can be spared.
fn each_spared(search: &mut Search<'_, '_>, found: &mut Found, guide: Option<&Effects>) -> Result<(), Stop> {
    if found.edges.len() > near(search) {
        return Ok(());
    }
    while found.edges.len() > 1 {
        if let Some(guide) = guide
            && let [easiest, ..] = guided::likely_spares(search, guide, found, &BTreeSet::new())[..]
            && let Some(smaller) = reached(search, all_but(&found.edges, &[easiest]))?
        {
            *found = smaller;
            continue;
        }
        let without = each_left_out(&found.edges);
        let answers = search.ask(&without)?;
        let Some(at) = search.best_reached(&answers)? else { break };
        let each: Vec<(Edge, AnswerId)> = found.edges.iter().copied().zip(answers.iter().copied()).collect();
        let local = Effects::new(search.ledger, search.k(), found.answer, &each);
        let mut order = guided::sparable_together(search, &local);
        *found = loop {
            match order.len() {
                ..=1 => break Found { edges: without[at].clone(), answer: answers[at], minimal: None },
                // By sums from this very set: half of them at least should go.
                many => match reached(search, all_but(&found.edges, &order))? {
                    Some(smaller) => break smaller,
                    None => order.truncate(many / 2),
                },
            }
        };
    }
    found.minimal = Some(true);
    Ok(())
}

/// Spares many edges at a time of a set that is large: as many as sums think can go, then half of them, and so on. An edge that
/// cannot go alone is kept from then on.
///
/// This also finds what sums cannot see: of edges that do nothing by themselves but something together, those that do nothing are
/// spared in a few questions.
fn thin(
    search: &mut Search<'_, '_>,
    found: &mut Found,
    guide: Option<&Effects>,
    near: usize,
) -> Result<(), Stop> {
    let mut needed: BTreeSet<Edge> = BTreeSet::new();
    let mut many = usize::MAX;
    while found.edges.len() > search.rules.cap.clamp(1, FEW) {
        let mut order = match guide {
            Some(guide) => guided::likely_spares(search, guide, found, &needed),
            None => found.edges.iter().rev().filter(|edge| !needed.contains(edge)).copied().collect(),
        };
        // What sums leave is still far too large.
        if found.edges.len() - order.len() > near {
            break;
        }
        order.truncate(many.min(found.edges.len() - 1));
        let Some(&first) = order.first() else { break };
        match reached(search, all_but(&found.edges, &order))? {
            Some(smaller) => {
                *found = smaller;
                many = order.len() * 2;
            }
            None if order.len() == 1 => {
                needed.insert(first);
                many = 2;
            }
            None => many = order.len() / 2,
        }
    }
    Ok(())
}

/// The largest set worth pruning to the end.
fn near(search: &Search<'_, '_>) -> usize {
    search.rules.cap.saturating_add(NEAR)
}

fn all_but(edges: &[Edge], spared: &[Edge]) -> Vec<Edge> {
    let spared: BTreeSet<&Edge> = spared.iter().collect();
    edges.iter().filter(|edge| !spared.contains(edge)).copied().collect()
}

/// The set, if it does it.
fn reached(search: &mut Search<'_, '_>, edges: Vec<Edge>) -> Result<Option<Found>, Stop> {
    let answer = search.ask(std::slice::from_ref(&edges))?[0];
    Ok(search.reached(answer)?.then_some(Found { edges, answer, minimal: None }))
}
