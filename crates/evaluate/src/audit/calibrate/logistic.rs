//! Logistic regression with so few features that everything is a small square.
//!
//! A little ridge keeps the answer finite where everybody or nobody held. Slopes are not let below zero: falling farther makes no
//! explanation less sure, and where a sample says so it is chance.

use std::collections::BTreeMap;

use grease::calibration::{FEATURES, dot, probability};

/// How strongly coefficients are drawn towards zero: as if each were known beforehand to be 0, give or take 3.
const RIDGE: f64 = 0.1;

/// Newton's steps; a handful is usual.
const STEPS: usize = 100;

type Row = [f64; FEATURES];
type Square = [Row; FEATURES];

/// One case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Observation {
    /// The first is 1.
    pub(super) features: Row,
    pub(super) held: bool,
    /// Whose: what happens to one person's items is alike.
    pub(super) person: usize,
}

/// What was fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Logistic {
    pub(super) coefficients: Row,
    pub(super) covariance: Square,
}

impl Logistic {
    /// The same cases in the same order give the same bits.
    pub(super) fn fit(cases: &[Observation]) -> Self {
        let whole = Self::with(cases, [true; FEATURES]);
        if whole.rises() {
            return whole;
        }
        // The best that does not fall has some slopes at zero, and there are few ways to choose them.
        let ways = (0..1usize << (FEATURES - 1))
            .map(|set| std::array::from_fn(|at| at == 0 || set >> (at - 1) & 1 == 1));
        let fits = ways.map(|is_free| Self::with(cases, is_free)).filter(Self::rises);
        let losses = fits.map(|fit| (loss(cases, &fit.coefficients), fit));
        losses.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(whole, |(_, fit)| fit)
    }

    /// With the coefficients of all other features held at zero.
    fn with(cases: &[Observation], is_free: [bool; FEATURES]) -> Self {
        let seen = |case: &Observation| {
            let features = std::array::from_fn(|at| if is_free[at] { case.features[at] } else { 0.0 });
            Observation { features, ..*case }
        };
        let cases: Vec<Observation> = cases.iter().map(seen).collect();
        let coefficients = newton(&cases);
        Self { coefficients, covariance: covariance(&cases, &coefficients, is_free) }
    }

    fn rises(&self) -> bool {
        self.coefficients[1..].iter().all(|&slope| slope >= 0.0)
    }
}

/// Minus the log-likelihood, and the ridge.
fn loss(cases: &[Observation], coefficients: &Row) -> f64 {
    let surprise = |case: &Observation| {
        let logit = dot(&case.features, coefficients);
        let against = if case.held { -logit } else { logit };
        // ln(1 + e^x), which is not let overflow.
        against.max(0.0) + (-against.abs()).exp().ln_1p()
    };
    let ridge: f64 = coefficients.iter().map(|c| 0.5 * RIDGE * c * c).sum();
    cases.iter().map(surprise).sum::<f64>() + ridge
}

/// How much more often than foretold it held.
fn residual(case: &Observation, coefficients: &Row) -> f64 {
    f64::from(u8::from(case.held)) - probability(dot(&case.features, coefficients))
}

fn gradient(cases: &[Observation], coefficients: &Row) -> Row {
    let mut slope = coefficients.map(|c| RIDGE * c);
    for case in cases {
        let residual = residual(case, coefficients);
        slope.iter_mut().zip(&case.features).for_each(|(slope, x)| *slope -= residual * x);
    }
    slope
}

fn hessian(cases: &[Observation], coefficients: &Row) -> Square {
    let mut square = [[0.0; FEATURES]; FEATURES];
    (0..FEATURES).for_each(|at| square[at][at] = RIDGE);
    for case in cases {
        let p = probability(dot(&case.features, coefficients));
        add_outer(&mut square, &case.features, p * (1.0 - p));
    }
    square
}

