//! Columns as Spark has them.

use arrow_schema::{DataType, Field, Schema};

/// The columns in the words of Spark. It has no whole numbers of 64 bits without a sign: they are decimals there, as in what Spark
/// makes of them when it reads a table.
pub fn spark_ddl(schema: &Schema) -> String {
    let column = |field: &std::sync::Arc<Field>| format!("{} {}", field.name(), kind(field.data_type()));
    schema.fields().iter().map(column).collect::<Vec<_>>().join(", ")
}

fn kind(of: &DataType) -> String {
    match of {
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Int64 => "BIGINT".to_owned(),
        DataType::UInt64 => "DECIMAL(20, 0)".to_owned(),
        DataType::Float32 => "FLOAT".to_owned(),
        DataType::List(element) => format!("ARRAY<{}>", kind(element.data_type())),
        DataType::Struct(fields) => {
            let parts = fields.iter().map(|part| format!("{}: {}", part.name(), kind(part.data_type())));
            format!("STRUCT<{}>", parts.collect::<Vec<_>>().join(", "))
        }
        _ => "STRING".to_owned(),
    }
}
