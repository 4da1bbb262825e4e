//! Judging what is written by the published JSON Schema.

use serde_json::Value;

const SCHEMA: &str = include_str!("../../../docs/explanation.schema.json");

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
        let text: Value = serde_json::from_str(SCHEMA).expect("the published schema is JSON");
        let validator = jsonschema::draft202012::new(&text).expect("the published schema is a schema");
        Self { text, validator }
    }

    /// The first thing wrong with `value`.
    pub fn judge(&self, value: &Value) -> Result<(), String> {
        self.validator.validate(value).map_err(|error| format!("{}: {error}", error.instance_path()))
    }
}
