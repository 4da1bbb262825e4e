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
