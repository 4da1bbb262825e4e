//! `grease train`

use crate::support::Place;

const TRAIN: &str = "train --interactions music --batch 128 --evaluate-every 2";

#[test]
fn the_promised_command_works_as_it_stands() {
    let place = Place::with_music();
    for kind in ["lightgcn", "ngcf"] {
        for loss in ["bce", "bpr"] {
            let ran = place.grease(&format!(
                "train --interactions music --kind {kind} --loss {loss} --epochs 2 --dim 64 --layers 3 --batch 4096 --learning-rate 0.001 \
                 --seed 1 --out {kind}-{loss}"
            ));
            assert!(ran.stderr.contains("epoch 2/2  loss "), "{}", ran.whole());
            assert!(ran.ok().contains("recall@20 "));
        }
    }
}

#[test]
fn resumed_is_the_same_as_undisturbed() {
    let place = Place::with_music();
    place.grease(&format!("{TRAIN} --epochs 6 --out whole")).ok();
    place.grease(&format!("{TRAIN} --epochs 2 --out parts")).ok();
    assert_ne!(place.files("whole"), place.files("parts"));
    let ran = place.grease(&format!("{TRAIN} --epochs 6 --out parts --resume"));
    assert!(ran.stderr.contains("went on after epoch 2"), "{}", ran.whole());
    assert!(place.files("whole") == place.files("parts"), "not a byte may differ");

    let beyond = place.grease(&format!("{TRAIN} --epochs 4 --out parts --resume"));
    assert_eq!(beyond.code, 2, "{}", beyond.whole());
    let other = place.grease(&format!("{TRAIN} --epochs 8 --learning-rate 0.5 --out parts --resume"));
    assert_eq!(
        (other.code, other.stderr.contains("another --learning-rate")),
        (2, true),
        "{}",
        other.whole()
    );
    let other = place.grease(&format!("{TRAIN} --epochs 8 --train-share 0.5 --out parts --resume"));
    assert_eq!(other.code, 2, "{}", other.whole());
    assert!(
        other.stderr.contains("begun with other interactions\n help: resume with the data, split and --seed"),
        "{}",
        other.whole()
    );
    assert!(place.files("whole") == place.files("parts"), "a refusal changes nothing");

    place.grease(&format!("{TRAIN} --epochs 6 --out parts --force")).ok();
    assert!(place.files("whole") == place.files("parts"), "nothing of the old is left");
    let fresh = place.grease(&format!("{TRAIN} --epochs 6 --out fresh --resume"));
    assert!(fresh.stderr.contains("nothing to resume"), "{}", fresh.whole());
    assert!(place.files("whole") == place.files("fresh"));
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let place = Place::with_music();
    for kind in ["lightgcn", "ngcf"] {
        for threads in ["1", "2"] {
            let line = format!("{TRAIN} --kind {kind} --epochs 3 --out {kind}-{threads} --threads {threads}");
            place.grease(&line).ok();
        }
        assert!(place.files(&format!("{kind}-1")) == place.files(&format!("{kind}-2")), "{kind}");
    }
}

#[test]
fn early_stopping_keeps_its_word_when_resumed() {
    let place = Place::with_music();
    let line = "train --interactions music --batch 64 --learning-rate 0.1 --epochs 60 --evaluate-every 1 --early-stopping 2 --out m";
    let ran = place.grease(line);
    assert!(ran.stdout.contains("stopped early"), "{}", ran.whole());
    let before = place.files("m");
    assert!(before.contains_key("valid.tsv"));
    let again = place.grease(&format!("{line} --resume"));
    assert!(again.stdout.contains("stopped early"), "{}", again.whole());
    assert!(before == place.files("m"), "there was nothing left to do");
    // What is replaced by a model without a held-out slice loses it.
    place.grease("train --interactions music --epochs 1 --out m --force").ok();
    assert!(!place.files("m").contains_key("valid.tsv"));
}

