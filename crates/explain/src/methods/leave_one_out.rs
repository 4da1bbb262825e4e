//! By what each edge does alone.

use grease_graph::Edge;

use super::{Propose, by_score, likest_first};
use crate::case::Case;
use crate::certify::{Proposal, Search, Stop};

pub(super) struct LeaveOneOut;

impl Propose for LeaveOneOut {
    fn propose(
        &self,
        case: &Case<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop> {
        if attempt > 0 {
            return Ok(None);
        }
        // Where there are more edges than questions, only those with the likest items are asked about.
        let most = search.budget / 2;
        let pool = &if pool.len() > most { likest_first(case, pool)[..most].to_vec() } else { pool.to_vec() };
        let singles: Vec<Vec<Edge>> = pool.iter().map(|&edge| vec![edge]).collect();
        let answers = search.ask(&singles)?;
        let gains: Vec<f32> = answers.iter().map(|&answer| search.gain(answer)).collect();
        let place = |edge: Edge| pool.iter().position(|&e| e == edge).expect("scored edges are of the pool");
        Ok(Some(Proposal { order: by_score(pool, |edge| gains[place(edge)]), guide: None }))
    }
}
