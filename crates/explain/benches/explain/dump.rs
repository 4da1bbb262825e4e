//! What another program needs to explain the same pairs: raw little-endian arrays, and their shapes in `task.json`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use grease_graph::{ItemId, Recommender, UserId};
use serde_json::json;

/// Writes `edges.u32` (rows of user and item), `users.f32`, `items.f32` (output embeddings) and `task.json`.
pub(crate) fn write(
    folder: &Path,
    recommender: &dyn Recommender,
    pairs: &[(UserId, ItemId)],
    k: usize,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let graph = recommender.graph();
    let edges = graph.edges().flat_map(|edge| [edge.user.0, edge.item.0]);
    array(&folder.join("edges.u32"), edges.map(u32::to_le_bytes))?;
    let shown = recommender.embeddings().expect("both models show their embeddings");
    for (name, values) in [("users.f32", shown.users), ("items.f32", shown.items)] {
        array(&folder.join(name), values.iter().map(|value| value.to_le_bytes()))?;
    }
    let pairs: Vec<_> = pairs.iter().map(|(user, item)| [user.0, item.0]).collect();
    let task = json!({
        "users": graph.users(), "items": graph.items(), "width": shown.width, "k": k, "pairs": pairs,
    });
    fs::write(folder.join("task.json"), task.to_string())
}

fn array(path: &Path, values: impl Iterator<Item = [u8; 4]>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for value in values {
        out.write_all(&value)?;
    }
    out.flush()
}
