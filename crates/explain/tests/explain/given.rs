//! Methods from outside: what they propose is certified as everybody's, and what they do wrong is theirs.

use std::collections::BTreeSet;
use std::sync::Arc;

use grease_explain::{
    About, Ask, ExplainError, Explainer, Explanation, GivenMethod, Goal, Items, Method, MethodName, Reason,
    Rigour, Scope, Status, Task, Unproposed, Who,
};
use grease_graph::doubles::{CoNeighbours, Counted, FromAfar, Frozen};
use grease_graph::{Edge, Edit, ItemId, Profile, Recommender, ScoreError, UserId, recommend, seed};
use grease_models::Model;

use crate::audit::Auditor;
use crate::support::{BlackBox, SCOPES, is_defined, models, slow_scores};

/// Whatever a test wants it to propose.
struct Own<P> {
    asks_singles: bool,
    propose: P,
}

type Proposed = Result<Vec<Edge>, Unproposed>;

impl<P: Fn(&About<'_>, &mut dyn Ask) -> Proposed + Send + Sync> GivenMethod for Own<P> {
    fn name(&self) -> MethodName {
        "own".parse().unwrap()
    }

    fn asks_singles(&self) -> bool {
        self.asks_singles
    }

    fn propose(&self, about: &About<'_>, ask: &mut dyn Ask) -> Proposed {
        (self.propose)(about, ask)
    }
}

