//! `results.parquet`: every explanation of an evaluation, a row each, under the names the fields of explanations have
//! everywhere, and which part of the evaluation it belongs to.

use std::io::Write;

use arrow_schema::{DataType, Field, Schema};
use grease_explain::{Change, Goal};
use grease_graph::UserId;
use serde_json::{Value, json};

use crate::evaluation::{Evaluation, Failed, NamedSubject};
use crate::results::EVALUATION_SCHEMA;
use crate::unit::{Answer, Call, Done};
use grease::Units;
use grease_tell::Pseudonyms;
use grease_tell::table::{ColumnWriter, list_of, of_struct};

fn schema() -> Schema {
    use DataType::{Boolean, Float32, Int64, UInt64, Utf8};
    let edge = of_struct([("change", Utf8, false), ("user", Utf8, false), ("item", Utf8, false)]);
    let surrogate =
        of_struct([("rank_before", Int64, false), ("rank_after", Int64, true), ("fidelity", Float32, true)]);
    let columns = [
        // Which part of the evaluation.
        ("data_set", Utf8, false),
        ("kind", Utf8, false),
        ("table", Utf8, false),
        ("purpose", Utf8, false),
        ("repeat", Int64, false),
        ("rigour", Utf8, false),
        ("beyond_caps", Boolean, false),
        ("user_interactions", Int64, false),
        // As in every explanation.
        ("user", Utf8, false),
        ("item", Utf8, true),
        ("k", Int64, false),
        ("goal", Utf8, true),
        ("scope", Utf8, true),
        ("profile", Utf8, true),
        ("method", Utf8, false),
        ("status", Utf8, true),
        ("reason", Utf8, true),
        ("edges", list_of(edge), true),
        ("rank_before", Int64, true),
        ("margin_before", Float32, true),
        ("rank_start", Int64, true),
        ("rank_after", Int64, true),
        ("margin_after", Float32, true),
        ("minimal", Boolean, true),
        ("minimum", Utf8, true),
        ("plausibility", Float32, true),
        ("queries", Float32, true),
        ("surrogate", surrogate, true),
        ("seed", UInt64, false),
        ("model", Utf8, false),
        ("data", Utf8, false),
        ("error", Utf8, true),
    ];
    Schema::new(Vec::from(columns.map(|(name, kind, nullable)| Field::new(name, kind, nullable))))
}

/// Writes all of them, in the order of the journal.
pub(crate) fn write(
    out: &mut (dyn Write + Send),
    evaluation: &Evaluation<'_>,
    units: Units<Done>,
) -> Result<(), Failed> {
    let mut writer = ColumnWriter::new(out, schema(), EVALUATION_SCHEMA, &evaluation.identity())?;
    for done in units {
        let done = done?;
        let subject = &evaluation.subjects[done.unit.model];
        let part =
            Part { evaluation, subject, data_hash: subject.subject.data_hash().to_owned(), done: &done };
        for call in &done.calls {
            if call.error.is_some() {
                writer.write(part.row(call, None))?;
            }
            for answer in &call.answers {
                writer.write(part.row(call, Some(answer)))?;
            }
        }
    }
    Ok(writer.finish()?)
}

/// One unit, with names.
struct Part<'a> {
    evaluation: &'a Evaluation<'a>,
    subject: &'a NamedSubject,
    data_hash: String,
    done: &'a Done,
}

impl Part<'_> {
    fn row(&self, call: &Call, answer: Option<&Answer>) -> Value {
        let (unit, subject) = (&self.done.unit, &self.subject.subject);
        let (users, items) = (&subject.data().users, &subject.data().items);
        let mut row = json!({
            "data_set": self.subject.name,
            "kind": subject.kind(),
            "table": call.table,
            "purpose": unit.purpose,
            "repeat": unit.repeat + 1,
            "rigour": call.rigour,
            "beyond_caps": false,
            "user_interactions": self.done.degree,
            "user": users.id(unit.user.0),
            "k": call.k,
            "method": call.method,
            "seed": self.evaluation.settings.seed_of(unit.repeat),
            "model": subject.model_hash(),
            "data": self.data_hash,
            "error": call.error,
        });
        if let (Some(answer), Some(row)) = (answer, row.as_object_mut()) {
            let change = match answer.goal {
                Goal::Factual => Change::Kept,
                Goal::Counterfactual | Goal::Joint | Goal::WhyNot => Change::Removed,
            };
            let mut pseudonyms = Pseudonyms::avoiding(users.id(unit.user.0));
            let edge = |&(user, item): &(u32, u32)| {
                let user = match self.evaluation.show_user_ids || user == unit.user.0 {
                    true => users.id(user).to_owned(),
                    false => pseudonyms.of(UserId(user)),
                };
                json!({ "change": change, "user": user, "item": items.id(item) })
            };
            let found = json!({
                "beyond_caps": answer.beyond,
                "item": items.id(answer.item),
                "goal": answer.goal,
                "scope": call.table.scope(answer.goal),
                "profile": Answer::profile(call.table, answer.goal),
                "status": answer.status,
                "reason": answer.reason,
                "edges": answer.edges.iter().map(edge).collect::<Vec<Value>>(),
                "rank_before": answer.rank_before,
                "margin_before": answer.margin_before,
                "rank_start": answer.rank_start,
                "rank_after": answer.rank_after,
                "margin_after": answer.margin_after,
                "minimal": answer.minimal,
                "minimum": answer.minimum,
                "plausibility": answer.plausibility,
                "queries": answer.queries,
                "surrogate": answer.surrogate,
            });
            if let Value::Object(found) = found {
                row.extend(found);
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_every_column() {
        let page = include_str!("../../../docs/evaluation.md");
        let documented = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let documented: Vec<&str> = documented.map(|(name, _)| name).collect();
        let columns: Vec<String> = schema().fields().iter().map(|field| field.name().clone()).collect();
        assert!(documented.windows(columns.len()).any(|part| part == columns), "{documented:?} {columns:?}");
    }
}
