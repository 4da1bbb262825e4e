//! What was evaluated.

use super::super::figures::{count, maybe, share};
use super::super::select::models as in_order;
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::words;
use crate::Results;

/// As much of a hash as tells it from any other.
const OF_A_HASH: usize = 12;

/// The models and their data.
pub(crate) fn models(results: &Results) -> Option<Sheet> {
    let note = "Recall and NDCG of the recommender on its test part. Of the hashes the first twelve digits; results.json has all of them.";
    let columns = vec![
        Column::words("model"),
        Column::figures("users", 1),
        Column::figures("items", 1),
        Column::figures("interactions", 1),
        Column::figures("epochs", 4),
        Column::figures("recall@20", 0),
        Column::figures("NDCG@20", 2),
        Column { rank: 3, ..Column::words("model hash") },
        Column { rank: 3, ..Column::words("data hash") },
    ];
    let mut sheet = Sheet::new("What was evaluated".to_owned(), note.to_owned(), columns);
    for (_, model) in in_order(results) {
        let model = &model.model;
        let row = vec![
            Entry::words(words::kind(&model.kind)),
            Entry::words(count(model.users)),
            Entry::words(count(model.items)),
            Entry::words(count(model.interactions)),
            Entry::words(model.epochs.to_string()),
            maybe(model.recall_at_20, share),
            maybe(model.ndcg_at_20, share),
            hash(&model.model_hash),
            hash(&model.data_hash),
        ];
        let label = words::named(&model.data);
        match sheet.groups.last_mut() {
            Some(group) if group.label == label => group.rows.push(row),
            _ => sheet.groups.push(Group { label, rows: vec![row] }),
        }
    }
    sheet.trimmed()
}

fn hash(hash: &str) -> Entry {
    Entry::words(words::named(hash).chars().take(OF_A_HASH).collect::<String>())
}
