//! Every sentence beside what the other verbs answer to what it says: what-if to what is imagined, and the list of a newcomer with the
//! history that is said to be enough.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;

use grease::explain::{Change, Goal, ReasonCode, Status};
use grease::graph::{Edge, Edit, ItemId, Profile, Recommender as _, UserId};
use grease::{Candidates, Question, Record, Subject, Who, recommend, what_if};
use grease_tell::SaidReason;
use grease_testing::folder;

const K: usize = 15;

/// One explanation of each goal for everything on everybody's list, and why-not for as many items below it.
fn everything(subject: &Subject) -> Vec<(UserId, Record)> {
    let people = (0..subject.recommender().graph().users() as u32).map(UserId);
    people.flat_map(|user| of_one(subject, user).into_iter().map(move |record| (user, record))).collect()
}

fn of_one(subject: &Subject, user: UserId) -> Vec<Record> {
    let who = Who::Known(user);
    let goals = vec![Goal::Factual, Goal::Counterfactual];
    let listed = Question { k: K, goals, ..Question::default() };
    let mut records = subject.resolve(&listed).unwrap().records(&who).unwrap();
    let longer = recommend(subject.recommender(), &who, 2 * K, &Candidates::default()).unwrap();
    let below = longer[K..].iter().map(|listed| subject.data().items.id(listed.item.0).to_owned()).collect();
    let missing = Question { k: K, goals: vec![Goal::WhyNot], items: Some(below), ..Question::default() };
    records.extend(subject.resolve(&missing).unwrap().records(&who).unwrap());
    records
}

/// Where the item stands by the verb that answers what the sentence says; none off the list.
fn by_the_other_verb(subject: &Subject, user: UserId, record: &Record) -> Option<usize> {
    let (recommender, who) = (subject.recommender(), Who::Known(user));
    let row = |id: &str| ItemId(subject.data().items.row(id).unwrap());
    let cited = |change: Change| -> Vec<ItemId> {
        let edges = record.edges.iter().filter(|edge| edge.change == change);
        edges.map(|edge| row(&edge.item)).collect()
    };
    let item = row(&record.item);
    if record.goal == Goal::Factual {
        // "Of the artists you have not listened to": what the person has is excluded.
        let except: BTreeSet<ItemId> = who.history(recommender.graph()).into_iter().map(ItemId).collect();
        let candidates = Candidates { except, ..Candidates::default() };
        let new = Who::Newcomer(cited(Change::Kept));
        let list = recommend(recommender, &new, K, &candidates).unwrap();
        return list.iter().find(|listed| listed.item == item).map(|listed| listed.rank);
    }
    let (away, there) = (cited(Change::Removed), cited(Change::Added));
    let then = what_if(recommender, &who, &away, &there, K, &Candidates::default()).unwrap();
    if let Some(instead) = &record.replaced_by {
        assert!(then.after.iter().any(|moved| moved.item == row(instead)), "{record:?}");
    }
    then.after.iter().find(|moved| moved.item == item).and_then(|moved| moved.rank_after)
}

/// Where the item stands for somebody new with the cited history, in a world in which the person was never seen.
fn in_their_stead(subject: &Subject, user: UserId, record: &Record) -> Option<usize> {
    let graph = subject.recommender().graph();
    let (new, history) = (graph.newcomer(), graph.items_of(user));
    let row = |id: &str| ItemId(subject.data().items.row(id).unwrap());
    let gone = history.iter().map(|&item| Edge::new(user.0, item));
    let cited = record.edges.iter().map(|edge| Edge { user: new, item: row(&edge.item) });
    let scores = subject.recommender().scores_after(new, Profile::Neutral, &Edit::new(gone, cited)).unwrap();
    let mine = row(&record.item);
    let ahead = (0..scores.len() as u32).filter(|item| !history.contains(item)).filter(|&item| {
        let (theirs, own) = (scores[item as usize], scores[mine.row()]);
        theirs > own || (theirs == own && item < mine.0)
    });
    Some(ahead.count() + 1).filter(|&rank| rank <= K)
}

/// Whether the item is on the list with all of the person's interactions imagined away.
fn stays_without_any(subject: &Subject, user: UserId, record: &Record) -> bool {
    let (recommender, who) = (subject.recommender(), Who::Known(user));
    let all: Vec<ItemId> = who.history(recommender.graph()).into_iter().map(ItemId).collect();
    let then = what_if(recommender, &who, &all, &[], K, &Candidates::default()).unwrap();
    then.after.iter().any(|moved| subject.data().items.id(moved.item.0) == record.item)
}

#[test]
fn no_sentence_contradicts_the_other_verbs() {
    let subject = Subject::from(folder().clone());
    let (mut asked, mut checked, mut otherwise, mut carried) = ([0; 3], [0; 3], 0, 0);
    for (user, record) in everything(&subject) {
        let at = [Goal::Factual, Goal::Counterfactual, Goal::WhyNot].iter().position(|g| *g == record.goal);
        asked[at.unwrap()] += 1;
        if record.reason.as_ref().and_then(SaidReason::code) == Some(ReasonCode::CarriedByProfile) {
            carried += 1;
            assert!(stays_without_any(&subject, user, &record), "{}", record.sentence);
        }
        if record.status != Status::Verified {
            continue;
        }
        checked[at.unwrap()] += 1;
        let place = by_the_other_verb(&subject, user, &record);
        let expected = record.rank_after.filter(|_| record.goal != Goal::Counterfactual);
        if record.goal == Goal::Factual {
            assert_eq!(in_their_stead(&subject, user, &record), expected, "{}", record.sentence);
            otherwise += usize::from(place.is_none());
            continue;
        }
        assert_eq!(place, expected, "{}", record.sentence);
    }
    // To a newcomer the person is another listener, and one of eighty carries some weight.
    assert!(otherwise * 500 <= checked[0], "{otherwise} of {checked:?}");
    assert!(asked.iter().all(|&asked| asked >= 1000), "{asked:?}");
    assert!(checked.iter().all(|&checked| checked >= 300), "{checked:?} of {asked:?}");
    assert!(carried > 50, "{carried}");
}
