//! Every reason for finding nothing, every error, each with the smallest situation that has it.

use grease_explain::{
    Candidates, Caps, ExplainError, Explanation, Goal, Items, Method, ProfileChoice, Reason, Scope, Status,
    Task, Who,
};
use grease_graph::doubles::{CoNeighbours, Popularity};
use grease_graph::{Edge, Edit, EditError, Graph, ItemId, Profile, Recommender, ScoreError, UserId};

use crate::support::{BlackBox, explain, graph, methods_for, one, paths, task};

/// The reason, and that its text begins with its code.
fn reason(explanation: &Explanation) -> Reason {
    assert_eq!(explanation.status(), Status::NotFound, "{explanation:?}");
    assert!(explanation.edges().is_empty() && explanation.minimal().is_none(), "{explanation:?}");
    let reason = explanation.reason().unwrap();
    assert!(reason.to_string().starts_with(&format!("{}: ", reason.code())), "{reason}");
    reason
}

/// Item 8 has two paths through each of 0 to 3; item 9 one through 4: all of 0 to 3 must go.
fn all_four_must_go() -> CoNeighbours {
    let mut histories: Vec<Vec<u32>> = vec![vec![0, 1, 2, 3, 4]];
    (0..4).for_each(|item| histories.extend([vec![item, 8], vec![item, 8]]));
    histories.push(vec![4, 9]);
    let rows: Vec<&[u32]> = histories.iter().map(Vec::as_slice).collect();
    CoNeighbours::new(graph(10, &rows))
}

#[test]
fn out_of_budget() {
    let recommender = all_four_must_go();
    let enough = Task { queries: 50, ..task(1) };
    assert_eq!(one(&recommender, Method::Grease, &enough, 8, Goal::Counterfactual).edges().len(), 4);
    let why = one(
        &recommender,
        Method::Random,
        &Task { scope: Scope::Target, queries: 2, ..task(1) },
        8,
        Goal::Counterfactual,
    );
    assert_eq!(reason(&why), Reason::OutOfBudget { asked: 2 });
}

/// Fewer questions than interactions: those that could not be asked about are not called insufficient.
#[test]
fn a_history_longer_than_the_budget_is_out_of_budget() {
    let recommender = all_four_must_go();
    for (queries, method) in
        [(0, Method::Grease), (2, Method::Grease), (0, Method::Random), (2, Method::Cosine)]
    {
        let why = one(&recommender, method, &Task { queries, ..task(1) }, 8, Goal::Counterfactual);
        assert!(matches!(reason(&why), Reason::OutOfBudget { .. }), "{queries}, {method}: {why:?}");
    }
}

/// The cap is on what is told, not on what is tried: the reason says how many it would take, where such a set was found. The ceiling
/// stops at the cap; a random order comes by none.
#[test]
fn cap_reached() {
    let recommender = all_four_must_go();
    for (cap, method, found) in [
        (3, Method::Grease, Some(4)),
        (1, Method::Grease, Some(4)),
        (3, Method::Exact, None),
        (1, Method::LeaveOneOut, Some(4)),
        (2, Method::Random, None),
    ] {
        let why =
            one(&recommender, method, &Task { caps: Caps::both(cap), ..task(1) }, 8, Goal::Counterfactual);
        assert_eq!(reason(&why), Reason::CapReached { cap, found, best_rank: Some(1) }, "{method}");
    }
}

/// No interactions allowed is a cap, not an empty history.
#[test]
fn a_cap_of_zero_is_reached_at_once() {
    let recommender = all_four_must_go();
    for method in [Method::Grease, Method::Exact, Method::Random, Method::LeaveOneOut] {
        for goal in [Goal::Counterfactual, Goal::Factual] {
            let why = one(&recommender, method, &Task { caps: Caps::both(0), ..task(1) }, 8, goal);
            assert!(matches!(reason(&why), Reason::CapReached { cap: 0, .. }), "{method}: {why:?}");
        }
    }
}

/// Whatever brings 2 brings 3 as well, and ties do not count.
#[test]
fn nothing_suffices() {
    let recommender = CoNeighbours::new(graph(4, &[&[0, 1], &[0, 2, 3], &[1, 2, 3]]));
    // All ties: there is no best rank.
    for method in [Method::Grease, Method::Exact] {
        let why = one(&recommender, method, &task(1), 2, Goal::Factual);
        assert_eq!(reason(&why), Reason::NothingSuffices { edges: 2, tried: 3, best_rank: None }, "{method}");
    }
    // A method that only follows an order has not looked at each.
    let why = one(&recommender, Method::Random, &task(1), 2, Goal::Factual);
    assert_eq!(reason(&why), Reason::CapReached { cap: 2, found: None, best_rank: None });
}

