//! Judging what is written by the published schema. Also part of the command line's tests.

use serde_json::Value;

const SCHEMA: &str = include_str!("../../../../../docs/explanation.schema.json");

/// The part of JSON Schema 2020-12 that ours uses. Other keywords are refused, so that none is silently ignored.
pub(crate) struct Validator(pub(crate) Value);

impl Validator {
    pub(crate) fn published() -> Self {
        Self(serde_json::from_str(SCHEMA).unwrap())
    }

    /// The first thing wrong with `value`.
    pub(crate) fn judge(&self, value: &Value) -> Result<(), String> {
        self.check(&self.0, value, "")
    }

    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        for (keyword, wanted) in schema.as_object().unwrap() {
            if !self.holds(schema, keyword, wanted, value, at)? {
                return Err(format!("{at}: {value} against {keyword}: {wanted}"));
            }
        }
        Ok(())
    }

    /// Whether one keyword is content; an error from further inside names its own place.
    fn holds(
        &self,
        schema: &Value,
        keyword: &str,
        wanted: &Value,
        value: &Value,
        at: &str,
    ) -> Result<bool, String> {
        let list = || wanted.as_array().unwrap();
        Ok(match keyword {
            "$schema" | "$id" | "$defs" | "title" | "description" | "then" | "else" => true,
            "$ref" => {
                let path = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                self.check(self.0.pointer(path).unwrap(), value, at)?;
                true
            }
            "type" => match wanted {
                Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
                kind => is(kind, value),
            },
            "const" => value == wanted,
            "enum" => list().contains(value),
            "required" => list().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
            "properties" => {
                for (name, inner) in wanted.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        self.check(inner, value, &format!("{at}/{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(wanted, &Value::Bool(false));
                let known = schema["properties"].as_object().unwrap();
                value.as_object().is_none_or(|fields| fields.keys().all(|name| known.contains_key(name)))
            }
            "items" => {
                for (n, value) in value.as_array().into_iter().flatten().enumerate() {
                    self.check(wanted, value, &format!("{at}/{n}"))?;
                }
                true
            }
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= wanted.as_u64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| text.len() as u64 >= wanted.as_u64().unwrap()),
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
            // Of regular expressions, only "starts with one of these words and a colon".
            "pattern" => {
                let words = wanted.as_str().unwrap().strip_prefix("^(").unwrap().strip_suffix("): ").unwrap();
                let starts = |text: &str| words.split('|').any(|word| text.starts_with(&format!("{word}: ")));
                value.as_str().is_none_or(starts)
            }
            "anyOf" => list().iter().any(|one| self.check(one, value, at).is_ok()),
            "allOf" => {
                list().iter().try_for_each(|one| self.check(one, value, at))?;
                true
            }
            "if" => {
                let branch = if self.check(wanted, value, at).is_ok() { "then" } else { "else" };
                schema.get(branch).map_or(Ok(()), |inner| self.check(inner, value, at))?;
                true
            }
            unknown => panic!("the validator does not know {unknown}"),
        })
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        unknown => panic!("the validator does not know {unknown}"),
    }
}
