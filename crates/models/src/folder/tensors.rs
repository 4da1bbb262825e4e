//! Named tensors in safetensors files.

use std::collections::HashMap;
use std::path::Path;

use grease_kernels::Mapped;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};

use crate::folder::error::FolderError;
use crate::folder::hash;
use crate::weights::Tensor;

/// Tensors, with one text beside them, as a file has them; else the reason why it cannot. The text has before it a hash of itself
/// and of all tensors: see [`Read::sealed`].
pub(super) fn bytes(tensors: &[&Tensor], text: Option<(&str, String)>) -> Result<Vec<u8>, String> {
    let bytes: Vec<Vec<u8>> =
        tensors.iter().map(|t| t.data.iter().flat_map(|v| v.to_le_bytes()).collect()).collect();
    let views: Result<Vec<(&str, TensorView<'_>)>, _> = tensors
        .iter()
        .zip(&bytes)
        .map(|(t, bytes)| Ok((t.name.as_str(), TensorView::new(Dtype::F32, t.stored_shape(), bytes)?)))
        .collect();
    let views = views.map_err(|error: safetensors::SafeTensorError| error.to_string())?;
    let text = text.map(|(key, text)| {
        let all = views.iter().map(|(name, view)| (*name, view));
        HashMap::from([(key.to_owned(), format!("{}\n{text}", hash_of_all(&text, all)))])
    });
    serialize(views, text).map_err(|error| error.to_string())
}

/// Of the text and of every tensor, its name and its shape.
fn hash_of_all<'a, 'd: 'a>(
    text: &str,
    tensors: impl Iterator<Item = (&'a str, &'a TensorView<'d>)>,
) -> String {
    let mut tensors: Vec<_> = tensors.collect();
    tensors.sort_unstable_by_key(|(name, _)| *name);
    let heads: Vec<String> =
        tensors.iter().map(|(name, view)| format!("\n{name} {:?}\n", view.shape())).collect();
    let parts = heads.iter().zip(&tensors).flat_map(|(head, (_, view))| [head.as_bytes(), view.data()]);
    hash::of_all([text.as_bytes()].into_iter().chain(parts))
}

/// Tensors of a file by name, vectors as matrices of one row, and the text stored under `key`.
pub(super) struct Read<'a> {
    file: &'a Path,
    tensors: SafeTensors<'a>,
    text: HashMap<String, String>,
}

impl<'a> Read<'a> {
    pub(super) fn new(file: &'a Path, bytes: &'a [u8]) -> Result<Self, FolderError> {
        let fail = |error: safetensors::SafeTensorError| FolderError::Tensors {
            file: file.into(),
            reason: format!("not a whole safetensors file ({error}); copy it again"),
        };
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(fail)?;
        let text = metadata.metadata().clone().unwrap_or_default();
        Ok(Self { file, tensors: SafeTensors::deserialize(bytes).map_err(fail)?, text })
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.text.get(key).map(String::as_str)
    }

    /// The text stored under `key`, if neither it nor a tensor was changed since.
    pub(super) fn sealed(&self, key: &str) -> Option<Result<&str, FolderError>> {
        let (says, text) = self.text(key)?.split_once('\n').unwrap_or_default();
        let tensors = self.tensors.tensors();
        let hash = hash_of_all(text, tensors.iter().map(|(name, view)| (name.as_str(), view)));
        Some(if hash == says {
            Ok(text)
        } else {
            let reason = "it was changed after it was written: it does not hash to what it says".to_owned();
            Err(FolderError::Tensors { file: self.file.into(), reason })
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// The tensor called `prefix` + `name`, as `name`, in the shape that is expected of it.
    pub(super) fn tensor(&self, prefix: &str, name: &str, shape: [usize; 2]) -> Result<Tensor, FolderError> {
        let (values, _) = self.values(prefix, name, shape)?.as_chunks::<4>();
        let data = values.iter().map(|&b| f32::from_le_bytes(b)).collect();
        Ok(Tensor { name: name.to_owned(), shape, data })
    }

    /// The same where it lies in the mapping that these are read from, if it lies as numbers do in memory.
    pub(super) fn mapped(&self, name: &str, shape: [usize; 2], map: &Mapped) -> Result<Tensor, FolderError> {
        let bytes = self.values("", name, shape)?;
        let start = bytes.as_ptr().addr() - map.bytes().as_ptr().addr();
        match map.part(start..start + bytes.len()) {
            Some(data) => Ok(Tensor { name: name.to_owned(), shape, data }),
            None => self.tensor("", name, shape),
        }
    }

    /// The bytes of a tensor of this shape.
    fn values(&self, prefix: &str, name: &str, shape: [usize; 2]) -> Result<&[u8], FolderError> {
        let fail = |reason: String| FolderError::Tensors { file: self.file.into(), reason };
        let stored = format!("{prefix}{name}");
        let view = self.tensors.tensor(&stored).map_err(|_| fail(format!("tensor `{stored}` is missing")))?;
        if view.dtype() != Dtype::F32 {
            return Err(fail(format!("tensor `{stored}` is {:?} where F32 is expected", view.dtype())));
        }
        let fits = view.shape() == shape || (shape[0] == 1 && view.shape() == [shape[1]]);
        if !fits {
            let got = view.shape();
            return Err(fail(format!("tensor `{stored}` is {got:?} where {shape:?} is expected")));
        }
        Ok(view.data())
    }
}
