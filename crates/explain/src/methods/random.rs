//! In random order: the least a method has to beat.

use grease_graph::{Edge, seed};

use crate::case::Case;

/// The pool, shuffled by seed, person and item.
pub(super) fn order(case: &Case<'_, '_>, pool: &[Edge]) -> Vec<Edge> {
    let pair = (u64::from(case.desk().user.0) << 32) | u64::from(case.item.0);
    let mut order = pool.to_vec();
    seed::shuffle(&mut seed::rng_at(case.desk().task.seed, "random order of edges", pair), &mut order);
    order
}
