//! The largest few numbers of every column of a table that comes row by row.

use grease_kernels::vectorise;

/// The largest few numbers of every column, the largest first; minus infinity where there are fewer.
pub(super) struct Largest {
    width: usize,
    best: Vec<f32>,
    room: Vec<f32>,
}

impl Largest {
    pub(super) fn new(few: usize, width: usize) -> Self {
        Self { width, best: vec![f32::NEG_INFINITY; few * width], room: vec![0.0; width] }
    }

    /// One more row.
    pub(super) fn add(&mut self, row: &[f32]) {
        let Self { width, best, room } = self;
        if *width == 0 {
            return;
        }
        room.copy_from_slice(row);
        vectorise(|| {
            for best in best.chunks_exact_mut(*width) {
                for (best, new) in best.iter_mut().zip(&mut *room) {
                    let (more, less) = (best.max(*new), best.min(*new));
                    (*best, *new) = (more, less);
                }
            }
        });
    }

    /// The sum of each column.
    pub(super) fn sums(&self) -> Vec<f32> {
        let mut sums = vec![0f32; self.width];
        for best in self.rows() {
            sums.iter_mut().zip(best).for_each(|(sum, best)| *sum += best);
        }
        sums
    }

    /// Row by row, the largest first.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.best.chunks_exact(self.width.max(1))
    }
}