fn newton(cases: &[Observation]) -> Row {
    let mut coefficients = [0.0; FEATURES];
    let mut now = loss(cases, &coefficients);
    for _ in 0..STEPS {
        let slope = gradient(cases, &coefficients);
        let step = inverse(hessian(cases, &coefficients)).map(|row| dot(&row, &slope));
        // Far from the end a whole step can go too far.
        let tried = (0..STEPS).map(|halvings| {
            let part = 0.5f64.powi(halvings as i32);
            let mut there = coefficients;
            there.iter_mut().zip(&step).for_each(|(c, step)| *c -= part * step);
            there
        });
        let better = tried.map(|there| (loss(cases, &there), there)).find(|&(then, _)| then < now);
        let Some((then, there)) = better else { break };
        (now, coefficients) = (then, there);
    }
    coefficients
}

/// The inverse Hessian, widened by how much more alike the cases of one person are than those of several (Rao and Scott's mean
/// design effect, of the sandwich clustered by person); never narrowed, as that effect is itself uncertain.
fn covariance(cases: &[Observation], coefficients: &Row, is_free: [bool; FEATURES]) -> Square {
    let mut people: BTreeMap<usize, Row> = BTreeMap::new();
    for case in cases {
        let (residual, sum) = (residual(case, coefficients), people.entry(case.person).or_default());
        sum.iter_mut().zip(&case.features).for_each(|(sum, x)| *sum += residual * x);
    }
    let mut between = [[0.0; FEATURES]; FEATURES];
    people.values().for_each(|sum| add_outer(&mut between, sum, 1.0));
    let inverse = inverse(hessian(cases, coefficients));
    let free = is_free.iter().filter(|free| **free).count() as f64;
    let of_few = people.len() as f64 / (people.len() as f64 - 1.0).max(1.0);
    let trace: f64 = (0..FEATURES).map(|at| dot(&between[at], &inverse[at])).sum();
    let widened = (trace / free * of_few).max(1.0);
    // What was held at zero is no estimate; rounding must not make it lopsided.
    let entry = |a: usize, b: usize| match is_free[a] && is_free[b] {
        true => widened * 0.5 * (inverse[a][b] + inverse[b][a]),
        false => 0.0,
    };
    std::array::from_fn(|a| std::array::from_fn(|b| entry(a, b)))
}

fn add_outer(square: &mut Square, x: &Row, weight: f64) {
    for (row, a) in square.iter_mut().zip(x) {
        row.iter_mut().zip(x).for_each(|(value, b)| *value += weight * a * b);
    }
}

