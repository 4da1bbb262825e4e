//! `grease recommend`

use insta::assert_snapshot;

use crate::support::Place;

#[test]
fn lists_in_every_format() {
    let place = Place::with_model();
    let ask = |line: &str| place.grease(&format!("recommend --model model {line}")).whole();
    assert_snapshot!("recommend_text", ask("--user ada -k 3"));
    assert_snapshot!("recommend_json", ask("--user ada -k 2 --format json"));
    assert_snapshot!("recommend_several_text", ask("--user ada --user bob -k 2"));
    assert_snapshot!("recommend_several_json", ask("--user ada --user bob -k 1 --format json"));
    assert_snapshot!("recommend_csv", ask("--user ada --user bob -k 2 --format csv"));
    assert_snapshot!("recommend_everything_there_is", ask("--user ada -k 99999999999999"));
    assert_snapshot!("recommend_without_history", ask("--user nobody -k 1"));
}

#[test]
fn candidates_and_exclusions_bound_the_list() {
    let place = Place::with_model();
    place.write("some.txt", "milk\tanything\n\ncake\nTea\nbread\n");
    place.write("less.txt", "\"Cake\"\n");
    let ran = place.grease("recommend --model model --user ada --candidates some.txt --exclude less.txt");
    assert_snapshot!("recommend_bounded", ran.whole());
}

#[test]
fn a_newcomer_is_served_by_their_history() {
    let place = Place::with_music();
    place.grease("train --interactions music --epochs 20 --batch 256 --learning-rate 0.01 --out m").ok();
    let of = |line: &str| place.grease(&format!("recommend --model m --format json {line}")).json();
    let list = place.grease("recommend --model m --user mira -k 2 --format json").json();
    let items: Vec<&str> = (0..2).map(|at| list["recommendations"][at]["item"].as_str().unwrap()).collect();
    let newcomer = of(&format!("-k 3 --history {}", items.join(",")));
    assert!(newcomer["user"].is_null());
    for at in 0..3 {
        let item = &newcomer["recommendations"][at]["item"];
        assert!(!items.contains(&item.as_str().unwrap()), "what they bring is not recommended");
    }
    // By title, which may have spaces.
    let title = list["recommendations"][0]["title"].as_str().unwrap();
    let mut command = place.command("recommend --model m --format json -k 3 --history");
    command.arg(format!("{title}, {}", items[1]));
    assert_eq!(place.finish(command).json(), newcomer);
}

#[test]
fn titles_with_commas_are_named_alone_or_in_quotes() {
    let place = Place::with_tastes();
    let of = |history: &[&str]| {
        let mut command = place.command("recommend --model model --format json -k 2");
        for value in history {
            command.args(["--history", value]);
        }
        place.finish(command).json()
    };
    let expected = of(&["milk,tea"]);
    assert_eq!(of(&["Milk, whole", "Tea"]), expected);
    assert_eq!(of(&["\"Milk, whole\",Tea"]), expected);
    assert_eq!(of(&["TEA", "milk, WHOLE"]), expected, "case does not matter");
    assert_eq!(of(&["tea", "\"Milk, whole\", tea"]), expected);
}
