//! `grease batch`

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use grease::{Row, TableReader};
use insta::assert_snapshot;

use crate::support::Place;

/// A trained model `m` with enough people for a run to be ended on the way.
fn trained() -> Place {
    let place = Place::with_music();
    place.grease("train --interactions music --epochs 10 --batch 256 --learning-rate 0.01 --loss bpr --dim 16 --out m").ok();
    place
}

fn read(place: &Place, name: &str) -> Vec<u8> {
    std::fs::read(place.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn rows(place: &Place, name: &str) -> Vec<Row> {
    TableReader::open(&place.path(name)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// What is in the folder besides the model and the data.
fn files(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(".")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| !["m", "model", "music"].contains(&name.as_str())).collect();
    names.sort();
    names
}

fn begin(place: &Place, line: &str) -> Child {
    let mut command = place.command(line);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the run has so many people on disk, or is over.
fn wait_for(child: &mut Child, place: &Place, run: &str, people: usize) {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(60) {
        let units = std::fs::read(place.path(run).join("units.jsonl")).unwrap_or_default();
        if units.iter().filter(|byte| **byte == b'\n').count() >= people {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

const ALL: &str = "batch --model m --users all -k 4";

#[test]
fn killed_anywhere_and_resumed_it_is_the_same_file() {
    let place = trained();
    let begun = Instant::now();
    place.grease(&format!("{ALL} --out whole.parquet --threads 1")).ok();
    let took = begun.elapsed();
    let whole = read(&place, "whole.parquet");
    place.grease(&format!("{ALL} --out two.parquet --threads 2")).ok();
    assert!(read(&place, "two.parquet") == whole, "threads make no difference");

    // After some people, and then at moments that are nobody's choice, writing the result among them.
    let mut killed = 0;
    let mut kill = |child: &mut Child| {
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
    };
    for people in [1, 2, 17, 40, 60] {
        let mut child = begin(&place, &format!("{ALL} --out a.parquet --resume --threads 2"));
        wait_for(&mut child, &place, "a.parquet.run", people);
        kill(&mut child);
    }
    for part in [0.1, 0.45, 0.9, 1.0] {
        let mut child = begin(&place, &format!("{ALL} --out b.parquet --resume"));
        std::thread::sleep(took.mul_f64(part / 2.0));
        kill(&mut child);
    }
    assert!(killed >= 3, "only {killed} runs were killed");
    for name in ["a.parquet", "b.parquet"] {
        // The last may have come to its end before it was killed.
        place.grease(&format!("{ALL} --out {name} --resume")).ok();
    }
    for name in ["a.parquet", "b.parquet"] {
        assert!(read(&place, name) == whole, "{name}");
    }
    assert_eq!(files(&place), ["a.parquet", "b.parquet", "two.parquet", "whole.parquet"], "no litter");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let place = trained();
    let mut child = place.command(&format!("{ALL} --out a.jsonl --alternatives 3"));
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&mut child, &place, "a.jsonl.run", 3);
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("error: interrupted after "), "{stderr}");
    assert!(stderr.contains("help: the same again with --resume goes on"), "{stderr}");
    assert!(!place.path("a.jsonl").exists());

    let again = place.grease(&format!("{ALL} --out a.jsonl --alternatives 3"));
    assert_snapshot!("batch_not_finished", again.whole());
    let other = place.grease(&format!("{ALL} --out a.jsonl --resume"));
    assert_snapshot!("batch_other_settings", other.whole());
    let resumed = place.grease(&format!("{ALL} --out a.jsonl --alternatives 3 --resume"));
    assert!(resumed.stderr.starts_with("going on after "), "{}", resumed.whole());
    resumed.ok();
    place.grease(&format!("{ALL} --out b.jsonl --alternatives 3")).ok();
    assert!(read(&place, "a.jsonl") == read(&place, "b.jsonl"));
}

#[test]
fn lines_are_what_explain_gives_and_the_table_holds_the_same() {
    let place = Place::with_tastes();
    place.write("people.txt", "cyd\nada\tsomebody\n\ncyd\n");
    let search = "-k 2 --goal counterfactual --did drank --scope target --max-edges all --prove 1000";
    place.grease(&format!("batch --model model --users people.txt --out a.jsonl {search}")).ok();
    let explained =
        place.grease(&format!("explain --model model --user cyd --user ada {search} --format jsonl")).ok();
    assert_eq!(String::from_utf8(read(&place, "a.jsonl")).unwrap(), explained);

    place.grease(&format!("batch --model model --users people.txt --out a.parquet {search}")).ok();
    let lines: Vec<Row> = explained.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows(&place, "a.parquet"), lines);
    let report = place.grease("verify --model model a.jsonl --format json");
    let table = place.grease("verify --model model a.parquet --format json");
    assert_eq!((report.code, &report.stdout), (table.code, &table.stdout));
}

#[test]
fn who_fails_is_said_and_the_others_go_on() {
    let place = Place::with_tastes();
    place.write("people.txt", "ada\nbobb\nnobody\nzzzzzzzzzz\n");
    let line = "batch --model model --users people.txt -k 2 --out";
    assert_snapshot!("batch_with_failures", place.grease(&format!("{line} a.parquet")).whole());
    let failures: Vec<Row> =
        rows(&place, "a.parquet").into_iter().filter(|row| matches!(row, Row::Failure { .. })).collect();
    let failure = |user: &str, error: &str| Row::Failure { user: user.into(), error: error.into() };
    assert_eq!(
        failures,
        [failure("bobb", "unknown user 'bobb'"), failure("zzzzzzzzzz", "unknown user 'zzzzzzzzzz'"),]
    );
    place.grease(&format!("{line} a.jsonl -q")).ok();
    let [lines, table] =
        ["a.jsonl", "a.parquet"].map(|file| place.grease(&format!("verify --model model {file}")).ok());
    assert_eq!(lines, table, "those who failed claim nothing");
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is() {
    let place = Place::with_tastes();
    place.write("nobody.txt", "\n\n");
    place.write("there.parquet", "mine");
    let refused = |name: &str, line: &str, code: i32| {
        let ran = place.grease(&format!("batch --model model {line}"));
        assert_eq!(ran.code, code, "{}", ran.whole());
        assert_snapshot!(name, ran.whole());
    };
    refused("batch_no_users", "--users nobody.txt --out a.parquet", 3);
    refused("batch_missing_users", "--users none.txt --out a.parquet", 3);
    refused("batch_long_list", "--users all --out a.parquet -k 7", 2);
    refused("batch_bad_ending", "--users all --out a.csv", 2);
    refused("batch_out_is_a_folder", "--users all --out model", 2);
    refused("batch_out_exists", "--users all --out there.parquet", 2);
    refused("batch_bad_shard", "--users all --out a.parquet --shard 9/8", 2);
    refused("batch_no_shard", "--users all --out a.parquet --shard two", 2);
    refused("batch_fits_nobody", "--users all --out a.parquet -k 2 --scope hops", 2);
    assert_eq!(files(&place), ["nobody.txt", "there.parquet"]);
    assert_eq!(read(&place, "there.parquet"), b"mine");
    place.grease("batch --model model --users all --out there.parquet -k 2 --force").ok();
    assert_eq!(rows(&place, "there.parquet").len(), 5 * 2 * 2);
}

#[test]
fn an_unfinished_run_may_be_started_over() {
    let place = Place::with_tastes();
    let line = "batch --model model --users all --out a.jsonl";
    place.grease(&format!("{line} -k 2")).ok();
    let whole = read(&place, "a.jsonl");
    // As if the power had failed between the result and clearing up, with a torn line besides.
    std::fs::create_dir(place.path("b.jsonl.run")).unwrap();
    place.write("b.jsonl.run/run.json", "{}");
    place.write("b.jsonl.run/units.jsonl", "{\"user\":\"a");
    let line = "batch --model model --users all --out b.jsonl -k 2";
    assert_eq!(place.grease(line).code, 2);
    assert_eq!(place.grease(&format!("{line} --resume")).code, 2, "of other settings");
    place.grease(&format!("{line} --force")).ok();
    assert!(read(&place, "b.jsonl") == whole);
    place.grease(&format!("{line} --resume")).ok();
    assert_eq!(files(&place), ["a.jsonl", "a.jsonl.run.json", "b.jsonl", "b.jsonl.run.json"]);
}

#[test]
fn a_finished_run_is_resumed_by_doing_nothing() {
    let place = Place::with_tastes();
    for name in ["a.parquet", "a.jsonl"] {
        let line = format!("batch --model model --users all --out {name}");
        place.grease(&format!("{line} -k 2")).ok();
        let before = (read(&place, name), files(&place));
        let again = place.grease(&format!("{line} -k 2 --resume"));
        assert_eq!(again.stderr, format!("{name} is finished: nothing is left to do\n"));
        again.ok();
        let other = place.grease(&format!("{line} -k 1 --resume"));
        assert_eq!(other.code, 2, "{}", other.whole());
        let said = format!("error: the run in {name} was begun with other settings: k was 2 and is now 1");
        assert!(other.stderr.contains(&said), "{}", other.whole());
        assert!(before == (read(&place, name), files(&place)));

        // Somebody's own file is no result of anything.
        place.write(name, "mine");
        let mine = place.grease(&format!("{line} -k 2 --resume"));
        assert_eq!(mine.code, 2, "{}", mine.whole());
        assert!(mine.stderr.contains(&format!("error: {name} already exists")), "{}", mine.whole());
        place.grease(&format!("{line} -k 2 --resume --force")).ok();
        assert!(before.0 == read(&place, name));
    }
}

#[cfg(unix)]
#[test]
fn a_changed_byte_of_what_is_done_is_named_by_line() {
    let place = Place::with_tastes();
    // A run that was ended early, as a killed one leaves it.
    let line = "batch --model model --users all -k 1 --out a.jsonl";
    let mut limited = std::process::Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f 12; exec {} {line}", env!("CARGO_BIN_EXE_grease"));
    limited.args(["-c", &script]).current_dir(place.path("."));
    assert_eq!(place.finish(limited).code, 1);
    let journal = "a.jsonl.run/units.jsonl";
    let units = String::from_utf8(read(&place, journal)).unwrap();
    assert!(units.lines().count() >= 2, "{units}");
    place.write(journal, units.replacen("\"ada\"", "\"adb\"", 1));
    let damaged = place.grease(&format!("{line} --resume"));
    assert_eq!(damaged.code, 3, "{}", damaged.whole());
    let said = "error: a.jsonl.run/units.jsonl, line 1: it was changed after it was written";
    assert!(damaged.stderr.contains(said), "{}", damaged.whole());
    assert!(damaged.stderr.contains("help: delete this line and those after it"), "{}", damaged.whole());
    place.write(journal, units);
    place.grease(&format!("{line} --resume")).ok();
    place.grease("batch --model model --users all -k 1 --out b.jsonl").ok();
    assert!(read(&place, "a.jsonl") == read(&place, "b.jsonl"));
}
