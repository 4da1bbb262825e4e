//! `cargo xtask bench oracle`: what asking somebody else's recommender costs beside its own answer.

use serde_json::Value;

use super::{bench, build, figure, report, table};
use crate::failure::Failure;

/// Time questions to a recommender in another process, beside its answers
///
/// The oracle's answers are ready beforehand, with a small catalogue (2,000 items) and a large one (20,000), as JSON and as f32, one edit
/// a request and 32; beside the same bytes over bare pipes, unread. The difference is what GREASE adds to a query: 2 ms are the most it
/// should be. The table is also written to target/bench/oracle.md and, with every figure, to oracle.json there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {}

/// The most milliseconds GREASE may add to a query.
const BAR_MS: f64 = 2.0;
/// The column that has them.
const OURS: &str = "ours, ms a query";

pub(super) fn run() -> Result<(), Failure> {
    build("grease-oracle", "oracle")?;
    let said = report(&mut bench("grease-oracle", "oracle"))?;
    let rows = said["rows"].as_array().cloned().unwrap_or_default();
    super::publish("oracle", &text(&rows), &rows)
}

fn text(rows: &[Value]) -> String {
    const COLUMNS: [&str; 7] =
        ["items", "form", "edits a request", "ms a query", "bare pipe, ms a query", OURS, "KB a query"];
    let cell = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or("-".into(), figure),
        other => other.to_string(),
    };
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| COLUMNS.iter().map(|column| cell(&row[*column])).collect()).collect();
    let worst = rows.iter().filter_map(|row| row[OURS].as_f64()).fold(0.0, f64::max);
    let verdict = if worst <= BAR_MS { "within" } else { "beyond" };
    format!(
        "{}\nat most {} ms a query are ours, {verdict} the bar of {BAR_MS} ms\n",
        table(&COLUMNS, &cells),
        figure(worst)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_worst_row_is_held_against_the_bar() {
        let row = |ours: f64| json!({"items": 2000, "form": "json", "edits a request": 1, "ms a query": ours + 1.0, "bare pipe, ms a query": 1.0, (OURS): ours, "KB a query": 2.5});
        assert!(text(&[row(0.5), row(0.25)]).contains("at most 0.500 ms a query are ours, within the bar"));
        assert!(text(&[row(0.5), row(2.5)]).contains("2.50 ms a query are ours, beyond the bar"));
    }
}
