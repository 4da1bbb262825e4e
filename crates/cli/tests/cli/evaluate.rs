//! `grease evaluate`

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::Place;

/// A trained model `m` with enough people for a run to be ended on the way.
fn trained() -> Place {
    let place = Place::with_music();
    place.grease("train --interactions music --epochs 10 --batch 256 --learning-rate 0.01 --loss bpr --dim 16 --out m").ok();
    place
}

/// All that two runs have in common: everything but times and how it came about.
fn results(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = place.files(folder);
    files.retain(|name, _| !["times.json", "units.jsonl", "lock"].contains(&name.as_str()));
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["report.html", "report.md", "results.json", "results.parquet", "run.json"]);
    files
}

fn units(place: &Place, folder: &str) -> usize {
    let units = std::fs::read(place.path(folder).join("units.jsonl")).unwrap_or_default();
    units.iter().filter(|byte| **byte == b'\n').count()
}

fn begin(place: &Place, line: &str) -> Child {
    place.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

const SOME: &str = "evaluate --model m -k 3,4 --people 12 --repeats 3 --methods grease,random,leave-one-out";

#[test]
fn killed_anywhere_and_resumed_it_has_the_same_results() {
    let place = trained();
    let begun = Instant::now();
    place.grease(&format!("{SOME} --out whole --threads 1")).ok();
    let took = begun.elapsed();
    let whole = results(&place, "whole");
    place.grease(&format!("{SOME} --out two --threads 2")).ok();
    assert!(results(&place, "two") == whole, "threads make no difference");

    let mut killed = 0;
    for people in [1, 9, 20, 30] {
        let mut child = begin(&place, &format!("{SOME} --out a --resume --threads 2"));
        let begun = Instant::now();
        while units(&place, "a") < people && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
    }
    // At moments that are nobody's choice, counting and writing among them.
    for part in [0.05, 0.3, 0.5, 0.6] {
        let mut child = begin(&place, &format!("{SOME} --out b --resume"));
        std::thread::sleep(took.mul_f64(part));
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
    }
    assert!(killed >= 4, "only {killed} runs were killed");
    for folder in ["a", "b"] {
        place.grease(&format!("{SOME} --out {folder} --resume")).ok();
        let again = results(&place, folder);
        for (name, bytes) in &whole {
            assert!(again[name] == *bytes, "{folder}/{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let place = trained();
    let line = format!("{SOME} --out a");
    let mut child = place.command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while units(&place, "a") < 3 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!place.path("a").join("results.json").exists());
    assert_snapshot!("evaluate_not_finished", place.grease(&line).whole());
    assert_snapshot!("evaluate_other_settings", place.grease(&format!("{line} --seed 2 --resume")).whole());
    let resumed = place.grease(&format!("{line} --resume"));
    assert!(resumed.stderr.starts_with("going on after "), "{}", resumed.whole());
    resumed.ok();
}

/// A model `m` of people who did so much that the ceiling of one of them takes minutes.
fn long_histories() -> Place {
    let place = Place::new();
    let mut lines = "user\titem\n".to_owned();
    for user in 0..40 {
        for at in 0..220 {
            lines.push_str(&format!("u{user}\ti{}\n", (user * 11 + at * (1 + user % 3)) % 700));
        }
    }
    place.write("long.tsv", lines);
    place.grease("train --interactions long.tsv --epochs 3 --batch 1024 --learning-rate 0.01 --loss bpr --dim 8 --out m").ok();
    place
}

#[cfg(unix)]
#[test]
fn ctrl_c_does_not_wait_for_the_person_under_way() {
    let place = long_histories();
    for methods in ["exact", "paper,grease"] {
        let line = format!("evaluate --model m --people 4 --repeats 1 --methods {methods} --out {methods}");
        let child = place.command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(2));
        let (pid, asked) = (child.id().to_string(), Instant::now());
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}: {said}", asked.elapsed());
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("of 4 people\n help: the same again with --resume goes on"), "{said}");
        assert!(!place.path(methods).join("results.json").exists());
        let other = place.grease(&format!("{line} --seed 2 --resume"));
        assert_eq!(other.code, 2, "the journal is whole, and of other settings: {}", other.whole());
    }
}

#[test]
fn a_first_look_at_long_histories_says_what_it_leaves_out() {
    let place = long_histories();
    let ran = place.grease("evaluate --model m --people 1 --repeats 1 -k 2 --out e");
    assert!(ran.stderr.contains("leaves out the methods paper and exact"), "{}", ran.whole());
    let stdout = ran.ok();
    let results: Value =
        serde_json::from_slice(&std::fs::read(place.path("e/results.json")).unwrap()).unwrap();
    let command = results["command"].as_str().unwrap();
    assert!(command.contains("--fewer @paper=5 --fewer paper=0 --fewer exact=0"), "{command}");
    let report = std::fs::read_to_string(place.path("e/report.md")).unwrap();
    assert!(report.contains("paper and exact look at none"), "{report}");
    let again = place.grease(&format!("{} --out f", command.strip_prefix("grease ").unwrap()));
    assert_eq!(again.stdout, stdout, "the command in the results repeats them");
    assert!(!again.stderr.contains("leaves out"), "who says --fewer decides: {}", again.whole());
    assert!(place.files("e")["results.json"] == place.files("f")["results.json"]);
}

