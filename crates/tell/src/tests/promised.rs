//! Records that say how often they hold for a model trained again.

use super::fixtures::{counterfactual, own, proved};
use crate::{Record, Retrained};

fn promised(record: Record, share: f32, low: f32, high: f32) -> Record {
    Record { holds_when_retrained: Some(Retrained { share, low, high }), ..record }
}

pub(super) fn cases() -> Vec<(&'static str, Record)> {
    let (one, two) = (|| counterfactual(&[own(0)]), || counterfactual(&[own(0), own(1)]));
    vec![
        ("counterfactual, one, held when trained again", promised(one(), 0.66, 0.58, 0.73)),
        ("counterfactual, two, proved, held when trained again", promised(proved(two()), 0.84, 0.76, 0.88)),
        ("counterfactual, held by a known share", promised(one(), 0.71, 0.68, 0.74)),
        ("counterfactual, nearly always held", promised(two(), 0.97, 0.93, 0.99)),
        ("counterfactual, hardly ever held", promised(one(), 0.01, 0.0, 0.2)),
    ]
}
