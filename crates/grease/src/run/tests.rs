//! Ended anywhere and resumed, parted and merged: always the same file.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use grease_explain::{Goal, Method, ProfileChoice, Scope};
use grease_graph::{Field, UserId};
use grease_tell::table::{Place as Listed, Row, Sort, TableFormat, TableReader, TableWriter};
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
        self.written(&Batch::explaining(subject(), request).unwrap(), name)
    }

    /// The same of lists.
    fn lists(&self, request: &BatchRequest, name: &str) -> (Summary, Vec<u8>) {
        self.written(&Lists::listing(subject(), request).unwrap(), name)
    }

    fn written<J: Job>(&self, batch: &Run<'_, J>, name: &str) -> (Summary, Vec<u8>) {
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
    assert_eq!((summary.people, summary.failed, summary.rows), (10, 1, 9 * 3 * 2));
    assert!(summary.first_error.as_ref().unwrap().starts_with("mirra: unknown user 'mirra'"));
    assert!(summary.queries > 0.0 && summary.mean_edges().unwrap() >= 1.0);

    let batch = Batch::explaining(subject(), &request).unwrap();
    let run = place.path("a.run");
    let mut ended = 0;
    for step in (1..).step_by(3) {
        let mut journal = Journal::open(&run, batch.settings(), Opening::Resume).unwrap();
        match batch.run(&mut journal, &Until(AtomicUsize::new(0), step)) {
            Err(RunError::Interrupted { done, people: 10 }) => assert_eq!(done, journal.done()),
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
        let merged = merge(&files, &out, TableFormat::Parquet).unwrap();
        assert_eq!(merged, (Sort::Explanations, summary.clone()));
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
    let rows = TableReader::<Row>::open(&place.path("a.parquet")).unwrap().map(Result::unwrap);
    let read = lines.lines().map(|line| serde_json::from_str::<Row>(line).unwrap());
    assert!(rows.eq(read));
    let [table, lines] = ["a.parquet", "a.jsonl"].map(|name| crate::read_records(&place.path(name)).unwrap());
    assert_eq!(table, lines);
    assert_eq!(table.len(), 9 * 3 * 2);
}

#[test]
fn everybody_is_found_once_and_what_is_said_of_them_depends_on_nobody_else() {
    let users = &folder().data.users;
    assert_eq!(Person::all(users).len(), users.len());
    let (first, second) = (users.id(0), users.id(1));
    let found = Person::find(users, [second, first, second, "?", "?"]);
    assert_eq!(found[..2], [Person::Known(UserId(1)), Person::Known(UserId(0))]);
    assert_eq!(found.len(), 3);
    let wrong: Vec<String> = (0..50).map(|n| format!("{first}{n}")).collect();
    let all = Person::find(users, wrong.iter().map(String::as_str));
    let alone: Vec<Person> = wrong.iter().map(|name| Person::called(users, name)).collect();
    assert_eq!(all, alone);
}

#[test]
fn what_fits_nobody_is_refused_before_anybody_is_asked() {
    let mut hops = request();
    hops.question.scope = Scope::Hops;
    let refused = Batch::explaining(subject(), &hops).err().unwrap();
    assert_eq!((refused.kind, refused.field), (RefusalKind::Usage, Some(Field::Scope)));
}

#[test]
fn everything_that_matters_is_among_the_settings() {
    let settings = |request: &BatchRequest| Batch::explaining(subject(), request).unwrap().settings().clone();
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
    let [plain, promising] = [subject(), &promising]
        .map(|subject| Batch::explaining(subject, &request()).unwrap().settings().clone());
    assert!(plain.get("calibration").is_none(), "runs begun before there were any are gone on with");
    assert!(promising["calibration"].is_string());
}

/// Many more than fit into one unit, one of them unknown.
fn everybody() -> BatchRequest {
    let users = &folder().data.users;
    let mut people = Person::all(users);
    while people.len() < 600 {
        people.extend(Person::all(users));
    }
    people.insert(300, Person::called(users, "mirra"));
    BatchRequest { question: Question { k: 5, ..Question::default() }, people, shard: None }
}

#[test]
fn lists_in_a_file_are_those_everybody_is_shown() {
    let (place, request) = (Place::new(), everybody());
    let (summary, _) = place.lists(&request, "lists.parquet");
    assert_eq!((summary.people, summary.failed), (request.people.len(), 1));
    assert!(summary.explanations.is_empty() && summary.rows == 5 * (summary.people - 1));
    let mut rows = TableReader::<Listed>::open(&place.path("lists.parquet")).unwrap().map(Result::unwrap);
    for person in &request.people {
        let Person::Known(user) = person else {
            let Some(Listed::Failure { user, error }) = rows.next() else { panic!("mirra has a list") };
            assert_eq!((user.as_str(), error.as_str()), ("mirra", "unknown user 'mirra'"));
            continue;
        };
        let shown =
            subject().list(&Question { k: 5, ..Question::of(folder().data.users.id(user.0)) }).unwrap();
        for place in shown.recommendations {
            let listed = Listed::Listed {
                user: shown.user.clone().unwrap(),
                rank: place.rank as u32,
                item: place.item,
                item_title: place.title,
                score: place.score,
            };
            assert_eq!(rows.next(), Some(listed));
        }
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn lists_are_gone_on_with_parted_and_merged_too() {
    let (place, request) = (Place::new(), everybody());
    let (summary, whole) = place.lists(&request, "whole.parquet");
    let lists = Lists::listing(subject(), &request).unwrap();
    let run = place.path("a.run");
    let mut journal = Journal::open(&run, lists.settings(), Opening::Fresh).unwrap();
    let ended = lists.run(&mut journal, &Until(AtomicUsize::new(0), 1)).unwrap_err();
    assert!(matches!(ended, RunError::Interrupted { done: 0 | 256, .. }), "{ended}");
    assert_eq!(lists.done(&journal), journal.done() * 256);
    drop(journal);
    let mut journal = Journal::open(&run, lists.settings(), Opening::Resume).unwrap();
    lists.run(&mut journal, &()).unwrap();
    assert_eq!(lists.done(&journal), request.people.len());
    assert_eq!(lists.finish(journal, &place.path("a.parquet"), TableFormat::Parquet).unwrap(), summary);
    assert!(std::fs::read(place.path("a.parquet")).unwrap() == whole);

    let parts: Vec<PathBuf> = (1..=2)
        .map(|number| {
            let name = format!("part-{number}.parquet");
            place.lists(&BatchRequest { shard: Shard::new(number, 2), ..request.clone() }, &name);
            place.path(&name)
        })
        .collect();
    let merged = merge(&parts, &place.path("b.parquet"), TableFormat::Parquet).unwrap();
    assert_eq!(merged, (Sort::Lists, summary));
    assert!(std::fs::read(place.path("b.parquet")).unwrap() == whole);
}

#[test]
fn streamed_rows_are_those_of_the_file_whatever_comes_together() {
    let place = Place::new();
    let request = request();
    place.whole(&request, "a.parquet");
    let rows: Vec<Row> =
        TableReader::open(&place.path("a.parquet")).unwrap().collect::<Result<_, _>>().unwrap();
    let batch = Batch::explaining(subject(), &request).unwrap();
    for (threads, together) in [(1, 1), (2, 3), (3, 100)] {
        let mut batches = Vec::new();
        let mut take = |rows| {
            batches.push(rows);
            Ok::<(), RunError>(())
        };
        batch.stream(threads, together, &mut take).unwrap();
        assert_eq!(batches.len(), request.people.len().div_ceil(together));
        assert_eq!(batches.concat(), rows);
    }
    let enough = batch.stream(2, 1, |_| Err(RunError::Interrupted { done: 0, people: 0 }));
    assert!(enough.is_err(), "whoever takes rows can end it");
}

/// Rows as an engine leaves them: some to a file, people in any order, and nothing said of the run.
fn scattered(place: &Place, rows: &[Row], files: usize) -> Vec<PathBuf> {
    let paths: Vec<PathBuf> = (0..files).map(|file| place.path(&format!("engine-{file}.parquet"))).collect();
    for (file, path) in paths.iter().enumerate() {
        let mut out = std::fs::File::create(path).unwrap();
        let mut writer = TableWriter::new(&mut out, TableFormat::Parquet, &serde_json::Value::Null).unwrap();
        let mine = rows.iter().rev().enumerate().filter(|(at, _)| at % files == file);
        mine.for_each(|(_, row)| writer.write(row.clone()).unwrap());
        writer.finish().unwrap();
    }
    paths
}

#[test]
fn rows_in_any_order_are_gathered_into_the_file_of_one_run() {
    let (place, request) = (Place::new(), request());
    let (summary, whole) = place.whole(&request, "whole.parquet");
    let rows: Vec<Row> =
        TableReader::open(&place.path("whole.parquet")).unwrap().collect::<Result<_, _>>().unwrap();
    let run = place.path("run.json");
    let settings = run_settings(subject(), Sort::Explanations, &request.question).unwrap();
    std::fs::write(&run, settings.to_string()).unwrap();
    let users = &folder().data.users;
    let people: Vec<String> = request.people.iter().map(|person| person.name(users).to_owned()).collect();
    let out = place.path("gathered.parquet");
    let gathered = |people: &[String], parts: &[PathBuf], allow_absent: bool| {
        let aside = place.0.path();
        gather(&GatherRequest { run: &run, people, parts, aside, allow_absent }, &out, TableFormat::Parquet)
    };
    let parts = scattered(&place, &rows, 3);
    assert_eq!(gathered(&people, &parts, false).unwrap(), (Sort::Explanations, summary.clone()));
    assert!(std::fs::read(&out).unwrap() == whole);
    // An engine that did a part again; a folder instead of files.
    let twice = [&parts[..], &parts[1..2]].concat();
    assert_eq!(gathered(&people, &twice, false).unwrap().1, summary);
    assert!(std::fs::read(&out).unwrap() == whole);
    let folder = place.path("folder");
    std::fs::create_dir(&folder).unwrap();
    parts.iter().for_each(|part| drop(std::fs::rename(part, folder.join(part.file_name().unwrap()))));
    std::fs::write(folder.join("_SUCCESS"), "").unwrap();
    assert_eq!(gathered(&people, &[folder], false).unwrap().1, summary);
    assert!(std::fs::read(&out).unwrap() == whole);

    let said = |people: &[String], rows: &[Row], allow_absent| {
        std::fs::remove_file(&out).unwrap();
        let parts = scattered(&place, rows, 2);
        let error = gathered(people, &parts, allow_absent).unwrap_err().to_string();
        assert!(!out.exists());
        std::fs::write(&out, "").unwrap();
        error
    };
    let of_nine: Vec<Row> =
        rows.iter().filter(|row| grease_tell::table::TableRow::user(*row) != "mirra").cloned().collect();
    assert_eq!(said(&people, &of_nine, false), "1 of 10 people have no row, the first is 'mirra'");
    let parts = scattered(&place, &of_nine, 2);
    assert_eq!(gathered(&people, &parts, true).unwrap().1.failed, 0);
    assert!(said(&people[..9], &rows, false).ends_with("who is not among the people"));
    let mut other = rows.clone();
    let Row::Explanation(record) = &mut other[0] else { panic!("the first is an explanation") };
    record.sentence = "Because.".to_owned();
    let both = [&rows[..], &other[..1]].concat();
    assert!(said(&people, &both, false).contains("two different answers for"));
    let Row::Explanation(record) = &mut other[0] else { panic!("the first is an explanation") };
    record.model = "another".to_owned();
    assert!(
        said(&people, &other, false).contains("has a row of another run: model is \"another\", expected")
    );
    let left: Vec<_> =
        std::fs::read_dir(place.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".grease-merge")), "{left:?}");
}
