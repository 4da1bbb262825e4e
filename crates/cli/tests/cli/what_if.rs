//! `grease what-if`

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Place, Ran};

fn ask(place: &Place, line: &str) -> Ran {
    place.grease(&format!("what-if --model model {line}"))
}

/// The ids of one of the two lists.
fn ids<'a>(lists: &'a Value, which: &str) -> Vec<&'a str> {
    let listed = lists[which].as_array().unwrap().iter();
    listed.map(|moved| moved["item"].as_str().unwrap()).collect()
}

#[test]
fn says_what_moves_comes_and_goes() {
    let place = Place::with_tastes();
    let ask = |line: &str| ask(&place, line).whole();
    assert_snapshot!("what_if_removed", ask("--user ada --remove cake -k 2"));
    assert_snapshot!("what_if_added", ask("--user ada --add Jam -k 3"));
    assert_snapshot!("what_if_both", ask("--user cyd --remove cake --remove jam --add milk -k 2"));
    assert_snapshot!("what_if_newcomer", ask("--history tea,cake --remove cake --add soap -k 2"));
    assert_snapshot!("what_if_without_history", ask("--user nobody --add tea -k 1"));
    assert_snapshot!("what_if_everything_there_is", ask("--user ada --add milk --add milk -k 99"));
}

#[test]
fn without_layers_nothing_moves() {
    // Scores that hang on nothing but what was learned are the same on every machine.
    let place = Place::with_model();
    assert_snapshot!("what_if_nothing_changes", ask(&place, "--user ada --remove tea -k 3").whole());
    assert_snapshot!("what_if_json", ask(&place, "--user ada --add cake -k 2 --format json").whole());
}

#[test]
fn the_list_as_it_is_is_the_recommended_one() {
    let place = Place::with_tastes();
    place.write("some.txt", "milk\njam\nsalt\n");
    place.write("less.txt", "salt\n");
    for whose in ["--user ada", "--history tea,cake", "--user ada --candidates some.txt --exclude less.txt"] {
        let line = format!("{whose} -k 3 --format json");
        let lists = ask(&place, &format!("--remove tea {line}")).json();
        let list = place.grease(&format!("recommend --model model {line}")).json();
        let before = lists["before"].as_array().unwrap();
        let recommended = list["recommendations"].as_array().unwrap();
        assert_eq!(before.len(), recommended.len(), "{whose}");
        for (moved, listed) in before.iter().zip(recommended) {
            assert_eq!(moved["item"], listed["item"], "{whose}");
            assert_eq!(moved["title"], listed["title"], "{whose}");
            assert_eq!(moved["rank_before"], listed["rank"], "{whose}");
            assert_eq!(moved["score_before"], listed["score"], "{whose}");
        }
    }
}

#[test]
fn the_list_as_it_would_be_is_that_of_somebody_with_that_history() {
    let place = Place::with_tastes();
    let lists = ask(&place, "--history tea,cake --add jam -k 3 --format json").json();
    let list = place.grease("recommend --model model --history tea,cake,jam -k 3 --format json").json();
    for (moved, listed) in
        lists["after"].as_array().unwrap().iter().zip(list["recommendations"].as_array().unwrap())
    {
        assert_eq!((&moved["item"], &moved["rank_after"]), (&listed["item"], &listed["rank"]));
        assert_eq!(moved["score_after"], listed["score"]);
    }
}

#[test]
fn candidates_bound_both_lists() {
    let place = Place::with_tastes();
    place.write("some.txt", "milk\tanything\n\njam\nsalt\nbread\n");
    place.write("less.txt", "salt\n");
    let line = "--user ada --remove tea --candidates some.txt --exclude less.txt";
    assert_snapshot!("what_if_bounded", ask(&place, line).whole());
    let lists = ask(&place, &format!("{line} --format json")).json();
    for which in ["before", "after"] {
        let mut ids = ids(&lists, which);
        ids.sort_unstable();
        assert_eq!(ids, ["jam", "milk"], "{which}");
    }
}

#[test]
fn what_cannot_be_imagined_is_refused() {
    let place = Place::with_tastes();
    let refused = |name: &str, line: &str, code: i32| {
        let ran = ask(&place, line);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{}", ran.whole());
        assert_snapshot!(name, ran.whole());
    };
    refused("what_if_unknown_user", "--user adda --remove tea", 5);
    refused("what_if_unknown_item_removed", "--user ada --remove te", 5);
    refused("what_if_unknown_item_added", "--user ada --add sope", 5);
    refused("what_if_unknown_item_in_history", "--history te --add soap", 5);
    refused("what_if_nothing_left", "--history tea --remove tea", 2);
    refused("what_if_not_in_the_history", "--user ada --remove milk", 2);
    refused("what_if_in_the_history", "--user ada --add tea", 2);
    refused("what_if_nothing_imagined", "--user ada", 2);
    refused("what_if_nobody_named", "--remove tea", 2);
}
