//! Oracles that say only what their first items are.

use grease_graph::doubles::CoNeighbours;
use grease_graph::{Edge, Edit, ItemId, Profile, Recommender as _, ScoreError, UserId};
use grease_oracle::OracleOptions;

use crate::support::{ALL, Served, small};

#[test]
fn what_was_first_keeps_its_score_when_it_falls() {
    let served = Served::new(&small());
    let oracle = served.open(&format!("{ALL} --top 3"));
    let exact = CoNeighbours::new(small());
    for user in (0..5).map(UserId) {
        let before = exact.scores(user).unwrap();
        let mut order: Vec<usize> = (0..6).collect();
        order.sort_by(|&a, &b| before[b].total_cmp(&before[a]).then(a.cmp(&b)));
        for &item in small().items_of(user) {
            let edit = Edit::removing([Edge::new(user.0, item)]);
            let got = oracle.scores_after(user, Profile::Kept, &edit).unwrap();
            let want = exact.scores_after(user, Profile::Kept, &edit).unwrap();
            for &first in &order[..3] {
                assert_eq!(got[first], want[first], "user {} without {item}: item {first}", user.0);
            }
            // Whatever is among the first three now is exact, and everything unsaid is below all that was said.
            let mut now: Vec<usize> = (0..6).collect();
            now.sort_by(|&a, &b| want[b].total_cmp(&want[a]).then(a.cmp(&b)));
            now[..3].iter().for_each(|&item| assert_eq!(got[item], want[item]));
            let unsaid: Vec<usize> =
                (0..6).filter(|item| !order[..3].contains(item) && !now[..3].contains(item)).collect();
            let said = (0..6)
                .filter(|item| !unsaid.contains(item))
                .map(|item| got[item])
                .fold(f32::INFINITY, f32::min);
            unsaid.iter().for_each(|&item| assert!(got[item] < said, "{got:?}"));
        }
    }
}

#[test]
fn named_items_are_asked_for_in_every_question() {
    let served = Served::new(&small());
    let always = vec![ItemId(4), ItemId(4)];
    let how = OracleOptions { always, ..OracleOptions::default() };
    let oracle = served.try_open(&format!("{ALL} --top 2"), how).unwrap();
    let edit = Edit::removing([Edge::new(0, 0)]);
    let got = oracle.scores_after(UserId(0), Profile::Kept, &edit).unwrap();
    assert_eq!(got[4], CoNeighbours::new(small()).scores_after(UserId(0), Profile::Kept, &edit).unwrap()[4]);
    let log = served.log();
    assert_eq!(log.len(), 2, "the unedited answer came first");
    assert!(log[0].2.contains(r#""items":["i4"]"#), "{}", log[0].2);
    assert!(log[1].2.contains("\"i4\"") && log[1].2.contains(r#""top":2"#), "{}", log[1].2);
    oracle.scores(UserId(0)).unwrap();
    assert_eq!(served.log().len(), 2, "and is remembered");
}

#[test]
fn lists_too_short_for_a_history_are_refused() {
    let served = Served::new(&small());
    let how = OracleOptions { list: 2, ..OracleOptions::default() };
    let oracle = served.try_open("--top 4", how).unwrap();
    assert!(oracle.scores(UserId(0)).is_ok(), "a list of two beside two");
    let Err(ScoreError::Refused(said)) = oracle.scores(UserId(1)) else { panic!("four are too many") };
    assert!(said.contains("only its first 4 items, too few for a list of 2 beside a history of 4"), "{said}");
}

#[test]
fn a_list_with_an_item_nobody_knows_is_refused() {
    let oracle = Served::new(&small()).open("--top 3 --mistake unknown-item");
    let said = oracle.scores(UserId(0)).unwrap_err().to_string();
    assert!(said.contains("unknown item `beer`"), "{said}");
}
