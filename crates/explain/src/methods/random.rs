//! In random order: the least a method has to beat.

use grease_graph::{Edge, seed};

use super::{Propose, once};
use crate::case::Case;
use crate::certify::{Proposal, Search, Stop};

pub(super) struct Random;

impl Propose for Random {
    fn propose(
        &self,
        case: &Case<'_, '_>,
        _: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop> {
        once(attempt, || {
            let pair = (u64::from(case.desk().user.0) << 32) | u64::from(case.item.0);
            let mut order = pool.to_vec();
            seed::shuffle(
                &mut seed::rng_at(case.desk().task.seed, "random order of edges", pair),
                &mut order,
            );
            order
        })
    }
}
