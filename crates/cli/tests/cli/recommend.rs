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

#[test]
fn everybodys_lists_go_into_a_file() {
    let place = Place::with_model();
    place.write("people.txt", "bob\nnobody knows\nada\nbob\n");
    let ask = |line: &str| place.grease(&format!("recommend --model model -k 2 {line}"));
    assert_snapshot!("recommend_many", ask("--users people.txt --out lists.jsonl").whole());
    let lines = std::fs::read_to_string(place.path("lists.jsonl")).unwrap();
    assert_snapshot!("recommend_many_lines", lines);
    ask("--users all --out lists.parquet").ok();
    let rows = grease::TableReader::<grease::Place>::open(&place.path("lists.parquet")).unwrap();
    let read: Vec<String> = rows.map(|row| serde_json::to_string(&row.unwrap()).unwrap()).collect();
    ask("--users all --out all.jsonl").ok();
    let lines = std::fs::read_to_string(place.path("all.jsonl")).unwrap();
    assert_eq!(lines.lines().collect::<Vec<_>>(), read);
    assert_snapshot!("recommend_many_again", ask("--users all --out all.jsonl --resume").whole());
    for part in 1..=2 {
        ask(&format!("--users all --out part-{part}.parquet --shard {part}/2")).ok();
    }
    let merged = place.grease("merge part-2.parquet part-1.parquet --out merged.parquet");
    assert_snapshot!("recommend_many_merged", merged.whole());
    let read = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert!(read("merged.parquet") == read("lists.parquet"));
}

#[test]
fn what_belongs_to_files_and_what_to_the_terminal_is_told_apart() {
    let place = Place::with_model();
    for line in [
        "--users all",
        "--user ada --out lists.parquet",
        "--user ada --resume",
        "--users all --out lists.csv",
        "--users all --out lists.parquet --format json",
        "--users all --user ada --out lists.parquet",
    ] {
        let ran = place.grease(&format!("recommend --model model {line}"));
        assert_eq!(ran.code, 2, "{line}: {}", ran.whole());
    }
    assert!(!place.path("lists.parquet").exists());
}
