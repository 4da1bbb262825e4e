//! `grease explain`

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Place, Ran};
use grease_testing::Schema;

/// With margins cut to what is the same on every machine.
fn settled(ran: &Ran) -> String {
    let cut = |line: &str| match line.split_once("\"margin_") {
        Some((_, rest)) => {
            let (name, number) = rest.split_once(": ").unwrap();
            match number.trim_end_matches(',').parse::<f64>() {
                Ok(number) => format!("    \"margin_{name}: {number:.3},"),
                Err(_) => line.to_owned(),
            }
        }
        None if line.contains("\"model\"") || line.contains("\"data\"") => {
            format!("{}[HASH]\",", &line[..line.find(": \"").unwrap() + 3])
        }
        None => line.to_owned(),
    };
    ran.whole().lines().map(|line| cut(line) + "\n").collect()
}

/// The records, each judged by the schema.
fn records(ran: Ran) -> Vec<Value> {
    let text = ran.ok();
    let records: Vec<Value> = if text.starts_with('[') {
        serde_json::from_str(&text).unwrap()
    } else {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let validator = Schema::of_explanations();
    for record in &records {
        assert_eq!(validator.judge(record), Ok(()));
    }
    records
}

/// A trained model `m` with enough people to say something about.
fn trained() -> Place {
    let place = Place::with_music();
    place.grease("train --interactions music --epochs 30 --batch 256 --learning-rate 0.01 --loss bpr --dim 16 --out m").ok();
    place
}

#[test]
fn every_form() {
    let place = Place::with_tastes();
    let ask = |line: &str| place.grease(&format!("explain --model model {line}"));
    assert_snapshot!("explain_text", ask("--user ada -k 2").whole());
    assert_snapshot!("explain_several_text", ask("--user ada --user bob -k 1 --goal counterfactual").whole());
    assert_snapshot!("explain_json", settled(&ask("--user ada --item milk -k 2 --format json")));
    assert_snapshot!(
        "explain_words",
        ask("--user ada -k 1 --goal factual --did drank --person soul").whole()
    );
    assert_snapshot!("explain_newcomer", ask("--history cake,tea -k 2 --goal factual").whole());
    assert_snapshot!("explain_without_history", ask("--user nobody -k 2").whole());

    let svg = ask("--user ada --item milk -k 2 --goal counterfactual --format svg").ok();
    assert!(svg.starts_with("<svg") && svg.contains("Milk, whole") && svg.ends_with("</svg>\n"), "{svg}");
    let html = ask("--user ada -k 2 --format html").ok();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("2 things for ada, and why"), "{html}");

    let array = records(ask("--user ada -k 2 --format json"));
    assert_eq!(array, records(ask("--user ada --top -k 2 --format jsonl")));
    assert_eq!(array.len(), 4);
    ask("--user ada -k 2 --format jsonl --out why.jsonl").ok();
    let written = std::fs::read_to_string(place.path("why.jsonl")).unwrap();
    assert_eq!(written, ask("--user ada -k 2 --format jsonl").ok());
}

#[test]
fn any_number_of_threads_gives_the_same_bytes_and_the_schema_fits() {
    let place = trained();
    let ask = |line: &str| {
        let [one, two] = ["1", "2"].map(|threads| {
            place.grease(&format!("explain --model m --people 12 -k 5 {line} --threads {threads}"))
        });
        assert_eq!(one.stdout, two.stdout, "{line}");
        one
    };
    ask("--format text").ok();
    let explained = records(ask("--format jsonl"));
    assert_eq!(explained.len(), 12 * 5 * 2);
    assert_eq!(explained, records(ask("--format json")));
    let mut users: Vec<&str> = explained.iter().map(|r| r["user"].as_str().unwrap()).collect();
    users.dedup();
    assert_eq!(users.len(), 12, "all of a person together");
    records(ask("--format jsonl --scope target --profile kept --max-edges all --alternatives 1"));
    records(ask("--format jsonl --method random --seed 5 --goal factual --queries 5"));
    let other = records(ask("--format jsonl --seed 9"));
    assert_ne!(explained[0]["user"], other[0]["user"], "another seed, other people");
}

