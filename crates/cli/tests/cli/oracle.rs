//! Somebody else's recommender: the examples of this repository, run by python3 where there is one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use grease::graph::Graph;
use grease::graph::doubles::CoNeighbours;
use grease::graph::read::{ReadOptions, read};
use grease::models::folder::Dataset;
use grease::{Candidates, Subject, Verdict, find_user, read_records};
use insta::assert_snapshot;

use crate::support::{Place, Ran};

/// A file of this repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Whether there is a Python to run oracles with; says so where there is none.
fn python() -> bool {
    let works =
        |command: &mut Command| command.stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    let there =
        works(Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]));
    if !there {
        let _ =
            std::io::Write::write_all(&mut std::io::stderr(), b"skipped: there is no python3 from 3.10 on\n");
    }
    there
}

/// With the sample data in `music` and the example beside it.
fn place() -> Option<Place> {
    if !python() {
        return None;
    }
    let place = Place::with_music();
    place.write("oracle.py", std::fs::read(repository("examples/oracle/oracle.py")).unwrap());
    Some(place)
}

/// Runs a verb on the example; `[ORACLE]` stands for its arguments.
fn ask(place: &Place, line: &str) -> Ran {
    with(place, line, "python3 oracle.py music/interactions.tsv")
}

fn with(place: &Place, line: &str, oracle: &str) -> Ran {
    let (verb, rest) = line.split_once("[ORACLE]").expect("where the oracle goes");
    let mut command = place.command(verb);
    command.args(["--oracle-cmd", oracle, "--interactions", "music"]).args(rest.split_whitespace());
    place.finish(command)
}

/// The recommender that the example is, here.
fn double(place: &Place) -> Subject {
    let (read, _) = read(&place.path("music"), &ReadOptions::default()).unwrap();
    let graph = Graph::new(read.users.len(), read.items.len(), &read.edges).unwrap();
    let data = Dataset::from(&read);
    Subject::foreign(data, Arc::new(CoNeighbours::new(graph)), "oracle", ["also chosen", "1"])
}

#[test]
fn lists_are_those_of_the_same_recommender_here() {
    let Some(place) = place() else { return };
    let list = ask(&place, "recommend [ORACLE] --user mira -k 5 --format json").json();
    let double = double(&place);
    let mira = find_user(&double.data().users, "mira").unwrap();
    let scores = double.recommender().scores(mira).unwrap();
    for listed in list["recommendations"].as_array().unwrap() {
        let row = double.data().items.row(listed["item"].as_str().unwrap()).unwrap();
        assert_eq!(listed["score"].as_f64().unwrap() as f32, scores[row as usize], "{listed}");
    }
}

#[test]
fn what_is_verified_through_the_oracle_holds_on_the_same_recommender_here() {
    let Some(place) = place() else { return };
    let ran = ask(&place, "explain [ORACLE] --people 10 -k 3 --format jsonl --out why.jsonl");
    assert!(ran.stderr.contains("oracle: ") && ran.stderr.contains(" requests of "), "{}", ran.whole());
    ran.ok();
    let records = read_records(&place.path("why.jsonl")).unwrap();
    assert_eq!(records.len(), 60, "ten people, three items, two goals");
    let (double, candidates) = (double(&place), Candidates::default());
    let mut held = 0;
    for record in &records {
        assert_eq!((&*record.model, &*record.data), (double.model_hash(), double.data_hash()));
        match double.verify(record, &candidates).unwrap() {
            Verdict::Holds { .. } => held += 1,
            Verdict::NoClaim(_) => {}
            other => panic!("{} {}: {other}", record.user, record.item),
        }
    }
    assert!(held > 50, "{held}");
    ask(&place, "verify [ORACLE] why.jsonl").ok();
}

