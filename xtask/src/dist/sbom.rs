//! What the binary is made of, as CycloneDX: for those whose programs read such lists.

use serde_json::{Value, json};

use super::release::Release;
use crate::failure::Failure;
use crate::supply::{Package, Packages};

pub(super) fn of(release: &Release, packages: &Packages) -> Result<String, Failure> {
    let bill = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "grease",
                "name": "grease",
                "version": release.version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
                "properties": [{"name": "commit", "value": release.commit}],
            },
        },
        "components": packages.0.iter().map(component).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&bill).map_err(|error| Failure::work(error.to_string()))
}

fn component(package: &Package) -> Value {
    let Package { name, version, licence, checksum, .. } = package;
    let address = format!("pkg:cargo/{name}@{version}");
    let mut component =
        json!({"type": "library", "bom-ref": address, "name": name, "version": version, "purl": address});
    if !licence.is_empty() {
        component["licenses"] = json!([{"expression": licence}]);
    }
    if let Some(checksum) = checksum {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    component
}