#[test]
fn with_scope_own_nobody_else_appears() {
    let place = trained();
    let users = String::from_utf8(place.files("m")["users.tsv"].clone()).unwrap();
    let others: Vec<&str> = users
        .lines()
        .skip(1)
        .map(|line| line.split('\t').nth(1).unwrap())
        .filter(|id| *id != "mira")
        .collect();
    assert!(others.len() > 50);
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_owned).collect()
    };
    for form in ["text", "json", "jsonl", "html", "svg"] {
        let what = if form == "svg" { "-k 1 --goal factual" } else { "-k 5" };
        let said = place.grease(&format!("explain --model m --user mira {what} --format {form}")).ok();
        let said = words(&said);
        assert!(others.iter().all(|other| !said.iter().any(|word| word == other)), "{form}");
    }
    // With wider scopes others have pseudonyms, unless their ids are asked for.
    let wide =
        "explain --model m --user mira -k 5 --scope target --goal factual --method random --format jsonl";
    let named = |ran: Ran| -> Vec<String> {
        let edges = records(ran).into_iter().flat_map(|r| r["edges"].as_array().unwrap().clone());
        let users = edges.map(|edge| edge["user"].as_str().unwrap().to_owned());
        users.filter(|user| user != "mira").collect()
    };
    let hidden = named(place.grease(wide));
    assert!(!hidden.is_empty() && hidden.iter().all(|user| user.starts_with("other-")), "{hidden:?}");
    let shown = named(place.grease(&format!("{wide} --show-user-ids")));
    assert!(shown.iter().all(|user| others.contains(&user.as_str())), "{shown:?}");
}

#[test]
fn what_must_not_be_cited_is_not() {
    let place = trained();
    let line = "explain --model m --user mira -k 5 --format jsonl";
    let before = records(place.grease(line));
    let cited = |records: &[Value]| -> Vec<String> {
        let edges = records.iter().flat_map(|r| r["edges"].as_array().unwrap());
        let instead = records.iter().filter_map(|r| r["replaced_by"].as_str().map(str::to_owned));
        edges.map(|edge| edge["item"].as_str().unwrap().to_owned()).chain(instead).collect()
    };
    let secret = cited(&before);
    place.write("secret.txt", secret.join("\n"));
    let after = cited(&records(place.grease(&format!("{line} --never-cite secret.txt"))));
    assert!(!secret.is_empty() && after.iter().all(|item| !secret.contains(item)), "{after:?}");
}

#[test]
fn candidates_bound_the_list_that_is_explained() {
    let place = Place::with_tastes();
    place.write("some.txt", "jam\nsalt\nsoap\n");
    let bounded = records(place.grease(
        "explain --model model --user ada -k 1 --candidates some.txt --format json --goal counterfactual",
    ));
    assert_eq!((bounded.len(), &bounded[0]["item"]), (1, &"jam".into()));
}

#[test]
fn files_of_users_name_each_once() {
    let place = Place::with_tastes();
    place.write("people.txt", "bob\tanything\n\nada\nbob\n");
    let explained = records(place.grease("explain --model model --users people.txt -k 1 --format jsonl"));
    let users: Vec<&Value> = explained.iter().map(|r| &r["user"]).collect();
    assert_eq!(users, ["bob", "bob", "ada", "ada"]);
}

#[test]
fn an_item_that_is_missing_is_explained_and_checked_alike() {
    let place = trained();
    let list = place.grease("recommend --model m --user mira -k 7 --format json").json();
    let missing = list["recommendations"][6]["item"].as_str().unwrap().to_owned();
    let line =
        format!("explain --model m --user mira -k 5 --why-not {missing} --format jsonl --out why.jsonl");
    place.grease(&line).ok();
    let explained = records(place.grease(&line.replace(" --out why.jsonl", "")));
    assert_eq!((explained.len(), &explained[0]["goal"]), (1, &"why_not".into()));
    place.grease("verify --model m why.jsonl").ok();
}

#[test]
fn of_several_people_those_whom_it_fits_are_answered() {
    let place = Place::with_tastes();
    let ran = place.grease("explain --model model --user ada --user bob --item milk -k 2 --format jsonl");
    assert!(ran.stderr.contains("note: Milk, whole is never recommended to bob"), "{}", ran.whole());
    assert!(records(ran).iter().all(|record| record["user"] == "ada"));
}

