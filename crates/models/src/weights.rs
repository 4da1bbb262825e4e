//! The learned tensors of a model, by name: what Adam steps, what files hold.

use std::fmt;

use grease_kernels::Array;
use grease_kernels::dense::dot;

use crate::halves::Side;

/// A named matrix; a vector has one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Its name in files.
    pub name: String,
    pub shape: [usize; 2],
    pub data: Array<f32>,
}

impl Tensor {
    /// Its name and its shape.
    fn without_data(&self) -> Self {
        Self { name: self.name.clone(), shape: self.shape, data: Array::default() }
    }

    /// Its shape in files, where a bias is a vector.
    pub(crate) fn stored_shape(&self) -> Vec<usize> {
        let is_bias = self.name.contains("layer.") && self.shape[0] == 1;
        if is_bias { vec![self.shape[1]] } else { self.shape.to_vec() }
    }
}

/// All tensors of a model, in the order its [`Architecture`](crate::Architecture) lists them: the users' and the items' input tables
/// first.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights(pub Vec<Tensor>);

/// Why weights do not fit a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// A tensor is missing.
    #[error("tensor `{name}` is missing; {expected}")]
    Missing { name: String, expected: String },
    /// There is a tensor too many, as of a deeper model.
    #[error("tensor `{name}` is one too many; {expected}")]
    Unexpected { name: String, expected: String },
    /// A tensor has another shape than the model says.
    #[error("tensor `{name}` is {got:?} where {expected:?} is expected")]
    Shape { name: String, got: Vec<usize>, expected: [usize; 2] },
    /// A value is not a number.
    #[error(
        "tensor `{name}` has {value} at row {row}, column {column}; a trained model has finite weights only"
    )]
    NotFinite { name: String, value: String, row: usize, column: usize },
    /// A row of zeros has no direction, so nobody knows its cosine.
    #[error(
        "tensor `{name}` has nothing but zeros in row {row}; the cosine of a row of zeros is not defined: leave the row out, or score by dot product"
    )]
    NoDirection { name: String, row: usize },
}

impl Weights {
    /// The users' input table.
    pub fn users(&self) -> &[f32] {
        &self.0[0].data
    }

    /// The items' input table.
    pub fn items(&self) -> &[f32] {
        &self.0[1].data
    }

    /// The input table of one side.
    pub(crate) fn table(&self, side: Side) -> &[f32] {
        match side {
            Side::Users => self.users(),
            Side::Items => self.items(),
        }
    }

    /// Both input tables, to write.
    pub(crate) fn tables_mut(&mut self) -> [&mut [f32]; 2] {
        let (users, rest) = self.0.split_at_mut(1);
        [&mut users[0].data, &mut rest[0].data]
    }

    /// Zeros of the same shapes.
    pub(crate) fn zeros_like(&self) -> Self {
        Self(
            self.0
                .iter()
                .map(|t| Tensor { data: vec![0.0; t.data.len()].into(), ..t.without_data() })
                .collect(),
        )
    }

    /// The first tensor, if any, whose square is no finite number: its scores would not be either.
    pub(crate) fn overflowed(&self) -> Option<&Tensor> {
        self.0.iter().find(|t| !dot(&t.data, &t.data).is_finite())
    }

    /// Refuses tables with a row whose length is no number to divide by.
    pub(crate) fn check_directions(&self) -> Result<(), WeightsError> {
        for table in self.0.iter().take(2) {
            let short = |row: &[f32]| row.iter().all(|&v| v == 0.0);
            if let Some(row) = table.data.chunks_exact(table.shape[1].max(1)).position(short) {
                return Err(WeightsError::NoDirection { name: table.name.clone(), row });
            }
        }
        Ok(())
    }

    /// Refuses weights of other names or shapes than `expected`, and any value that is not a finite number.
    pub(crate) fn check(&self, expected: &[(String, [usize; 2])]) -> Result<(), WeightsError> {
        for (at, (name, shape)) in expected.iter().enumerate() {
            let tensor = self.0.get(at).filter(|t| &t.name == name).ok_or_else(|| WeightsError::Missing {
                name: name.clone(),
                expected: Names(expected).to_string(),
            })?;
            if tensor.shape != *shape || tensor.data.len() != shape[0] * shape[1] {
                return Err(WeightsError::Shape {
                    name: name.clone(),
                    got: tensor.shape.to_vec(),
                    expected: *shape,
                });
            }
            check_finite(name, shape[1], &tensor.data)?;
        }
        match self.0.get(expected.len()) {
            None => Ok(()),
            Some(extra) => Err(WeightsError::Unexpected {
                name: extra.name.clone(),
                expected: Names(expected).to_string(),
            }),
        }
    }
}

/// Refuses any value that is not a finite number.
pub(crate) fn check_finite(name: &str, columns: usize, values: &[f32]) -> Result<(), WeightsError> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(bad) => Err(WeightsError::NotFinite {
            name: name.to_owned(),
            value: values[bad].to_string(),
            row: bad / columns,
            column: bad % columns,
        }),
    }
}

struct Names<'a>(&'a [(String, [usize; 2])]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the model needs")?;
        for (name, [rows, columns]) in self.0 {
            write!(f, " `{name}` [{rows}, {columns}]")?;
        }
        Ok(())
    }
}
