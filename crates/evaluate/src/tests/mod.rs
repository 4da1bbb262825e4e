//! A small evaluation, counted again by another way, and every verified answer asked again.

mod beside;
mod importance;
mod named;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use grease_explain::{Goal, Method, PaperFit, PaperOptions, Rigour, Status};
use grease_graph::{Edge, Edit, Profile, Recommender as _, UserId};

use crate::unit::{Call, Done, Purpose};
use crate::{
    Answers, Axis, Cell, Claims, EvaluateError, Evaluation, Fewer, NamedSubject, RESULTS, Results, Row,
    Sample, Settings, Spread, Table,
};
use grease::{Opening, RunObserver};
use grease_testing::folder;

const CAP: usize = 2;
const BUDGET: usize = 5;

fn settings() -> Settings {
    Settings {
        ks: vec![3, 5],
        sample: Sample::People(5),
        fewer: vec![
            Fewer { method: Some(Method::Exact), table: None, people: 2 },
            Fewer { method: Some(Method::Cosine), table: Some(Table::Paper), people: 0 },
        ],
        repeats: 3,
        // Small caps, so that something is found beyond them.
        max_add: 1,
        max_remove: CAP,
        budget: BUDGET,
        stability_people: 2,
        ..Settings::default()
    }
}

fn evaluated(settings: &Settings, out: &Path) -> (Results, Vec<Done>) {
    let subjects = [NamedSubject { name: "lastfm-like".into(), subject: folder().clone().into() }];
    let evaluation = Evaluation {
        subjects: &subjects,
        settings,
        out,
        command: "grease evaluate".into(),
        show_user_ids: false,
    };
    let mut run = evaluation.open(Opening::Fresh).unwrap();
    run.explain(&()).unwrap();
    assert_eq!(run.done(), run.units());
    let (results, times) = run.finish(Vec::new()).unwrap();
    let answered = |answers: &Option<Answers>| answers.is_some_and(|answers| answers.products > 0);
    assert!(times.answers.len() == results.models.len() && times.answers.iter().all(answered), "{times:?}");
    let lines = std::fs::read_to_string(out.join("units.jsonl")).unwrap();
    (results, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// All calls of the tables with the unit they belong to.
fn calls(done: &[Done]) -> impl Iterator<Item = (&Done, &Call)> {
    let tables = done.iter().filter(|done| done.unit.purpose == Purpose::Tables);
    tables.flat_map(|done| done.calls.iter().map(move |call| (done, call)))
}

/// One pair: repeat, status, edges, whether beyond the caps, rank, degree.
struct Pair {
    repeat: usize,
    status: Status,
    edges: usize,
    beyond: bool,
    rank: usize,
}

fn pairs(done: &[Done], row: Row) -> Vec<Pair> {
    let of_row = calls(done).filter(|(_, call)| {
        (call.table, call.k, call.method, call.rigour) == (row.table, row.k, row.method, row.rigour)
    });
    of_row
        .flat_map(|(done, call)| call.answers.iter().map(move |answer| (done, answer)))
        .filter(|(_, answer)| answer.goal == row.goal)
        .map(|(done, answer)| Pair {
            repeat: done.unit.repeat,
            status: answer.status,
            edges: answer.edges.len(),
            beyond: answer.beyond,
            rank: answer.rank_before,
        })
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// Everything of a cell and its budget curve, from the definitions.
fn recount(results: &Results, done: &[Done], cell: &Cell) {
    let row = cell.row;
    let all = pairs(done, row);
    let within: Vec<&Pair> = all.iter().filter(|pair| !pair.beyond).collect();
    let repeats: BTreeSet<usize> = within.iter().map(|pair| pair.repeat).collect();
    let is = |status: Status| within.iter().filter(|pair| pair.status == status).count();
    assert_eq!((cell.attempted, cell.repeats), (within.len(), repeats.len()), "{row:?}");
    assert_eq!(cell.attempted, cell.lists * row.k, "every item of every list: {row:?}");
    assert_eq!(
        (cell.verified, cell.refuted, cell.trivial),
        (is(Status::Verified), is(Status::Refuted), is(Status::Trivial))
    );
    assert_eq!(cell.found, cell.verified + cell.refuted);
    assert_eq!(cell.reasons.iter().map(|(_, count)| count).sum::<usize>(), is(Status::NotFound));
    let share_of = |repeat: usize, holds: &dyn Fn(&Pair) -> bool| {
        let of: Vec<&&Pair> = within.iter().filter(|pair| pair.repeat == repeat).collect();
        of.iter().filter(|pair| holds(pair)).count() as f64 / of.len() as f64
    };
    let shares: Vec<f64> =
        repeats.iter().map(|&r| share_of(r, &|pair| pair.status == Status::Verified)).collect();
    assert!(close(cell.share.mean, mean(&shares)), "{row:?}");
    assert!(close(cell.share.sd, Spread::of(&shares).unwrap().sd));
    let lengths = |repeat: usize| -> Vec<f64> {
        let of = within.iter().filter(|pair| pair.repeat == repeat && pair.status == Status::Verified);
        of.map(|pair| pair.edges as f64).collect()
    };
    let lengths: Vec<f64> =
        repeats.iter().map(|&r| lengths(r)).filter(|l| !l.is_empty()).map(|l| mean(&l)).collect();
    match cell.edges {
        Some(edges) => assert!(close(edges.mean, mean(&lengths)), "{row:?}"),
        None => assert!(lengths.is_empty()),
    }
    let cap = if row.goal == Goal::Factual { 1 } else { CAP };
    assert!(within.iter().all(|pair| pair.edges <= cap), "{row:?}");
    let curve =
        |over: Axis| results.models[0].curves.iter().find(|c| c.row == row && c.over == over).unwrap();
    for point in &curve(Axis::Budget).points {
        let solved = |pair: &&Pair| {
            let counts_from = if pair.beyond { pair.edges.max(cap + 1) } else { pair.edges };
            pair.status == Status::Verified && counts_from <= point.from
        };
        let shares: Vec<f64> = repeats
            .iter()
            .map(|&r| {
                let solved = all.iter().filter(|pair| pair.repeat == r).filter(solved).count();
                solved as f64 / within.iter().filter(|pair| pair.repeat == r).count() as f64
            })
            .collect();
        assert!(close(point.share.mean, mean(&shares)), "{row:?} {point:?}");
        if point.from == cap {
            assert!(close(point.share.mean, cell.share.mean));
        }
    }
    let by_rank = curve(Axis::Rank);
    assert_eq!(by_rank.points.iter().map(|p| p.from).collect::<Vec<_>>(), (1..=row.k).collect::<Vec<_>>());
    for point in &by_rank.points {
        assert_eq!(point.pairs, within.iter().filter(|pair| pair.rank == point.from).count());
    }
}

/// What the surrogate of method `paper` claims: every pair sorted by where it had the item before any edit and after its own.
fn recount_claims(done: &[Done], cell: &Cell, claims: &Claims) {
    let row = cell.row;
    let of_row =
        calls(done).filter(|(_, call)| (call.table, call.k, call.method) == (row.table, row.k, row.method));
    // By repeat: attempted, on the surrogate's list, judged, off its list, of nothing, edges of all claims.
    let mut counted: BTreeMap<usize, [usize; 6]> = BTreeMap::new();
    for (done, call) in of_row {
        for answer in call.answers.iter().filter(|answer| answer.goal == row.goal && !answer.beyond) {
            let [attempted, listed, judged, off_list, of_nothing, edges] =
                counted.entry(done.unit.repeat).or_default();
            *attempted += 1;
            let Some(view) = answer.surrogate else { continue };
            *listed += usize::from(view.rank_before <= row.k);
            let trivial = answer.status == Status::Trivial;
            let unasked = row.goal == Goal::Counterfactual && view.rank_before > row.k;
            if trivial || !(unasked || view.rank_after.is_some()) {
                continue;
            }
            *edges += answer.edges.len();
            *(match (view.rank_before > row.k, answer.edges.is_empty()) {
                (true, _) => off_list,
                (false, true) => of_nothing,
                (false, false) => judged,
            }) += 1;
        }
    }
    let sum = |at: usize| counted.values().map(|counts| counts[at]).sum::<usize>();
    assert_eq!((claims.off_list, claims.of_nothing), (sum(3), sum(4)), "{row:?}");
    let over = |part: &dyn Fn(&[usize; 6]) -> (usize, usize)| {
        let parts = counted.values().map(part).filter(|(_, by)| *by > 0);
        Spread::of(&parts.map(|(count, by)| count as f64 / by as f64).collect::<Vec<_>>())
    };
    assert_eq!(cell.judged, over(&|c| (c[2], c[0])), "{row:?}");
    assert_eq!(Some(claims.share), over(&|c| (c[2] + c[3] + c[4], c[0])), "{row:?}");
    assert_eq!(claims.edges, over(&|c| (c[5], c[2] + c[3] + c[4])), "{row:?}");
    assert_eq!(claims.of_listed, over(&|c| (c[2], c[1])), "{row:?}");
}

#[test]
fn every_figure_is_what_the_definitions_say() {
    let (place, settings) = (tempfile::tempdir().unwrap(), settings());
    let (results, done) = evaluated(&settings, place.path());
    let model = &results.models[0];
    model.cells.iter().for_each(|cell| recount(&results, &done, cell));

    let rows: BTreeSet<Row> = model.cells.iter().map(|cell| cell.row).collect();
    let expected = settings.methods.iter().flat_map(|&method| {
        let rigours = Settings::rigours(method);
        let tables = [Table::Paper, Table::Own]
            .into_iter()
            .filter(move |&table| !(method == Method::Cosine && table == Table::Paper));
        tables.flat_map(move |table| {
            [Goal::Factual, Goal::Counterfactual]
                .into_iter()
                .filter(move |&goal| Settings::is_defined(table, goal, method))
                .flat_map(move |goal| {
                    [3, 5].into_iter().flat_map(move |k| {
                        rigours.iter().map(move |&rigour| Row { table, k, goal, method, rigour })
                    })
                })
        })
    });
    assert_eq!(rows, expected.collect::<BTreeSet<Row>>(), "everything asked for, and nothing else");
    for cell in &model.cells {
        let people = match cell.row.method {
            Method::Exact => 2,
            _ => 5,
        };
        assert_eq!((cell.lists, cell.subsample), (3 * people, people < 5), "{:?}", cell.row);
        let paper = cell.row.method == Method::Paper;
        assert_eq!((cell.judged.is_some(), cell.surrogate_agrees.is_some()), (paper, paper));
        assert_eq!(cell.claims.is_some(), paper);
        if let Some(claims) = cell.claims {
            assert!(claims.share.mean >= cell.share.mean, "what holds was found first: {:?}", cell.row);
            recount_claims(&done, cell, &claims);
        }
    }
    // Nothing is above the ceiling, on the ceiling's own pairs.
    assert!(!model.gaps.is_empty());
    for gap in &model.gaps {
        assert!(gap.verified <= gap.ceiling, "{gap:?}");
        assert!(gap.both.is_none_or(|both| both.other_edges <= both.edges), "{gap:?}");
    }
    assert!(
        model.curves.iter().any(|curve| {
            curve.over == Axis::Budget
                && curve.points[BUDGET - 1].share.mean > curve.points[CAP - 1].share.mean
        }),
        "nothing was found beyond the caps"
    );
    for stability in &model.stability {
        assert_eq!((stability.people, stability.pairs, stability.seeds), (2, 2 * 3, 3), "{stability:?}");
        if stability.row.method == Method::LeaveOneOut && stability.row.table == Table::Own {
            assert_eq!(
                (stability.same_verdict, stability.overlap.unwrap_or(1.0)),
                (1.0, 1.0),
                "it asks no seed"
            );
        }
    }
    assert!(model.fidelity.iter().any(|report| report.row.method == Method::Paper));
    let stored: Results =
        serde_json::from_slice(&std::fs::read(place.path().join(RESULTS)).unwrap()).unwrap();
    assert_eq!(stored, results);
}

/// The recommender is asked about every verified answer again, and ranks are counted by hand.
#[test]
fn every_verified_answer_holds() {
    let (place, settings) = (tempfile::tempdir().unwrap(), settings());
    let (_, done) = evaluated(&settings, place.path());
    let model = &folder().model;
    let graph = model.graph();
    let mut checked: BTreeMap<(Method, Rigour), usize> = BTreeMap::new();
    for (done, call) in calls(&done) {
        let user = done.unit.user;
        let own: Vec<Edge> = graph.items_of(user).iter().map(|&item| Edge::new(user.0, item)).collect();
        for answer in call.answers.iter().filter(|answer| answer.status == Status::Verified) {
            let cited: BTreeSet<Edge> =
                answer.edges.iter().map(|&(user, item)| Edge::new(user, item)).collect();
            assert_eq!(cited.len(), answer.edges.len());
            let (removed, profile): (Vec<Edge>, Profile) = match (answer.goal, call.table) {
                (Goal::Factual, table) => {
                    let mut evicted: BTreeSet<Edge> = own.iter().copied().collect();
                    if table == Table::Paper {
                        let users = graph.users_of(grease_graph::ItemId(answer.item));
                        evicted.extend(users.iter().map(|&user| Edge::new(user, answer.item)));
                    }
                    assert!(cited.is_subset(&evicted));
                    let profile = if table == Table::Own { Profile::Neutral } else { Profile::Kept };
                    (evicted.difference(&cited).copied().collect(), profile)
                }
                _ => (cited.into_iter().collect(), Profile::Kept),
            };
            let scores = model.scores_after(user, profile, &Edit::removing(removed)).unwrap();
            let history: BTreeSet<u32> = graph.items_of(user).iter().copied().collect();
            let mut ranked: Vec<u32> =
                (0..scores.len() as u32).filter(|item| !history.contains(item)).collect();
            ranked.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
            let rank = 1 + ranked.iter().position(|&item| item == answer.item).unwrap();
            assert_eq!(Some(rank), answer.rank_after);
            assert_eq!(rank <= call.k, answer.goal == Goal::Factual, "{:?} {answer:?}", UserId(user.0));
            *checked.entry((call.method, call.rigour)).or_default() += 1;
        }
    }
    for method in [Method::Grease, Method::Random, Method::LeaveOneOut, Method::Exact] {
        assert!(checked.get(&(method, Rigour::Certified)).is_some_and(|&count| count > 5), "{checked:?}");
    }
}

#[test]
fn evaluations_that_make_no_sense_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let subjects = [NamedSubject { name: "small".into(), subject: folder().clone().into() }];
    for (settings, said) in [
        (Settings { ks: vec![61], ..settings() }, "a list of 61 has room for all 60 items of small"),
        (Settings { ks: vec![], ..settings() }, "at least one length of lists"),
        (Settings { methods: vec![], ..settings() }, "at least one method"),
        (Settings { repeats: 0, ..settings() }, "at least one repeat"),
        (
            Settings { paper: PaperOptions { eta: f64::NAN, ..PaperOptions::default() }, ..settings() },
            "method paper: the step length eta must be a number above 0, and is NaN",
        ),
    ] {
        let evaluation = Evaluation {
            subjects: &subjects,
            settings: &settings,
            out: &place.path().join("e"),
            command: String::new(),
            show_user_ids: false,
        };
        let Err(error) = evaluation.open(Opening::Fresh) else { panic!("expected: {said}") };
        assert!(error.to_string().contains(said), "{error}");
    }
    assert!(!place.path().join("e").exists(), "nothing is written");
}

#[test]
fn method_paper_is_run_as_the_settings_say_and_they_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let run = |name: &str, paper: PaperOptions| {
        let methods = vec![Method::Paper];
        let settings = Settings { methods, ks: vec![3], repeats: 1, paper, ..settings() };
        let out = place.path().join(name);
        let (results, _) = evaluated(&settings, &out);
        let kept = std::fs::read_to_string(out.join("run.json")).unwrap();
        assert!(kept.contains(&serde_json::to_string(&paper.fit).unwrap()), "{kept}");
        assert_eq!(results.settings.paper, paper);
        results.models[0].cells.clone()
    };
    let usual = PaperOptions::default();
    let pair = run("pair", usual);
    assert_ne!(pair, run("list", PaperOptions { fit: PaperFit::List, fit_steps: 20, ..usual }));
    // What an earlier version wrote says nothing of it.
    let mut earlier = serde_json::to_value(settings()).unwrap();
    earlier.as_object_mut().unwrap().remove("paper");
    assert_eq!(serde_json::from_value::<Settings>(earlier).unwrap().paper, usual);
}

/// Counts answers, and wants it to end once there are so many.
struct Until {
    most: usize,
    answered: AtomicUsize,
    people: AtomicUsize,
}

impl RunObserver for Until {
    fn done(&self, people: usize) {
        self.people.store(people, Ordering::SeqCst);
    }

    fn answered(&self, explanations: usize) {
        self.answered.fetch_add(explanations, Ordering::SeqCst);
        if self.cancelled() {
            // It is looked at now and then.
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn cancelled(&self) -> bool {
        self.answered.load(Ordering::SeqCst) >= self.most
    }
}

#[test]
fn answers_are_counted_and_a_run_ends_within_a_person() {
    let folder_of_run = tempfile::tempdir().unwrap();
    let settings = Settings { repeats: 1, sample: Sample::People(4), ..settings() };
    let subjects = [NamedSubject { name: "some".into(), subject: folder().clone().into() }];
    let evaluation = Evaluation {
        subjects: &subjects,
        settings: &settings,
        out: folder_of_run.path(),
        command: String::new(),
        show_user_ids: false,
    };
    let until = |most| Until { most, answered: AtomicUsize::new(0), people: AtomicUsize::new(0) };
    let mut run = evaluation.open(Opening::Fresh).unwrap();
    let all = run.answers();
    let some = until(1);
    assert!(matches!(run.explain(&some), Err(EvaluateError::Interrupted { all: 4, .. })));
    let looked_at = some.answered.load(Ordering::SeqCst);
    assert!(looked_at < all / 2, "{looked_at} of {all}: nobody's lists are all looked at");
    assert_eq!((run.done(), run.answered()), (0, 0), "part of a person is nothing");
    drop(run);
    let mut run = evaluation.open(Opening::Resume).unwrap();
    let rest = until(usize::MAX);
    run.explain(&rest).unwrap();
    assert_eq!((rest.people.into_inner(), rest.answered.into_inner()), (4, all));
    assert_eq!((run.done(), run.answered()), (4, all));
}
