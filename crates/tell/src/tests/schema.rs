//! The published schema, the documentation's examples and what is really written agree.

use serde_json::Value;

use super::fixtures::{all, listeners};
use crate::{Record, sentence};
use grease_testing::Schema;

const DOCS: &str = include_str!("../../../../docs/explanation.md");
const MORE_EXAMPLES: &str = include_str!("../../../../docs/explanation-examples.md");

fn examples() -> Vec<Value> {
    let blocks = [DOCS, MORE_EXAMPLES].into_iter().flat_map(|page| page.split("```json\n").skip(1));
    blocks.map(|block| serde_json::from_str(block.split("```").next().unwrap()).unwrap()).collect()
}

#[test]
fn whatever_is_written_fits_the_schema() {
    let validator = Schema::of_explanations();
    for (case, _, record) in all() {
        let written = serde_json::to_value(&record).unwrap();
        assert_eq!(validator.judge(&written), Ok(()), "{case}");
        assert_eq!(serde_json::from_value::<Record>(written).unwrap(), record, "{case}");
    }
}

#[test]
fn the_documentations_examples_are_true() {
    let validator = Schema::of_explanations();
    let mut statuses = std::collections::BTreeSet::new();
    for example in examples() {
        assert_eq!(validator.judge(&example), Ok(()));
        statuses.insert(example["status"].as_str().unwrap().to_owned());
        let record: Record = serde_json::from_value(example).unwrap();
        assert_eq!(record.sentence, sentence(&record, &listeners()));
    }
    assert_eq!(
        statuses.into_iter().collect::<Vec<_>>(),
        ["not_found", "refuted", "trivial", "unverified", "verified"]
    );
}

#[test]
fn every_field_is_documented_and_in_the_schema() {
    let (_, _, record) = all().swap_remove(0);
    let written = serde_json::to_value(record).unwrap();
    let schema = Schema::of_explanations().text;
    for field in written.as_object().unwrap().keys() {
        assert!(DOCS.contains(&format!("| `{field}` |")), "docs/explanation.md does not explain {field}");
        assert!(schema["properties"].get(field).is_some(), "the schema does not have {field}");
        assert!(
            schema["required"].as_array().unwrap().iter().any(|name| name == field),
            "{field} is not required"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let validator = Schema::of_explanations();
    let good = &examples()[0];
    let spoilt = |spoil: &dyn Fn(&mut Value)| {
        let mut bad = good.clone();
        spoil(&mut bad);
        assert!(validator.judge(&bad).is_err(), "{bad}");
    };
    spoilt(&|bad| bad["extra"] = 1.into());
    spoilt(&|bad| bad["goal"] = "why".into());
    spoilt(&|bad| bad["k"] = 0.into());
    spoilt(&|bad| bad["edges"][0]["change"] = "lost".into());
    spoilt(&|bad| bad["edges"][0]["change"] = "added".into());
    spoilt(&|bad| bad["reason"] = "no_history: but verified".into());
    spoilt(&|bad| bad["rank_after"] = Value::Null);
    spoilt(&|bad| {
        bad.as_object_mut().unwrap().remove("seed");
    });
}

#[test]
fn keys_of_json_are_sorted_whatever_else_is_compiled() {
    // A dependency that turns on `serde_json/preserve_order` does so for everybody, and settings, ids and results change.
    assert_eq!(serde_json::json!({ "b": 1, "a": 2 }).to_string(), r#"{"a":2,"b":1}"#);
}
