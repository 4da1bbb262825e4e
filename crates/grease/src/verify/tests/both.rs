//! Both at once, firmly, and what is told instead: checked as any other claim.

use super::*;

fn everybody(goals: &[Goal], firm: usize) -> Vec<Record> {
    naming(None, goals, firm)
}

/// With at most so many interactions named.
fn naming(max_edges: Option<usize>, goals: &[Goal], firm: usize) -> Vec<Record> {
    let of = |user| {
        let question = Question { firm, max_edges, ..first(5).0 };
        records(&(question, Who::Known(UserId(user))), goals, false)
    };
    (0..12).flat_map(of).collect()
}

#[test]
fn what_is_enough_and_needed_holds_and_each_half_is_looked_at() {
    let all = everybody(&[Goal::Joint], 1);
    let joint: Vec<&Record> = all.iter().filter(|record| record.status == Status::Verified).collect();
    assert!(joint.len() > 5, "{}", joint.len());
    let (mut not_needed, mut not_enough) = (0, 0);
    for good in joint {
        assert!(matches!(verdict(good), Verdict::Holds { .. }), "{good:?}");
        let alone = good.alone.unwrap();
        assert!(alone.rank <= 5 && good.rank_after.unwrap() > 5);
        // Another rank than it has alone.
        let mut bad = good.clone();
        bad.alone = Some(grease_tell::Alone { rank: alone.rank + 3, ..alone });
        assert!(matches!(verdict(&bad), Verdict::Broken(Broken::Rank { .. })), "{bad:?}");
        // Without a half of the claim it is none.
        bad.alone = None;
        assert_eq!(verdict(&bad), Verdict::Unchecked(Obstacle::Contradictory));
        // What does one thing only.
        for goal in BOTH {
            for one in
                records(&(first(5).0, subject().who(&Question::of(&good.user)).unwrap()), &[goal], false)
            {
                if one.item == good.item
                    && one.status == Status::Verified
                    && one.edges.len() < good.edges.len()
                {
                    let mut bad = good.clone();
                    bad.edges = one.edges.clone();
                    bad.edges.iter_mut().for_each(|edge| edge.change = Change::Removed);
                    bad.minimal = None;
                    assert!(matches!(verdict(&bad), Verdict::Broken(Broken::Rank { .. })), "{bad:?}");
                    *(if goal == Goal::Factual { &mut not_needed } else { &mut not_enough }) += 1;
                }
            }
        }
    }
    assert!(not_needed > 0, "{not_needed} {not_enough}");
}

#[test]
fn what_is_told_instead_is_a_claim_like_any_other() {
    let goals = [Goal::Counterfactual, Goal::Factual, Goal::Joint];
    let all = [None, Some(1), Some(3)].map(|most| naming(most, &goals, 1)).concat();
    let told: Vec<&Record> = all.iter().filter(|record| record.instead.is_some()).collect();
    assert!(told.len() > 10, "{}", told.len());
    let mut questions = std::collections::BTreeSet::new();
    for good in told {
        assert_eq!(good.status, Status::NotFound);
        assert!(matches!(verdict(good), Verdict::Holds { .. }), "{good:?}");
        let mut bad = good.clone();
        let instead = bad.instead.as_mut().unwrap();
        questions.insert(format!("{:?}", instead.question));
        instead.rank_after += 20;
        assert!(matches!(verdict(&bad), Verdict::Broken(Broken::Rank { .. })), "{bad:?}");
        let mut bad = good.clone();
        bad.instead.as_mut().unwrap().edges.iter_mut().for_each(|edge| edge.change = Change::Added);
        if !bad.instead.as_ref().unwrap().edges.is_empty() {
            assert_eq!(verdict(&bad), Verdict::Unchecked(Obstacle::Contradictory), "{bad:?}");
        }
    }
    assert!(questions.len() >= 2, "{questions:?}");
}

#[test]
fn firmly_is_as_many_places_as_it_says() {
    let all = everybody(&BOTH, 3);
    let firm: Vec<&Record> = all.iter().filter(|record| record.status == Status::Verified).collect();
    assert!(firm.len() > 10, "{}", firm.len());
    for good in firm {
        assert_eq!(good.firm, Some(3));
        let rank = good.rank_after.unwrap();
        assert!(if good.goal == Goal::Factual { rank <= 3 } else { rank >= 8 }, "{good:?}");
        assert!(matches!(verdict(good), Verdict::Holds { .. }), "{good:?}");
        // More than it is.
        let further = if good.goal == Goal::Factual { 6 - rank + 1 } else { rank - 5 + 1 };
        let bad = Record { firm: Some(further), minimal: None, ..good.clone() };
        assert!(!matches!(verdict(&bad), Verdict::Holds { .. }), "{bad:?}");
        for hostile in [0, usize::MAX] {
            let bad = Record { firm: Some(hostile), ..good.clone() };
            assert_eq!(verdict(&bad), Verdict::Unchecked(Obstacle::Contradictory));
        }
    }
}
