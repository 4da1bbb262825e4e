//! A calibration is read as it was written, refused where it is not of this model, and promises only what was audited.

use grease_explain::{Goal, Scope, Status};
use grease_tell::Record;
use grease_testing::folder;
use proptest::prelude::*;

use crate::calibration::*;
use crate::share::Share;
use crate::subject::tests::subject;
use crate::verify::Verdict;
use crate::{Question, Subject};

/// What could have been measured on this model.
pub(crate) fn calibration(model: &str, data: &str, k: usize) -> Calibration {
    Calibration {
        schema: CALIBRATION_SCHEMA.to_owned(),
        grease: env!("CARGO_PKG_VERSION").to_owned(),
        model: model.to_owned(),
        data: data.to_owned(),
        k,
        method: "grease".to_owned(),
        seeds: vec![1, 2, 3],
        firm: vec![1, 3, 6],
        people: 90,
        held: Share::new(70, 90),
        untouched: Share::new(18, 90),
        fit: Fit {
            coefficients: [0.2, 0.9, 0.5],
            covariance: [[0.06, -0.01, -0.02], [-0.01, 0.03, 0.0], [-0.02, 0.0, 0.04]],
            deepest: 12,
            most_cited: 8,
            usual_cited: [0.7, 0.2],
        },
        curve: vec![Band { from: k + 1, to: None, held: Share::new(70, 90), fitted: 0.78 }],
        held_out: HeldOut { folds: 5, error: 0.03, by_chance: 0.04, brier: 0.15, brier_of_one_share: 0.17 },
    }
}

fn own() -> Calibration {
    calibration(folder().model_hash(), &folder().data_hash(), 5)
}

/// The model in a folder, with this beside it.
fn opened(beside: Option<&str>) -> (tempfile::TempDir, Subject, Option<CalibrationError>) {
    let place = tempfile::tempdir().unwrap();
    folder().write(place.path()).unwrap();
    if let Some(text) = beside {
        std::fs::write(place.path().join(CALIBRATION), text).unwrap();
    }
    let (subject, error) = Subject::open(place.path()).unwrap();
    (place, subject, error)
}

fn records(subject: &Subject, change: impl Fn(&mut Question)) -> Vec<Record> {
    let users = &folder().data.users;
    let explain = |row| {
        let mut question = Question { k: 5, ..Question::of(users.id(row)) };
        change(&mut question);
        subject.records(&question).unwrap()
    };
    (0..12).flat_map(explain).collect()
}

#[test]
fn it_is_read_as_it_was_written() {
    let (place, subject, error) = opened(None);
    assert!(error.is_none() && subject.calibration().is_none(), "no model needs one");
    assert_eq!(subject.place(), Some(place.path()));
    own().write(place.path()).unwrap();
    let (subject, error) = Subject::open(place.path()).unwrap();
    assert!(error.is_none());
    assert_eq!(subject.calibration(), Some(&own()));
    assert_ne!(own().hash(), calibration("other", "data", 5).hash());
}

#[test]
fn only_what_was_audited_is_promised() {
    let (_place, subject, _) = opened(Some(&serde_json::to_string(&own()).unwrap()));
    let usual = records(&subject, |_| {});
    let is_audited =
        |record: &&Record| record.goal == Goal::Counterfactual && record.status == Status::Verified;
    let promised: Vec<&Record> =
        usual.iter().filter(|record| record.holds_when_retrained.is_some()).collect();
    assert!(promised.len() > 5, "{}", promised.len());
    assert!(promised.iter().all(is_audited));
    for record in promised {
        let holds = record.holds_when_retrained.unwrap();
        let places = record.rank_after.unwrap() - 5;
        assert_eq!(holds, own().fit.promise(places, record.edges.len()));
        assert!(record.sentence.contains(" Trained again without "), "{}", record.sentence);
        let verdict = subject.verify(record, &Default::default()).unwrap();
        assert!(matches!(verdict, Verdict::Holds { reworded: false, .. }), "{verdict:?}");
    }
    let none = |change: fn(&mut Question)| {
        records(&subject, change).iter().all(|record| record.holds_when_retrained.is_none())
    };
    assert!(none(|question| question.k = 4), "lists of another length");
    assert!(none(|question| question.scope = Scope::Target));
    assert!(none(|question| question.profile = grease_explain::ProfileChoice::Neutral));
    assert!(none(|question| question.exclude = vec![folder().data.items.id(0).to_owned()]));
    let history = subject.recommender().graph().items_of(grease_graph::UserId(0));
    let ids = history.iter().map(|&item| folder().data.items.id(item).to_owned()).collect();
    let newcomer = Question { k: 5, user: None, history: Some(ids), ..Question::default() };
    let told = subject.records(&newcomer).unwrap();
    assert!(told.iter().all(|record| record.holds_when_retrained.is_none()), "nothing was learned from them");
    // Asked through another recommender it is the same model.
    let through = subject.asked_through(std::sync::Arc::clone(subject.recommender()));
    assert_eq!(records(&through, |_| {}), usual);
    // But for the promise nothing is different.
    let plain = records(self::subject(), |_| {});
    let without = |record: &Record| {
        let mut record = Record { holds_when_retrained: None, ..record.clone() };
        record.sentence = grease_tell::sentence(&record, subject.words());
        record
    };
    assert_eq!(usual.iter().map(without).collect::<Vec<_>>(), plain);
}