fn own(
    propose: impl Fn(&About<'_>, &mut dyn Ask) -> Proposed + Send + Sync + 'static,
) -> Arc<dyn GivenMethod> {
    Arc::new(Own { asks_singles: false, propose })
}

fn strongest_first(about: &About<'_>, ask: &mut dyn Ask) -> Proposed {
    let singles: Vec<Vec<Edge>> = about.edges.iter().map(|&edge| vec![edge]).collect();
    let standings = ask.ask(&singles)?;
    let mut order: Vec<(f32, Edge)> =
        standings.iter().zip(about.edges).map(|(alone, &edge)| (alone.gain, edge)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(order.into_iter().map(|(_, edge)| edge).collect())
}

fn shuffled(about: &About<'_>, _: &mut dyn Ask) -> Proposed {
    let mut order = about.edges.to_vec();
    seed::shuffle(&mut seed::rng(about.seed, "test"), &mut order);
    Ok(order)
}

fn explained(
    recommender: impl Recommender + 'static,
    method: Arc<dyn GivenMethod>,
    task: &Task,
    goals: &[Goal],
) -> Result<Vec<Explanation>, ExplainError> {
    Explainer::by(Arc::new(recommender), method).explain(task, &Items::List, goals)
}

fn listener(user: u32) -> Task {
    Task::new(Who::Known(UserId(user)), 5)
}

const GOALS: [Goal; 3] = [Goal::Factual, Goal::Counterfactual, Goal::Joint];

#[test]
fn the_same_order_gets_the_same_verdicts_for_the_same_questions() {
    let mut verified = 0;
    for model in models() {
        for rigour in [Rigour::Certified, Rigour::InOrder] {
            for user in [1, 2, 5, 9, 17] {
                let task = Task { rigour, ..listener(user) };
                let given = Arc::new(Own { asks_singles: true, propose: strongest_first });
                let built_in = Explainer::new(Arc::new(model.clone()), Method::LeaveOneOut);
                let built_in = built_in.explain(&task, &Items::List, &GOALS).unwrap();
                let mut found = explained(model.clone(), given, &task, &GOALS).unwrap();
                for e in &mut found {
                    assert_eq!(e.method.name(), "own");
                    e.method = Method::LeaveOneOut;
                    verified += usize::from(e.status() == Status::Verified);
                }
                assert_eq!(found, built_in);
            }
        }
    }
    assert!(verified > 50, "{verified}: nothing was compared");
}

/// Whatever the order, scope and goal: each claim is re-checked on the graph built anew, in `f64`, by a second implementation.
#[test]
fn nothing_false_is_called_verified() {
    let mut verified = 0;
    let methods = || {
        let first_two =
            |about: &About<'_>, _: &mut dyn Ask| Ok(about.edges.iter().copied().take(2).collect());
        [own(strongest_first), own(shuffled), own(first_two)]
    };
    for model in models() {
        let truth = |user: UserId, profile: Profile, edit: &Edit| slow_scores(model, user, profile, edit);
        for (method, scope) in methods().into_iter().flat_map(|m| SCOPES.map(|scope| (Arc::clone(&m), scope)))
        {
            let goals: Vec<Goal> =
                GOALS.into_iter().filter(|&goal| is_defined(Method::Random, scope, goal)).collect();
            for (user, is_far) in [(2, false), (9, true)] {
                let task = Task { scope, alternatives: 1, ..listener(user) };
                let found = match is_far {
                    true => explained(FromAfar(model.clone()), Arc::clone(&method), &task, &goals),
                    false => explained(model.clone(), Arc::clone(&method), &task, &goals),
                };
                let list = recommend(model, &task.who, task.k, &task.candidates).unwrap();
                let list: Vec<ItemId> = list.iter().map(|listed| listed.item).collect();
                let auditor = Auditor {
                    graph: model.graph(),
                    task: &task,
                    together: &list,
                    truth: &truth,
                    rounding: 1e-5,
                };
                for e in found.unwrap() {
                    auditor.check(&e);
                    verified += usize::from(e.status() == Status::Verified);
                }
            }
        }
    }
    assert!(verified > 100, "{verified}: nothing was audited");
}

/// What a method hears is what the recommender says when it is asked directly.
#[test]
fn it_hears_what_the_recommender_says() {
    for model in models() {
        let asked = model.clone();
        let curious = own(move |about: &About<'_>, ask: &mut dyn Ask| {
            let pair = about.edges[..2.min(about.edges.len())].to_vec();
            let heard = ask.ask(std::slice::from_ref(&pair))?[0];
            let away = match about.goal {
                Goal::Counterfactual => pair.clone(),
                _ => about.who.history(about.graph).iter().map(|&own| Edge::new(about.user.0, own)).collect(),
            };
            let kept: Vec<Edge> = away
                .iter()
                .copied()
                .filter(|edge| about.goal == Goal::Counterfactual || !pair.contains(edge))
                .collect();
            let profile = if about.goal == Goal::Factual { Profile::Neutral } else { Profile::Kept };
            let scores = asked.scores_after(about.user, profile, &Edit::removing(kept)).unwrap();
            let history = about.who.history(about.graph);
            let mut others: Vec<f32> = (0..scores.len() as u32)
                .filter(|item| *item != about.item.0 && !history.contains(item))
                .map(|item| scores[item as usize])
                .collect();
            others.sort_by(|a, b| b.total_cmp(a));
            let score = scores[about.item.row()];
            let close = |a: f32, b: f32| {
                (a - b).abs() <= 1e-4 * scores.iter().fold(1e-3f32, |most, s| most.max(s.abs()))
            };
            assert!(close(heard.score, score), "{heard:?} {score}");
            assert!(close(heard.margin, score - others[about.k - 1]), "{heard:?}");
            if let Some(rank) = heard.rank {
                assert_eq!(rank, 1 + others.iter().filter(|&&other| other > score).count());
            }
            let inward = if about.goal == Goal::Counterfactual { -1.0 } else { 1.0 };
            assert_eq!(
                heard.holds && !close(heard.margin, 0.0),
                inward * heard.margin > 0.0 && !close(heard.margin, 0.0)
            );
            Ok(pair)
        });
        for user in [2, 9] {
            explained(model.clone(), Arc::clone(&curious), &listener(user), &GOALS[..2]).unwrap();
        }
    }
}

#[test]
fn an_order_of_nothing_finds_nothing_and_says_so() {
    let model = &models()[0];
    let found = explained(model.clone(), own(|_, _| Ok(Vec::new())), &listener(9), &GOALS).unwrap();
    let fell_short = found.iter().filter(|e| {
        assert!(e.status() != Status::Verified, "{e:?}");
        match e.reason() {
            Some(reason @ Reason::ProposalFallsShort { proposed: 0, .. }) => {
                assert_eq!(
                    reason.to_string(),
                    "proposal_falls_short: the method proposed nothing; try method grease"
                );
                true
            }
            _ => false,
        }
    });
    assert!(fell_short.count() > 5);
    let one = |about: &About<'_>, _: &mut dyn Ask| Ok(about.edges[..1].to_vec());
    let few = explained(model.clone(), own(one), &listener(9), &GOALS[1..2]).unwrap();
    let told: Vec<String> = few.iter().filter_map(|e| Some(e.reason()?.to_string())).collect();
    assert!(
        told.iter().any(|told| told.starts_with("proposal_falls_short: the 1 interaction that")),
        "{told:?}"
    );
}

/// What a method does wrong ends it all, and is called by its name.
#[test]
fn what_cannot_be_proposed_is_refused_by_name() {
    let stranger = Edge::new(3, 0);
    let wrong: [(Arc<dyn GivenMethod>, &str); 5] = [
        (
            own(move |_, _| Ok(vec![stranger])),
            "method own proposed the interaction of user row 3 with item row 0, which may not be cited here",
        ),
        (own(|about, _| Ok(vec![about.edges[0]; 2])), "twice"),
        (own(|about, _| Ok(vec![Edge::new(about.user.0, about.item.0)])), "which may not be cited here"),
        (own(|_, _| Err(Unproposed::Failed("failed: no idea".to_owned()))), "method own failed: no idea"),
        (
            own(move |_, ask| ask.ask(&[vec![stranger]]).map(|_| Vec::new())),
            "method own asked about the interaction of user row 3",
        ),
    ];
    for (method, said) in wrong {
        for recommender in
            [Arc::new(models()[0].clone()) as Arc<dyn Recommender>, Arc::new(FromAfar(models()[1].clone()))]
        {
            let explainer = Explainer::by(recommender, Arc::clone(&method));
            match explainer.explain(&listener(9), &Items::List, &GOALS) {
                Err(ExplainError::Method(error)) => assert!(error.to_string().contains(said), "{error}"),
                other => panic!("{said}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_recommender_that_fails_is_nobodys_answer_whatever_a_method_makes_of_it() {
    let all = CoNeighbours::new(models()[0].graph().clone());
    let interactions = all.graph().len();
    let broken = BlackBox {
        graph: all.graph().clone(),
        of: move |user, profile, edges: &BTreeSet<Edge>| match edges.len() < interactions {
            true => Err(ScoreError::Failed("out of order".to_owned())),
            false => all.scores_after(user, profile, &Edit::none()),
        },
    };
    let calm = own(|about, ask| {
        let singles: Vec<Vec<Edge>> = about.edges.iter().map(|&edge| vec![edge]).collect();
        Ok(if ask.ask(&singles).is_err() { Vec::new() } else { about.edges.to_vec() })
    });
    let failed = explained(broken, calm, &listener(9), &[Goal::Counterfactual]);
    assert!(matches!(failed, Err(ExplainError::Score(ScoreError::Failed(_)))), "{failed:?}");
}

#[test]
fn questions_are_limited_as_everybodys_and_counted() {
    let greedy = |about: &About<'_>, ask: &mut dyn Ask| -> Proposed {
        // Pairs upon pairs, until nobody answers any more; then what was learned is proposed.
        let mut best = (f32::NEG_INFINITY, Vec::new());
        for (at, &one) in about.edges.iter().enumerate() {
            for &other in &about.edges[at + 1..] {
                let left = ask.left();
                match ask.ask(&[vec![one, other, one]]) {
                    Ok(heard) => {
                        assert!(left - ask.left() <= 1);
                        assert_eq!(ask.ask(&[vec![other, one]]).unwrap(), heard, "asked again it is free");
                        best = if heard[0].gain > best.0 { (heard[0].gain, vec![one, other]) } else { best };
                    }
                    Err(Unproposed::OutOfBudget { left }) => {
                        assert_eq!((left, ask.left()), (0, 0));
                        return Ok(best.1);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(best.1)
    };
    let model = FromAfar(models()[0].clone());
    for queries in [0, 1, 7, 30] {
        let task = Task { queries, instead: false, ..listener(9) };
        let counted = Arc::new(Counted::new(model.clone()));
        let found =
            Explainer::by(counted.clone(), own(greedy)).explain(&task, &Items::List, &GOALS[..2]).unwrap();
        for e in &found {
            // Beside its own: where the search begins, why it came to nothing, and its share of what was asked for all.
            assert!(e.queries <= queries as f32 + 3.0, "{queries}: {e:?}");
        }
        let told: f32 = found.iter().map(|e| e.queries).sum();
        let asked = counted.take().edits as f32;
        assert!((told - asked).abs() < 0.5, "{told} of {asked}");
    }
    // Who lets the error through has no answer, and it says why.
    let wants_all = |about: &About<'_>, ask: &mut dyn Ask| {
        let sets: Vec<Vec<Edge>> = about.edges.iter().map(|&edge| vec![edge]).collect();
        ask.ask(&sets).map(|_| about.edges.to_vec())
    };
    let task = Task { queries: 2, ..listener(9) };
    let found = explained(model, own(wants_all), &task, &GOALS[1..2]).unwrap();
    assert!(found.iter().any(|e| matches!(e.reason(), Some(Reason::OutOfBudget { .. }))), "{found:?}");
}

#[test]
fn what_has_no_code_or_cannot_be_asked_is_refused_before_anything_is_asked() {
    let model = &models()[0];
    let name: MethodName = "elsewhere".parse().unwrap();
    let bare = Explainer::new(Arc::new(model.clone()), Method::Given(name));
    let refused = bare.explain(&listener(0), &Items::List, &GOALS).unwrap_err();
    assert!(
        refused.to_string().starts_with("there is no method `elsewhere`; there are grease, "),
        "{refused}"
    );
    let frozen = explained(Frozen(model.clone()), own(shuffled), &listener(0), &GOALS[..2]).unwrap_err();
    assert!(matches!(frozen, ExplainError::GivenOfFrozen(_)), "{frozen}");
}

#[test]
fn names_are_read_as_they_are_written() {
    let name: MethodName = "most-recent".parse().unwrap();
    let written = serde_json::to_string(&Method::Given(name)).unwrap();
    assert_eq!(written, "\"most-recent\"");
    assert_eq!(serde_json::from_str::<Method>(&written).unwrap(), Method::Given(name));
    assert_eq!(serde_json::from_str::<Method>("\"cosine\"").unwrap(), Method::Cosine);
    assert!(serde_json::from_str::<Method>("\"not a name\"").is_err());
    assert!("most-recent".parse::<Method>().is_err(), "what people type has to be there");
}

#[test]
fn why_not_is_asked_of_it_twice_once_for_what_to_leave_and_once_for_what_to_add() {
    let model: &Model = &models()[0];
    let task = listener(9);
    let listed: Vec<ItemId> =
        recommend(model, &task.who, 12, &task.candidates).unwrap().iter().map(|listed| listed.item).collect();
    let explainer = Explainer::by(Arc::new(model.clone()), own(strongest_first));
    let items = Items::These(listed[5..].to_vec());
    let found = explainer.explain(&task, &items, &[Goal::WhyNot]).unwrap();
    assert!(found.iter().any(|e| e.status() == Status::Verified), "{found:?}");
    let truth = |user: UserId, profile: Profile, edit: &Edit| slow_scores(model, user, profile, edit);
    let auditor =
        Auditor { graph: model.graph(), task: &task, together: &listed[5..], truth: &truth, rounding: 1e-5 };
    found.iter().for_each(|e| auditor.check(e));
    assert_eq!(task.scope, Scope::Own);
}
