//! What the explainer finds holds; what is tampered with does not; what cannot be known is said to be so.

mod both;

use grease_explain::Scope;
use grease_testing::folder;

use super::*;
use crate::question::Question;
use crate::subject::tests::subject;

/// About user 0, in lists of `k`.
fn first(k: usize) -> (Question, Who) {
    (Question { k, ..Question::default() }, Who::Known(UserId(0)))
}

fn records((question, who): &(Question, Who), goals: &[Goal], show_user_ids: bool) -> Vec<Record> {
    let question = Question { goals: goals.to_vec(), show_user_ids, ..question.clone() };
    subject().resolve(&question).unwrap().records(who).unwrap()
}

/// With a sentence that fits the fields, whatever was done to them.
fn verdict(record: &Record) -> Verdict {
    let sentence = grease_tell::sentence(record, subject().words());
    as_stored(&Record { sentence, ..record.clone() })
}

fn as_stored(record: &Record) -> Verdict {
    subject().verify(record, &Candidates::default()).unwrap()
}

const BOTH: [Goal; 2] = [Goal::Factual, Goal::Counterfactual];

#[test]
fn what_was_found_holds() {
    let newcomer = Who::Newcomer(vec![ItemId(3), ItemId(1), ItemId(8)]);
    let mut held = 0;
    for who in [Who::Known(UserId(0)), Who::Known(UserId(7)), newcomer] {
        for scope in [Scope::Own, Scope::Target] {
            let question = Question { scope, ..first(5).0 };
            for record in records(&(question, who.clone()), &BOTH, true) {
                match verdict(&record) {
                    Verdict::Holds { was, rank, reworded } => {
                        assert!(!reworded, "{record:?}");
                        assert_eq!(was, Some(rank), "{record:?}");
                        held += 1;
                    }
                    Verdict::NoClaim(status) => assert_eq!(status, Status::NotFound),
                    other => panic!("{other} {record:?}"),
                }
            }
        }
    }
    assert!(held > 30, "only {held} of 60 say anything");
}

#[test]
fn what_is_tampered_with_does_not() {
    let asked = first(5);
    let all = records(&asked, &BOTH, false);
    let verified = |goal| all.iter().find(|r| r.goal == goal && r.status == Status::Verified).unwrap();
    let folder = folder();
    let items = |rows: &[u32]| folder.data.items.id(rows[0]).to_owned();
    let history = folder.model.graph().items_of(UserId(0));
    for goal in BOTH {
        let good = verified(goal);
        let cited: Vec<&str> = good.edges.iter().map(|edge| edge.item.as_str()).collect();
        // Another own interaction in its place.
        let broken = history.iter().filter(|&&row| !cited.contains(&folder.data.items.id(row))).any(|&row| {
            let mut bad = good.clone();
            bad.edges.truncate(1);
            bad.edges[0].item = items(&[row]);
            matches!(verdict(&bad), Verdict::Broken(Broken::Rank { .. }))
        });
        assert!(broken, "{goal:?}");
        // Something they never did.
        let mut bad = good.clone();
        let stranger = (0..).find(|row| !history.contains(row)).unwrap();
        bad.edges[0].item = items(&[stranger]);
        assert_eq!(verdict(&bad), Verdict::Broken(Broken::NoSuchInteraction));
        // More than is needed.
        let mut bad = good.clone();
        let more = history.iter().map(|&row| items(&[row])).find(|id| !cited.contains(&id.as_str())).unwrap();
        bad.edges.push(CitedEdge { item: more.clone(), ..bad.edges[0].clone() });
        assert!(matches!(verdict(&bad), Verdict::Broken(Broken::Spare { .. } | Broken::Rank { .. })));
        // An item that is not on the list.
        let mut bad = good.clone();
        bad.k = 1;
        bad.item = all[8].item.clone();
        assert!(matches!(verdict(&bad), Verdict::Broken(Broken::Start { k: 1, .. })));
    }
}

/// Of this very model everything that is stored has to be so; of another, what it claims.
#[test]
fn stored_ranks_replacements_and_sentences_are_checked() {
    let all = records(&first(5), &BOTH, false);
    let replaced = |r: &&Record| r.status == Status::Verified && r.replaced_by.is_some();
    let good = all.iter().find(replaced).unwrap();
    assert!(matches!(as_stored(good), Verdict::Holds { reworded: false, .. }));

    let rank = good.rank_after.unwrap();
    let elsewhere = Record { rank_after: Some(rank + 3), ..good.clone() };
    assert_eq!(verdict(&elsewhere), Verdict::Broken(Broken::Rank { was: Some(rank + 3), rank }));
    let of_another = Record { model: "another".into(), ..elsewhere };
    assert_eq!(verdict(&of_another), Verdict::Holds { was: Some(rank + 3), rank, reworded: false });

    let wrong = Record { replaced_by: Some(good.item.clone()), ..good.clone() };
    assert_eq!(verdict(&wrong), Verdict::Broken(Broken::Replacement { item: good.item.clone() }));

    let plain = good.sentence.replace(['“', '”'], "").replace("Had you not", "If you had not");
    let reworded = Record { sentence: plain.clone(), ..good.clone() };
    assert!(matches!(as_stored(&reworded), Verdict::Holds { reworded: true, .. }), "{plain}");
    let other = Record { sentence: plain.replace("top 5", "top 3"), ..good.clone() };
    assert_eq!(as_stored(&other), Verdict::Broken(Broken::Sentence));
    let unfound = all.iter().find(|r| r.status == Status::NotFound);
    if let Some(unfound) = unfound {
        let boasting = Record { sentence: good.sentence.clone(), ..unfound.clone() };
        assert_eq!(as_stored(&boasting), Verdict::Broken(Broken::Sentence));
    }
}

