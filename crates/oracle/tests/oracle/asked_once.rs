//! The same question reaches the oracle once.

use std::sync::Barrier;

use grease_graph::{Edge, Edit, Profile, Recommender as _, UserId};
use grease_oracle::OracleOptions;

use crate::support::{ALL, Served, small};

#[test]
fn identical_questions_are_asked_once() {
    let served = Served::new(&small());
    let oracle = served.open("--abilities newcomers,others");
    let without = Edit::removing([Edge::new(0, 0)]);
    let first = oracle.scores_after(UserId(0), Profile::Kept, &without).unwrap();
    assert_eq!(oracle.scores_after(UserId(0), Profile::Kept, &without).unwrap(), first);
    let mut out = vec![0f32; 18];
    oracle
        .score(UserId(0), Profile::Kept, &[without.clone(), Edit::none(), without.clone()], &mut out)
        .unwrap();
    assert_eq!((&out[..6], &out[12..]), (&first[..], &first[..]));
    assert_eq!(served.edits_asked(), 2);
    oracle.scores_after(UserId(0), Profile::Neutral, &without).unwrap();
    assert_eq!(served.edits_asked(), 3, "another profile is another question");
    // A newcomer's profile is neutral whatever is said.
    let new = Edit::history(oracle.graph().newcomer(), [1]);
    oracle.scores_after(oracle.graph().newcomer(), Profile::Kept, &new).unwrap();
    oracle.scores_after(oracle.graph().newcomer(), Profile::Neutral, &new).unwrap();
    assert_eq!(served.edits_asked(), 4);
    let report = oracle.report();
    assert_eq!((report.questions, report.requests), (8, 4));
    assert!((report.from_memory - 0.5).abs() < 1e-9, "{report}");
}

/// What an explanation rests on is asked past the memory: somebody who answers at random is found out.
#[test]
fn asked_anew_a_question_reaches_the_oracle_again() {
    let served = Served::new(&small());
    let oracle = served.open(ALL);
    let without = Edit::removing([Edge::new(0, 0)]);
    let first = oracle.scores_after(UserId(0), Profile::Kept, &without).unwrap();
    let mut again = vec![0f32; first.len()];
    oracle.score_anew(UserId(0), Profile::Kept, &[without], &mut again).unwrap();
    assert_eq!((again, served.edits_asked()), (first, 2));
    assert!(!oracle.repeats_itself());
}

#[test]
fn threads_that_ask_the_same_at_the_same_time_share_one_answer() {
    let served = Served::new(&small());
    let oracle = served.try_open(ALL, OracleOptions { workers: 4, ..OracleOptions::default() }).unwrap();
    let barrier = Barrier::new(8);
    let edits: Vec<Edit> = small().edges().map(|edge| Edit::removing([edge])).collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                barrier.wait();
                let mut out = vec![0f32; 6 * edits.len()];
                oracle.score(UserId(0), Profile::Kept, &edits, &mut out).unwrap();
            });
        }
    });
    assert_eq!(served.edits_asked(), edits.len());
}

#[test]
fn without_memory_everything_is_asked() {
    let served = Served::new(&small());
    let oracle = served.try_open(ALL, OracleOptions { memory: 0, ..OracleOptions::default() }).unwrap();
    oracle.scores(UserId(0)).unwrap();
    oracle.scores(UserId(0)).unwrap();
    assert_eq!(served.edits_asked(), 2);
}
