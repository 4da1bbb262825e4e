//! A sparsity pattern in compressed rows. Edge weights are arguments of the kernels, never stored in it.

use std::ops::Range;

use rayon::prelude::*;

use crate::array::Array;

/// Which columns each row has, in compressed-row form. The position of an entry is its *edge number*.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csr {
    cols: usize,
    /// `rows + 1` offsets into `indices`.
    offsets: Array<usize>,
    indices: Array<u32>,
    /// Row ranges of about equal work, for threads to share.
    blocks: Vec<Range<usize>>,
}

/// Why a pattern was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CsrError {
    /// Offsets must start at 0, never fall and end at the number of indices.
    Offsets,
    /// An index points outside the columns.
    Column {
        /// Position of the offending index.
        at: usize,
    },
}

impl std::fmt::Display for CsrError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CsrError::Offsets => {
                write!(f, "row offsets must start at 0, never fall, and end at the number of entries")
            }
            CsrError::Column { at } => write!(f, "entry {at} points outside the columns"),
        }
    }
}

impl std::error::Error for CsrError {}

/// Entries (plus rows) a block of rows holds at the least: enough work to be worth handing to a thread.
const BLOCK_WORK: usize = 2048;

impl Csr {
    /// A pattern from its parts, checked: the kernels rely on these bounds without checking again.
    pub fn new(
        cols: usize,
        offsets: impl Into<Array<usize>>,
        indices: impl Into<Array<u32>>,
    ) -> Result<Self, CsrError> {
        let (offsets, indices) = (offsets.into(), indices.into());
        let sound = offsets.first() == Some(&0)
            && offsets.last() == Some(&indices.len())
            && offsets.windows(2).all(|w| w[0] <= w[1]);
        if !sound {
            return Err(CsrError::Offsets);
        }
        if let Some(at) = indices.par_iter().position_first(|&c| c as usize >= cols) {
            return Err(CsrError::Column { at });
        }
        let blocks = even_blocks(&offsets);
        Ok(Self { cols, offsets, indices, blocks })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.indices.len()
    }

    /// The columns of one row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.indices[self.edges(row)]
    }

    /// The edge numbers of one row.
    pub fn edges(&self, row: usize) -> Range<usize> {
        self.offsets[row]..self.offsets[row + 1]
    }

    /// Number of entries in one row.
    pub fn degree(&self, row: usize) -> usize {
        self.edges(row).len()
    }

    /// Where each row begins in edge order, and where the last one ends.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// All columns, in edge order.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Row ranges of about equal work.
    pub(crate) fn blocks(&self) -> &[Range<usize>] {
        &self.blocks
    }

    /// The same entries by columns, and for each of them its edge number here:
    /// `weights_of_transpose[e] = weights[permutation[e]]`. Within a row, columns ascend.
    pub fn transpose(&self) -> (Csr, Vec<u32>) {
        assert!(u32::try_from(self.nnz()).is_ok(), "edge numbers must fit 32 bits");
        self.by_columns(|row, edge| (row, edge))
    }

    /// The same entries by columns. Within a row, columns ascend.
    pub fn transposed(&self) -> Csr {
        self.by_columns(|row, _| (row, ())).0
    }

    /// By columns, with something else of every entry. Each thread takes some columns and reads all entries: reading is quick, and
    /// what is written lies apart.
    fn by_columns<T: Copy + Default + Send>(
        &self,
        entry: impl Fn(u32, u32) -> (u32, T) + Sync,
    ) -> (Csr, Vec<T>) {
        let mut offsets = vec![0usize; self.cols + 1];
        for &col in self.indices() {
            offsets[col as usize + 1] += 1;
        }
        for col in 0..self.cols {
            offsets[col + 1] += offsets[col];
        }
        let mut indices = vec![0u32; self.nnz()];
        let mut others = vec![T::default(); self.nnz()];
        let parts = rayon::current_num_threads().min(self.nnz() / BLOCK_WORK).clamp(1, MOST_PARTS);
        let begins: Vec<usize> = (0..=parts).map(|part| part * self.cols / parts).collect();
        let (mut indices_left, mut others_left) = (&mut indices[..], &mut others[..]);
        let mut tasks = Vec::with_capacity(parts);
        for cols in begins.windows(2).map(|pair| pair[0]..pair[1]) {
            let many = offsets[cols.end] - offsets[cols.start];
            let (indices, others);
            (indices, indices_left) = std::mem::take(&mut indices_left).split_at_mut(many);
            (others, others_left) = std::mem::take(&mut others_left).split_at_mut(many);
            tasks.push((cols, indices, others));
        }
        let fill = |(cols, indices, others): (Range<usize>, &mut [u32], &mut [T])| {
            let first = offsets[cols.start];
            let mut next: Vec<usize> = offsets[cols.clone()].iter().map(|at| at - first).collect();
            for row in 0..self.rows() {
                for edge in self.edges(row) {
                    let col = self.indices[edge] as usize;
                    if cols.contains(&col) {
                        let at = &mut next[col - cols.start];
                        (indices[*at], others[*at]) = entry(row as u32, edge as u32);
                        *at += 1;
                    }
                }
            }
        };
        match parts {
            1 => tasks.into_iter().for_each(fill),
            _ => tasks.into_par_iter().for_each(fill),
        }
        let blocks = even_blocks(&offsets);
        (Csr { cols: self.rows(), offsets: offsets.into(), indices: indices.into(), blocks }, others)
    }
}