#[test]
fn what_is_imagined_there_is_checked_too() {
    let folder = folder();
    let asked = first(5);
    let list = grease_graph::recommend(&folder.model, &asked.1, 8, &Candidates::default()).unwrap();
    let template = records(&asked, &[Goal::Counterfactual], false).swap_remove(0);
    let (id, history) =
        (|row| folder.data.items.id(row).to_owned(), folder.model.graph().items_of(UserId(0)));
    let added = |target: u32, item: u32| Record {
        goal: Goal::WhyNot,
        status: Status::Verified,
        reason: None,
        // Of another model: where it ranks the item is not known.
        model: "another".into(),
        item: id(target),
        minimal: Some(true),
        edges: vec![CitedEdge {
            change: Change::Added,
            user: template.user.clone(),
            item: id(item),
            title: None,
        }],
        ..template.clone()
    };
    let others = || (0..folder.data.items.len() as u32).filter(|item| !history.contains(item));
    let missing = list[5..].iter().map(|listed| listed.item.0);
    let verdicts: Vec<Verdict> = missing
        .flat_map(|target| others().filter(move |&item| item != target).map(move |item| (target, item)))
        .map(|(target, item)| verdict(&added(target, item)))
        .collect();
    assert!(verdicts.iter().any(|verdict| matches!(verdict, Verdict::Holds { rank: 1..=5, .. })));
    assert!(
        verdicts.iter().any(|verdict| matches!(verdict, Verdict::Broken(Broken::Rank { rank: 6.., .. })))
    );
    let there = verdict(&added(list[5].item.0, history[0]));
    assert_eq!(there, Verdict::Broken(Broken::NoSuchInteraction), "it is there already");
    let listed = verdict(&added(list[0].item.0, history[0]));
    assert_eq!(listed, Verdict::Broken(Broken::Start { rank: 1, k: 5 }));
}

#[test]
fn what_cannot_be_known_is_said() {
    let (question, who) = first(5);
    let asked = (Question { scope: Scope::Target, ..question }, who);
    let hidden = records(&asked, &BOTH, false);
    let unchecked = hidden.iter().filter(|r| r.edges.iter().any(|e| e.user != r.user)).map(verdict);
    for verdict in unchecked {
        assert_eq!(verdict, Verdict::Unchecked(Obstacle::Pseudonym("other-1".into())));
    }
    let good = records(&first(5), &BOTH, false)
        .into_iter()
        .find(|record| record.status == Status::Verified)
        .unwrap();
    let spoilt = |spoil: &dyn Fn(&mut Record)| {
        let mut bad = good.clone();
        spoil(&mut bad);
        verdict(&bad)
    };
    let unchecked = Verdict::Unchecked;
    assert_eq!(spoilt(&|bad| bad.item = "?".into()), unchecked(Obstacle::UnknownItem("?".into())));
    assert_eq!(
        spoilt(&|bad| bad.edges[0].user = "who".into()),
        unchecked(Obstacle::UnknownUser("who".into()))
    );
    assert_eq!(spoilt(&|bad| bad.item = bad.edges[0].item.clone()), unchecked(Obstacle::NotACandidate));
    assert_eq!(spoilt(&|bad| bad.edges.clear()), unchecked(Obstacle::Contradictory));
    assert_eq!(spoilt(&|bad| bad.evicted = None), unchecked(Obstacle::Contradictory));
    assert_eq!(spoilt(&|bad| bad.k = 0), unchecked(Obstacle::Contradictory));
    assert_eq!(spoilt(&|bad| bad.status = Status::Unverified), Verdict::NoClaim(Status::Unverified));
}

#[test]
fn files_are_read_in_both_forms_and_refused_with_the_line() {
    let asked = first(2);
    let records = records(&asked, &BOTH, false);
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("e.json");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_records(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))
    };
    let lines: Vec<String> = records.iter().map(|r| serde_json::to_string(r).unwrap()).collect();
    assert_eq!(read(&lines.join("\n")).as_ref(), Ok(&records));
    assert_eq!(read(&serde_json::to_string_pretty(&records).unwrap()).as_ref(), Ok(&records));
    assert_eq!(read(&lines[0]).unwrap().len(), 1);
    assert_eq!(read(" \n").unwrap_err(), "FILE holds no explanations");
    assert_eq!(read("[]").unwrap_err(), "FILE holds no explanations");
    let half = format!("{}\n{}", lines[0], &lines[1][..40]);
    assert!(read(&half).unwrap_err().starts_with("FILE, line 2, column 40: EOF"), "{:?}", read(&half));
    let other = lines[0].replace("explanation/2", "explanation/9");
    assert_eq!(
        read(&other).unwrap_err(),
        "FILE: explanation 1 has the schema 'grease.explanation/9', expected 'grease.explanation/2' or an earlier one"
    );
    // As the version before wrote it: six fields less, and a rank where ties decide.
    let mut old: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    for field in ["minimum", "proof_queries", "firm", "alone", "holds_when_retrained", "instead"] {
        old.as_object_mut().unwrap().remove(field).unwrap();
    }
    (old["schema"], old["rank_start"]) = ("grease.explanation/1".into(), 40.into());
    assert_eq!(read(&old.to_string()).unwrap()[0].rank_start, Some(40));
    assert!(read("{\"a\": 1}").unwrap_err().contains("missing field"));
}
