//! Rows and names, and lists compared.

use grease_graph::{CatalogueBuilder, Edge, Interactions, Words};
use grease_models::folder::ModelFolder;
use grease_models::import::NamedTensors;
use grease_models::{Kind, Weights};

use super::*;
use crate::train::TrainingError;

fn interactions(edges: &[(&str, &str)], test: Option<&[(&str, &str)]>) -> Interactions {
    let (mut users, mut items) = (CatalogueBuilder::new(), CatalogueBuilder::new());
    let mut rows = |edges: &[(&str, &str)]| -> Vec<Edge> {
        let row =
            |(user, item): &(&str, &str)| Edge::new(users.intern(user).unwrap(), items.intern(item).unwrap());
        edges.iter().map(row).collect()
    };
    let (edges, given_test) = (rows(edges), test.map(rows));
    Interactions { users: users.finish(), items: items.finish(), edges, given_test, words: Words::default() }
}

/// Tables whose first column is the row number, under RecBole's names or ours.
fn tables(recbole: bool, users: usize, items: usize) -> ImportSource {
    let mut tensors = NamedTensors::new();
    let suffix = if recbole { ".weight" } else { "" };
    for (name, rows) in [("user_embedding", users), ("item_embedding", items)] {
        let data = (0..rows).flat_map(|row| [row as f32, 1.0]).collect();
        tensors.insert(&format!("{name}{suffix}"), &[rows, 2], data).unwrap();
    }
    ImportSource::Network { kind: Kind::LightGcn, tensors, layout: None, layers: Some(1) }
}

fn ids(ids: &[&str]) -> Option<Vec<String>> {
    Some(ids.iter().map(|&id| id.to_owned()).collect())
}

/// Which row of the file each row of the model is.
fn first_column(table: &[f32]) -> Vec<f32> {
    table.iter().copied().step_by(2).collect()
}

fn rows(folder: &ModelFolder) -> (Vec<f32>, Vec<f32>) {
    let weights: &Weights = folder.model.weights();
    (first_column(weights.users()), first_column(weights.items()))
}

const SOME: &[(&str, &str)] = &[("ben", "tea"), ("ada", "tea"), ("ada", "jam")];

#[test]
fn rows_keep_their_order_whatever_the_order_of_the_interactions() {
    let data = interactions(SOME, Some(&[("ben", "jam")]));
    let mut request = ImportRequest::new(tables(false, 3, 2), &data);
    (request.user_ids, request.item_ids) = (ids(&["ada", "ben", "cyd"]), ids(&["jam", "tea"]));
    let folder = request.build().unwrap();
    assert_eq!(rows(&folder), (vec![0.0, 1.0, 2.0], vec![0.0, 1.0]));
    assert_eq!((folder.data.users.id(0), folder.data.items.id(1)), ("ada", "tea"));
    assert_eq!(*folder.data.train.listed(), [Edge::new(0, 0), Edge::new(0, 1), Edge::new(1, 1)]);
    assert_eq!(folder.data.test, [Edge::new(1, 0)]);
    assert!(folder.manifest.recall_at_20.is_some());
}

#[test]
fn what_is_in_memory_is_what_is_on_disk_and_saved_again_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let data = interactions(SOME, None);
    let mut request = ImportRequest::new(tables(false, 2, 2), &data);
    (request.user_ids, request.item_ids) = (ids(&["ada", "ben"]), ids(&["jam", "tea"]));
    let folder = request.build().unwrap();
    let out = place.path().join("m");
    save_import(&folder, &out, false).unwrap();
    let loaded = ModelFolder::load(&out).unwrap();
    assert_eq!(loaded.manifest, folder.manifest);
    assert_eq!((loaded.model_hash(), loaded.data_hash()), (folder.model_hash(), folder.data_hash()));
    let before = std::fs::read(out.join("model.json")).unwrap();
    loaded.write(&out).unwrap();
    assert_eq!(std::fs::read(out.join("model.json")).unwrap(), before);
    assert!(matches!(save_import(&folder, &out, false), Err(ImportError::Taken(_))));
    let training = crate::lock::FolderLock::take(&out).unwrap();
    let taken = save_import(&folder, &out, true).unwrap_err();
    assert!(matches!(taken, ImportError::Taken(TrainingError::InUse(_))), "{taken}");
    drop(training);
    std::fs::write(out.join(CHECKPOINT), "of a model that was there before").unwrap();
    save_import(&folder, &out, true).unwrap();
    assert!(!out.join(CHECKPOINT).exists());
}