#[test]
fn many_are_explained_to_the_same_bytes_with_any_number_of_workers() {
    let Some(place) = place() else { return };
    let run = |workers: usize| {
        let line = format!(
            "batch [ORACLE] --users all -k 3 --goal counterfactual --out {workers}.jsonl --oracle-workers {workers} -q"
        );
        let ran = ask(&place, &line);
        assert_eq!(ran.stderr, "", "quiet");
        ran.ok();
        std::fs::read(place.path(&format!("{workers}.jsonl"))).unwrap()
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn an_oracle_is_evaluated_under_its_own_name() {
    let Some(place) = place() else { return };
    let run = "--people 2 --repeats 1 -k 3 --methods grease,leave-one-out --tables own";
    ask(&place, &format!("evaluate [ORACLE] --out there {run}")).ok();
    let results = std::fs::read_to_string(place.path("there/results.json")).unwrap();
    assert!(results.contains("\"also chosen\"") && results.contains("--oracle-cmd"), "{results}");
    ask(&place, &format!("evaluate [ORACLE] --out named --name music {run}")).ok();
    assert!(std::fs::read_to_string(place.path("named/results.json")).unwrap().contains("\"music\""));
}

#[test]
fn a_good_oracle_passes_the_check_and_a_bad_one_fails_it() {
    let Some(place) = place() else { return };
    let report = ask(&place, "oracle check [ORACLE] --people 2 --format json").json();
    let verdicts: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["verdict"].as_str().unwrap())
        .collect();
    assert!(verdicts.iter().all(|verdict| ["ok", "skipped"].contains(verdict)), "{report}");
    let source = std::fs::read_to_string(place.path("oracle.py")).unwrap();
    place.write("nan.py", source.replace("[count[item] for", "[count[item] or float('nan') for"));
    let ran = with(&place, "oracle check [ORACLE] -q", "python3 nan.py music/interactions.tsv");
    let but_times = |line: &str| !line.starts_with("ok      latency");
    let said: Vec<&str> = ran.stdout.lines().filter(|line| but_times(line)).collect();
    assert_snapshot!("oracle_check_fails", said.join("\n"));
    assert_eq!(ran.code, 6);
}

#[test]
fn oracles_that_cannot_be_used_are_told_with_the_way_out() {
    let place = Place::with_music();
    let said = |name: &str, oracle: &str| {
        let ran = with(&place, "recommend [ORACLE] --user mira -q", oracle);
        assert_eq!(ran.code, 4, "{}", ran.whole());
        // Shells word it differently.
        assert_snapshot!(format!("oracle_{name}"), ran.stderr.replace("sh: 1: ", "sh: "));
    };
    said("ends", "exit 3");
    said("talks", "echo Loading the model; cat");
    said("other_version", r#"echo '{"grease":"oracle/9","id":0}'; cat"#);
    said("other_items", r#"echo '{"grease":"oracle/1","id":0,"name":"m","items":["tea"]}'; cat"#);
    let mut late = place.command("recommend --user mira -q --interactions music --oracle-timeout 0.2");
    late.args(["--oracle-cmd", "echo thinking >&2; sleep 100"]);
    assert_snapshot!("oracle_stalls", place.finish(late).whole());
}

#[test]
fn what_does_not_go_together_is_refused() {
    let place = Place::with_music();
    let refused = |line: &str, part: &str| {
        let ran = place.grease(line);
        assert_eq!(ran.code, 2, "{}", ran.whole());
        assert!(ran.stderr.contains(part), "{}", ran.whole());
    };
    refused("recommend --user mira", "--oracle-cmd <COMMAND>");
    refused("recommend --user mira --oracle-cmd x", "--interactions <PATH>");
    refused("recommend --user mira --model m --oracle-cmd x --interactions music", "cannot be used with");
    refused("recommend --user mira --model m --k-core 2", "only be said with --interactions");
    let url = "recommend --user mira --interactions music --oracle-url";
    refused(&format!("{url} http://h --oracle-cmd x"), "cannot be used with");
    refused(&format!("{url} gopher://h"), "is not the address of an oracle");
    refused(&format!("{url} http://h --oracle-token-env GREASE_NO_SUCH_TOKEN"), "no GREASE_NO_SUCH_TOKEN");
    refused(&format!("{url} http://h --oracle-timeout 0"), "above 0");
    refused("evaluate --out e", "--model");
}

#[test]
fn a_token_is_sent_and_shown_nowhere() {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        let read = stream.read(&mut head).unwrap();
        let said = "no such key: s3cret";
        write!(stream, "HTTP/1.1 403 No\r\nContent-Length: {}\r\n\r\n{said}", said.len()).unwrap();
        String::from_utf8_lossy(&head[..read]).to_ascii_lowercase()
    });
    let place = Place::with_music();
    let mut command = place.command("recommend --user mira --interactions music --oracle-token-env KEY -vv");
    command.args(["--oracle-url", &url]).env("KEY", "s3cret");
    let ran = place.finish(command);
    assert_eq!(ran.code, 4, "{}", ran.whole());
    assert!(
        ran.stderr.contains("status 403") && ran.stderr.contains("no such key: [token]"),
        "{}",
        ran.whole()
    );
    assert!(!ran.stderr.contains("s3cret"), "{}", ran.whole());
    assert!(server.join().unwrap().contains("authorization: bearer s3cret"));
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_no_oracle_behind() {
    let place = Place::with_music();
    let mut command = place.command("recommend --user mira --interactions music -q");
    // It introduces itself and then neither answers nor listens.
    let items: Vec<String> = std::fs::read_to_string(place.path("music/items.tsv"))
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| format!("\"{}\"", line.split('\t').next().unwrap()))
        .collect();
    let hello =
        format!("{{\"grease\":\"oracle/1\",\"id\":0,\"name\":\"m\",\"items\":[{}]}}", items.join(","));
    place.write("hello.json", hello + "\n");
    let oracle = "cat hello.json; echo $$ > started.tmp; mv started.tmp started; sleep 600";
    command.args(["--oracle-cmd", oracle]);
    let mut grease =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let wait = |done: &mut dyn FnMut() -> bool| {
        (0..3000).any(|_| {
            done() || {
                std::thread::sleep(std::time::Duration::from_millis(10));
                false
            }
        })
    };
    assert!(wait(&mut || place.path("started").exists()), "the oracle starts");
    let process = std::fs::read_to_string(place.path("started")).unwrap();
    let alive = || {
        let signal = format!("kill -0 -{} 2> /dev/null", process.trim());
        Command::new("sh").args(["-c", &signal]).status().unwrap().success()
    };
    assert!(alive());
    assert!(wait(&mut || {
        Command::new("sh").args(["-c", &format!("kill -INT {} 2> /dev/null", grease.id())]).status().unwrap();
        grease.try_wait().unwrap().is_some()
    }));
    assert!(wait(&mut || !alive()), "all of its group is gone");
}

/// The blocks of a page that are written to a file of this name.
fn written(page: &str, name: &str) -> String {
    let page = std::fs::read_to_string(repository(page)).unwrap();
    let (_, rest) = page.split_once(&format!("```python file={name}\n")).expect("the page has the file");
    rest.split_once("```\n").unwrap().0.to_owned()
}

#[test]
fn pages_show_the_examples_as_they_are() {
    for (page, name) in [
        ("docs/oracle.md", "oracle.py"),
        ("docs/oracle.md", "smallest.py"),
        ("docs/tutorials/model-behind-an-api.md", "oracle.py"),
        ("docs/tutorials/model-behind-an-api.md", "http_server.py"),
    ] {
        let example = std::fs::read_to_string(repository(&format!("examples/oracle/{name}"))).unwrap();
        assert_eq!(written(page, name), example, "{page} and examples/oracle/{name}");
    }
}

#[test]
fn pages_do_what_they_say() {
    if !python() {
        return;
    }
    let run = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.arg(repository("docs/tutorials/run.py")).args(arguments);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{said}");
        said
    };
    run(&["--self-test"]);
    let pages = ["docs/oracle.md", "docs/tutorials/model-behind-an-api.md"].map(repository);
    let pages = pages.each_ref().map(|page| page.to_str().unwrap());
    let said = run(&["--grease", env!("CARGO_BIN_EXE_grease"), pages[0], pages[1]]);
    assert!(said.ends_with("2 passed, 0 failed\n"), "{said}");
}

