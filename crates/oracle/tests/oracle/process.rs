//! Oracles that are processes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use grease_graph::doubles::CoNeighbours;
use grease_graph::{Abilities, Edge, Edit, Graph, Profile, Recommender, ScoreError, UserId, conformance};
use grease_oracle::{Address, Oracle, OracleOptions, Voice};

use crate::support::{ALL, Served, data, hasty, small};

/// An oracle that keeps the folder of its graph.
struct Kept(Oracle, #[allow(dead_code, reason = "removed when dropped")] Served);

impl Recommender for Kept {
    fn graph(&self) -> &Graph {
        self.0.graph()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.0.score(user, profile, edits, out)
    }

    fn abilities(&self) -> Abilities {
        self.0.abilities()
    }
}

fn conforms(options: &str) {
    conformance::check(&|graph| {
        let served = Served::new(graph);
        let how = OracleOptions { workers: 2, ..OracleOptions::default() };
        Box::new(Kept(served.try_open(options, how).unwrap(), served))
    });
}

#[test]
fn a_process_passes_the_suite() {
    conforms(&format!("{ALL} --f32 yes"));
}

#[test]
fn a_process_that_knows_no_neutral_profile_passes_the_suite_by_way_of_newcomers() {
    let served = Served::new(&small());
    let able = "--abilities newcomers,others --batch 7 --backwards yes";
    assert!(served.open(able).abilities().neutral);
    conforms(able);
}

#[test]
fn a_process_that_can_do_little_is_asked_no_more() {
    let served = Served::new(&small());
    assert_eq!(
        served.open("--abilities newcomers").abilities(),
        Abilities { newcomers: true, ..Abilities::NONE }
    );
    conforms("--batch 3");
}

#[test]
fn scores_are_those_of_the_same_recommender_here_in_every_form() {
    let graph = small();
    let double = CoNeighbours::new(graph.clone());
    let served = Served::new(&graph);
    for options in [ALL.to_owned(), format!("{ALL} --f32 yes"), format!("{ALL} --backwards yes --batch 2")] {
        let oracle = served.open(&options);
        for user in 0..graph.users() as u32 {
            let edits: Vec<Edit> = std::iter::once(Edit::none())
                .chain(
                    graph.items_of(UserId(user)).iter().map(|&item| Edit::removing([Edge::new(user, item)])),
                )
                .collect();
            let (mut got, mut want) = (vec![0f32; 6 * edits.len()], vec![0f32; 6 * edits.len()]);
            oracle.score(UserId(user), Profile::Kept, &edits, &mut got).unwrap();
            double.score(UserId(user), Profile::Kept, &edits, &mut want).unwrap();
            assert_eq!(got, want, "{options}, user {user}");
        }
    }
}

#[test]
fn items_only_the_oracle_knows_become_further_items() {
    let oracle = Served::new(&small()).open("--more-items 2");
    assert_eq!(oracle.graph().items(), 8);
    assert_eq!((oracle.items().id(7), oracle.hello().items.len()), ("i7", 8));
    assert_eq!(oracle.scores(UserId(0)).unwrap()[6..], [0.0, 0.0]);
}

/// What a recommender says of one question to a misbehaving oracle.
fn refused(options: &str) -> (String, Oracle, Served) {
    let served = Served::new(&small());
    let oracle = served.try_open(&format!("{ALL} {options}"), hasty()).unwrap();
    let Err(ScoreError::Failed(said) | ScoreError::Refused(said)) = oracle.scores(UserId(0)) else {
        panic!("{options}: no failure")
    };
    (said, oracle, served)
}

#[test]
fn a_process_that_dies_in_the_middle_is_started_anew_and_asked_again() {
    let served = Served::new(&small());
    for mistake in ["die", "half"] {
        let oracle = served.open(&format!("{ALL} --mistake {mistake} --at 2 --once [DIR]/{mistake}"));
        let first = oracle.scores(UserId(0)).unwrap();
        assert_eq!(oracle.report().restarts, 0);
        assert_eq!(oracle.scores(UserId(1)).unwrap(), CoNeighbours::new(small()).scores(UserId(1)).unwrap());
        assert_eq!(oracle.report().restarts, 1, "{mistake}");
        assert_eq!(first, oracle.scores(UserId(0)).unwrap());
    }
}

#[test]
fn a_process_that_stalls_is_started_anew_and_asked_again() {
    let served = Served::new(&small());
    let oracle = served.try_open(&format!("{ALL} --mistake stall --once [DIR]/once"), hasty()).unwrap();
    assert_eq!(oracle.scores(UserId(0)).unwrap(), CoNeighbours::new(small()).scores(UserId(0)).unwrap());
    assert_eq!(oracle.report().restarts, 1);
}

#[test]
fn a_second_failure_on_the_same_question_says_what_was_asked_and_how_it_ended() {
    let (said, oracle, _served) = refused("--mistake die");
    for part in [
        "exit status: 7",
        "for the scores of `u0` after 1 edit",
        "also after it was started anew",
        "out of memory",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(oracle.report().restarts, 1);
    let (said, ..) = refused("--mistake stall");
    assert!(
        said.contains("did not answer within 2 s") && said.contains("also after it was started anew"),
        "{said}"
    );
}

#[test]
fn wrong_answers_are_refused_for_what_they_are() {
    let cases = [
        ("garbage", "`Epoch 1: loss 0.3`; a program that prints to stdout must send those words to stderr"),
        ("wrong-id", "with id 1001 when it was asked"),
        ("short", "row 0 has 5 scores, but its answer to hello listed 6 items"),
        ("few-rows", "0 rows of scores for 1 edits"),
        ("nan", "NaN or Infinity; every score must be a finite number"),
        ("null", "the score of `i0` is null"),
        ("long", "is longer than"),
    ];
    for (mistake, part) in cases {
        let (said, oracle, _served) = refused(&format!("--mistake {mistake} --once [DIR]/once"));
        assert!(said.contains(part), "{mistake}: {said}");
        let expected = CoNeighbours::new(small()).scores(UserId(1)).unwrap();
        assert_eq!(oracle.scores(UserId(1)).unwrap(), expected, "{mistake}: the next question is answered");
    }
}

#[test]
fn more_than_makes_sense_is_refused() {
    // A hello that never ends is given up at a bound, and not held in memory until it does.
    let endless = Address::Command("read line; exec yes | tr -d '\\n'".into());
    let patient = OracleOptions { timeout: Duration::from_secs(60), ..hasty() };
    let error = Oracle::open(&endless, &data(&small()), patient).unwrap_err().to_string();
    let said = "longer than 67108864 bytes when it was asked to introduce itself";
    assert!(error.contains(said), "{error}");
    let crowd = OracleOptions { workers: 1_025, ..hasty() };
    let error = Served::new(&small()).try_open("", crowd).unwrap_err().to_string();
    assert_eq!(error, "1025 workers are too many for an oracle; expected at most 1024");
}

#[test]
fn an_oracle_that_cannot_be_opened_says_why() {
    let served = Served::new(&small());
    let said = |options: &str| served.try_open(options, hasty()).unwrap_err().to_string();
    let cases = [
        ("--protocol oracle/2", "speaks \"grease\": \"oracle/2\", expected \"grease\": \"oracle/1\""),
        ("--banner Loading", "`Loading`; a program that prints to stdout"),
        ("--items 5", "does not know 1 of the 6 items of the interactions, such as `i5`"),
        ("--abilities flying", "no ability `flying`"),
        ("--batch 0", "its batch is 0"),
    ];
    for (options, part) in cases {
        assert!(said(options).contains(part), "{options}: {}", said(options));
    }
    let missing = Address::Command("no-such-oracle-anywhere".into());
    let said = Oracle::open(&missing, &data(&small()), hasty()).unwrap_err().to_string();
    assert!(said.contains("no such command") && said.contains("no-such-oracle-anywhere"), "{said}");
    let silent = Address::Command("true".into());
    let said = Oracle::open(&silent, &data(&small()), hasty()).unwrap_err().to_string();
    assert!(said.contains("ended (exit status: 0) when it was asked to introduce itself"), "{said}");
}

#[test]
fn a_slow_start_is_given_a_second_chance() {
    let served = Served::new(&small());
    let how = || OracleOptions { timeout: Duration::from_secs(1), ..OracleOptions::default() };
    let oracle = served.try_open("--mistake slow-hello --once [DIR]/once", how()).unwrap();
    assert_eq!(oracle.report().restarts, 1);
    let said = served.try_open("--mistake slow-hello", how()).unwrap_err().to_string();
    assert!(said.contains("within 1 s when it was asked to introduce itself"), "{said}");
}

#[test]
fn processes_that_are_not_the_same_recommender_are_refused() {
    let served = Served::new(&small());
    let how = OracleOptions { workers: 2, memory: 0, ..OracleOptions::default() };
    let oracle = served.try_open(&format!("{ALL} --fickle yes --batch 1"), how).unwrap();
    // Many requests at a time: sooner or later the second process is started.
    let edits: Vec<Edit> = small().edges().map(|edge| Edit::removing([edge])).collect();
    let mut out = vec![0f32; 6 * edits.len()];
    let ask = |_| oracle.score(UserId(0), Profile::Kept, &edits, &mut out).err();
    let said = (0..1000).find_map(ask).unwrap().to_string();
    assert!(said.contains("two processes of the oracle differ in their name"), "{said}");
}

#[test]
fn processes_are_started_when_they_are_needed_and_work_side_by_side() {
    let served = Served::new(&small());
    let how = OracleOptions { workers: 3, memory: 0, ..OracleOptions::default() };
    let oracle = served.try_open(&format!("{ALL} --batch 1"), how).unwrap();
    oracle.scores(UserId(0)).unwrap();
    oracle.scores(UserId(1)).unwrap();
    let processes =
        || served.log().into_iter().map(|(process, ..)| process).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(processes().len(), 1, "one after another needs one process");
    let edits: Vec<Edit> = small().edges().map(|edge| Edit::removing([edge])).collect();
    let (mut got, mut want) = (vec![0f32; 6 * edits.len()], vec![0f32; 6 * edits.len()]);
    // A thread that is late leaves its share to the others; not every time.
    for _ in 0..1000 {
        oracle.score(UserId(0), Profile::Kept, &edits, &mut got).unwrap();
        if processes().len() > 1 {
            break;
        }
    }
    CoNeighbours::new(small()).score(UserId(0), Profile::Kept, &edits, &mut want).unwrap();
    assert_eq!(got, want);
    assert!((2..=3).contains(&processes().len()), "{:?}", processes());
}

#[test]
fn what_an_oracle_says_on_stderr_is_passed_on() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let voice = Voice::new(move |line| ear.lock().unwrap().push(line.to_owned()));
    let served = Served::new(&small());
    let oracle =
        served.try_open("--stderr loading", OracleOptions { voice, ..OracleOptions::default() }).unwrap();
    drop(oracle);
    assert_eq!(*heard.lock().unwrap(), ["loading"]);
}

/// Whether a process is there and not just waiting to be counted.
#[cfg(target_os = "linux")]
fn lives(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", process.trim())).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Whether a process that was told to end does, in the end.
#[cfg(target_os = "linux")]
fn goes(process: &str) -> bool {
    (0..500).any(|_| {
        let gone = !lives(process);
        if !gone {
            std::thread::sleep(Duration::from_millis(10));
        }
        gone
    })
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_an_oracle_started_outlives_it() {
    let served = Served::new(&small());
    let oracle =
        served.try_open(&format!("{ALL} --mistake stall-with-child --child [DIR]/child"), hasty()).unwrap();
    assert!(oracle.scores(UserId(0)).is_err());
    let child = std::fs::read_to_string(served.path("child")).unwrap();
    assert!(goes(&child), "the child of a process that stalled is gone with it");

    // A shell that waits for its children, as `sh -c 'a; b'` does.
    let Address::Command(command) = served.address(ALL) else { panic!("a command") };
    let command = command.replacen("exec", "sleep 600 & echo $! > [PID];", 1);
    let command = command.replace("[PID]", &served.path("sleeper").display().to_string());
    let oracle = Oracle::open(&Address::Command(command), &data(&small()), hasty()).unwrap();
    oracle.scores(UserId(0)).unwrap();
    let sleeper = std::fs::read_to_string(served.path("sleeper")).unwrap();
    assert!(lives(&sleeper), "it runs beside the oracle");
    let process = served.log().last().unwrap().0.to_string();
    assert!(lives(&process));
    drop(oracle);
    assert!(goes(&sleeper) && goes(&process), "all are gone");
}

#[cfg(target_os = "linux")]
#[test]
fn dropping_ends_also_those_who_do_not_listen() {
    let served = Served::new(&small());
    let Address::Command(command) = served.address(ALL) else { panic!("a command") };
    // Whatever happens to stdin, the shell sleeps on.
    let deaf = format!("({}) ; sleep 600", command.replacen("exec ", "", 1));
    let oracle = Oracle::open(&Address::Command(deaf), &data(&small()), hasty()).unwrap();
    oracle.scores(UserId(0)).unwrap();
    let process = served.log()[0].0.to_string();
    drop(oracle);
    assert!(goes(&process));
}