#[test]
fn carried_by_profile() {
    let popular = Popularity::new(graph(4, &[&[0, 1], &[2], &[2, 3]]));
    for (method, tried) in [(Method::Grease, 3), (Method::Exact, 3), (Method::Random, 2)] {
        let why = one(&popular, method, &task(1), 2, Goal::Counterfactual);
        assert_eq!(reason(&why), Reason::CarriedByProfile { rank: 1, tried }, "{method}");
        let why = one(&popular, method, &task(1), 2, Goal::Factual);
        assert_eq!(
            (why.status(), why.minimal()),
            (Status::Trivial, Some(true)),
            "{method}: with nothing put back"
        );
    }
}

/// Answers well the first time a question is asked, and then at random.
struct Fickle {
    inner: CoNeighbours,
    asked: std::sync::atomic::AtomicU32,
}

impl Clone for Fickle {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), asked: 0.into() }
    }
}

impl Recommender for Fickle {
    fn graph(&self) -> &Graph {
        self.inner.graph()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.inner.score(user, profile, edits, out)
    }

    fn score_anew(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.score(user, profile, edits, out)?;
        let asked = self.asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        out.iter_mut().zip(asked..).for_each(|(score, at)| *score += (at % 3) as f32);
        Ok(())
    }
}

/// What an explanation rests on is asked twice of somebody who might answer otherwise, and nothing is claimed if they do.
#[test]
fn answers_differ() {
    let inner = CoNeighbours::new(graph(6, &[&[0, 1, 2], &[0, 3], &[0, 3], &[1, 4], &[2, 5]]));
    let sure = one(&inner, Method::Grease, &task(1), 3, Goal::Counterfactual);
    assert_eq!(sure.status(), Status::Verified);
    let fickle = Fickle { inner, asked: 0.into() };
    for goal in [Goal::Factual, Goal::Counterfactual] {
        let why = one(&fickle, Method::Grease, &task(1), 3, goal);
        assert!(matches!(reason(&why), Reason::AnswersDiffer { .. }), "{why:?}");
    }
}

#[test]
fn no_history() {
    let popular = Popularity::new(graph(4, &[&[], &[2], &[2, 3]]));
    let why = one(&popular, Method::Grease, &task(1), 2, Goal::Counterfactual);
    assert_eq!(reason(&why), Reason::NoHistory);
    let hidden = Task { never_cite: [ItemId(0), ItemId(1)].into(), ..task(1) };
    let paths = CoNeighbours::new(graph(4, &[&[0, 1], &[0, 2], &[1, 3], &[0, 2]]));
    for goal in [Goal::Counterfactual, Goal::Factual] {
        let why = one(&paths, Method::Grease, &hidden, 2, goal);
        assert_eq!(reason(&why), Reason::NoHistory, "none that may be cited");
    }
}

#[test]
fn item_without_interactions() {
    let recommender = CoNeighbours::new(graph(3, &[&[2], &[2]]));
    for method in [Method::Grease, Method::Exact] {
        let wide = Task { scope: Scope::Target, ..task(1) };
        let why = one(&recommender, method, &wide, 0, Goal::Counterfactual);
        assert_eq!(reason(&why), Reason::ItemWithoutInteractions, "{method}");
    }
}

#[test]
fn already_outside_and_already_inside() {
    let recommender = CoNeighbours::new(graph(4, &[&[0, 1], &[0, 2], &[0, 2], &[1, 3]]));
    for goal in [Goal::Counterfactual, Goal::Factual] {
        let why = one(&recommender, Method::Grease, &task(1), 3, goal);
        assert_eq!(reason(&why), Reason::AlreadyOutside { rank: 2 });
    }
    let why = one(&recommender, Method::Grease, &task(1), 2, Goal::WhyNot);
    assert_eq!(reason(&why), Reason::AlreadyInside { rank: 1 });
}

/// What only the learned profile keeps on the list, or off it, is not there to begin with once that is set aside.
#[test]
fn inside_and_outside_are_as_the_profile_is_read() {
    let loyal = BlackBox {
        graph: graph(3, &[&[0], &[0, 1]]),
        of: |_, profile, _: &_| {
            Ok(if profile == grease_graph::Profile::Kept { vec![0.0, 1.0, 2.0] } else { vec![0.0, 2.0, 1.0] })
        },
    };
    let neutral = Task { profile: ProfileChoice::Neutral, ..task(1) };
    let why = one(&loyal, Method::Grease, &neutral, 2, Goal::Counterfactual);
    assert_eq!(reason(&why), Reason::AlreadyOutside { rank: 2 });
    let why = one(&loyal, Method::Grease, &neutral, 1, Goal::WhyNot);
    assert_eq!(reason(&why), Reason::AlreadyInside { rank: 1 });
}

#[test]
fn fewer_candidates_than_places() {
    let recommender = CoNeighbours::new(graph(4, &[&[0, 1], &[0, 2], &[1, 3]]));
    for k in [2, 3, usize::MAX] {
        for goal in [Goal::Counterfactual, Goal::Factual] {
            let why = one(&recommender, Method::Grease, &task(k), 2, goal);
            assert_eq!(reason(&why), Reason::FewerCandidatesThanPlaces, "k = {k}");
        }
    }
    let only = Candidates { only: Some([ItemId(2)].into()), ..Candidates::default() };
    let why =
        one(&recommender, Method::Exact, &Task { candidates: only, ..task(1) }, 2, Goal::Counterfactual);
    assert_eq!(reason(&why), Reason::FewerCandidatesThanPlaces);
}