/// A model whose scores are exact on every machine.
#[test]
fn what_people_see() {
    let place = Place::with_tastes();
    let ran = place.grease(
        "evaluate --model tastes=model --out e -k 2 --people 3 --repeats 2 --methods grease,random,exact",
    );
    assert_snapshot!("evaluate", ran.whole());
    let results: Value =
        serde_json::from_slice(&std::fs::read(place.path("e/results.json")).unwrap()).unwrap();
    let command = results["command"].as_str().unwrap();
    assert_eq!(
        command,
        "grease evaluate --model tastes=model -k 2 --methods grease,random,exact --tables paper,own --people 3 --repeats 2 --seed 1"
    );
    let again = place.grease(&format!("{} --out f", command.strip_prefix("grease ").unwrap()));
    assert_eq!(again.stdout, ran.stdout, "the command in the results repeats them");
    for name in ["results.json", "results.parquet", "report.md", "report.html"] {
        let read = |folder: &str| std::fs::read(place.path(folder).join(name)).unwrap();
        assert!(read("e") == read("f"), "{name}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_said_before_anything_is_done() {
    let place = Place::with_tastes();
    let lines = [
        "evaluate --model nowhere --out e",
        "evaluate --model model --out e -k 7",
        "evaluate --model model --out e --share 1.5",
        "evaluate --model model --out e --fewer exakt=1",
        "evaluate --model model --out e --tables mine",
        "evaluate --model model --out e --resume --force",
        "evaluate --model model --out model/model.json -k 2",
        "evaluate --model model --out e -k 2 --paper-steps 0",
        "evaluate --model model --out e -k 2 --paper-eta nan",
        "evaluate --model model --out e -k 2 --paper-beta=-1",
        "evaluate --model model --out e -k 2 --paper-features onehot",
    ];
    let said: Vec<String> =
        lines.iter().map(|line| format!("$ grease {line}\n{}", place.grease(line).whole())).collect();
    assert_snapshot!("evaluate_refused", said.join("\n"));
    assert!(!place.path("e").exists());
}

#[test]
fn the_papers_method_is_run_as_it_is_told() {
    let place = Place::with_tastes();
    let flags = "--paper-fit list --paper-features random --paper-fit-steps 20 --paper-anchored";
    let line = format!(
        "evaluate --model model -k 2 --methods paper --tables paper --people 3 --repeats 1 {flags} --out e"
    );
    place.grease(&line).ok();
    let read = |name: &str| -> Value {
        serde_json::from_slice(&std::fs::read(place.path("e").join(name)).unwrap()).unwrap()
    };
    let results = read("results.json");
    assert!(results["command"].as_str().unwrap().ends_with(flags), "{}", results["command"]);
    let kept = &results["settings"]["paper"];
    assert_eq!((&kept["fit"], &kept["fit_steps"], &kept["steps"]), (&"list".into(), &20.into(), &200.into()));
    assert!(read("run.json").to_string().contains(&kept.to_string()), "a run is told from another by it");
    let other = place.grease(&format!("{line} --resume --paper-steps 3"));
    assert_eq!(other.code, 2, "{}", other.whole());
}

#[test]
fn the_audit_is_made_once() {
    let place = trained();
    let line = "evaluate --model m -k 3 --people 2 --repeats 1 --methods grease --tables own --audit retrain --audit-people 40 --out e";
    place.grease(line).ok();
    let audited = |place: &Place| -> Value {
        serde_json::from_slice::<Value>(&std::fs::read(place.path("e/results.json")).unwrap()).unwrap()["models"][0]
            ["audit"]
            .clone()
    };
    let first = audited(&place);
    assert_eq!(first["reproduced"], Value::Bool(true));
    let made = std::fs::metadata(place.path("e/audit-1.json")).unwrap().modified().unwrap();
    place.grease(&format!("{line} --resume")).ok();
    assert_eq!(audited(&place), first);
    assert_eq!(std::fs::metadata(place.path("e/audit-1.json")).unwrap().modified().unwrap(), made);
}

#[test]
fn an_audit_calibrates_the_model_and_explanations_say_so() {
    let place = trained();
    let line = "evaluate --model m -k 3 --people 1 --repeats 1 --methods grease --tables own --audit retrain --audit-people 80 --audit-seeds 3 --audit-firm 1,2 --out e";
    let ran = place.grease(line);
    assert!(ran.stderr.contains("calibration.json says how often explanations hold"), "{}", ran.stderr);
    assert!(ran.stdout.contains("people who lost nothing"), "{}", ran.stdout);
    let read =
        |name: &str| -> Value { serde_json::from_slice(&std::fs::read(place.path(name)).unwrap()).unwrap() };
    let found = read("m/calibration.json");
    assert_eq!((&found["schema"], &found["k"]), (&"grease.calibration/1".into(), &3.into()));
    assert_eq!(read("e/results.json")["models"][0]["audit"]["calibration"], found);

    let explain = "explain --model m --user mira -k 3 --goal counterfactual --format json";
    place.grease(&format!("{explain} --out told.json")).ok();
    let promised = |records: &Value| {
        let has = |record: &&Value| record["holds_when_retrained"]["share"].is_number();
        records.as_array().unwrap().iter().filter(has).count()
    };
    let records = read("told.json");
    assert!(promised(&records) > 0, "{records}");
    assert!(records.to_string().contains("Trained again without"));
    place.grease("verify --model m told.json").ok();

    // With another one beside it, explanations go on without.
    let other = std::fs::read_to_string(place.path("m/calibration.json")).unwrap();
    let other = other.replace(found["model"].as_str().unwrap(), "another");
    std::fs::write(place.path("m/calibration.json"), other).unwrap();
    let told = place.grease(&format!("{explain} --out without.json"));
    assert_eq!(told.code, 0);
    assert!(
        told.stderr.contains("warning: m/calibration.json: it was measured on another model"),
        "{}",
        told.stderr
    );
    assert_eq!(promised(&read("without.json")), 0);
    place.grease("verify --model m told.json").ok();
}
