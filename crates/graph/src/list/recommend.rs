//! Lists: the best items outside somebody's history.

use grease_kernels::top_k;

use super::{Candidates, Who};
use crate::{ItemId, Profile, Recommender, ScoreError, UserId, check_finite};

/// A place on a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Listed {
    /// From 1.
    pub rank: usize,
    pub item: ItemId,
    pub score: f32,
}

/// The `k` best candidates, best first; at equal scores the lower row. Fewer where there are no more.
pub fn recommend(
    recommender: &dyn Recommender,
    who: &Who,
    k: usize,
    candidates: &Candidates,
) -> Result<Vec<Listed>, ScoreError> {
    let graph = recommender.graph();
    let scores = recommender.scores_after(who.row(graph), Profile::Kept, &who.edit(graph, &[], &[]))?;
    check_finite(&scores)?;
    let allowed = candidates.mask(graph.items(), &who.history(graph));
    Ok(best(&scores, k, &allowed))
}

/// The lists of many people, handed over one by one, in order: each as [`recommend`] has it. The first that cannot be scored ends it.
pub fn recommend_each(
    recommender: &dyn Recommender,
    users: &[UserId],
    k: usize,
    candidates: &Candidates,
    take: &mut dyn FnMut(Vec<Listed>),
) -> Result<(), ScoreError> {
    let graph = recommender.graph();
    let items = graph.items();
    let mut room = vec![0f32; items * TOGETHER.min(users.len())];
    let anybody = candidates.mask(items, &[]);
    let mut allowed = anybody.clone();
    for users in users.chunks(TOGETHER) {
        let scores = &mut room[..items * users.len()];
        recommender.score_each(users, scores)?;
        for (at, &user) in users.iter().enumerate() {
            let scores = &scores[at * items..(at + 1) * items];
            check_finite(scores)?;
            let history = graph.items_of(user);
            history.iter().for_each(|&item| allowed[item as usize] = false);
            take(best(scores, k, &allowed));
            history.iter().for_each(|&item| allowed[item as usize] = anybody[item as usize]);
        }
    }
    Ok(())
}

/// People scored at the same time: enough to share the reading of a table, few enough for their scores to stay in a cache.
const TOGETHER: usize = 8;

fn best(scores: &[f32], k: usize, allowed: &[bool]) -> Vec<Listed> {
    let best = top_k(scores, k.min(scores.len()), |item| allowed[item as usize]);
    let listed = best.into_iter().zip(1..);
    listed.map(|(r, rank)| Listed { rank, item: ItemId(r.index), score: r.score }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::likes::Likes;
    use crate::{Edit, Graph, UserId};

    fn items(list: &[Listed]) -> Vec<u32> {
        list.iter().map(|listed| listed.item.0).collect()
    }

    #[test]
    fn histories_and_what_is_excluded_are_never_listed() {
        let recommender = Likes::example();
        let ada = Who::Known(UserId(0));
        let all = recommend(&recommender, &ada, 99, &Candidates::default()).unwrap();
        assert_eq!(all.iter().map(|l| l.rank).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(items(&all), [2, 3, 4]);
        let except = Candidates { except: [ItemId(2)].into(), ..Candidates::default() };
        assert_eq!(items(&recommend(&recommender, &ada, 2, &except).unwrap()), [3, 4]);
        let only =
            Candidates { only: Some([ItemId(0), ItemId(4), ItemId(77)].into()), ..Candidates::default() };
        assert_eq!(items(&recommend(&recommender, &ada, 5, &only).unwrap()), [4]);
        assert_eq!(recommend(&recommender, &ada, 0, &Candidates::default()).unwrap(), []);
    }

    #[test]
    fn a_newcomer_is_known_by_what_they_bring() {
        let recommender = Likes::example();
        let same_as_ada = Who::Newcomer(vec![ItemId(1), ItemId(0), ItemId(1)]);
        let list = recommend(&recommender, &same_as_ada, 2, &Candidates::default()).unwrap();
        assert_eq!(items(&list), [2, 3]);
        let nothing = Who::Newcomer(Vec::new());
        assert_eq!(items(&recommend(&recommender, &nothing, 2, &Candidates::default()).unwrap()), [0, 1]);
        let nobody = Who::Known(UserId(99));
        assert!(matches!(
            recommend(&recommender, &nobody, 2, &Candidates::default()),
            Err(ScoreError::UnknownUser { row: 99, .. })
        ));
    }

    /// Scores everything the same.
    struct Constant(Graph, f32);

    impl Recommender for Constant {
        fn graph(&self) -> &Graph {
            &self.0
        }

        fn score(&self, _: UserId, _: Profile, _: &[Edit], out: &mut [f32]) -> Result<(), ScoreError> {
            out.fill(self.1);
            Ok(())
        }
    }

    #[test]
    fn what_is_no_number_has_no_place_on_a_list() {
        for score in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let odd = Constant(Graph::new(1, 2, &[]).unwrap(), score);
            let said = recommend(&odd, &Who::Known(UserId(0)), 1, &Candidates::default()).unwrap_err();
            assert!(matches!(said, ScoreError::NotFinite(said) if said.total_cmp(&score).is_eq()), "{said}");
            assert_eq!(said.to_string(), format!("a score is {score}, which is not a finite number"));
        }
    }
}
