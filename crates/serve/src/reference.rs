//! The OpenAPI document in words: `docs/api.md`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::openapi::openapi;
use crate::options::Limits;

/// What stands before the addresses.
const PREFACE: &str = include_str!("reference.md");

/// The API of a service with the usual limits, as Markdown.
pub fn reference() -> String {
    let document = openapi(&Limits::default());
    let mut out = PREFACE.to_owned();
    let operations = operations(&document);
    for tag in document["tags"].as_array().into_iter().flatten() {
        let _ = writeln!(out, "\n## {}", tag["name"].as_str().unwrap_or_default());
        for (path, method, operation) in operations.iter().filter(|(.., one)| one["tags"][0] == tag["name"]) {
            tell_operation(&mut out, path, method, operation);
        }
    }
    let _ = writeln!(out, "\n## What is sent and answered");
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        tell_schema(&mut out, name, schema);
    }
    out
}

/// In the order of their addresses.
fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
        })
        .collect()
}

fn tell_operation(out: &mut String, path: &str, method: &str, operation: &Value) {
    let summary = operation["summary"].as_str().unwrap_or_default();
    let _ = writeln!(out, "\n### `{} {path}`\n\n{summary}.", method.to_uppercase());
    if let Some(more) = operation["description"].as_str() {
        let _ = writeln!(out, "\n{more}");
    }
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    if !parameters.is_empty() {
        out.push_str("\n| parameter | | |\n|---|---|---|\n");
        for parameter in parameters {
            let name = parameter["name"].as_str().unwrap_or_default();
            let said = parameter["description"].as_str().unwrap_or_default();
            let _ = writeln!(out, "| `{name}` | {} | {} |", kind(&parameter["schema"]), cell(said));
        }
    }
    if let Some(sent) = operation["requestBody"]["content"]["application/json"].get("schema") {
        let _ = writeln!(out, "\nTakes {}.", kind(sent));
    }
    let mut errors = Vec::new();
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        if !status.starts_with('2') {
            errors.push(status.as_str());
            continue;
        }
        let said = answer["description"].as_str().unwrap_or_default();
        let contents = answer["content"].as_object().into_iter().flatten();
        let contents: Vec<String> = contents
            .map(|(name, content)| match name.as_str() {
                "application/json" => kind(&content["schema"]),
                other => format!("`{other}`"),
            })
            .collect();
        let _ = writeln!(out, "\nAnswers {status}: {}, as {}.", cell(said), contents.join(" or "));
    }
    if !errors.is_empty() {
        let _ = writeln!(out, "Errors: {}.", errors.join(", "));
    }
}

fn tell_schema(out: &mut String, name: &str, schema: &Value) {
    let _ = writeln!(out, "\n### {name}");
    if let Some(said) = schema["description"].as_str() {
        let _ = writeln!(out, "\n{said}");
    }
    if let Some(example) = schema["examples"].get(0).or(schema.get("example")) {
        let _ = writeln!(out, "\n```json\n{example}\n```");
    }
    if let Some(properties) = schema["properties"].as_object() {
        out.push_str("\n| field | | |\n|---|---|---|\n");
        for (field, schema) in properties {
            let said = schema["description"].as_str().unwrap_or_default();
            let _ = writeln!(out, "| `{field}` | {} | {} |", kind(schema), cell(said));
        }
    }
    for one in schema["oneOf"].as_array().into_iter().flatten() {
        let said = one["description"].as_str().unwrap_or_default();
        let _ = writeln!(out, "\n- {}: {said}", kind(one));
    }
    if schema.get("enum").is_some() {
        let _ = writeln!(out, "\n{}", kind(schema));
    }
}

/// In a few words, with a link to what is told elsewhere.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    }
    if let Some(either) = schema["oneOf"].as_array() {
        return either.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    let of = |name: &str| match name {
        "array" => format!("list of {}", kind(&schema["items"])),
        "null" => "nothing".to_owned(),
        "object" => "object".to_owned(),
        "integer" => match (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
            (Some(least), Some(most)) => format!("whole number, {least} to {most}"),
            _ => "whole number".to_owned(),
        },
        "number" => "number".to_owned(),
        "boolean" => "true or false".to_owned(),
        _ => "text".to_owned(),
    };
    match &schema["type"] {
        Value::String(name) => of(name),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).map(of).collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

/// On one line, and with nothing that ends a cell.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_in_words() {
        let told = |text: &str| kind(&serde_json::from_str(text).unwrap());
        assert_eq!(
            told(r#"{"type": ["array", "null"], "items": {"type": "string"}}"#),
            "list of text or nothing"
        );
        assert_eq!(told(r##"{"$ref": "#/components/schemas/Record"}"##), "[Record](#record)");
        assert_eq!(told(r#"{"type": "integer", "minimum": 1, "maximum": 100}"#), "whole number, 1 to 100");
    }
}
