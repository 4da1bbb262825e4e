//! The default: what single edges are known to do, followed and corrected by the recommender's answers.

use grease_graph::Edge;

use super::Propose;
use crate::case::Case;
use crate::certify::{Proposal, Search, Stop};

pub(super) struct Grease;

impl Propose for Grease {
    fn propose(
        &self,
        case: &Case<'_, '_>,
        _: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop> {
        match (attempt, case.shared) {
            (0, Some(shared)) => {
                Ok(Some(Proposal { order: Vec::new(), guide: Some(shared.effects.only(pool)) }))
            }
            _ => Ok(None),
        }
    }
}
