//! What is done stays done, whatever ends a run; what is damaged is noticed.

use serde_json::json;

use super::*;
use crate::lock::LOCK;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("a.run")
    }

    fn open(&self, how: Opening) -> Result<Journal, JournalError> {
        Journal::open(&self.folder(), &json!({ "k": 5, "model": { "hash": "ab" } }), how)
    }

    fn with(units: &[&str]) -> Self {
        let place = Self::new();
        let mut journal = place.open(Opening::Fresh).unwrap();
        units.iter().for_each(|unit| journal.append(&said(unit)).unwrap());
        place
    }
}

fn said(text: &str) -> Value {
    json!({ "said": text })
}

fn units(journal: &Journal) -> Vec<String> {
    let units: Vec<Value> = journal.units().unwrap().collect::<Result<_, _>>().unwrap();
    units.iter().map(|unit| unit["said"].as_str().unwrap().to_owned()).collect()
}

const THREE: [&str; 3] = ["one\nwith a line break", "zwei \u{201c}äöü\u{201d}", "{3}"];

#[test]
fn cut_anywhere_it_goes_on_with_the_whole_units() {
    let place = Place::with(&THREE);
    let path = place.folder().join(UNITS);
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mut journal = place.open(Opening::Resume).unwrap();
        let kept = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(journal.done(), kept);
        assert_eq!(units(&journal), THREE[..kept]);
        for unit in &THREE[kept..] {
            journal.append(&said(unit)).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
    }
}

#[test]
fn a_last_line_whose_bytes_never_came_is_cut_off_and_one_in_the_middle_is_damage() {
    let place = Place::with(&THREE[..1]);
    let path = place.folder().join(UNITS);
    let whole = std::fs::read(&path).unwrap();
    for torn in [&b"\0\0\0\0"[..], b"\0\0\0\n", b"\"half\n", b"\n"] {
        std::fs::write(&path, [&whole, torn].concat()).unwrap();
        assert_eq!(place.open(Opening::Resume).unwrap().done(), 1);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
    std::fs::write(&path, [&whole, &b"\"half\n"[..], &whole].concat()).unwrap();
    let error = place.open(Opening::Resume).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { line: 2, .. }), "{error}");
    assert!(error.to_string().contains("units.jsonl, line 2: "), "{error}");
}

#[test]
fn a_changed_byte_is_named_by_line_and_lines_of_earlier_versions_are_read() {
    let place = Place::with(&THREE);
    let path = place.folder().join(UNITS);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("zwei", "drei")).unwrap();
    let error = place.open(Opening::Resume).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { line: 2, .. }), "{error}");
    assert!(error.to_string().contains("line 2: it was changed after it was written"), "{error}");
    // The last one was perhaps never finished: it is done again.
    std::fs::write(&path, text.replace("{3}", "{4}")).unwrap();
    assert_eq!(place.open(Opening::Resume).unwrap().done(), 2);

    let old: String = THREE.iter().map(|unit| format!("{}\n", said(unit))).collect();
    std::fs::write(&path, old).unwrap();
    let mut journal = place.open(Opening::Resume).unwrap();
    journal.append(&said("new")).unwrap();
    assert_eq!(units(&journal), [&THREE[..], &["new"]].concat());
}

#[test]
fn units_of_another_kind_are_named_by_line() {
    #[derive(serde::Deserialize)]
    struct Said {
        said: String,
    }
    let place = Place::new();
    let mut journal = place.open(Opening::Fresh).unwrap();
    journal.append(&said("text")).unwrap();
    journal.append(&json!({ "said": 7 })).unwrap();
    let mut units = journal.units::<Said>().unwrap();
    assert_eq!(units.next().unwrap().unwrap().said, "text");
    assert!(matches!(units.next(), Some(Err(JournalError::Damaged { line: 2, .. }))));
    assert!(units.next().is_none());
}

