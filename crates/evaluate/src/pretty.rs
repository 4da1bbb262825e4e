//! Figures as JSON that a person can read.

use serde::Serialize;
use serde_json::Value;

/// A line an entry of the innermost lists worth one: a person can find things, and a change is a line.
pub(crate) fn pretty(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("figures and names have a form in JSON");
    let mut text = String::new();
    lay_out(&value, 0, &mut text);
    text.push('\n');
    text
}

/// How deep values are laid out over several lines.
const DEEP: usize = 4;

fn lay_out(value: &Value, depth: usize, text: &mut String) {
    let (open, close, parts): (char, char, Vec<(Option<&String>, &Value)>) = match value {
        Value::Object(fields) if depth < DEEP => {
            ('{', '}', fields.iter().map(|(name, value)| (Some(name), value)).collect())
        }
        Value::Array(values) if depth < DEEP => {
            ('[', ']', values.iter().map(|value| (None, value)).collect())
        }
        flat => {
            text.push_str(&flat.to_string());
            return;
        }
    };
    text.push(open);
    for (at, (name, part)) in parts.iter().enumerate() {
        text.push_str(if at > 0 { ",\n" } else { "\n" });
        text.extend(std::iter::repeat_n("  ", depth + 1));
        if let Some(name) = name {
            text.push_str(&Value::from(name.as_str()).to_string());
            text.push_str(": ");
        }
        lay_out(part, depth + 1, text);
    }
    if !parts.is_empty() {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth));
    }
    text.push(close);
}
