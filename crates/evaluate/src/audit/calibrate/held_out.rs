//! Whether a fit foretells people it did not see.

use grease::calibration::HeldOut;
use grease_graph::seed;

use super::{Acted, fitted, people};

/// Parts people are divided into.
const FOLDS: usize = 5;

/// Groups by what was foretold.
const GROUPS: usize = 5;

/// Fits without each part of the people in turn, and foretells it. All cases of a person are in one part.
pub(super) fn held_out(acted: &[Acted]) -> HeldOut {
    let mut order: Vec<usize> = (0..people(acted)).collect();
    seed::shuffle(&mut seed::rng(1, "held-out people"), &mut order);
    let mut fold = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &person)| fold[person] = at % FOLDS);

    // What was foretold, what everybody would have been told, and what came.
    let mut foretold: Vec<(f64, f64, f64)> = Vec::with_capacity(acted.len());
    for part in 0..FOLDS {
        let is_out = |case: &&Acted| fold[case.person] == part;
        let (out, seen): (Vec<&Acted>, Vec<&Acted>) = acted.iter().partition(is_out);
        let seen: Vec<Acted> = seen.into_iter().copied().collect();
        let fit = fitted(&seen);
        let one_share = seen.iter().filter(|case| case.held).count() as f64 / seen.len().max(1) as f64;
        foretold.extend(out.iter().map(|case| {
            let share = f64::from(fit.promise(case.places, case.cited).share);
            (share, one_share, f64::from(u8::from(case.held)))
        }));
    }
    let n = foretold.len().max(1) as f64;
    let brier = foretold.iter().map(|(share, _, came)| (share - came).powi(2)).sum::<f64>() / n;
    let brier_of_one_share = foretold.iter().map(|(_, one, came)| (one - came).powi(2)).sum::<f64>() / n;
    let (error, by_chance) = distances(foretold);
    HeldOut { folds: FOLDS, error, by_chance, brier, brier_of_one_share }
}

/// How far foretold shares are from those that came, over groups, weighted by size; and how far they would be by chance alone.
fn distances(mut foretold: Vec<(f64, f64, f64)>) -> (f64, f64) {
    foretold.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = foretold.len().max(1) as f64;
    let (mut error, mut by_chance) = (0.0, 0.0);
    for group in foretold.chunks(foretold.len().div_ceil(GROUPS).max(1)) {
        let size = group.len() as f64;
        let said = group.iter().map(|(share, ..)| share).sum::<f64>() / size;
        let came = group.iter().map(|(.., came)| came).sum::<f64>() / size;
        error += size / n * (said - came).abs();
        // The mean distance of a normal value from its mean is sqrt(2 / pi) deviations.
        by_chance += size / n * (std::f64::consts::FRAC_2_PI * said * (1.0 - said) / size).sqrt();
    }
    (error, by_chance)
}
