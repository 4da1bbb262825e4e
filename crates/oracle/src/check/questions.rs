//! The checks that every oracle must pass, one function each.

use grease_graph::{Edge, Edit, Graph, Profile, Recommender as _, ScoreError, UserId};

use super::abilities::{embeddings, neutral, newcomers, others};
use super::{Finding, Verdict};
use crate::error::OracleError;
use crate::oracle::Oracle;

/// Scores that differ by no more than this share of the largest are the same.
const TOLERANCE: f32 = 1e-5;
/// Edits of one person in a batch.
const BATCH: usize = 12;
/// Nobody is called so.
const NOBODY: &str = "grease: a user nobody knows";

/// What a check comes to, but for its name.
pub(super) struct Outcome {
    verdict: Verdict,
    said: String,
    advice: Option<&'static str>,
}

pub(super) fn ok(said: impl Into<String>) -> Outcome {
    Outcome { verdict: Verdict::Ok, said: said.into(), advice: None }
}

pub(super) fn skipped(said: &str) -> Outcome {
    Outcome { verdict: Verdict::Skipped, said: said.into(), advice: None }
}

pub(super) fn warning(said: impl Into<String>, advice: &'static str) -> Outcome {
    Outcome { verdict: Verdict::Warning, said: said.into(), advice: Some(advice) }
}

pub(super) fn failed(said: impl Into<String>, advice: &'static str) -> Outcome {
    Outcome { verdict: Verdict::Failed, said: said.into(), advice: Some(advice) }
}

/// For a check that got no answer at all.
pub(super) fn unanswered(error: &ScoreError) -> Outcome {
    let said = match error {
        ScoreError::Failed(said) | ScoreError::Refused(said) => said.clone(),
        other => other.to_string(),
    };
    failed(said, "mend what the message says; the oracle's stderr may say more")
}

impl Outcome {
    fn of(self, check: &'static str) -> Finding {
        Finding { check, verdict: self.verdict, said: self.said, advice: self.advice.map(str::to_owned) }
    }
}

/// Where there is no oracle to check.
pub(super) fn could_not_open(check: &'static str, error: &OracleError) -> Finding {
    let advice = match error {
        OracleError::UnknownItems { .. } => {
            "list every item of the interactions in the answer to hello, by the ids of the data"
        }
        OracleError::NotJson { .. } => {
            "send all messages of the program and its libraries to stderr, and flush stdout after each answer"
        }
        OracleError::Timeout { .. } => {
            "answer hello before slow work, flush stdout after each answer, or allow more time by `oracle_timeout`"
        }
        OracleError::NoOracle { .. } => "answer every POST to this address with an object of JSON",
        OracleError::Connection { .. } => "start the service, and check host, port and path of the address",
        _ => "mend what the message says; docs/oracle.md has an exchange to compare with",
    };
    failed(error.to_string(), advice).of(check)
}

/// All checks, in order. `another` opens the oracle a second time.
pub(super) fn all(
    oracle: &Oracle,
    people: &[UserId],
    another: impl FnOnce() -> Result<Oracle, OracleError>,
) -> Vec<Finding> {
    let mut findings = vec![introduction(oracle).of("hello"), items(oracle).of("items")];
    let Some(&somebody) = people.first() else {
        findings.push(
            failed(
                "the interactions have nobody with a history",
                "give interactions of people the oracle knows",
            )
            .of("scores"),
        );
        return findings;
    };
    let scores = scores(oracle, people);
    let hopeless = scores.verdict == Verdict::Failed;
    findings.push(scores.of("scores"));
    if hopeless {
        return findings;
    }
    findings.push(again(oracle, people).of("asked twice"));
    findings.push(elsewhere(oracle, people, another).of("asked another worker"));
    findings.push(empty_edit(oracle, somebody).of("empty edit"));
    findings.push(batches(oracle, people).of("batch"));
    findings.push(removals(oracle, people).of("removals"));
    findings.push(additions(oracle, people).of("additions"));
    findings.push(unknown_user(oracle, somebody).of("unknown user"));
    findings.push(neutral(oracle, people).of("neutral"));
    findings.push(newcomers(oracle, people).of("newcomers"));
    findings.push(others(oracle, people).of("others"));
    findings.push(embeddings(oracle, people).of("embeddings"));
    findings.push(latency(oracle).of("latency"));
    findings
}

