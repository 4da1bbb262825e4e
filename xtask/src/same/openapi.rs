//! An OpenAPI document without the names of its components: each stands where it is referred to.

use serde_json::Value;

/// The document with every reference replaced by what it refers to; `None` where it is no such document.
pub(super) fn without_names(document: &[u8]) -> Option<Vec<u8>> {
    let whole: Value = serde_json::from_slice(document).ok()?;
    let mut inlined = whole.clone();
    if let Some(components) = inlined.get_mut("components").and_then(Value::as_object_mut) {
        components.remove("schemas");
    }
    inline(&mut inlined, &whole, &mut Vec::new());
    serde_json::to_vec_pretty(&inlined).ok()
}

/// `within` are the references that are being replaced: one of them again is named by how far up it is.
fn inline(value: &mut Value, whole: &Value, within: &mut Vec<String>) {
    if let Some(reference) = value.get("$ref").and_then(Value::as_str).map(str::to_owned) {
        if let Some(up) = within.iter().rev().position(|known| *known == reference) {
            *value = Value::from(format!("{up} up"));
        } else if let Some(found) = whole.pointer(reference.trim_start_matches('#')) {
            *value = found.clone();
            within.push(reference);
            inline(value, whole, within);
            within.pop();
        }
        return;
    }
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|field| inline(field, whole, within)),
        Value::Array(values) => values.iter_mut().for_each(|one| inline(one, whole, within)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(name: &str, kind: &str) -> Vec<u8> {
        let reference = format!("#/components/schemas/{name}");
        let node = serde_json::json!({"type": kind, "next": {"$ref": reference}});
        let document =
            serde_json::json!({"paths": {"/": {"$ref": reference}}, "components": {"schemas": {name: node}}});
        document.to_string().into_bytes()
    }

    #[test]
    fn only_names_are_set_aside() {
        assert_eq!(without_names(&document("A", "object")), without_names(&document("B", "object")));
        assert_ne!(without_names(&document("A", "object")), without_names(&document("A", "string")));
        assert_eq!(without_names(b"no JSON"), None);
    }
}
