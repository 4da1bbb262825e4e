//! Ended anywhere and resumed, parted and merged: always the same file.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use grease_explain::{Goal, Method, ProfileChoice, Scope};
use grease_graph::{Field, UserId};
use grease_tell::table::{Row, TableFormat, TableReader};
use grease_testing::folder;

use super::*;
use crate::question::Question;
use crate::refusal::RefusalKind;
use crate::subject::Subject;
use crate::subject::calibrated::tests::calibration;
use crate::subject::tests::subject;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// From beginning to end, undisturbed.
    fn whole(&self, request: &BatchRequest, name: &str) -> (Summary, Vec<u8>) {
        let batch = Batch::new(subject(), request).unwrap();
        let run = self.path(&format!("{name}.run"));
        let mut journal = Journal::open(&run, batch.settings(), Opening::Fresh).unwrap();
        batch.run(&mut journal, &()).unwrap();
        let format = TableFormat::of(Path::new(name)).unwrap();
        let summary = batch.finish(journal, &self.path(name), format).unwrap();
        assert!(!run.exists());
        (summary, std::fs::read(self.path(name)).unwrap())
    }
}

/// A few people, of whom one is unknown.
fn request() -> BatchRequest {
    let users = &folder().data.users;
    let mut names: Vec<&str> = (0..9).map(|row| users.id(row)).collect();
    names.insert(4, "mirra");
    let people = Person::find(users, names);
    BatchRequest { question: Question { k: 3, ..Question::default() }, people, shard: None }
}

/// Lets so many people begin, and then ends the run.
struct Until(AtomicUsize, usize);

impl RunObserver for Until {
    fn done(&self, _: usize) {}

    fn cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::SeqCst) >= self.1
    }
}

#[test]
fn ended_anywhere_and_resumed_it_is_the_same_file() {
    let (place, request) = (Place::new(), request());
    let (summary, whole) = place.whole(&request, "whole.parquet");
    assert_eq!((summary.people, summary.failed, summary.explained()), (10, 1, 9 * 3 * 2));
    assert!(summary.first_error.as_ref().unwrap().starts_with("mirra: unknown user 'mirra'; did you mean"));
    assert!(summary.queries > 0.0 && summary.mean_edges().unwrap() >= 1.0);

    let batch = Batch::new(subject(), &request).unwrap();
    let run = place.path("a.run");
    let mut ended = 0;
    for step in (1..).step_by(3) {
        let mut journal = Journal::open(&run, batch.settings(), Opening::Resume).unwrap();
        match batch.run(&mut journal, &Until(AtomicUsize::new(0), step)) {
            Err(BatchError::Interrupted { done, people: 10 }) => assert_eq!(done, journal.done()),
            other => {
                other.unwrap();
                break;
            }
        }
        ended += 1;
    }
    assert!(ended >= 2, "at the latest after 1 and after 4 more");
    let journal = Journal::open(&run, batch.settings(), Opening::Resume).unwrap();
    assert_eq!(batch.finish(journal, &place.path("a.parquet"), TableFormat::Parquet).unwrap(), summary);
    assert!(std::fs::read(place.path("a.parquet")).unwrap() == whole);
}

#[test]
fn parts_merged_are_the_whole() {
    let place = Place::new();
    let (summary, whole) = place.whole(&request(), "whole.parquet");
    for parts in [1, 3, 12] {
        let mut files: Vec<PathBuf> = (1..=parts)
            .map(|number| {
                let name = format!("{parts}-{number}.parquet");
                place.whole(&BatchRequest { shard: Shard::new(number, parts), ..request() }, &name);
                place.path(&name)
            })
            .collect();
        files.reverse();
        let out = place.path("merged.parquet");
        assert_eq!(merge(&files, &out, TableFormat::Parquet).unwrap(), summary);
        assert!(std::fs::read(&out).unwrap() == whole, "{parts} parts");
    }

    let part = |name: &str| place.path(name);
    let said = |files: &[PathBuf]| {
        let error = merge(files, &part("no.parquet"), TableFormat::Parquet).unwrap_err().to_string();
        assert!(!part("no.parquet").exists());
        error
    };
    assert!(said(&[part("3-1.parquet")]).ends_with("the job has 3 parts, and 2/3, 3/3 are not given"));
    let twice = said(&[part("3-1.parquet"), part("3-1.parquet")]);
    assert!(twice.contains("3-1.parquet") && twice.ends_with("are the same part, 1/3"), "{twice}");
    let mixed = said(&[part("3-1.parquet"), part("12-2.parquet")]);
    assert!(mixed.ends_with("the number of parts is 3 in the first and 12 in the second"), "{mixed}");
    assert!(said(&[part("whole.parquet")]).ends_with("it was made without `shard`"));
    let mut other = BatchRequest { shard: Shard::new(2, 3), ..request() };
    other.question.goals = vec![Goal::Factual];
    place.whole(&other, "other.parquet");
    let other = said(&[part("3-1.parquet"), part("other.parquet")]);
    assert!(other.contains("not of the same job: goals is [\"factual\",\"counterfactual\"]"), "{other}");
}

