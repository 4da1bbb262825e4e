//! `cargo xtask bench rescore`: what the bench programs about edited and weighed graphs report, one column a data set.

use serde_json::Value;

use super::{DataSets, bench, build, figure, report, table};
use crate::failure::Failure;

/// Programs, in the order their figures are told.
const PROGRAMS: [&str; 2] = ["rescore", "weighed"];

/// Time the exact re-scoring of edited graphs, and steps along the gradient by interactions' weights
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataSets,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let present = options.data.present();
    if present.is_empty() {
        return Ok(());
    }
    PROGRAMS.iter().try_for_each(|program| build("grease-models", program))?;
    let mut reports = Vec::new();
    for (data, folder) in &present {
        println!("{}", data.name());
        let mut all = serde_json::Map::new();
        for program in PROGRAMS {
            let figures = report(bench("grease-models", program).arg("--data").arg(folder))?;
            all.extend(figures.as_object().cloned().unwrap_or_default());
        }
        reports.push(Value::Object(all));
    }
    let names: Vec<_> = present.iter().map(|(data, _)| data.name()).collect();
    println!("\n{}", side_by_side(&names, &reports));
    Ok(())
}

/// Every field of any report as a row, a column a report.
fn side_by_side(names: &[&str], reports: &[Value]) -> String {
    let mut fields: Vec<&String> = Vec::new();
    for field in reports.iter().filter_map(Value::as_object).flat_map(|report| report.keys()) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    let rows: Vec<Vec<String>> = fields
        .into_iter()
        .map(|field| {
            let cells = reports.iter().map(|report| report.get(field).map_or("-".to_owned(), cell));
            std::iter::once(field.clone()).chain(cells).collect()
        })
        .collect();
    let header: Vec<_> = std::iter::once("figure").chain(names.iter().copied()).collect();
    table(&header, &rows)
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or_else(|| number.to_string(), figure)
        }
        Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reports_with_unlike_fields_stand_side_by_side() {
        let reports = [json!({"edits": 100, "ms": [1.25, 2.0]}), json!({"edits": 20, "note": "sparse"})];
        let expected = "\
| figure |     lastfm | yelp2018 |
| ------ | ---------: | -------- |
| edits  |        100 | 20       |
| ms     | 1.25, 2.00 | -        |
| note   |          - | sparse   |
";
        assert_eq!(side_by_side(&["lastfm", "yelp2018"], &reports), expected);
    }
}
