//! What an audit of known odds is calibrated to.

use grease::calibration::{HeldOut, probability};
use grease_graph::seed;
use proptest::prelude::*;

use super::*;

const K: usize = 10;

/// An audit in which explanations hold by this rule, and a fifth of all items leave anyway.
fn audited(people: usize, trainings: u64, log_odds: impl Fn(f64, f64) -> f64) -> Vec<Audited> {
    let mut rng = seed::rng(7, "made-up audit");
    let mut below = |bound| seed::below(&mut rng, bound) as usize;
    let mut cases = Vec::new();
    for training in 0..trainings {
        for person in 0..people {
            let (places, cited) = (1 + below(15), 1 + below(8));
            let group =
                [Group::Explained, Group::AtRandom, Group::Untouched][(person + training as usize) % 3];
            let odds = match group {
                Group::Explained => probability(log_odds((places as f64).ln(), (cited as f64).ln())),
                _ => 0.2,
            };
            let left = (below(1 << 20) as f64) < odds * f64::from(1 << 20);
            cases.push(Audited {
                user: format!("user {person}"),
                item: "item".into(),
                group,
                seed: 1 + training,
                firm: 1,
                deleted: vec!["other".into(); cited],
                rank_before: 3,
                margin_before: Some(0.5),
                rank_edited: K + places,
                margin_edited: Some(-0.5),
                rank_jointly_edited: K + places,
                rank_retrained: if left { K + 2 } else { K },
                list_kept: 0.8,
            });
        }
    }
    cases
}

fn options() -> AuditOptions {
    AuditOptions { k: K, trainings: 3, firm: vec![1, 5], ..AuditOptions::default() }
}

#[test]
fn what_is_promised_is_what_held() {
    let rule = |places: f64, cited: f64| -0.2 + 0.9 * places + 0.6 * cited;
    let found = calibrate(&options(), ("m", "d"), &audited(3000, 3, rule)).unwrap();
    assert_eq!((found.k, found.people, found.held.of), (K, 3000, 3000));
    assert_eq!((&found.seeds[..], &found.firm[..]), (&[1, 2, 3][..], &[1, 5][..]));
    assert!((found.untouched.share - 0.2).abs() < 0.03, "{:?}", found.untouched);
    assert_eq!((found.fit.deepest, found.fit.most_cited), (15, 8));
    for (places, cited) in [(1, 1), (1, 4), (5, 2), (15, 8)] {
        let truth = probability(rule((places as f64).ln(), (cited as f64).ln()));
        let told = found.fit.promise(places, cited);
        assert!(f64::from(told.low) <= truth && truth <= f64::from(told.high), "{places}, {cited}: {told:?}");
        assert!(told.high - told.low < 0.15, "{told:?}");
    }
    // What is counted and what is fitted agree, band by band, and nobody is counted twice.
    assert_eq!(found.curve.iter().map(|band| band.held.of).sum::<usize>(), 3000);
    assert_eq!(found.curve[0].from, K + 1);
    for band in &found.curve {
        assert!(band.held.low <= band.fitted && band.fitted <= band.held.high, "{band:?}");
    }
    let HeldOut { error, by_chance, brier, brier_of_one_share, .. } = found.held_out;
    assert!(error < 2.5 * by_chance && brier < brier_of_one_share, "{:?}", found.held_out);
    let firm = found.firm_for(0.85).unwrap();
    assert!(found.fit.usual_promise(firm).share >= 0.85);
    assert!(firm == 1 || found.fit.usual_promise(firm - 1).share < 0.85, "{firm}");
    assert_eq!(found.firm_for(0.9999), None);
}

#[test]
fn too_few_are_no_calibration_and_the_rest_is_the_same_each_time() {
    let flat = |_, _| 0.5;
    assert_eq!(calibrate(&options(), ("m", "d"), &audited(3 * FEWEST - 3, 1, flat)), None);
    let cases = audited(3 * FEWEST, 1, flat);
    let found = calibrate(&options(), ("m", "d"), &cases).unwrap();
    assert_eq!(calibrate(&options(), ("m", "d"), &cases), Some(found.clone()));
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(Calibration::parse(&text).unwrap(), found, "what is made is read again");
}

#[test]
fn a_fit_that_says_nothing_is_found_out() {
    // Whoever fell farthest held least: the fit may not say so, and foretells no better than one share.
    let falling = |places: f64, _: f64| 2.0 - 1.5 * places;
    let found = calibrate(&options(), ("m", "d"), &audited(900, 3, falling)).unwrap();
    assert_eq!(found.fit.coefficients[1], 0.0);
    let HeldOut { brier, brier_of_one_share, .. } = found.held_out;
    assert!(brier > 0.98 * brier_of_one_share, "{:?}", found.held_out);
    assert!(found.curve[0].held.share > found.curve.last().unwrap().held.share, "as it was counted");
}

proptest! {
    #[test]
    fn promises_rise_and_lie_in_their_intervals(
        constant in -2.0f64..2.0, of_places in -1.0f64..2.0, of_cited in -1.0f64..1.0, people in 90usize..300,
    ) {
        let rule = |places: f64, cited: f64| constant + of_places * places + of_cited * cited;
        let fit = calibrate(&options(), ("m", "d"), &audited(people, 1, rule)).unwrap().fit;
        for cited in [1, 3, 8, 99] {
            let told: Vec<_> = (1..30).map(|places| fit.promise(places, cited)).collect();
            prop_assert!(told.is_sorted_by(|a, b| a.share <= b.share));
            prop_assert!(told.iter().all(|t| 0.0 <= t.low && t.low <= t.share && t.share <= t.high && t.high <= 1.0));
        }
        prop_assert_eq!(fit.promise(15, 8), fit.promise(5000, 5000), "nothing is promised beyond what was seen");
    }
}