/// Threads that turn a pattern around at the same time: each reads all of it.
const MOST_PARTS: usize = 8;

/// Cuts rows into ranges of at least `BLOCK_WORK` entries and rows.
fn even_blocks(offsets: &[usize]) -> Vec<Range<usize>> {
    let rows = offsets.len() - 1;
    let mut blocks = Vec::new();
    let mut start = 0;
    for row in 0..rows {
        let work = offsets[row + 1] - offsets[start] + (row + 1 - start);
        if work >= BLOCK_WORK || row + 1 == rows {
            blocks.push(start..row + 1);
            start = row + 1;
        }
    }
    blocks
}

/// Splits a row-major matrix along row ranges that follow one another from row 0, so that threads can write their parts.
pub(crate) fn split_rows<'a, T>(
    mut data: &'a mut [T],
    width: usize,
    blocks: &[Range<usize>],
) -> Vec<(Range<usize>, &'a mut [T])> {
    blocks
        .iter()
        .map(|rows| {
            let (part, rest) = std::mem::take(&mut data).split_at_mut(rows.len() * width);
            data = rest;
            (rows.clone(), part)
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod strategies {
    //! Random patterns for property tests.
    use super::Csr;
    use proptest::prelude::*;

    /// A pattern with up to `rows` x `cols`, some rows empty, columns ascending and unique within a row.
    pub(crate) fn pattern(rows: usize, cols: usize) -> impl Strategy<Value = Csr> {
        (1..=rows, 1..=cols).prop_flat_map(|(rows, cols)| {
            proptest::collection::vec(proptest::collection::btree_set(0..cols as u32, 0..=cols.min(12)), rows)
                .prop_map(move |sets| {
                    let mut offsets = vec![0];
                    let mut indices = Vec::new();
                    for set in sets {
                        indices.extend(set);
                        offsets.push(indices.len());
                    }
                    Csr::new(cols, offsets, indices).expect("built soundly")
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unsound_parts_are_refused() {
        assert_eq!(Csr::new(2, vec![], Vec::new()), Err(CsrError::Offsets));
        assert_eq!(Csr::new(2, vec![0, 2, 1], vec![0]), Err(CsrError::Offsets));
        assert_eq!(Csr::new(2, vec![0, 2], vec![0, 2]), Err(CsrError::Column { at: 1 }));
    }

    proptest! {
        #[test]
        fn transposing_twice_gives_the_pattern_back(pattern in strategies::pattern(40, 30)) {
            let (flipped, permutation) = pattern.transpose();
            prop_assert_eq!(&flipped.transposed(), &pattern);
            for row in 0..flipped.rows() {
                for edge in flipped.edges(row) {
                    let there = permutation[edge] as usize;
                    prop_assert_eq!(pattern.indices()[there] as usize, row);
                    prop_assert!(pattern.edges(flipped.indices()[edge] as usize).contains(&there));
                }
            }
        }

        /// Enough entries for several threads.
        #[test]
        fn many_entries_are_turned_around_as_few(rows in 2000usize..3000, cols in 1usize..50) {
            let each = |row: usize| (0..cols as u32).filter(move |col| (row as u32 * 7 + col * 13).is_multiple_of(3));
            let (mut offsets, mut indices) = (vec![0], Vec::new());
            for row in 0..rows {
                indices.extend(each(row));
                offsets.push(indices.len());
            }
            let flipped = Csr::new(cols, offsets, indices).unwrap().transposed();
            for col in 0..cols {
                let there: Vec<u32> = (0..rows).filter(|&row| each(row).any(|c| c as usize == col)).map(|row| row as u32).collect();
                prop_assert_eq!(flipped.row(col), there);
            }
        }

        #[test]
        fn blocks_cover_every_row_once(pattern in strategies::pattern(60, 20)) {
            let mut next = 0;
            for block in pattern.blocks() {
                prop_assert_eq!(block.start, next);
                next = block.end;
            }
            prop_assert_eq!(next, pattern.rows());
        }
    }
}
