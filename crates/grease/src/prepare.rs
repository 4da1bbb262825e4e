//! From interactions to the parts a model is trained and tested on.

use grease_graph::{Interactions, Split};
use grease_models::folder::Dataset;
use grease_models::train::EarlyStopping;

/// Divides interactions into what a model learns from, what tests it and, where training stops early, what
/// stops it. A split the data came with is respected; see [`Split::of`].
pub fn prepare(
    interactions: &Interactions,
    train_share: f64,
    seed: u64,
    early_stopping: Option<EarlyStopping>,
) -> Dataset {
    let Split { mut train, test } = Split::of(interactions, train_share, seed);
    let mut valid = Vec::new();
    if let Some(EarlyStopping { share, .. }) = early_stopping {
        Split { train, test: valid } = Split::hold_out(interactions, &train, share, seed);
    }
    let Interactions { users, items, words, .. } = interactions.clone();
    Dataset { users, items, train: train.into(), test, valid, words }
}

#[cfg(test)]
mod tests {
    use grease_graph::{SampleOptions, sample};

    use super::*;

    #[test]
    fn the_parts_are_disjoint_and_complete() {
        let data = sample(&SampleOptions { users: 40, artists: 30, ..SampleOptions::default() }).interactions;
        let plain = prepare(&data, 0.8, 1, None);
        assert!(plain.valid.is_empty());
        let stopping = prepare(&data, 0.8, 1, Some(EarlyStopping { share: 0.2, patience: 3 }));
        assert_eq!(stopping.test, plain.test, "the slice is taken out of the training part");
        assert!(!stopping.valid.is_empty());
        let mut all = [stopping.train.into_vec(), stopping.test, stopping.valid].concat();
        all.sort_unstable();
        assert_eq!(all, data.edges);
    }
}
