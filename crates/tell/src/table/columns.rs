//! The columns of a table, and how values of JSON become columns and columns values.
//!
//! Going by way of JSON keeps one definition of what a record looks like to others: a column is what its field is there.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use serde_json::Value;

/// The column that says why there is nothing else in the row.
pub(super) const ERROR: &str = "error";

/// The columns of explanations. All but `user` may be null: where somebody failed, all but `user` and `error` are.
pub(super) fn of_explanations() -> Schema {
    use DataType::{Boolean, Float32, Int64, UInt64, Utf8};
    let surrogate =
        of_struct([("rank_before", Int64, false), ("rank_after", Int64, true), ("fidelity", Float32, true)]);
    let neighbourhood = of_struct([
        ("users", Int64, false),
        ("items", Int64, false),
        ("edges", Int64, false),
        ("left_out", Int64, false),
    ]);
    let columns = [
        ("schema", Utf8),
        ("user", Utf8),
        ("history", list_of(Utf8)),
        ("item", Utf8),
        ("item_title", Utf8),
        ("k", Int64),
        ("goal", Utf8),
        ("scope", Utf8),
        ("profile", Utf8),
        ("method", Utf8),
        ("status", Utf8),
        ("reason", Utf8),
        ("edges", list_of(edge())),
        ("evicted", Utf8),
        ("rank_before", Int64),
        ("margin_before", Float32),
        ("rank_start", Int64),
        ("rank_after", Int64),
        ("margin_after", Float32),
        ("replaced_by", Utf8),
        ("replaced_by_title", Utf8),
        ("minimal", Boolean),
        ("minimum", Utf8),
        ("proof_queries", Int64),
        ("firm", Int64),
        ("alone", of_struct([("rank", Int64, false), ("margin", Float32, true)])),
        ("holds_when_retrained", of_struct(["share", "low", "high"].map(|part| (part, Float32, false)))),
        ("instead", instead()),
        ("profile_share", Float32),
        ("queries", Float32),
        ("surrogate", surrogate),
        ("neighbourhood", neighbourhood),
        ("seed", UInt64),
        ("model", Utf8),
        ("data", Utf8),
        ("sentence", Utf8),
        (ERROR, Utf8),
    ];
    schema(columns)
}

/// Columns of which all but `user` may be null.
pub(super) fn schema<const N: usize>(columns: [(&str, DataType); N]) -> Schema {
    Schema::new(Vec::from(columns.map(|(name, kind)| Field::new(name, kind, name != "user"))))
}

/// One interaction.
fn edge() -> DataType {
    let parts = [("change", false), ("user", false), ("item", false), ("title", true)];
    of_struct(parts.map(|(name, nullable)| (name, DataType::Utf8, nullable)))
}

/// The answer to a weaker question.
fn instead() -> DataType {
    of_struct([
        ("question", DataType::Utf8, false),
        ("profile", DataType::Utf8, false),
        ("edges", list_of(edge()), false),
        ("rank_after", DataType::Int64, false),
        ("margin_after", DataType::Float32, true),
        ("minimal", DataType::Boolean, true),
    ])
}

/// A list; none of its elements is null.
pub fn list_of(kind: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("element", kind, false)))
}

/// Named parts, and which of them may be null.
pub fn of_struct<const N: usize>(fields: [(&str, DataType, bool); N]) -> DataType {
    DataType::Struct(Fields::from(Vec::from(
        fields.map(|(name, kind, nullable)| Field::new(name, kind, nullable)),
    )))
}

/// Objects of JSON as columns: what a column's name is in the object is its value.
pub(super) fn in_columns(schema: &SchemaRef, rows: &[Value]) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().map(|field| {
        let values: Vec<Option<&Value>> = rows.iter().map(|row| row.get(field.name())).collect();
        column(field.data_type(), &values)
    });
    RecordBatch::try_new(Arc::clone(schema), columns.collect())
}

/// A column of these values; `None`, null and what does not fit are null.
fn column(kind: &DataType, values: &[Option<&Value>]) -> ArrayRef {
    let each = || values.iter().map(|value| value.filter(|value| !value.is_null()));
    match kind {
        DataType::Boolean => {
            Arc::new(each().map(|value| value.and_then(Value::as_bool)).collect::<BooleanArray>())
        }
        DataType::Int64 => {
            Arc::new(each().map(|value| value.and_then(Value::as_i64)).collect::<Int64Array>())
        }
        DataType::UInt64 => {
            Arc::new(each().map(|value| value.and_then(Value::as_u64)).collect::<UInt64Array>())
        }
        DataType::Float32 => {
            // Every f32 is an f64 and comes back as it was.
            let number = |value: &Value| value.as_f64().map(|number| number as f32);
            Arc::new(each().map(|value| value.and_then(number)).collect::<Float32Array>())
        }
        DataType::List(element) => {
            let lists: Vec<Option<&Vec<Value>>> = each().map(|value| value?.as_array()).collect();
            let lengths = lists.iter().map(|list| list.map_or(0, Vec::len));
            let elements: Vec<Option<&Value>> =
                lists.iter().flatten().flat_map(|list| list.iter().map(Some)).collect();
            Arc::new(ListArray::new(
                Arc::clone(element),
                OffsetBuffer::from_lengths(lengths),
                column(element.data_type(), &elements),
                nulls(lists.iter().map(Option::is_some)),
            ))
        }
        DataType::Struct(fields) => {
            let part = |field: &Arc<Field>| {
                let parts: Vec<Option<&Value>> = each().map(|value| value?.get(field.name())).collect();
                column(field.data_type(), &parts)
            };
            let parts = fields.iter().map(part).collect();
            Arc::new(StructArray::new(fields.clone(), parts, nulls(each().map(|value| value.is_some()))))
        }
        _ => Arc::new(each().map(|value| value?.as_str()).collect::<StringArray>()),
    }
}

/// Which are there.
fn nulls(there: impl Iterator<Item = bool>) -> Option<NullBuffer> {
    Some(there.collect())
}

/// The value of a row; the kind of the column where tables have no such column. Other programs write text, lists and numbers in
/// other widths, and whole numbers without a sign as decimals: they are read as well.
pub(super) fn value(column: &dyn Array, row: usize) -> Result<Value, DataType> {
    if column.is_null(row) {
        return Ok(Value::Null);
    }
    Ok(match column.data_type() {
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Float32 => column.as_primitive::<Float32Type>().value(row).into(),
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::List(_) => list(&column.as_list::<i32>().value(row))?,
        DataType::Null => Value::Null,
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into(),
        DataType::Decimal128(_, 0) => {
            let whole = column.as_primitive::<Decimal128Type>().value(row);
            u64::try_from(whole).map_err(|_| column.data_type().clone())?.into()
        }
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).into(),
        DataType::Utf8View => column.as_string_view().value(row).into(),
        DataType::LargeList(_) => list(&column.as_list::<i64>().value(row))?,
        DataType::Struct(fields) => {
            let parts = fields.iter().zip(column.as_struct().columns());
            let values = parts.map(|(field, part)| Ok((field.name().clone(), value(part, row)?)));
            Value::Object(values.collect::<Result<_, _>>()?)
        }
        other => return Err(other.clone()),
    })
}

fn list(elements: &dyn Array) -> Result<Value, DataType> {
    Ok(Value::Array((0..elements.len()).map(|at| value(elements, at)).collect::<Result<_, _>>()?))
}