/// An oracle that dies after some questions, also where it is started anew, unless a file says it is well.
const MORTAL: &str = r#"
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "oracle.py", *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    with open("asked", "ab") as asked:
        asked.write(b"." * line.count(b'"score"'))
    if os.path.getsize("asked") > 12 and not os.path.exists("well"):
        sys.exit("out of memory")
    child.stdin.write(line)
    child.stdin.flush()
    sys.stdout.buffer.write(child.stdout.readline())
    sys.stdout.flush()
"#;

#[test]
fn a_batch_ends_where_its_oracle_fails_and_goes_on_when_it_is_well() {
    let Some(place) = place() else { return };
    place.write("mortal.py", MORTAL);
    place.write("people.txt", "mira\ntheo\ndiego\nnobody\nana\n");
    let mortal = "python3 mortal.py music/interactions.tsv";
    let line = "batch [ORACLE] --users people.txt --out why.jsonl -k 3 --oracle-workers 1";
    let ended = with(&place, line, mortal);
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("out of memory") && ended.stderr.contains("--resume"), "{}", ended.stderr);
    assert!(!place.path("why.jsonl").exists());
    place.write("well", "");
    let resumed = with(&place, &format!("{line} --resume"), mortal);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    ask(&place, "batch [ORACLE] --users people.txt --out whole.jsonl -k 3");
    let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(read("why.jsonl"), read("whole.jsonl"));
    assert!(read("why.jsonl").contains(r#""error":"unknown user 'nobody'"#), "who is unknown has a row");
}
