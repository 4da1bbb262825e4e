//! Tensors by name, whatever file or program they come from.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::folder::hash_text;
use crate::import::error::TensorsError;

/// A tensor of any number of dimensions.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTensor {
    /// Length of each dimension; none for a single number.
    pub shape: Vec<usize>,
    /// The values, the last dimension fastest.
    pub data: Vec<f32>,
}

/// Tensors by name, in order of their names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamedTensors {
    by_name: BTreeMap<String, NamedTensor>,
}

/// What programs put before every name.
const PREFIXES: [&str; 3] = ["model.", "module.", "state_dict."];

/// How many names an error lists.
const LISTED: usize = 24;

impl NamedTensors {
    /// No tensors.
    pub fn new() -> Self {
        Self::default()
    }

    /// One tensor more. A shape that the values do not fill is refused, and a name that is taken.
    pub fn insert(&mut self, name: &str, shape: &[usize], data: Vec<f32>) -> Result<(), TensorsError> {
        let fail = |reason: String| Err(TensorsError::Tensor { name: name.into(), reason });
        let values = shape.iter().try_fold(1usize, |n, &length| n.checked_mul(length));
        if values != Some(data.len()) {
            return fail(format!("has {} values where its shape {shape:?} has room for others", data.len()));
        }
        if self.by_name.contains_key(name) {
            return fail("is there twice".into());
        }
        self.by_name.insert(name.to_owned(), NamedTensor { shape: shape.to_vec(), data });
        Ok(())
    }

    /// All of another's tensors, too.
    pub fn extend(&mut self, other: Self) -> Result<(), TensorsError> {
        other
            .by_name
            .into_iter()
            .try_for_each(|(name, tensor)| self.insert(&name, &tensor.shape, tensor.data))
    }

    /// The tensor of this name.
    pub fn get(&self, name: &str) -> Option<&NamedTensor> {
        self.by_name.get(name)
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// SHA-256 of names, shapes and values, for tensors that come from no file.
    pub fn hash(&self) -> String {
        let mut sum = Sha256::new();
        for (name, tensor) in &self.by_name {
            sum.update(format!("{name} {:?}\n", tensor.shape));
            tensor.data.iter().for_each(|value| sum.update(value.to_le_bytes()));
        }
        hash_text(sum.finalize().as_slice())
    }

    pub(super) fn take(&mut self, name: &str) -> Option<NamedTensor> {
        self.by_name.remove(name)
    }

    pub(super) fn pop(&mut self) -> Option<(String, NamedTensor)> {
        self.by_name.pop_first()
    }

    /// Without the prefixes that all names share.
    pub(super) fn without_prefix(mut self) -> Self {
        while let Some(prefix) = PREFIXES
            .iter()
            .find(|prefix| !self.is_empty() && self.names().all(|name| name.starts_with(*prefix)))
        {
            let bare = |(name, tensor): (String, NamedTensor)| (name[prefix.len()..].to_owned(), tensor);
            self.by_name = self.by_name.into_iter().map(bare).collect();
        }
        self
    }

    /// Names and shapes, for an error.
    pub(super) fn listed(&self) -> String {
        let mut names: Vec<String> = self
            .by_name
            .iter()
            .take(LISTED)
            .map(|(name, tensor)| format!("`{}` {:?}", name.escape_debug(), tensor.shape))
            .collect();
        match self.len().saturating_sub(LISTED) {
            0 if names.is_empty() => return "none at all".into(),
            0 => {}
            more => names.push(format!("and {more} more")),
        }
        names.join(", ")
    }
}
