//! Model folders, checkpoints and calibrations.

use std::sync::Arc;

use grease::calibration::Calibration;
use grease_graph::{Graph, Recommender as _, UserId};
use grease_models::folder::fuzzing;
use grease_models::train::Trainer;

use crate::subject::data;

/// What stands between the files of a folder, which come in this order.
const BETWEEN: &[u8] = b"\n=====\n";
const FILES: [&str; 6] =
    ["model.json", "users.tsv", "items.tsv", "train.tsv", "test.tsv", "model.safetensors"];

/// Loads a model folder of the parts, and asks it for a list.
pub fn folder(bytes: &[u8]) -> bool {
    let parts = parts(bytes);
    let file = |name: &str| {
        let at = FILES.iter().position(|file| *file == name);
        at.and_then(|at| parts.get(at)).map_or(Vec::new(), |part| part.to_vec())
    };
    let Ok(folder) = fuzzing::load(&file(FILES[0]), &file) else { return false };
    let _ = folder.data_hash();
    for user in 0..folder.data.users.len().min(3) as u32 {
        if let Ok(scores) = folder.model.scores(UserId(user)) {
            assert_eq!(scores.len(), folder.data.items.len());
        }
    }
    true
}

fn parts(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while parts.len() + 1 < FILES.len() {
        let Some(end) = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN) else { break };
        parts.push(&bytes[..end]);
        bytes = &bytes[end + BETWEEN.len()..];
    }
    parts.push(bytes);
    parts
}

/// Loads a checkpoint, and goes on from it.
pub fn checkpoint(bytes: &[u8]) -> bool {
    let data = data();
    let Ok(graph) = Graph::new(data.users.len(), data.items.len(), &data.train.listed()) else { return false };
    let Ok(checkpoint) = fuzzing::checkpoint(bytes, &graph) else { return false };
    let options = checkpoint.options;
    Trainer::resume(Arc::new(graph), Vec::new(), options, checkpoint).is_ok()
}

/// Reads what was measured on a model, and asks what it promises.
pub fn calibration(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let found = match Calibration::parse(text) {
        Ok(found) => found,
        Err(reason) => {
            assert!(!reason.is_empty());
            return false;
        }
    };
    for places in [0, 1, 12, usize::MAX] {
        for told in [found.fit.promise(places, places), found.fit.usual_promise(places)] {
            let ordered = 0.0 <= told.low && told.low <= told.share && told.share <= told.high;
            assert!(ordered && told.high <= 1.0, "{told:?}");
        }
    }
    true
}
