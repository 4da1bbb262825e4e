//! The door: names in, records or a refusal out.

use std::sync::OnceLock;

use grease_graph::Graph;
use grease_graph::doubles::CoNeighbours;
use grease_testing::folder;

use super::*;
use crate::refusal::RefusalKind;

/// The small service, to be explained.
pub(crate) fn subject() -> &'static Subject {
    static SUBJECT: OnceLock<Subject> = OnceLock::new();
    SUBJECT.get_or_init(|| folder().clone().into())
}

fn asked(items: &[&str], goal: Goal) -> Result<Vec<Record>, Refusal> {
    let items = Some(items.iter().map(|&item| item.to_owned()).collect());
    subject().records(&Question { items, k: 5, goals: vec![goal], ..Question::of("mira") })
}

#[test]
fn the_same_data_has_the_same_hash_whoever_recommends() {
    let folder = folder();
    let graph =
        Graph::new(folder.data.users.len(), folder.data.items.len(), &folder.data.train.listed()).unwrap();
    let double = Arc::new(CoNeighbours::new(graph));
    let other = Subject::foreign(folder.data.clone(), double, "double", ["paths", "1"]);
    assert_eq!(other.data_hash(), folder.data_hash());
    assert_ne!(other.model_hash(), folder.model_hash());
    assert!(other.folder().is_none());
}

#[test]
fn items_that_stand_elsewhere_are_refused_by_name() {
    let (data, recommender) = (subject().data(), subject().recommender());
    let list = subject().list(&Question { k: 9, ..Question::of("mira") }).unwrap().recommendations;
    let [first, ninth] = [&list[0], &list[8]].map(|place| place.item.as_str());
    assert_eq!(asked(&[first], Goal::Factual).unwrap().len(), 1);
    let said = |goal, item| asked(&[item], goal).unwrap_err().to_string();
    assert!(
        said(Goal::WhyNot, first).contains("is in the top 5 already: it has rank 1; ask why it is there")
    );
    assert!(said(Goal::Factual, ninth).contains("is not in the top 5: it has rank 9; ask why it is not"));
    let own = Who::Known(subject().user("mira").unwrap()).history(recommender.graph())[0];
    assert!(said(Goal::Factual, data.items.id(own)).starts_with(data.items.name(own)));
}

#[test]
fn what_is_handed_over_one_by_one_is_what_comes_at_once() {
    let question = Question { k: 4, ..Question::of("mira") };
    let (all, mut one_by_one) = (subject().records(&question).unwrap(), Vec::new());
    let mut until = |most: usize| {
        one_by_one.clear();
        subject()
            .explain(&question, &mut |record| {
                one_by_one.push(record);
                if one_by_one.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .unwrap();
        one_by_one.clone()
    };
    assert_eq!(all.len(), 8);
    assert_eq!(until(99), all);
    assert_eq!(until(3), all[..3]);
}

#[test]
fn somebody_is_a_user_or_a_history() {
    let who = |user: Option<&str>, history: Option<Vec<String>>| {
        subject().who(&Question { user: user.map(str::to_owned), history, ..Question::default() })
    };
    assert!(who(None, None).is_err());
    assert!(who(Some("mira"), Some(Vec::new())).is_err());
    let nothing = who(None, Some(Vec::new())).unwrap_err();
    assert_eq!((nothing.kind, nothing.field), (RefusalKind::Usage, Some(Field::History)));
    assert!(nothing.message.contains("names no item"), "{nothing}");
    let unknown = who(Some("mirra"), None).unwrap_err();
    assert_eq!((&unknown.near[..], unknown.field), (&["mira".to_owned()][..], Some(Field::User)));
}

#[test]
fn names_become_rows_and_what_can_be_asked_of_nobody_is_refused() {
    let usual = subject().resolve(&Question::default()).unwrap();
    assert_eq!(usual.task, Task::new(Who::Newcomer(Vec::new()), 10), "what is not said is as usual");
    let first = subject().data().items.id(0).to_owned();
    let question = Question { never_cite: vec![first], k: 3, ..Question::default() };
    let resolved = subject().resolve(&question).unwrap();
    assert_eq!((resolved.task.k, resolved.never_cite()), (3, &BTreeSet::from([ItemId(0)])));
    let refused = |question: &Question| subject().resolve(question).map(|_| ()).unwrap_err();
    let unknown = refused(&Question { exclude: vec!["no such thing".into()], ..Question::default() });
    assert_eq!(unknown.field, Some(Field::Exclude));
    let long = refused(&Question { k: 10_000, ..Question::default() });
    assert_eq!(long.field, Some(Field::K));
}

#[test]
fn somebody_new_without_a_history_has_no_list_to_imagine() {
    let id = |row| subject().data().items.id(row).to_owned();
    let imagine = |history: &[u32], remove: &[u32], add: &[u32]| {
        let ids = |rows: &[u32]| rows.iter().map(|&row| id(row)).collect::<Vec<_>>();
        let question = Question { history: Some(ids(history)), ..Question::default() };
        subject().what_if(&question, &ids(remove), &ids(add)).map_err(|refusal| refusal.field)
    };
    assert_eq!(imagine(&[], &[], &[]).unwrap_err(), Some(Field::History));
    assert_eq!(imagine(&[], &[], &[3]).unwrap_err(), Some(Field::History), "the list as it is has no ground");
    assert_eq!(imagine(&[1, 2, 1], &[2, 1], &[]).unwrap_err(), Some(Field::Remove));
    assert!(imagine(&[1, 2], &[2, 1], &[3]).is_ok() && imagine(&[1, 2], &[1], &[]).is_ok());
    let mira = Who::Known(subject().user("mira").unwrap());
    let all: Vec<String> = mira.history(subject().recommender().graph()).into_iter().map(id).collect();
    assert!(subject().what_if(&Question::of("mira"), &all, &[]).is_ok(), "what was learned about her stays");
}
