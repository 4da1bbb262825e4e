//! `grease evaluate-model`

use insta::assert_snapshot;

use crate::support::Place;

#[test]
fn quality_worked_out_by_hand() {
    // ada: milk, cake, jam, …; cake is held out. bob: milk and cake have scores below jam's: jam is first.
    let place = Place::with_model();
    assert_snapshot!("evaluate_text", place.grease("evaluate-model --model model -k 1,2").whole());
    assert_snapshot!(
        "evaluate_json",
        place.grease("evaluate-model --model model -k 2,1,2 --format json").whole()
    );
    let usual = place.grease("evaluate-model --model model --format json").json();
    assert_eq!((&usual["recall@20"], &usual["kind"]), (&1.0.into(), &"lightgcn".into()));
}

#[test]
fn a_trained_model_says_the_same_as_its_training() {
    let place = Place::with_music();
    place.grease("train --interactions music --epochs 3 --out m").ok();
    let manifest: serde_json::Value = serde_json::from_slice(&place.files("m")["model.json"]).unwrap();
    let evaluation = place.grease("evaluate-model --model m --format json").json();
    assert_eq!(evaluation["recall@20"], manifest["recall@20"]);
    place.grease("train --interactions music --epochs 1 --train-share 1 --out whole").ok();
    assert_eq!(place.grease("evaluate-model --model whole").code, 3);
}