/// Of a symmetric positive definite square, by elimination; such a one needs no exchanges of rows.
fn inverse(mut square: Square) -> Square {
    let mut inverse = [[0.0; FEATURES]; FEATURES];
    (0..FEATURES).for_each(|at| inverse[at][at] = 1.0);
    for at in 0..FEATURES {
        let pivot = square[at][at];
        square[at].iter_mut().chain(&mut inverse[at]).for_each(|value| *value /= pivot);
        let (pivot_row, pivot_inverse) = (square[at], inverse[at]);
        for other in (0..FEATURES).filter(|&other| other != at) {
            let factor = square[other][at];
            let rows = square[other].iter_mut().zip(pivot_row);
            rows.for_each(|(value, pivot)| *value -= factor * pivot);
            let rows = inverse[other].iter_mut().zip(pivot_inverse);
            rows.for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use grease_graph::seed;
    use proptest::prelude::*;

    use super::*;

    /// Cases that hold by this rule; `each` of everybody, with the same features and the same luck as far as they are `alike`.
    fn made(rule: &Row, people: usize, each: usize, alike: bool, number: u64) -> Vec<Observation> {
        let mut rng = seed::rng(number, "made-up cases");
        let mut unit = || seed::below(&mut rng, 1 << 30) as f64 / f64::from(1 << 30);
        let mut fresh = || ([1.0, 3.0 * unit(), unit()], unit());
        let mut cases = Vec::new();
        for person in 0..people {
            let mut drawn = fresh();
            for _ in 0..each {
                drawn = if alike { drawn } else { fresh() };
                let (features, luck) = drawn;
                let held = luck < probability(dot(&features, rule));
                cases.push(Observation { features, held, person });
            }
        }
        cases
    }

    #[test]
    fn known_coefficients_are_found_again() {
        let rule = [-0.5, 0.8, 1.5];
        let fit = Logistic::fit(&made(&rule, 20_000, 1, false, 1));
        for (at, wanted) in rule.into_iter().enumerate() {
            let deviation = fit.covariance[at][at].sqrt();
            let off = fit.coefficients[at] - wanted;
            assert!(off.abs() < 3.0 * deviation && deviation < 0.1, "{fit:?}");
        }
    }

    #[test]
    fn intervals_hold_as_often_as_they_say() {
        let rule = [0.2, 0.6, 0.5];
        let place = [1.0, 1.2, 0.4];
        let truth = dot(&place, &rule);
        // With three cases a person that are all the same, only people count.
        let holds = |alike: bool| {
            (0..200).filter(move |&number| {
                let fit = Logistic::fit(&made(&rule, 120, 3, alike, number));
                let variance = dot(&fit.covariance.map(|row| dot(&row, &place)), &place);
                (dot(&place, &fit.coefficients) - truth).abs() < 1.96 * variance.sqrt()
            })
        };
        let [apart, alike] = [false, true].map(|alike| holds(alike).count());
        assert!(apart >= 182, "{apart} of 200 intervals of 95 %");
        assert!(alike >= 180, "{alike} of 200 intervals of 95 %, where cases of a person are the same");
    }

    #[test]
    fn the_same_for_everybody_stays_finite_and_unsure() {
        for held in [false, true] {
            let cases: Vec<Observation> = made(&[0.0; 3], 40, 1, false, 3)
                .into_iter()
                .map(|case| Observation { held, ..case })
                .collect();
            let fit = Logistic::fit(&cases);
            let p = probability(dot(&[1.0, 1.0, 0.5], &fit.coefficients));
            assert!(if held { p > 0.9 && p < 1.0 } else { p < 0.1 && p > 0.0 }, "{p}");
            assert!(fit.covariance[0][0] > 0.5, "{fit:?}");
        }
        let none = Logistic::fit(&[]);
        assert_eq!(none.coefficients, [0.0; 3]);
        assert!((none.covariance[1][1] - 1.0 / RIDGE).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_loss(
            number in 0u64..1000,
            at in [-3.0f64..3.0, -3.0..3.0, -3.0..3.0],
        ) {
            const STEP: f64 = 1e-5;
            let cases = made(&[0.3, 0.5, -0.4], 30, 2, false, number);
            let (slope, curve) = (gradient(&cases, &at), hessian(&cases, &at));
            for j in 0..FEATURES {
                let moved = |by: f64| { let mut there = at; there[j] += by; there };
                let (up, down) = (moved(STEP), moved(-STEP));
                let difference = (loss(&cases, &up) - loss(&cases, &down)) / (2.0 * STEP);
                prop_assert!((difference - slope[j]).abs() < 1e-5 * (1.0 + slope[j].abs()));
                let (up, down) = (gradient(&cases, &up), gradient(&cases, &down));
                for i in 0..FEATURES {
                    let difference = (up[i] - down[i]) / (2.0 * STEP);
                    prop_assert!((difference - curve[i][j]).abs() < 1e-5 * (1.0 + curve[i][j].abs()));
                }
            }
        }

        #[test]
        fn a_fit_is_the_best_there_is_and_never_falls(
            number in 0u64..1000,
            rule in [-2.0f64..2.0, -2.0..2.0, -2.0..2.0],
            people in 5usize..60,
        ) {
            let cases = made(&rule, people, 2, false, number);
            let fit = Logistic::fit(&cases);
            prop_assert!(fit.coefficients[1..].iter().all(|&slope| slope >= 0.0));
            // No small step that keeps slopes from falling makes it better.
            let best = loss(&cases, &fit.coefficients);
            for at in 0..FEATURES {
                for step in [-1e-3, 1e-3] {
                    let mut there = fit.coefficients;
                    there[at] += step;
                    prop_assert!(at > 0 && there[at] < 0.0 || loss(&cases, &there) >= best - 1e-9);
                }
            }
        }
    }
}
