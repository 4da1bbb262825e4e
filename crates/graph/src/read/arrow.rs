//! Columns in memory, as Arrow has them: whoever they come from.

use std::fmt::Write as _;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Schema};

use super::collect::Collector;
use super::error::{At, Position, ReadError};
use super::options::ReadOptions;
use super::rows::{Field, Pick, Row, Sink};
use super::{ReadReport, finish};
use crate::Interactions;

/// Which columns of a table in memory [`read_arrow`] takes for users and items.
pub fn arrow_columns(schema: &Schema, options: &ReadOptions) -> Result<(usize, usize), ReadError> {
    options.check()?;
    let pick = Collector::new(options).pick(At::file(Path::new(TABLE)), &names(schema))?;
    // A table of interactions always has both.
    Ok((pick.user.unwrap_or(pick.item), pick.item))
}

/// What errors call it.
const TABLE: &str = "table";

fn names(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// Reads interaction data from a table in memory: a data frame, say. Errors call it `table`.
/// `options.titles` and `options.test` name files, and are left aside here.
pub fn read_arrow(
    table: impl RecordBatchReader,
    options: &ReadOptions,
) -> Result<(Interactions, ReadReport), ReadError> {
    options.check()?;
    let path = Path::new(TABLE);
    let names = names(&table.schema());
    let mut collector = Collector::new(options);
    let pick = collector.pick(At::file(path), &names)?;
    let all: Vec<usize> = (0..names.len()).collect();
    let mut first_row = 1;
    for batch in table {
        let batch = batch.map_err(|error| ReadError::Table { message: error.to_string() })?;
        ArrowColumns { batch: &batch, wanted: &all, names: &names, path }.read(
            &pick,
            first_row,
            &mut collector,
        )?;
        first_row += batch.num_rows() as u64;
    }
    let report = ReadReport::default();
    finish(collector, path, None, report)
}

/// Rows of some columns.
pub(super) struct ArrowColumns<'a> {
    pub(super) batch: &'a RecordBatch,
    /// Column numbers in the table of the columns of the batch.
    pub(super) wanted: &'a [usize],
    pub(super) names: &'a [String],
    pub(super) path: &'a Path,
}

impl ArrowColumns<'_> {
    /// Hands every row to `sink`; the first has the number `first_row`.
    pub(super) fn read(&self, pick: &Pick, first_row: u64, sink: &mut dyn Sink) -> Result<(), ReadError> {
        let (user, item) = (self.ids(pick.user)?, self.ids(Some(pick.item))?);
        let title = self.ids(pick.title)?;
        let rating = match self.numbers(pick.rating) {
            // What is only counted may be anything.
            Err(_) if !pick.must_rate => None,
            rating => rating?,
        };
        let mut buffers = [String::new(), String::new(), String::new(), String::new()];
        let [user_text, item_text, title_text, rating_text] = &mut buffers;
        for (row, number) in (0..self.batch.num_rows()).zip(first_row..) {
            let at = At { file: self.path, position: Position::Row(number) };
            let row = Row {
                user: self.field(at, user.as_ref(), pick.user, row, user_text, false)?,
                item: self.field(at, item.as_ref(), Some(pick.item), row, item_text, false)?,
                rating: self.field(at, rating.as_ref(), pick.rating, row, rating_text, !pick.must_rate)?,
                title: self.field(at, title.as_ref(), pick.title, row, title_text, true)?,
            };
            sink.row(at, row)?;
        }
        Ok(())
    }

    fn field<'t>(
        &'t self,
        at: At<'_>,
        values: Option<&'t Values<'t>>,
        column: Option<usize>,
        row: usize,
        buffer: &'t mut String,
        may_be_null: bool,
    ) -> Result<Field<'t>, ReadError> {
        let (Some(values), Some(column)) = (values, column) else { return Ok(Field::default()) };
        let name = self.names[column].as_str();
        match values.text(row, buffer) {
            Some(text) => Ok(Field { text, column: name }),
            None if may_be_null => Ok(Field::default()),
            None => Err(ReadError::Null { at: at.column(name) }),
        }
    }

    fn array(&self, column: usize) -> Option<&dyn Array> {
        let at = self.wanted.iter().position(|&wanted| wanted == column)?;
        self.batch.columns().get(at).map(|array| array.as_ref())
    }

    fn ids(&self, column: Option<usize>) -> Result<Option<Values<'_>>, ReadError> {
        self.values(column, "an integer or a string (or a dictionary of them)", |values| {
            !values.is_fraction()
        })
    }

    fn numbers(&self, column: Option<usize>) -> Result<Option<Values<'_>>, ReadError> {
        self.values(column, "a number", |values| values.is_number())
    }

    fn values(
        &self,
        column: Option<usize>,
        expected: &'static str,
        suits: impl Fn(&Values<'_>) -> bool,
    ) -> Result<Option<Values<'_>>, ReadError> {
        let Some(column) = column else { return Ok(None) };
        let found = self.array(column).map_or("nothing".to_owned(), |array| array.data_type().to_string());
        match self.array(column).and_then(Values::new).filter(suits) {
            Some(values) => Ok(Some(values)),
            None => {
                let at = At::file(self.path).column(&self.names[column]);
                Err(ReadError::ColumnType { at, found, expected })
            }
        }
    }
}