#[test]
fn a_run_is_not_begun_twice_by_mistake() {
    let place = Place::with(&THREE);
    assert!(matches!(place.open(Opening::Fresh), Err(JournalError::Exists(_))));
    assert_eq!(place.open(Opening::Resume).unwrap().done(), 3);
    assert_eq!(place.open(Opening::Replace).unwrap().done(), 0);
    assert_eq!(units(&place.open(Opening::Resume).unwrap()), [""; 0]);
    assert_eq!(Place::new().open(Opening::Resume).unwrap().done(), 0, "nothing to go on with: begin");
}

#[test]
fn settings_that_never_came_to_the_disk_are_no_run() {
    let place = Place::with(&THREE);
    std::fs::remove_file(place.folder().join(SETTINGS)).unwrap();
    assert_eq!(place.open(Opening::Fresh).unwrap().done(), 0, "whose units these are nobody knows");
    std::fs::write(place.folder().join(SETTINGS), "{").unwrap();
    let error = place.open(Opening::Resume).unwrap_err().to_string();
    assert!(error.contains("run.json, line 1"), "{error}");
}

#[test]
fn another_run_is_not_resumed() {
    let place = Place::with(&THREE);
    let resume = |settings: Value| {
        let error = Journal::open(&place.folder(), &settings, Opening::Resume).unwrap_err().to_string();
        error.split_once("other settings: ").unwrap().1.to_owned()
    };
    assert_eq!(resume(json!({ "k": 6, "model": { "hash": "ab" } })), "k was 5 and is now 6");
    assert_eq!(
        resume(json!({ "k": 5, "model": { "hash": "cd" } })),
        "model.hash was \"ab\" and is now \"cd\""
    );
    assert_eq!(resume(json!({ "k": 5 })), "model was {\"hash\":\"ab\"} and is now absent");
    let more = json!({ "k": 5, "model": { "hash": "ab" }, "seed": 1 });
    assert_eq!(resume(more), "seed was absent and is now 1");
    assert_eq!(place.open(Opening::Resume).unwrap().done(), 3, "nothing was lost by asking");
}

#[test]
fn only_one_at_a_time() {
    let place = Place::new();
    let first = place.open(Opening::Fresh).unwrap();
    for how in [Opening::Fresh, Opening::Resume, Opening::Replace] {
        let error = place.open(how).unwrap_err();
        assert!(error.to_string().starts_with("another run is using "), "{error}");
    }
    drop(first);
    place.open(Opening::Resume).unwrap();
}

#[test]
fn ended_while_it_is_removed_it_is_swept_away() {
    for left in [&[SETTINGS, LOCK][..], &[LOCK], &[]] {
        let place = Place::with(&THREE);
        std::fs::write(place.folder().join(LOCK), "").unwrap();
        for name in [UNITS, SETTINGS, LOCK] {
            if !left.contains(&name) {
                std::fs::remove_file(place.folder().join(name)).unwrap();
            }
        }
        assert!(!Journal::exists(&place.folder()));
        Journal::sweep(&place.folder()).unwrap();
        assert!(!place.folder().exists());
    }
    let place = Place::with(&THREE);
    Journal::sweep(&place.folder()).unwrap();
    assert_eq!(place.open(Opening::Resume).unwrap().done(), 3, "one that can be resumed is not swept");
    Journal::sweep(&Place::new().folder()).unwrap();
}

#[test]
fn removing_leaves_what_is_not_ours() {
    let place = Place::with(&THREE);
    std::fs::write(place.folder().join(".grease-x1.tmp"), "left by one who was killed").unwrap();
    place.open(Opening::Resume).unwrap().remove().unwrap();
    assert!(!place.folder().exists());
    let place = Place::with(&THREE);
    std::fs::write(place.folder().join("notes.txt"), "mine").unwrap();
    place.open(Opening::Resume).unwrap().remove().unwrap();
    assert_eq!(std::fs::read_dir(place.folder()).unwrap().count(), 1);
}
