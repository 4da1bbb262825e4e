//! From an audit to what can be promised of an explanation: how often it holds for a model trained again.
//!
//! The share that holds rises with how far the item falls, so it is fitted ([`logistic`]) on the cases of people whose explanations were acted
//! upon, and put to the test on people it did not see ([`held_out`]). The shares as they were counted stand beside it.

mod held_out;
mod logistic;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use grease::Share;
use grease::calibration::{Band, CALIBRATION_SCHEMA, Calibration, Fit};

use super::{AuditOptions, Audited, Group};
use held_out::held_out;
use logistic::{Logistic, Observation};

/// Explanations acted upon without which nothing is fitted: fewer leave intervals as wide as everything.
pub const FEWEST: usize = 30;

/// Where bands of the curve begin, in places beyond the list.
const BANDS: [usize; 5] = [1, 3, 6, 11, 21];

/// One explanation that was acted upon.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Acted {
    /// Beyond the list, on the edited graph.
    places: usize,
    cited: usize,
    held: bool,
    person: usize,
}

/// What these cases say of explanations to come; `model` and `data` are hashes. `None` where there are too few.
pub(super) fn calibrate(
    options: &AuditOptions,
    (model, data): (&str, &str),
    cases: &[Audited],
) -> Option<Calibration> {
    let k = options.k;
    let acted = acted(cases, k);
    if acted.len() < FEWEST {
        return None;
    }
    let fit = fitted(&acted);
    let mut seeds: Vec<u64> = cases.iter().map(|case| case.seed).collect();
    seeds.dedup();
    let untouched = cases.iter().filter(|case| case.group == Group::Untouched);
    let left = untouched.clone().filter(|case| case.rank_retrained > k).count();
    Some(Calibration {
        schema: CALIBRATION_SCHEMA.to_owned(),
        grease: env!("CARGO_PKG_VERSION").to_owned(),
        model: model.to_owned(),
        data: data.to_owned(),
        k,
        method: options.method.to_string(),
        seeds,
        firm: options.firm.clone(),
        people: people(&acted),
        held: held(&acted),
        untouched: Share::new(left, untouched.count()),
        curve: curve(&acted, &fit, k),
        held_out: held_out(&acted),
        fit,
    })
}

/// Those whose explanations were acted upon, with people numbered in the order they come in.
fn acted(cases: &[Audited], k: usize) -> Vec<Acted> {
    let mut people: BTreeMap<&str, usize> = BTreeMap::new();
    let explained = cases.iter().filter(|case| case.group == Group::Explained);
    explained
        .filter_map(|case| {
            let next = people.len();
            Some(Acted {
                places: case.rank_edited.checked_sub(k).filter(|&places| places > 0)?,
                cited: case.deleted.len(),
                held: case.rank_retrained > k,
                person: *people.entry(&case.user).or_insert(next),
            })
        })
        .collect()
}

fn people(acted: &[Acted]) -> usize {
    acted.iter().map(|case| case.person + 1).max().unwrap_or(0)
}

fn held(acted: &[Acted]) -> Share {
    Share::new(acted.iter().filter(|case| case.held).count(), acted.len())
}

/// How often these hold, by how far they fell.
fn fitted(acted: &[Acted]) -> Fit {
    let mut fit = Fit {
        coefficients: Default::default(),
        covariance: Default::default(),
        deepest: acted.iter().map(|case| case.places).max().unwrap_or(1),
        most_cited: acted.iter().map(|case| case.cited).max().unwrap_or(1),
        usual_cited: usual_cited(acted),
    };
    let observe = |case: &Acted| Observation {
        features: fit.features(case.places, case.cited),
        held: case.held,
        person: case.person,
    };
    let observed: Vec<Observation> = acted.iter().map(observe).collect();
    Logistic { coefficients: fit.coefficients, covariance: fit.covariance } = Logistic::fit(&observed);
    fit
}

/// The straight line through the logarithm of interactions over that of places, by least squares.
fn usual_cited(acted: &[Acted]) -> [f64; 2] {
    let n = acted.len().max(1) as f64;
    let mean = |of: &dyn Fn(&Acted) -> f64| acted.iter().map(of).sum::<f64>() / n;
    let depth = |case: &Acted| (case.places as f64).ln();
    let cited = |case: &Acted| (case.cited as f64).ln();
    let (depths, takes) = (mean(&depth), mean(&cited));
    let together = mean(&|case| (depth(case) - depths) * (cited(case) - takes));
    let alone = mean(&|case| (depth(case) - depths).powi(2));
    let slope = if alone > 0.0 { together / alone } else { 0.0 };
    [takes - slope * depths, slope]
}

/// The shares as they were counted, and what the fit says of the same cases.
fn curve(acted: &[Acted], fit: &Fit, k: usize) -> Vec<Band> {
    let ends = BANDS.iter().skip(1).map(|&next| Some(next - 1)).chain([None]);
    BANDS
        .iter()
        .zip(ends)
        .map(|(&from, to)| {
            let is_within = |case: &&Acted| case.places >= from && to.is_none_or(|to| case.places <= to);
            let within: Vec<Acted> = acted.iter().filter(is_within).copied().collect();
            let foretold = within.iter().map(|case| f64::from(fit.promise(case.places, case.cited).share));
            let fitted = foretold.sum::<f64>() / within.len().max(1) as f64;
            Band { from: k + from, to: to.map(|to| k + to), held: held(&within), fitted }
        })
        .filter(|band| band.held.of > 0)
        .collect()
}