#[test]
fn lines_and_table_hold_the_same() {
    let place = Place::new();
    place.whole(&request(), "a.parquet");
    let (_, lines) = place.whole(&request(), "a.jsonl");
    let lines = String::from_utf8(lines).unwrap();
    let rows = TableReader::open(&place.path("a.parquet")).unwrap().map(Result::unwrap);
    let read = lines.lines().map(|line| serde_json::from_str::<Row>(line).unwrap());
    assert!(rows.eq(read));
    let [table, lines] = ["a.parquet", "a.jsonl"].map(|name| crate::read_records(&place.path(name)).unwrap());
    assert_eq!(table, lines);
    assert_eq!(table.len(), 9 * 3 * 2);
}

#[test]
fn everybody_is_found_once_and_wrong_files_are_read_quickly() {
    let users = &folder().data.users;
    assert_eq!(Person::all(users).len(), users.len());
    let (first, second) = (users.id(0), users.id(1));
    let found = Person::find(users, [second, first, second, "?", "?"]);
    assert_eq!(found[..2], [Person::Known(UserId(1)), Person::Known(UserId(0))]);
    assert_eq!(found.len(), 3);
    let wrong: Vec<String> = (0..50).map(|n| format!("{first}{n}")).collect();
    let wrong = Person::find(users, wrong.iter().map(String::as_str));
    let helped = wrong
        .iter()
        .filter(|person| matches!(person, Person::Unknown { error, .. } if error.contains("did you mean")));
    assert_eq!((helped.count(), wrong.len()), (20, 50));
}

#[test]
fn what_fits_nobody_is_refused_before_anybody_is_asked() {
    let mut hops = request();
    hops.question.scope = Scope::Hops;
    let refused = Batch::new(subject(), &hops).err().unwrap();
    assert_eq!((refused.kind, refused.field), (RefusalKind::Usage, Some(Field::Scope)));
}

#[test]
fn everything_that_matters_is_among_the_settings() {
    let settings = |request: &BatchRequest| Batch::new(subject(), request).unwrap().settings().clone();
    let usual = settings(&request());
    let asked = |change: &dyn Fn(&mut Question)| {
        let mut request = request();
        change(&mut request.question);
        request
    };
    let some = || vec![folder().data.items.id(2).to_owned()];
    let others = [
        asked(&|question| question.k = 4),
        asked(&|question| question.scope = Scope::Target),
        asked(&|question| question.hops = 3),
        asked(&|question| question.method = Method::Paper),
        asked(&|question| {
            question.method = Method::Paper;
            question.paper.steps = 3;
        }),
        asked(&|question| question.profile = ProfileChoice::Kept),
        asked(&|question| question.max_edges = Some(3)),
        asked(&|question| question.queries = 9),
        asked(&|question| question.candidates = Some(some())),
        asked(&|question| question.exclude = some()),
        asked(&|question| question.never_cite = some()),
        asked(&|question| question.alternatives = 1),
        asked(&|question| question.seed = 2),
        asked(&|question| question.method = Method::Random),
        asked(&|question| question.goals = vec![Goal::Factual]),
        asked(&|question| question.show_user_ids = true),
        BatchRequest { people: request().people[1..].to_vec(), ..request() },
        BatchRequest { shard: Shard::new(1, 2), ..request() },
    ];
    let different: std::collections::BTreeSet<String> =
        others.iter().map(|other| settings(other).to_string()).chain([usual.to_string()]).collect();
    assert_eq!(different.len(), others.len() + 1);
}

#[test]
fn a_run_that_promises_is_not_gone_on_with_by_one_that_does_not() {
    let mut promising: Subject = folder().clone().into();
    promising.set_calibration(calibration(folder().model_hash(), &folder().data_hash(), 5));
    let [plain, promising] =
        [subject(), &promising].map(|subject| Batch::new(subject, &request()).unwrap().settings().clone());
    assert!(plain.get("calibration").is_none(), "runs begun before there were any are gone on with");
    assert!(promising["calibration"].is_string());
}