#[test]
fn what_is_not_of_this_model_or_damaged_is_refused_and_explanations_go_on() {
    let text = serde_json::to_string_pretty(&own()).unwrap();
    let other = |model: &str, data: &str| serde_json::to_string(&calibration(model, data, 5)).unwrap();
    let (model, data) = (folder().model_hash(), folder().data_hash());
    let changed = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        changed
    };
    for (text, reason) in [
        (other("0123", &data), "it was measured on another model"),
        (other(model, "0123"), "it was measured on another model"),
        (String::new(), "it is no JSON"),
        (text[..text.len() / 2].to_owned(), "it is no JSON"),
        ("{}".to_owned(), "it does not say that it is"),
        (changed("calibration/1", "calibration/9"), "it is \"grease.calibration/9\""),
        (changed("\"k\": 5", "\"k\": 0"), "k is 0"),
        (changed("\"k\": 5", "\"k\": -5"), "invalid value"),
        (changed("\"k\": 5", "\"k\": 99999999999999999999999"), "invalid"),
        (changed("0.9,", "1e999,"), "number out of range"),
        (changed("0.9,", "1e300,"), "beyond all measure"),
        (changed("0.9,", "-0.9,"), "promises less"),
        (changed("0.9,", "null,"), "invalid type"),
        (changed("-0.01", "-0.02"), "covariance"),
        (changed("0.06", "-0.06"), "covariance"),
        (changed("\"deepest\": 12", "\"deepest\": 0"), "has seen nothing"),
        (changed("\"count\": 70", "\"count\": 91"), "is none"),
        (changed("\"high\": 0", "\"high\": 7"), "is none"),
        (format!("{text}{}", " ".repeat(1 << 20)), "too long"),
    ] {
        let (_place, subject, error) = opened(Some(&text));
        let error = error.expect(reason).to_string();
        assert!(error.contains(CALIBRATION) && error.contains(reason), "{error}: {reason}");
        assert!(subject.calibration().is_none());
        assert!(
            !subject
                .records(&Question { k: 5, ..Question::of(folder().data.users.id(0)) })
                .unwrap()
                .is_empty()
        );
    }
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join(CALIBRATION)).unwrap();
    assert!(matches!(Calibration::read(place.path(), "m", "d"), Err(CalibrationError::Unreadable { .. })));
}

#[test]
fn firmness_is_the_least_that_does() {
    let found = own();
    let wanted = found.fit.usual_promise(4).share;
    assert_eq!(found.firm_for(f64::from(wanted)), Some(4));
    assert_eq!(found.firm_for(0.0), Some(1));
    assert_eq!(found.firm_for(0.999), None);
    let endless = Fit { deepest: usize::MAX, ..found.fit };
    assert_eq!(Calibration { fit: endless, ..found }.firm_for(1.1), None, "in no time");
}

proptest! {
    #[test]
    fn whatever_is_read_promises_shares(
        coefficients in [-1e5f64..1e5, 0.0..1e5, 0.0..1e5],
        diagonal in [0.0f64..1e5, 0.0..1e5, 0.0..1e5],
        places in 0usize..usize::MAX,
        cited in 0usize..usize::MAX,
        deepest in 1usize..usize::MAX,
    ) {
        let mut text = own();
        text.fit.coefficients = coefficients;
        (0..FEATURES).for_each(|at| text.fit.covariance[at][at] = diagonal[at]);
        (text.fit.deepest, text.fit.most_cited) = (deepest, deepest);
        let read = Calibration::parse(&serde_json::to_string(&text).unwrap()).unwrap();
        for told in [read.fit.promise(places, cited), read.fit.usual_promise(places)] {
            prop_assert!(0.0 <= told.low && told.low <= told.share && told.share <= told.high && told.high <= 1.0);
        }
    }
}