#[test]
fn what_does_not_fit_is_said() {
    let place = Place::with_tastes();
    let refused = |name: &str, line: &str, code: i32| {
        let ran = place.grease(&format!("explain --model model {line}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{}", ran.whole());
        assert_snapshot!(format!("refused_{name}"), ran.stderr);
    };
    refused("nobody_named", "", 2);
    refused("two_ways_of_naming", "--user ada --people 3", 2);
    refused("unknown_user", "--user adda", 5);
    refused("unknown_item", "--user ada --item mlk", 5);
    refused("not_on_the_list", "--user ada --item soap -k 2", 2);
    refused("on_the_list_already", "--user ada --why-not milk -k 2", 2);
    refused("in_the_history", "--user ada --item tea -k 2", 2);
    refused("list_longer_than_the_catalogue", "--user ada -k 7", 2);
    refused("factual_hops", "--user ada -k 2 --scope hops", 2);
    refused("several_pictures", "--user ada -k 2 --format svg", 2);
    refused("several_pages", "--user ada --user bob -k 2 --format html", 2);
    refused("unknown_method", "--user ada --method guess", 2);
    refused("max_edges", "--user ada --max-edges none", 2);
    refused("empty_history", "--history ,", 2);
    place.write("people.txt", "ada\n\nadda\n");
    refused("unknown_user_in_a_file", "--users people.txt", 5);
    place.write("people.txt", "\n");
    refused("empty_file_of_users", "--users people.txt", 3);
    refused("missing_file_of_users", "--users nowhere.txt", 3);
    place.write("why.txt", "precious");
    refused("file_is_there", "--user ada -k 2 --out why.txt", 2);
    place.grease("explain --model model --user ada -k 2 --out why.txt --force").ok();
    place.write("model/train.tsv", "user\titem\nada\ttea\n");
    refused("damaged_model", "--user ada", 4);
}

#[test]
fn a_log_says_how_the_model_answered() {
    let place = trained();
    let said = |line: &str| place.grease(line).stderr;
    let line = "explain --model m --people 1 -k 3";
    let log = said(&format!("-v {line}"));
    assert!(log.contains("answers: ") && log.contains(" by the whole graph"), "{log}");
    assert!(!said(line).contains("answers: "), "only where somebody wants to know");
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_whole_lines() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};

    let place = trained();
    let line = "explain --model m --people 80 -k 10 --method exact --max-edges all --format jsonl";
    let mut child =
        place.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("grease runs");
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted after "), "{said}");
    for line in format!("{first}{rest}").lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

#[test]
fn the_papers_method_refuses_what_it_cannot_be_run_with() {
    let place = Place::with_tastes();
    let line = "explain --model model --user ada -k 2 --method paper";
    place.grease(&format!("{line} --paper-fit list --paper-steps 5")).ok();
    for (flag, said) in [
        ("--paper-steps 0", "method paper: the number of steps M must be from 1 to 100000, and is 0"),
        ("--paper-eta=-0.5", "method paper: the step length eta must be a number above 0, and is -0.5"),
        (
            "--paper-epsilon nan",
            "method paper: the hinge width epsilon must be a number of at least 0, and is NaN",
        ),
    ] {
        let refused = place.grease(&format!("{line} {flag}"));
        assert_eq!(refused.code, 2, "{}", refused.whole());
        assert!(refused.stderr.contains(said), "{}", refused.whole());
    }
}

#[test]
fn a_whole_list() {
    let place = trained();
    assert_snapshot!(place.grease("explain --model m --user mira -k 5 --list --share 0.2").whole());
    let told = place.grease("explain --model m --people 3 -k 5 --list --share 0.2 --format jsonl").ok();
    let lists: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lists.len(), 3);
    let validator = Schema::of_lists();
    for list in &lists {
        assert_eq!(validator.judge(list), Ok(()));
        assert!(list["status"] == "not_found" || list["changed"].as_f64().unwrap() >= 0.2, "{list}");
    }
    let svg = place.grease("explain --model m --user mira -k 5 --list --share 0.2 --format svg").ok();
    assert!(svg.starts_with("<svg") && svg.contains("without them"));
    for wrong in [
        "--share 0.5",
        "--list --goal factual",
        "--list --share 0",
        "--list --format html",
        "--list --scope target",
    ] {
        let ran = place.grease(&format!("explain --model m --user mira {wrong}"));
        assert_eq!(ran.code, 2, "{wrong}: {}", ran.whole());
    }
}
