//! `grease devices`, and `--device` wherever it can be said.

use insta::assert_snapshot;

use crate::support::Place;

#[test]
fn there_is_always_a_processor_and_a_word_on_cards() {
    let place = Place::new();
    let text = place.grease("devices").ok();
    assert!(text.starts_with("cpu     ") && text.contains(" thread"), "{text}");
    // Either there is no driver, or it is told to show no card.
    let none = ["no CUDA driver (libcuda) was found", "the driver knows no card"];
    assert!(none.iter().any(|why| text.ends_with(&format!("\ncuda    not usable: {why}\n"))), "{text}");

    let json = place.grease("devices --format json").json();
    assert_eq!((&json[0]["device"], &json[0]["usable"]), (&"cpu".into(), &true.into()));
    assert_eq!((&json[1]["device"], &json[1]["usable"]), (&"cuda".into(), &false.into()));
    assert!(text.contains(json[1]["why"].as_str().unwrap()), "{json}");
}

#[test]
fn without_a_card_asking_says_nothing_of_devices() {
    let place = Place::with_tastes();
    let line = "explain --model model --user ada -k 2 --format json";
    let usual = place.grease(line);
    assert!(!usual.stderr.contains("device"), "{}", usual.whole());
    let here = place.grease(&format!("{line} --device cpu"));
    assert_eq!((usual.code, usual.stderr, usual.stdout), (0, here.stderr, here.stdout));
}

#[test]
fn a_card_that_was_named_is_used_or_nothing_is() {
    let place = Place::with_tastes();
    let named = place.grease("explain --model model --user ada --device cuda");
    assert_snapshot!("device_slower", named.whole());
    for verb in ["batch --users all --out why.jsonl", "evaluate --out evaluation", "serve --port 0"] {
        let refused = place.grease(&format!("{verb} --model model --device cuda"));
        assert_eq!((refused.code, refused.stderr), (2, named.stderr.clone()));
    }
    assert_snapshot!("device_unknown", place.grease("explain --model model --user ada --device gpu").whole());

    let place = Place::with_music();
    let beyond = place.grease("train --interactions music --device cuda:4711 --out model");
    assert_eq!(beyond.code, 2, "{}", beyond.whole());
    assert!(beyond.stderr.contains("help: `grease devices` lists what there is"), "{}", beyond.whole());
    assert!(!place.path("model").exists());
}

#[test]
fn an_audit_wants_the_card_that_was_named_before_anybody_is_explained() {
    let place = Place::with_music();
    place.grease("train --interactions music --epochs 1 --out model").ok();
    let audit = place.grease("evaluate --model model --out evaluation --audit retrain --device cuda:4711");
    assert_eq!(audit.code, 2, "{}", audit.whole());
    assert!(audit.stderr.contains("help: `grease devices` lists what there is"), "{}", audit.whole());
    assert!(!audit.stderr.contains("is asked on the processor"), "it trains there: {}", audit.whole());
    assert!(!place.path("evaluation").exists());
}

#[test]
fn an_oracle_is_asked_where_it_is() {
    let place = Place::with_music();
    let oracle = "--oracle-cmd nobody-starts-this --interactions music --device cuda";
    let named = place.grease(&format!("explain --user mira {oracle}"));
    assert_snapshot!("device_with_oracle", named.whole());
    let refused = place.grease(&format!("evaluate --out evaluation {oracle}"));
    assert_eq!((refused.code, refused.stderr), (2, named.stderr));
}

#[test]
fn training_says_where_it_trains() {
    let place = Place::with_music();
    let train = "train --interactions music --epochs 1 --dim 8";
    let auto = place.grease(&format!("{train} --out auto"));
    assert!(auto.stderr.contains("held out to test it; device: cpu ("), "{}", auto.whole());
    let here = place.grease(&format!("{train} --out here --device cpu"));
    assert!(here.stderr.contains("held out to test it; device: cpu\n"), "{}", here.whole());
    assert!(place.files("auto") == place.files("here"), "the device is no part of the model");
}
