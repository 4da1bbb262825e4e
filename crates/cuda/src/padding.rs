//! Rows as kernels read them: sixteen bytes at a time.

/// Rows of `width` as rows of `padded`, zeros behind.
pub(crate) fn pad(values: &[f32], width: usize, padded: usize) -> Vec<f32> {
    let mut out = vec![0.0; values.len() / width.max(1) * padded];
    for (out, row) in out.chunks_exact_mut(padded).zip(values.chunks_exact(width.max(1))) {
        out[..width].copy_from_slice(row);
    }
    out
}

pub(crate) fn unpad(values: &[f32], width: usize, padded: usize) -> Vec<f32> {
    values.chunks_exact(padded).flat_map(|row| &row[..width]).copied().collect()
}
