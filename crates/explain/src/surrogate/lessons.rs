//! What the recommender answered about edited graphs, and how well a surrogate foretells it.

use grease_graph::ItemId;

/// How the recommender's scores for the person change from one edited graph to another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lesson {
    /// Local edges absent before, ascending.
    pub(crate) before: Vec<u32>,
    /// Local edges absent after, ascending.
    pub(crate) after: Vec<u32>,
    /// For some items how much their real score rises.
    pub(crate) changes: Vec<(ItemId, f32)>,
}

/// Spearman's correlation: that of the ranks, equal values sharing the mean of theirs. `None` where one side is constant.
///
/// This is the fidelity of a surrogate when `a` are the changes it foretells and `b` the real ones, over answers it
/// was not fitted on. n log n.
pub(crate) fn spearman(a: &[f32], b: &[f32]) -> Option<f32> {
    assert_eq!(a.len(), b.len(), "pairs");
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let (mut together, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(&b) {
        together += (a - mean) * (b - mean);
        of_a += (a - mean) * (a - mean);
        of_b += (b - mean) * (b - mean);
    }
    (of_a > 0.0 && of_b > 0.0).then(|| (together / (of_a * of_b).sqrt()) as f32)
}

/// From 0; equal values share the mean.
fn ranks(values: &[f32]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&x, &y| values[x].total_cmp(&values[y]));
    let mut ranks = vec![0f64; values.len()];
    let mut start = 0;
    for group in order.chunk_by(|&x, &y| values[x] == values[y]) {
        let shared = start as f64 + (group.len() as f64 - 1.0) / 2.0;
        group.iter().for_each(|&at| ranks[at] = shared);
        start += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlates_ranks_with_ties_as_published() {
        // scipy.stats.spearmanr([1, 2, 2, 4, 5], [2, 1, 3, 3, 9]) = 0.763157...
        let rho = spearman(&[1.0, 2.0, 2.0, 4.0, 5.0], &[2.0, 1.0, 3.0, 3.0, 9.0]).unwrap();
        assert!((rho - 0.763_157_9).abs() < 1e-6, "{rho}");
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[9.0, 4.0, 1.0]), Some(-1.0));
        assert_eq!(spearman(&[1.0, 1.0], &[0.0, 3.0]), None);
        assert_eq!(spearman(&[], &[]), None);
    }
}