#[cfg(unix)]
#[test]
fn an_interruption_loses_nothing() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = Place::with_music();
    let train = "train --interactions music --batch 16 --epochs 90 --evaluate-every 5 --checkpoint-every 1";
    place.grease(&format!("{train} --out whole")).ok();
    let mut command = place.command(&format!("{train} --out parts"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while !place.path("parts/checkpoint.safetensors").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "no checkpoint appeared");
        std::thread::sleep(Duration::from_millis(2));
    }
    let unfinished = place.grease("recommend --model parts --user mira");
    assert_eq!(unfinished.code, 4, "{}", unfinished.whole());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("--resume"), "{said}");

    // What was learned so far can be used at once.
    place.grease("recommend --model parts --user mira").ok();
    let manifest: serde_json::Value = serde_json::from_slice(&place.files("parts")["model.json"]).unwrap();
    assert_eq!(manifest["finished"], false);
    let refused = place.grease(&format!("{train} --out parts"));
    assert_eq!(refused.code, 2, "{}", refused.whole());
    place.grease(&format!("{train} --out parts --resume")).ok();
    assert!(place.files("whole") == place.files("parts"), "not a byte may differ");
}

#[cfg(unix)]
#[test]
fn no_room_is_noticed_before_training_and_nothing_is_lost() {
    let place = Place::with_music();
    place.grease(&format!("{TRAIN} --epochs 1 --out m")).ok();
    let before = place.files("m");
    // No file may be larger than a few kilobytes: the checkpoint has no room.
    let line = format!("{TRAIN} --epochs 2000 --seed 2 --out m --force");
    let mut limited = std::process::Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f 16; exec {} {line}", env!("CARGO_BIN_EXE_grease"));
    limited.args(["-c", &script]).current_dir(place.path("."));
    let ran = place.finish(limited);
    assert_eq!(ran.code, 1, "{}", ran.whole());
    assert!(ran.stderr.contains("error: m/checkpoint.safetensors: "), "{}", ran.whole());
    assert!(!ran.stderr.contains("epoch 1/"), "{}", ran.whole());
    assert!(
        before == place.files("m"),
        "the old model and its checkpoint stay, and nothing is left beside them"
    );
}

#[test]
fn killed_by_force_it_keeps_the_old_checkpoint_and_sweeps_what_it_left() {
    let place = Place::with_music();
    place.grease(&format!("{TRAIN} --epochs 2 --out m")).ok();
    let before = place.files("m");
    let mut child = place.command(&format!("{TRAIN} --epochs 100000 --checkpoint-every 0 --out m --force"));
    let mut child = child.stderr(std::process::Stdio::null()).spawn().unwrap();
    let locked = || place.path("m/lock").exists();
    wait_until(locked);

    // Only one at a time, and an import as little as a training.
    let second = place.grease(&format!("{TRAIN} --epochs 3 --out m --resume"));
    assert_eq!(second.code, 2, "{}", second.whole());
    assert!(second.stderr.contains("another training or import is writing to m"), "{}", second.whole());
    assert!(
        second.stderr.contains("help: wait for it to end, or choose another --out"),
        "{}",
        second.whole()
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(before["checkpoint.safetensors"] == place.files("m")["checkpoint.safetensors"]);

    place.write("m/.grease-x1.tmp", "half of a checkpoint");
    let resumed = place.grease(&format!("{TRAIN} --epochs 2 --out m --resume"));
    assert!(resumed.stderr.contains("went on after epoch 2"), "{}", resumed.whole());
    assert!(before == place.files("m"), "{:?}", place.files("m").keys());
}

#[test]
fn killed_before_its_first_checkpoint_its_folder_is_free() {
    let place = Place::with_music();
    std::fs::create_dir(place.path("m")).unwrap();
    place.write("m/lock", "");
    place.write("m/.grease-x1.tmp", "half");
    place.grease(&format!("{TRAIN} --epochs 1 --out m")).ok();
    let names: Vec<String> = place.files("m").into_keys().collect();
    assert!(!names.iter().any(|name| name == "lock" || name.starts_with(".grease")), "{names:?}");
    place.write("file", "mine");
    let refused = place.grease(&format!("{TRAIN} --epochs 1 --out file"));
    assert_eq!(refused.code, 2, "{}", refused.whole());
    assert!(
        refused.stderr.contains("error: file is no folder\n help: choose another --out"),
        "{}",
        refused.whole()
    );
}

fn wait_until(happened: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !happened() {
        assert!(begun.elapsed().as_secs() < 60, "it never happened");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}