/// A column whose values can be written as text.
enum Values<'a> {
    Text(&'a dyn Array, fn(&dyn Array, usize) -> &str),
    Number(&'a dyn Array, Kind, fn(&dyn Array, usize, &mut String)),
    Dictionary { keys: &'a dyn Array, rows: Vec<usize>, values: Box<Values<'a>> },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Fraction,
}

macro_rules! number {
    ($array:expr, $kind:ident, $type:ty) => {
        Values::Number($array, Kind::$kind, |array, row, out| {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", array.as_primitive::<$type>().value(row));
        })
    };
}

impl<'a> Values<'a> {
    fn new(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Text(array, |array, row| array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Self::Text(array, |array, row| array.as_string::<i64>().value(row)),
            DataType::Utf8View => Self::Text(array, |array, row| array.as_string_view().value(row)),
            DataType::Int8 => number!(array, Integer, Int8Type),
            DataType::Int16 => number!(array, Integer, Int16Type),
            DataType::Int32 => number!(array, Integer, Int32Type),
            DataType::Int64 => number!(array, Integer, Int64Type),
            DataType::UInt8 => number!(array, Integer, UInt8Type),
            DataType::UInt16 => number!(array, Integer, UInt16Type),
            DataType::UInt32 => number!(array, Integer, UInt32Type),
            DataType::UInt64 => number!(array, Integer, UInt64Type),
            DataType::Float16 => number!(array, Fraction, Float16Type),
            DataType::Float32 => number!(array, Fraction, Float32Type),
            DataType::Float64 => number!(array, Fraction, Float64Type),
            DataType::Decimal128(..) => Self::Number(array, Kind::Fraction, |array, row, out| {
                out.push_str(&array.as_primitive::<Decimal128Type>().value_as_string(row));
            }),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let values = dictionary.values();
                // An empty dictionary has only nulls to stand for, and no keys to normalise.
                let rows =
                    if values.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
                Self::Dictionary { keys: array, rows, values: Box::new(Self::new(values.as_ref())?) }
            }
            _ => return None,
        })
    }

    fn is_number(&self) -> bool {
        match self {
            Self::Text(..) => false,
            Self::Number(..) => true,
            Self::Dictionary { values, .. } => values.is_number(),
        }
    }

    fn is_fraction(&self) -> bool {
        match self {
            Self::Text(..) => false,
            Self::Number(_, kind, _) => *kind == Kind::Fraction,
            Self::Dictionary { values, .. } => values.is_fraction(),
        }
    }

    /// The value of a row, written into `buffer` if it is not text; `None` if it is null.
    fn text<'t>(&'t self, row: usize, buffer: &'t mut String) -> Option<&'t str> {
        match self {
            Self::Text(array, get) => array.is_valid(row).then(|| get(*array, row)),
            Self::Number(array, _, put) => {
                buffer.clear();
                array.is_valid(row).then(|| put(*array, row, buffer))?;
                Some(buffer)
            }
            Self::Dictionary { keys, rows, values } => {
                if keys.is_null(row) {
                    None
                } else {
                    values.text(rows[row], buffer)
                }
            }
        }
    }
}
