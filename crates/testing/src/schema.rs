//! Judging what is written by the published JSON Schema.

use serde_json::Value;

const EXPLANATION: &str = include_str!("../../../docs/explanation.schema.json");
const LIST: &str = include_str!("../../../docs/list_explanation.schema.json");

/// The schema in `docs/`, ready to judge.
pub struct Schema {
    /// As it is published.
    pub text: Value,
    validator: jsonschema::Validator,
}

impl Schema {
    /// That of explanations.
    ///
    /// # Panics
    /// If it is not a schema.
    pub fn of_explanations() -> Self {
        Self::published(EXPLANATION)
    }

    /// That of what whole lists rest on.
    ///
    /// # Panics
    /// If it is not a schema.
    pub fn of_lists() -> Self {
        Self::published(LIST)
    }

    fn published(schema: &str) -> Self {
        let text: Value = serde_json::from_str(schema).expect("the published schema is JSON");
        let validator = jsonschema::draft202012::new(&text).expect("the published schema is a schema");
        Self { text, validator }
    }

    /// The first thing wrong with `value`.
    pub fn judge(&self, value: &Value) -> Result<(), String> {
        self.validator.validate(value).map_err(|error| format!("{}: {error}", error.instance_path()))
    }
}
