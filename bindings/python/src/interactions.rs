//! Interaction data, from whatever Python has it in.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::DataType;
use grease::graph::read::{Columns, ReadOptions, arrow_columns, read, read_arrow};
use grease::graph::{CatalogueBuilder, Edge, Graph, SampleOptions, Words, check_id, sample};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::Failure;

/// Who touched what. Immutable.
#[pyclass(frozen, module = "grease._native")]
pub(crate) struct Interactions {
    pub(crate) data: Arc<grease::graph::Interactions>,
}

impl Interactions {
    fn new(data: grease::graph::Interactions) -> Self {
        Self { data: Arc::new(data) }
    }

    /// All of it as a graph: what a recommender that is not trained here has learned from.
    pub(crate) fn graph(&self) -> Result<Graph, Failure> {
        Ok(Graph::new(self.data.users.len(), self.data.items.len(), &self.data.edges)?)
    }
}

/// How columns are called and what is kept: as the options of `grease train`.
fn options(
    columns: (Option<String>, Option<String>, Option<String>, Option<String>),
    min_rating: Option<f64>,
    k_core: Option<u32>,
) -> ReadOptions {
    let (user, item, rating, title) = columns;
    ReadOptions {
        columns: Columns { user, item, rating, title },
        min_rating,
        k_core,
        ..ReadOptions::default()
    }
}

/// Whether a column has whole numbers.
fn is_whole(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_whole(values),
        kind => kind.is_integer(),
    }
}

#[pymethods]
impl Interactions {
    /// From a table: anything that speaks the Arrow PyCapsule interface. Also whether ids of users and of items are numbers.
    #[staticmethod]
    fn from_arrow(
        py: Python<'_>,
        table: AnyRecordBatch,
        columns: (Option<String>, Option<String>, Option<String>, Option<String>),
        min_rating: Option<f64>,
        k_core: Option<u32>,
    ) -> PyResult<(Self, bool, bool)> {
        let options = options(columns, min_rating, k_core);
        let table = table.into_reader()?;
        let schema = table.schema();
        let (user, item) = arrow_columns(&schema, &options).map_err(Failure::from)?;
        let [users, items] = [user, item].map(|column| is_whole(schema.field(column).data_type()));
        let (data, _) = py.detach(|| read_arrow(table, &options)).map_err(Failure::from)?;
        Ok((Self::new(data), users, items))
    }

    /// From a file or a folder, as the command line reads them; also what was made of it, in words.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        columns: (Option<String>, Option<String>, Option<String>, Option<String>),
        min_rating: Option<f64>,
        k_core: Option<u32>,
        format: &str,
    ) -> PyResult<(Self, String)> {
        let format = format.parse().map_err(Failure::usage)?;
        let options = ReadOptions { format, ..options(columns, min_rating, k_core) };
        let (data, report) = py.detach(|| read(&path, &options)).map_err(Failure::from)?;
        Ok((Self::new(data), report.to_string()))
    }

    /// From row numbers, and the ids of the rows.
    #[staticmethod]
    fn from_rows(
        users: PyReadonlyArray1<'_, i64>,
        items: PyReadonlyArray1<'_, i64>,
        user_ids: Vec<String>,
        item_ids: Vec<String>,
    ) -> PyResult<Self> {
        let (users, items) = (users.as_slice()?, items.as_slice()?);
        if users.len() != items.len() {
            let said =
                format!("{} users and {} items: an interaction has one of each", users.len(), items.len());
            return Err(Failure::Data(said).into());
        }
        let catalogue = |ids: Vec<String>, what: &str| -> Result<_, Failure> {
            let mut builder = CatalogueBuilder::new();
            for (row, id) in ids.iter().enumerate() {
                let (id, given) = (id.trim(), id);
                if check_id(id).is_err() {
                    let said = "expected an id of 1 to 1024 bytes without control characters";
                    return Err(Failure::Data(format!(
                        "{what} {row} is '{}': {said}",
                        given.escape_default()
                    )));
                }
                if builder.intern(id) != Some(row as u32) {
                    return Err(Failure::Data(format!("{what} '{id}' stands there twice")));
                }
            }
            Ok(builder.finish())
        };
        let (user_catalogue, item_catalogue) = (catalogue(user_ids, "user")?, catalogue(item_ids, "item")?);
        let row = |row: i64, rows: usize, what: &str, at: usize| {
            u32::try_from(row).ok().filter(|&row| (row as usize) < rows).ok_or_else(|| {
                Failure::Data(format!("interaction {at} names {what} row {row}, but there are {rows}"))
            })
        };
        let mut edges = Vec::with_capacity(users.len());
        for (at, (&user, &item)) in users.iter().zip(items).enumerate() {
            let user = row(user, user_catalogue.len(), "user", at)?;
            edges.push(Edge::new(user, row(item, item_catalogue.len(), "item", at)?));
        }
        edges.sort_unstable();
        edges.dedup();
        Ok(Self::new(grease::graph::Interactions {
            users: user_catalogue,
            items: item_catalogue,
            edges,
            given_test: None,
            words: Words::default(),
        }))
    }

    /// The invented music service of `grease demo`.
    #[staticmethod]
    fn sample(users: usize, artists: usize, seed: u64) -> PyResult<Self> {
        let options = SampleOptions { users, artists, seed, ..SampleOptions::default() };
        Ok(Self::new(sample(&options).interactions))
    }

    /// The same data with titles for some items, and words to speak about it.
    fn described(
        &self,
        titles: Vec<(String, String)>,
        words: Option<(String, String, String, String)>,
    ) -> PyResult<Self> {
        let mut data = grease::graph::Interactions::clone(&self.data);
        if !titles.is_empty() {
            let mut items = CatalogueBuilder::new();
            for row in 0..data.items.len() as u32 {
                if let (Some(row), Some(title)) = (items.intern(data.items.id(row)), data.items.title(row)) {
                    items.set_title(row, title);
                }
            }
            for (id, title) in &titles {
                let row = items
                    .row(id)
                    .ok_or_else(|| Failure::Unknown(format!("unknown item '{id}' has a title")))?;
                items.set_title(row, &title.replace(char::is_control, " "));
            }
            data.items = items.finish();
        }
        if let Some((person, did, item, items)) = words {
            data.words = Words { person, did, item, items };
        }
        Ok(Self::new(data))
    }

    /// Ids of the user rows.
    fn user_ids(&self) -> Vec<String> {
        (0..self.data.users.len() as u32).map(|row| self.data.users.id(row).to_owned()).collect()
    }

    /// Ids of the item rows.
    fn item_ids(&self) -> Vec<String> {
        (0..self.data.items.len() as u32).map(|row| self.data.items.id(row).to_owned()).collect()
    }

    /// Titles of the item rows, where they have one.
    fn titles(&self) -> Vec<Option<String>> {
        (0..self.data.items.len() as u32).map(|row| self.data.items.title(row).map(str::to_owned)).collect()
    }

    /// Rows of the users and items of all interactions, by user, then item.
    fn rows<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, numpy::PyArray1<i64>>, Bound<'py, numpy::PyArray1<i64>>) {
        let column = |of: fn(&Edge) -> u32| {
            numpy::PyArray1::from_iter(py, self.data.edges.iter().map(|edge| i64::from(of(edge))))
        };
        (column(|edge| edge.user.0), column(|edge| edge.item.0))
    }

    /// Users, items, interactions.
    fn shape(&self) -> (usize, usize, usize) {
        (self.data.users.len(), self.data.items.len(), self.data.edges.len())
    }
}
