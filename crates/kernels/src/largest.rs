//! The largest few numbers of every column of a table that comes row by row.

use crate::vectorise;

/// Columns side by side, so that a row costs a comparison for each number that is kept.
#[derive(Debug, Clone)]
pub struct Largest {
    width: usize,
    /// `[few, width]`, the largest first; minus infinity where there are fewer.
    best: Vec<f32>,
    room: Vec<f32>,
}

impl Largest {
    /// None yet.
    pub fn new(few: usize, width: usize) -> Self {
        Self { width, best: vec![f32::NEG_INFINITY; few * width], room: vec![0.0; width] }
    }

    /// One more row, times a factor.
    pub fn add(&mut self, row: &[f32], factor: f32) {
        let Self { width, best, room } = self;
        assert_eq!(row.len(), *width, "a row of the table");
        if *width == 0 {
            return;
        }
        vectorise(|| {
            room.iter_mut().zip(row).for_each(|(room, x)| *room = factor * x);
            for best in best.chunks_exact_mut(*width) {
                for (best, new) in best.iter_mut().zip(&mut *room) {
                    let (more, less) = (best.max(*new), best.min(*new));
                    (*best, *new) = (more, less);
                }
            }
        });
    }

    /// The sum of each column; minus infinity where there are not so many rows.
    pub fn sums(&self) -> Vec<f32> {
        let mut sums = vec![0f32; self.width];
        for best in self.rows() {
            sums.iter_mut().zip(best).for_each(|(sum, best)| *sum += best);
        }
        sums
    }

    /// Row by row, the largest first.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.best.chunks_exact(self.width.max(1))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_largest_are_as_sorted(rows in proptest::collection::vec([-9i8..9, -9i8..9, -9i8..9], 1..20), few in 1usize..6) {
            let mut largest = Largest::new(few, 3);
            rows.iter().for_each(|row| largest.add(&row.map(f32::from), 2.0));
            for column in 0..3 {
                let mut sorted: Vec<f32> = rows.iter().map(|row| 2.0 * f32::from(row[column])).collect();
                sorted.sort_by(|a, b| b.total_cmp(a));
                sorted.resize(sorted.len().max(few), f32::NEG_INFINITY);
                let got: Vec<f32> = largest.rows().map(|row| row[column]).collect();
                prop_assert_eq!(&got, &sorted[..few]);
                prop_assert_eq!(largest.sums()[column], sorted[..few].iter().sum::<f32>());
            }
        }
    }
}
