//! Which lines go over what: budgets, ranks, people's histories, surrogates' fidelity.

use grease_explain::{Goal, Rigour};

use super::super::figures::{counted, decimals};
use super::super::select::{GOALS, View, models};
use super::super::sheets::QUARTERS;
use super::super::words;
use super::Chart;
use super::lines::{Line, Panel, Panels, lines};
use super::look;
use crate::{Axis, Curve, ModelResults, Point, Results, Spread};

/// Verified shares over an axis.
///
/// Methods in their own right are shown over budgets only, where their lengths matter; elsewhere they would only hide the others.
pub(super) fn curves(results: &Results, view: View, over: Axis) -> Option<Chart> {
    let (what, across) = match over {
        Axis::Budget => ("by how many edges an explanation may have", "at most so many edges"),
        Axis::Rank => ("by the item’s rank", "rank of the item in the list"),
        Axis::Degree => ("by the person’s history", "interactions of the person"),
    };
    let panel = |model: &ModelResults, goal: Goal| {
        let shown = |curve: &&Curve| {
            view.holds_for(&curve.row, goal)
                && curve.over == over
                && (over == Axis::Budget || curve.row.rigour == Rigour::Certified)
        };
        let mut here: Vec<&Curve> = model.curves.iter().filter(shown).collect();
        here.sort_by_key(|curve| look::layer(curve.row.method, curve.row.rigour));
        let bands = bands(&here);
        let at = |point: &Point| bands.iter().position(|band| (band.from, band.to) == (point.from, point.to));
        let line = |curve: &&Curve| {
            let points = curve.points.iter().filter_map(|point| Some((at(point)?, point.share)));
            Line { method: curve.row.method, rigour: curve.row.rigour, points: points.collect() }
        };
        let cap = match goal {
            Goal::Counterfactual => results.settings.max_remove,
            _ => results.settings.max_add,
        };
        let cap_at = bands.iter().position(|band| over == Axis::Budget && band.from == cap);
        Panel {
            title: format!("{}, {}", words::share(goal), words::goal(goal)),
            places: bands.iter().map(|band| place(band, over, bands.len())).collect(),
            cap: cap_at.map(|at| (at, format!("cap {cap}"))),
            lines: here.iter().map(line).collect(),
        }
    };
    let of_model = |model: &ModelResults| GOALS.map(|goal| panel(model, goal)).into();
    lines(Panels {
        title: format!("PN and PS {what}, top-{}, {}", view.k, words::table(view.table)),
        across: across.to_owned(),
        bands: over == Axis::Budget,
        models: models(results)
            .iter()
            .map(|(_, model)| (words::model(&model.model), of_model(model)))
            .collect(),
    })
}

/// Verified shares by quarters of fidelity.
pub(super) fn quarters(results: &Results, view: View) -> Option<Chart> {
    let panel = |model: &ModelResults, goal: Goal| {
        let mut here: Vec<_> = model.fidelity.iter().filter(|one| view.holds_for(&one.row, goal)).collect();
        here.sort_by_key(|one| look::layer(one.row.method, one.row.rigour));
        let line = |one: &&crate::FidelityReport| Line {
            method: one.row.method,
            rigour: one.row.rigour,
            points: one
                .quarters
                .iter()
                .take(QUARTERS.len())
                .enumerate()
                .map(|(at, quarter)| (at, Spread { mean: quarter.share, sd: 0.0 }))
                .collect(),
        };
        let range = |at: usize| match here.as_slice() {
            [one] => one.quarters.get(at).map_or_else(String::new, |quarter| {
                format!("{} to {}", decimals(quarter.from, 2), decimals(quarter.to, 2))
            }),
            _ => String::new(),
        };
        Panel {
            title: format!("{}, {}", words::share(goal), words::goal(goal)),
            places: QUARTERS.iter().enumerate().map(|(at, name)| [(*name).to_owned(), range(at)]).collect(),
            cap: None,
            lines: here.iter().map(line).collect(),
        }
    };
    let of_model = |model: &ModelResults| GOALS.map(|goal| panel(model, goal)).into();
    lines(Panels {
        title: format!("PN and PS by the surrogate’s fidelity, top-{}, {}", view.k, words::table(view.table)),
        across: "quarter of the pairs, by fidelity".to_owned(),
        bands: false,
        models: models(results)
            .iter()
            .map(|(_, model)| (words::model(&model.model), of_model(model)))
            .collect(),
    })
}

/// The places along the axis: those of all curves, ascending, each with the most pairs any curve has there.
fn bands(curves: &[&Curve]) -> Vec<Point> {
    let mut bands: Vec<Point> = Vec::new();
    for point in curves.iter().flat_map(|curve| &curve.points) {
        match bands.iter_mut().find(|band| (band.from, band.to) == (point.from, point.to)) {
            Some(band) => band.pairs = band.pairs.max(point.pairs),
            None => bands.push(*point),
        }
    }
    bands.sort_by_key(|band| (band.from, band.to));
    bands
}

fn place(band: &Point, over: Axis, of: usize) -> [String; 2] {
    let written = of <= 12 || band.from == 1 || band.from.is_multiple_of(5);
    match over {
        Axis::Degree => {
            let name = match (band.from, band.to) {
                (from, to) if from == to => from.to_string(),
                (from, usize::MAX) => format!("{from} and more"),
                (from, to) => format!("{from}–{to}"),
            };
            [name, counted(band.pairs, "pair", "pairs")]
        }
        _ if written => [band.from.to_string(), String::new()],
        _ => [String::new(), String::new()],
    }
}