fn introduction(oracle: &Oracle) -> Outcome {
    let hello = oracle.hello();
    let version = hello.version.as_deref().map_or(String::new(), |version| format!(" {version}"));
    let said = format!("{}{version}, {} edits a request", hello.name, hello.batch);
    if hello.version.is_none() {
        return warning(
            format!("{said}; it says no version"),
            "say a version that changes with the model, so that stored explanations can be told apart",
        );
    }
    ok(said)
}

fn items(oracle: &Oracle) -> Outcome {
    let graph = oracle.graph();
    let without = (0..graph.items() as u32)
        .filter(|&item| graph.users_of(grease_graph::ItemId(item)).is_empty())
        .count();
    ok(format!("{} items, all of the interactions among them; {without} without interactions", graph.items()))
}

fn ask(oracle: &Oracle, user: UserId, profile: Profile, edits: &[Edit]) -> Result<Vec<f32>, ScoreError> {
    let mut out = vec![0f32; edits.len() * oracle.graph().items()];
    oracle.score(user, profile, edits, &mut out)?;
    Ok(out)
}

/// Whether these are the same scores.
pub(super) fn alike(a: &[f32], b: &[f32]) -> bool {
    let largest = a.iter().chain(b).fold(0f32, |most, score| most.max(score.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= TOLERANCE * largest)
}

pub(super) fn named(oracle: &Oracle, user: UserId) -> &str {
    if user == oracle.graph().newcomer() { "somebody new" } else { oracle.users().id(user.0) }
}

fn scores(oracle: &Oracle, people: &[UserId]) -> Outcome {
    let mut flat = 0;
    for &user in people {
        match oracle.scores(user) {
            Err(error) => return unanswered(&error),
            Ok(scores) => flat += usize::from(scores.windows(2).all(|pair| pair[0] == pair[1])),
        }
    }
    if flat == people.len() {
        return warning(
            format!("all items have one and the same score, for all {flat} people"),
            "a list of such scores says nothing; score each item by itself",
        );
    }
    ok(format!("finite and one an item, for {} people", people.len()))
}

fn again(oracle: &Oracle, people: &[UserId]) -> Outcome {
    for &user in people {
        match (oracle.scores(user), oracle.scores(user)) {
            (Err(error), _) | (_, Err(error)) => return unanswered(&error),
            (Ok(first), Ok(second)) if !alike(&first, &second) => {
                return failed(
                    format!("the scores of {} are others when asked again", named(oracle, user)),
                    "switch off whatever is random: dropout, sampling, experiments",
                );
            }
            _ => {}
        }
    }
    ok("the same answers")
}

fn elsewhere(
    oracle: &Oracle,
    people: &[UserId],
    another: impl FnOnce() -> Result<Oracle, OracleError>,
) -> Outcome {
    let other = match another() {
        Ok(other) => other,
        Err(error) => {
            return failed(error.to_string(), "the oracle must bear being started or asked twice at a time");
        }
    };
    if let Err(error) = oracle.hello().agrees(other.hello()) {
        return failed(error.to_string(), "load the same model every time");
    }
    for &user in people {
        match (oracle.scores(user), other.scores(user)) {
            (Err(error), _) | (_, Err(error)) => return unanswered(&error),
            (Ok(first), Ok(second)) if !alike(&first, &second) => {
                return failed(
                    format!("the scores of {} are others there", named(oracle, user)),
                    "load the same model every time, and keep nothing from one question to the next",
                );
            }
            _ => {}
        }
    }
    ok("the same answers")
}

fn empty_edit(oracle: &Oracle, user: UserId) -> Outcome {
    match (oracle.scores(user), ask(oracle, user, Profile::Kept, &[Edit::new([], [])])) {
        (Err(error), _) | (_, Err(error)) => unanswered(&error),
        (Ok(plain), Ok(empty)) if alike(&plain, &empty) => ok("changes nothing"),
        _ => failed("changes the scores", "an edit without removed and added is the data as it is"),
    }
}

/// Single removals and one addition.
fn some_edits(graph: &Graph, user: UserId) -> Vec<Edit> {
    let own = graph.items_of(user).iter().map(|&item| Edge::new(user.0, item));
    let absent = (0..graph.items() as u32).map(|item| Edge::new(user.0, item)).find(|&edge| !graph.has(edge));
    let removals = own.map(|edge| Edit::removing([edge]));
    std::iter::once(Edit::none())
        .chain(absent.map(|edge| Edit::adding([edge])))
        .chain(removals)
        .take(BATCH)
        .collect()
}

fn batches(oracle: &Oracle, people: &[UserId]) -> Outcome {
    let items = oracle.graph().items();
    for &user in people {
        let edits = some_edits(oracle.graph(), user);
        let together = match ask(oracle, user, Profile::Kept, &edits) {
            Ok(together) => together,
            Err(error) => return unanswered(&error),
        };
        for (edit, scores) in edits.iter().zip(together.chunks_exact(items.max(1))) {
            match oracle.scores_after(user, Profile::Kept, edit) {
                Err(error) => return unanswered(&error),
                Ok(alone) if !alike(&alone, scores) => {
                    return failed(
                        format!("an edit of {} has other scores in a batch than alone", named(oracle, user)),
                        "every edit starts from the data as it is, not from the edit before",
                    );
                }
                Ok(_) => {}
            }
        }
    }
    ok("the same as single questions")
}

fn removals(oracle: &Oracle, people: &[UserId]) -> Outcome {
    let graph = oracle.graph();
    let mut changed = 0;
    for &user in people {
        let whole = Edit::removing(graph.items_of(user).iter().map(|&item| Edge::new(user.0, item)));
        match (oracle.scores(user), oracle.scores_after(user, Profile::Kept, &whole)) {
            (Err(error), _) | (_, Err(error)) => return unanswered(&error),
            (Ok(before), Ok(after)) => changed += usize::from(!alike(&before, &after)),
        }
    }
    if changed == 0 {
        return warning(
            format!("removing a whole history changes nothing, for {} people", people.len()),
            "the edits seem to be ignored: score the person as if `removed` had not happened; where only learned vectors \
             count, compute the person's from the history that is left",
        );
    }
    ok(format!("removing a whole history changes the scores, for {changed} of {} people", people.len()))
}

fn additions(oracle: &Oracle, people: &[UserId]) -> Outcome {
    let graph = oracle.graph();
    let (mut asked, mut changed) = (0, 0);
    for &user in people {
        let absent =
            (0..graph.items() as u32).map(|item| Edge::new(user.0, item)).filter(|&edge| !graph.has(edge));
        let edit = Edit::adding(absent.take(3));
        if edit.is_empty() {
            continue;
        }
        asked += 1;
        match (oracle.scores(user), oracle.scores_after(user, Profile::Kept, &edit)) {
            (Err(error), _) | (_, Err(error)) => return unanswered(&error),
            (Ok(before), Ok(after)) => changed += usize::from(!alike(&before, &after)),
        }
    }
    if asked > 0 && changed == 0 {
        return warning(
            format!("three more interactions change nothing, for {asked} people"),
            "score the person as if `added` had happened too; why-not explanations need it",
        );
    }
    ok(format!("three more interactions change the scores, for {changed} of {asked} people"))
}

fn unknown_user(oracle: &Oracle, somebody: UserId) -> Outcome {
    let told = match oracle.ask_about_nobody(NOBODY) {
        Err(OracleError::Said { .. }) => ok("is answered by an error"),
        Ok(()) => warning(
            "is answered with scores",
            "answer {\"id\": …, \"error\": \"unknown user …\"}, so that mistakes in ids are noticed",
        ),
        Err(error) => {
            return failed(error.to_string(), "answer {\"id\": …, \"error\": \"unknown user …\"} and go on");
        }
    };
    match oracle.scores(somebody) {
        Ok(_) => told,
        Err(error) => failed(format!("afterwards {error}"), "answer an error and go on"),
    }
}

fn latency(oracle: &Oracle) -> Outcome {
    let Some(latency) = oracle.report().latency_ms else { return skipped("nothing was asked") };
    let said =
        format!("{:.2} ms a request (median {:.2}, p99 {:.2})", latency.mean, latency.median, latency.p99);
    if latency.median > 1000.0 {
        return warning(
            said,
            "an explanation takes tens of questions: answer several edits together, in a larger batch",
        );
    }
    ok(said)
}