/// No single removal within a cap of nothing can satisfy a surrogate either.
#[test]
fn surrogate_found_none() {
    let why = one(
        &all_four_must_go(),
        Method::Paper,
        &Task { caps: Caps::both(0), ..task(1) },
        8,
        Goal::Counterfactual,
    );
    assert!(matches!(reason(&why), Reason::SurrogateFoundNone { rank: Some(_) }), "{why:?}");
    assert_eq!(why.surrogate.unwrap().rank_after, None);
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let recommender = all_four_must_go();
    let refused = |method: Method, task: &Task, item: u32, goal: Goal| {
        explain(&recommender, method, task, &Items::These(vec![ItemId(item)]), &[goal]).unwrap_err()
    };
    let (why, fact, not) = (Goal::Counterfactual, Goal::Factual, Goal::WhyNot);
    let (grease, scoped) = (Method::Grease, |scope| Task { scope, ..task(1) });
    assert_eq!(refused(grease, &task(0), 8, why), ExplainError::NoPlaces);
    assert_eq!(refused(grease, &task(1), 10, why), ExplainError::UnknownItem { row: 10, items: 10 });
    assert_eq!(refused(grease, &task(1), 0, why), ExplainError::NotACandidate(ItemId(0)));
    let except = Candidates { except: [ItemId(8)].into(), ..Candidates::default() };
    let without = Task { candidates: except, ..task(1) };
    assert_eq!(refused(grease, &without, 8, why), ExplainError::NotACandidate(ItemId(8)));
    assert_eq!(refused(grease, &scoped(Scope::Hops), 8, fact), ExplainError::FactualHops);
    assert_eq!(refused(Method::Exact, &scoped(Scope::Hops), 8, why), ExplainError::ExactHops);
    assert_eq!(refused(grease, &scoped(Scope::Target), 8, not), ExplainError::WhyNotBeyondOwn);
    assert_eq!(refused(Method::Paper, &task(1), 9, not), ExplainError::WhyNotByPaper);
    let nobody = Task { who: Who::Known(UserId(99)), ..task(1) };
    let unknown = ScoreError::UnknownUser { row: 99, users: 10 };
    assert_eq!(refused(grease, &nobody, 8, why), ExplainError::Score(unknown));
    let odd = Task { who: Who::Newcomer(vec![ItemId(77)]), ..task(1) };
    let outside = ScoreError::Edit(EditError::Outside(Edge::new(10, 77)));
    assert_eq!(refused(grease, &odd, 8, why), ExplainError::Score(outside));
}

/// Scores that are no numbers are an error that says so, whether they come first or midway.
#[test]
fn scores_that_are_no_numbers_are_refused() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for fewest in [0, 3] {
            let broken = BlackBox {
                graph: graph(5, &[&[0, 1, 2], &[0, 3], &[0, 3], &[1, 4]]),
                of: move |_, _, edges: &std::collections::BTreeSet<Edge>| {
                    let own = edges.iter().filter(|edge| edge.user == UserId(0)).count();
                    Ok(vec![0.0, 0.0, 0.0, 2.0, if own <= 3 - fewest { bad } else { 1.0 }])
                },
            };
            let error = explain(&broken, Method::Grease, &task(1), &Items::List, &[Goal::Counterfactual])
                .unwrap_err();
            let ExplainError::Score(ScoreError::NotFinite(score)) = &error else { panic!("{error:?}") };
            assert_eq!(score.to_bits(), bad.to_bits());
            assert!(error.to_string().contains("finite"), "{error}");
        }
    }
}

/// A recommender that fails at its n-th question gives its own error, whichever question that is.
#[test]
fn a_recommender_that_fails_midway_gives_its_error() {
    for method in methods_for(&CoNeighbours::new(graph(2, &[&[0]]))) {
        let mut failed = 0;
        for healthy in 0..12 {
            let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
            let counter = asked.clone();
            let flaky = BlackBox {
                graph: graph(5, &[&[0, 1, 2], &[0, 3], &[0, 3], &[1, 3], &[2, 4]]),
                of: move |user, _, edges: &std::collections::BTreeSet<Edge>| {
                    if counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= healthy {
                        return Err(ScoreError::Failed("the line is dead".into()));
                    }
                    Ok(paths(5, user, edges).iter().map(|&score| score as f32).collect())
                },
            };
            let goals = [Goal::Counterfactual, Goal::Factual];
            match explain(&flaky, method, &task(1), &Items::List, &goals) {
                Ok(_) => assert!(asked.load(std::sync::atomic::Ordering::Relaxed) <= healthy),
                Err(error) => {
                    assert_eq!(error.to_string(), "the recommender could not score: the line is dead");
                    failed += 1;
                }
            }
        }
        assert!(failed >= 2, "{method} asked too little to see it fail");
    }
}
