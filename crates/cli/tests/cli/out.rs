//! `--out`, whatever it leads to.
#![cfg(unix)]

use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::support::Place;

const EXPLAIN: &str = "explain --model model --user ada -k 1 --goal factual";

fn fifo(place: &Place, name: &str) {
    assert!(Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
}

/// What comes out of a pipe while grease writes to it.
fn through(place: &Place, pipe: &str, line: &str) -> Vec<u8> {
    let path = place.path(pipe);
    let reader = std::thread::spawn(move || std::fs::read(path).unwrap());
    place.grease(line).ok();
    reader.join().unwrap()
}

#[test]
fn a_link_stays_a_link_and_its_file_is_replaced() {
    let place = Place::with_tastes();
    let said = place.grease(EXPLAIN).ok();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    symlink("elsewhere/why.txt", place.path("link.txt")).unwrap();
    place.grease(&format!("{EXPLAIN} --out link.txt")).ok();
    assert_eq!(std::fs::read_to_string(place.path("elsewhere/why.txt")).unwrap(), said);
    let refused = place.grease(&format!("{EXPLAIN} --out link.txt"));
    assert_eq!(refused.code, 2, "{}", refused.whole());

    place.write("elsewhere/why.txt", "of yesterday");
    place.grease(&format!("{EXPLAIN} --out link.txt --force")).ok();
    assert_eq!(std::fs::read_to_string(place.path("elsewhere/why.txt")).unwrap(), said);
    assert!(place.path("link.txt").is_symlink());

    symlink("elsewhere/all.jsonl", place.path("all.jsonl")).unwrap();
    place.grease("batch --model model --users all -k 1 --out all.jsonl").ok();
    assert!(place.path("all.jsonl").is_symlink() && place.path("elsewhere/all.jsonl").is_file());
    let files: Vec<String> = place.files("elsewhere").into_keys().collect();
    assert!(!files.iter().any(|name| name.starts_with(".grease") || name.ends_with(".run")), "{files:?}");
}

#[test]
fn pipes_and_devices_are_written_to_and_stay_what_they_are() {
    let place = Place::with_tastes();
    let said = place.grease(EXPLAIN).ok();
    assert_eq!(place.grease(&format!("{EXPLAIN} --out /dev/stdout")).ok(), said);
    for force in ["", "--force"] {
        place.grease(&format!("{EXPLAIN} --out /dev/null {force}")).ok();
    }
    assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
    fifo(&place, "pipe");
    for force in ["", "--force"] {
        assert_eq!(through(&place, "pipe", &format!("{EXPLAIN} --out pipe {force}")), said.as_bytes());
        assert!(place.path("pipe").metadata().unwrap().file_type().is_fifo());
    }

    // Stdout may be a file others write to: what stands in it stays.
    place.write("log.txt", "before\n");
    let log = std::fs::OpenOptions::new().append(true).open(place.path("log.txt")).unwrap();
    let mut command = place.command(&format!("{EXPLAIN} --out /dev/stdout --force"));
    assert!(command.stdout(Stdio::from(log)).status().unwrap().success());
    assert_eq!(std::fs::read_to_string(place.path("log.txt")).unwrap(), format!("before\n{said}"));
}

#[test]
fn tables_go_through_pipes_too() {
    let place = Place::with_tastes();
    place.write("a.csv", "user,item\nada,tea\n");
    let shown = place.grease("data convert a.csv --format table --out /dev/stdout").ok();
    assert_eq!(shown, "user\titem\nada\ttea\n");
    place.write("items.tsv", "item\ttitle\ntea\tTea\n");
    let titled = place.grease("data convert a.csv --format table --out /dev/stdout");
    assert_eq!((titled.code, titled.stdout.as_str()), (2, ""));
    assert_snapshot!("out_titles_beside_a_device", titled.whole());

    let batch = "batch --model model --users all -k 1";
    place.grease(&format!("{batch} --out part.parquet --shard 1/1")).ok();
    place.grease("merge part.parquet --out whole.parquet").ok();
    fifo(&place, "pipe.parquet");
    let merged = through(&place, "pipe.parquet", "merge part.parquet --out pipe.parquet");
    assert!(merged == std::fs::read(place.path("whole.parquet")).unwrap());

    let refused = place.grease(&format!("{batch} --out pipe.parquet"));
    assert_eq!(refused.code, 2);
    assert_snapshot!("out_batch_to_a_pipe", refused.whole());
    let stdout = place.grease(&format!("{batch} --out /dev/stdout"));
    assert!(stdout.stderr.contains("/dev/stdout is a pipe or a device"), "{}", stdout.whole());
    assert!(!place.path("pipe.parquet.run").exists() && !Path::new("/dev/stdout.run").exists());
}

#[test]
fn what_cannot_be_written_to_is_said_before_anything_is_done() {
    let place = Place::with_tastes();
    let said = |name: &str, line: &str| {
        let ran = place.grease(line);
        assert_eq!(ran.code, 2, "{}", ran.whole());
        assert_snapshot!(name, ran.whole());
    };
    said("out_missing_folder", &format!("{EXPLAIN} --out nowhere/why.txt"));
    symlink("nowhere/why.txt", place.path("dangling.txt")).unwrap();
    said("out_dangling_into_nowhere", &format!("{EXPLAIN} --out dangling.txt"));
    said("out_is_a_folder", &format!("{EXPLAIN} --out model --force"));
    let _socket = UnixListener::bind(place.path("socket")).unwrap();
    said("out_is_a_socket", &format!("{EXPLAIN} --out socket --force"));
    said("out_merge_missing_folder", "merge part.parquet --out nowhere/a.parquet");
    assert!(place.path("socket").metadata().unwrap().file_type().is_socket());
}