#[test]
fn recboles_padding_is_dropped_whichever_way_it_is_told() {
    let data = interactions(SOME, None);
    for users in [&["[PAD]", "ada", "ben"][..], &["ada", "ben"]] {
        let mut request = ImportRequest::new(tables(true, 3, 3), &data);
        (request.user_ids, request.item_ids) = (ids(users), ids(&["jam", "tea"]));
        assert_eq!(rows(&request.build().unwrap()), (vec![1.0, 2.0], vec![1.0, 2.0]));
    }
    let numbers = interactions(&[("1", "2"), ("2", "1")], None);
    let folder = ImportRequest::new(tables(true, 3, 3), &numbers).build().unwrap();
    assert_eq!((rows(&folder).0, folder.data.users.id(0)), (vec![1.0, 2.0], "1"));
    let from_zero = interactions(&[("0", "2"), ("2", "0")], None);
    let folder = ImportRequest::new(tables(true, 3, 3), &from_zero).build().unwrap();
    assert_eq!(rows(&folder).0.len(), 3, "somebody is called 0, and 2 is the last: nothing is padding");
    let unclear = interactions(&[("0", "1"), ("1", "0")], None);
    let error = ImportRequest::new(tables(true, 3, 3), &unclear).build().unwrap_err();
    assert!(matches!(error, ImportError::PaddingUnclear { .. }), "{error}");
}

#[test]
fn one_table_of_both_is_parted_by_ids_or_by_counting() {
    let joined = |rows: usize| {
        let mut tensors = NamedTensors::new();
        let data = (0..rows).flat_map(|row| [row as f32, 1.0]).collect();
        tensors.insert("embedding.weight", &[rows, 2], data).unwrap();
        tensors.insert("alpha", &[2], vec![0.5, 0.5]).unwrap();
        ImportSource::Network { kind: Kind::LightGcn, tensors, layout: None, layers: None }
    };
    let numbers = interactions(&[("0", "1"), ("1", "0"), ("0", "2")], None);
    let folder = ImportRequest::new(joined(5), &numbers).build().unwrap();
    assert_eq!(rows(&folder), (vec![0.0, 1.0], vec![2.0, 3.0, 4.0]));
    let error = ImportRequest::new(joined(6), &numbers).build().unwrap_err();
    assert!(matches!(error, ImportError::Joined { rows: 6, users: 2, items: 3 }), "{error}");
    let mut request = ImportRequest::new(joined(6), &numbers);
    request.user_ids = ids(&["0", "1", "nobody"]);
    assert_eq!(rows(&request.build().unwrap()).1, [3.0, 4.0, 5.0]);
    let mut request = ImportRequest::new(joined(1), &numbers);
    request.user_ids = ids(&["0", "1"]);
    assert!(matches!(request.build(), Err(ImportError::Joined { .. })));
}

#[test]
fn equal_scores_may_change_places_and_others_may_not() {
    let data = interactions(&[("0", "0"), ("1", "4")], None);
    let mut tensors = NamedTensors::new();
    tensors.insert("user_embedding", &[2, 1], vec![1.0, 1.0]).unwrap();
    tensors.insert("item_embedding", &[5, 1], vec![9.0, 3.0, 2.0, 2.000001, 1.0]).unwrap();
    let source = ImportSource::Network { kind: Kind::LightGcn, tensors, layout: None, layers: Some(0) };
    let folder = ImportRequest::new(source, &data).build().unwrap();
    let check = |items: &[&str]| {
        let list = ExpectedList { user: "0".into(), items: ids(items).unwrap() };
        check_lists(&folder, &[list]).unwrap().different
    };
    assert_eq!(check(&["1", "3", "2", "4"]), []);
    assert_eq!(check(&["1", "2", "3", "4"]), [], "2 and 3 are tied");
    assert_eq!((check(&["1", "3", "4"])[0].place, check(&["1", "3", "4"])[0].got.as_deref()), (3, Some("2")));
    assert!(check(&["0", "1"])[0].known_already);
    assert_eq!(check(&["1", "2", "2"])[0].place, 3, "an item twice is no list");
    assert_eq!(check(&["1", "3", "2", "4", "1"])[0].got, None, "there are no more");
    let stranger = [ExpectedList { user: "7".into(), items: Vec::new() }];
    assert!(matches!(check_lists(&folder, &stranger), Err(ImportError::Unknown { .. })));
}

#[test]
fn ids_are_read_from_lines_or_from_our_own_tables() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("ids");
    let read = |text: &str| {
        std::fs::write(&file, text).unwrap();
        read_ids(&file).map_err(|error| error.to_string())
    };
    assert_eq!(read("[PAD]\r\nada\r\nben l\n").unwrap(), ["[PAD]", "ada", "ben l"]);
    assert_eq!(read("row\tid\ttitle\n0\tada\t\n1\tben\tBen\n").unwrap(), ["ada", "ben"]);
    assert!(read("row\tid\n1\tada\n").unwrap_err().ends_with("line 2: expected row 0, found `1`"));
    assert!(read("ada\n\nben\n").unwrap_err().ends_with("line 2: expected an id, found nothing"));
    assert!(read("ada\tx\n").unwrap_err().ends_with("expected one id, found `ada\\tx`"));
}
