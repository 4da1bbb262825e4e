//! `grease verify`

use insta::assert_snapshot;

use crate::support::Place;

/// With explanations of ada's list in `why.jsonl`.
fn explained() -> Place {
    let place = Place::with_tastes();
    place.grease("explain --model model --user ada -k 2 --format jsonl --out why.jsonl").ok();
    place
}

fn stored(place: &Place) -> String {
    std::fs::read_to_string(place.path("why.jsonl")).unwrap()
}

#[test]
fn what_was_found_holds_in_both_forms() {
    let place = explained();
    assert_snapshot!("verify_holds", place.grease("verify --model model why.jsonl").whole());
    let report = place.grease("verify --model model why.jsonl --format json").json();
    assert_eq!((&report["no_longer_hold"], &report["same_model"]), (&0.into(), &true.into()));
    place.grease("explain --model model --user ada -k 2 --format json --out why.json").ok();
    assert_eq!(report, place.grease("verify --model model why.json --format json").json());

    place.grease("explain --model model --history cake,tea -k 2 --format json --out new.json").ok();
    place.grease("verify --model model new.json").ok();
    place.write("some.txt", "jam\nsalt\nsoap\n");
    let bounded = "explain --model model --user ada -k 1 --candidates some.txt --format json --out b.json";
    place.grease(bounded).ok();
    place.grease("verify --model model b.json --candidates some.txt").ok();
}

#[test]
fn what_was_changed_by_hand_does_not() {
    let place = explained();
    let cited = "\"change\":\"removed\",\"user\":\"ada\",\"item\":\"tea\"";
    assert!(stored(&place).contains(cited), "{}", stored(&place));
    place.write("why.jsonl", stored(&place).replace(cited, &cited.replace("tea", "cake")));
    assert_snapshot!("verify_flipped_edge", place.grease("verify --model model why.jsonl").whole());
    place.write("why.jsonl", stored(&place).replace("\"item\":\"milk\"", "\"item\":\"beer\""));
    assert_snapshot!("verify_unknown_item", place.grease("verify --model model why.jsonl").whole());
}

#[test]
fn another_model_is_noticed() {
    let (place, other) = (explained(), Place::with_music());
    other.grease("train --interactions music --epochs 1 --out m").ok();
    let line = format!("verify --model m {}", place.path("why.jsonl").display());
    let ran = other.grease(&line);
    assert_eq!(ran.code, 6, "{}", ran.whole());
    assert!(ran.stderr.contains("another model") && ran.stderr.contains("other data"), "{}", ran.whole());
    assert!(ran.stdout.contains("the model knows no item 'jam'"), "{}", ran.whole());
}

#[test]
fn others_can_be_checked_again_only_by_their_ids() {
    let place = Place::with_music();
    place.grease("train --interactions music --epochs 30 --batch 256 --learning-rate 0.01 --loss bpr --dim 16 --out m").ok();
    let explain =
        "explain --model m --user mira -k 5 --scope target --goal factual --method random --format jsonl";
    place.grease(&format!("{explain} --out hidden.jsonl")).ok();
    let hidden = place.grease("verify --model m hidden.jsonl");
    assert_eq!(hidden.code, 6, "{}", hidden.whole());
    assert!(hidden.stdout.contains("is a pseudonym; store explanations with --show-user-ids"));
    place.grease(&format!("{explain} --show-user-ids --out shown.jsonl")).ok();
    place.grease("verify --model m shown.jsonl").ok();
}

#[test]
fn damaged_files_are_refused_with_the_line() {
    let place = explained();
    let whole = stored(&place);
    let refused = |name: &str, text: &str| {
        place.write("why.jsonl", text);
        let ran = place.grease("verify --model model why.jsonl");
        assert_eq!(ran.code, 3, "{}", ran.whole());
        assert_snapshot!(format!("verify_{name}"), ran.stderr);
    };
    let start = whole.find('\n').unwrap();
    refused("cut_off", &whole[..start + 100]);
    refused("not_json", "user,item\n");
    refused("empty", "");
    refused("other_schema", &whole.replace("explanation/2", "explanation/3"));
    assert_eq!(place.grease("verify --model model nowhere.jsonl").code, 3);
}
