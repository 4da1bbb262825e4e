//! Models from elsewhere: a model trained here, exported under the names other programs use, comes back as it was.

use std::io::Write as _;

use grease::models::folder::ModelFolder;
use grease::models::{Tensor, Weights};
use insta::assert_snapshot;

use crate::support::Place;

/// A tensor as some program has it: name, shape, values.
type Stored = (String, Vec<usize>, Vec<f32>);

/// What a model is made of; hashes, and with them every score, follow from these.
const FILES: [&str; 5] = ["model.safetensors", "users.tsv", "items.tsv", "train.tsv", "test.tsv"];

/// `interactions` that say where everything came from, and ids in the order of the rows.
const DATA: &str = "--interactions model/train.tsv --test model/test.tsv --titles music/items.tsv --user-ids model/users.tsv --item-ids model/items.tsv";

fn trained(kind: &str) -> Place {
    let place = Place::with_music();
    place
        .grease(&format!(
            "train --interactions music --out model --kind {kind} --dim 8 --layers 2 --epochs 3"
        ))
        .ok();
    place
}

fn weights(place: &Place) -> Weights {
    ModelFolder::load(&place.path("model")).unwrap().model.weights().clone()
}

fn stored(name: &str, tensor: &Tensor) -> Stored {
    (name.into(), tensor.shape.to_vec(), tensor.data.to_vec())
}

/// With a row for nobody in front, as RecBole has it.
fn padded(name: &str, tensor: &Tensor) -> Stored {
    let [rows, columns] = tensor.shape;
    (name.into(), vec![rows + 1, columns], [vec![9.0; columns], tensor.data.to_vec()].concat())
}

fn transposed(name: &str, tensor: &Tensor) -> Stored {
    let [rows, columns] = tensor.shape;
    let data = (0..columns).flat_map(|c| (0..rows).map(move |r| tensor.data[r * columns + c])).collect();
    (name.into(), vec![columns, rows], data)
}

fn bias(name: &str, tensor: &Tensor) -> Stored {
    (name.into(), vec![tensor.data.len()], tensor.data.to_vec())
}

fn safetensors(tensors: &[Stored]) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    let mut values = Vec::new();
    for (name, shape, data) in tensors {
        let begin = values.len();
        values.extend(data.iter().flat_map(|v| v.to_le_bytes()));
        let about =
            serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, values.len()]});
        header.insert(name.clone(), about);
    }
    let header = serde_json::Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &values].concat()
}

fn npy((_, shape, data): &Stored) -> Vec<u8> {
    let shape: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let line = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}\n", shape.concat());
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((line.len() as u16).to_le_bytes());
    file.extend(line.as_bytes());
    file.extend(data.iter().flat_map(|v| v.to_le_bytes()));
    file
}

fn npz(tensors: &[Stored]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for tensor in tensors {
        archive.start_file(format!("{}.npy", tensor.0), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&npy(tensor)).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Asserts that the model in `folder` is the one in `model`, to the byte.
fn is_the_same(place: &Place, folder: &str) {
    let (one, other) = (place.files("model"), place.files(folder));
    for file in FILES {
        assert!(one[file] == other[file], "{folder}/{file} is not model/{file}");
    }
}

#[test]
fn lightgcn_under_every_layouts_names_is_the_same_model_with_the_same_explanations() {
    let place = trained("lightgcn");
    let Weights(w) = weights(&place);
    let joined = [&w[0].data[..], &w[1].data[..]].concat();
    place.write(
        "pyg.safetensors",
        safetensors(&[
            ("module.embedding.weight".into(), vec![w[0].shape[0] + w[1].shape[0], 8], joined),
            ("module.alpha".into(), vec![3], vec![1.0 / 3.0; 3]),
        ]),
    );
    place.write(
        "lightgcn-pytorch.safetensors",
        safetensors(&[stored("embedding_user.weight", &w[0]), stored("embedding_item.weight", &w[1])]),
    );
    place.write(
        "recbole.npz",
        npz(&[padded("user_embedding.weight", &w[0]), padded("item_embedding.weight", &w[1])]),
    );
    place.write("users.npy", npy(&stored("", &w[0])));
    place.write("items.npy", npy(&stored("", &w[1])));
    let lists = place.grease("recommend --model model --user mira --user diego -k 8 --format csv").ok();
    place.write("lists.csv", lists);
    let why = place.grease("explain --model model --user mira -k 3 --format json").ok();
    for (name, rest) in [
        ("pyg", "--weights pyg.safetensors"),
        ("lightgcn-pytorch", "--weights lightgcn-pytorch.safetensors --layers 2"),
        ("recbole", "--weights recbole.npz --layers 2"),
        ("grease", "--weights users.npy items.npy --layers 2"),
    ] {
        let ran = place.grease(&format!("import lightgcn --out {name} {rest} {DATA} --top-k lists.csv"));
        assert_eq!(ran.code, 0, "{}", ran.whole());
        assert!(ran.stderr.contains("2 lists of 8 are the same"), "{}", ran.whole());
        assert!(ran.stderr.contains(&format!("layout {name}")), "{}", ran.whole());
        is_the_same(&place, name);
        assert_eq!(place.grease(&format!("explain --model {name} --user mira -k 3 --format json")).ok(), why);
    }
    let original: serde_json::Value = serde_json::from_slice(&place.files("model")["model.json"]).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&place.files("recbole")["model.json"]).unwrap();
    assert_eq!(manifest["recall@20"], original["recall@20"]);
    assert_eq!(manifest["imported"]["from"], serde_json::json!(["recbole.npz"]));
    assert!(manifest.get("hyper_parameters").is_none() && manifest.get("seed").is_none());
}

fn recbole_ngcf(w: &[Tensor]) -> Vec<Stored> {
    let mut tensors = vec![padded("user_embedding.weight", &w[0]), padded("item_embedding.weight", &w[1])];
    for (l, layer) in w[2..].chunks(4).enumerate() {
        let name = |part: &str| format!("GNNlayers.{l}.{part}");
        tensors.push(transposed(&name("linear.weight"), &layer[0]));
        tensors.push(bias(&name("linear.bias"), &layer[1]));
        tensors.push(transposed(&name("interActTransform.weight"), &layer[2]));
        tensors.push(bias(&name("interActTransform.bias"), &layer[3]));
    }
    tensors
}

#[test]
fn ngcf_comes_back_and_recboles_is_marked_for_what_it_is() {
    let place = trained("ngcf");
    let Weights(w) = weights(&place);
    let ours: Vec<Stored> =
        w.iter().map(|t| if t.name.contains(".b") { bias(&t.name, t) } else { stored(&t.name, t) }).collect();
    place.write("ours.safetensors", safetensors(&ours));
    place.grease(&format!("import ngcf --out ours --weights ours.safetensors {DATA}")).ok();
    is_the_same(&place, "ours");
    let why = place.grease("explain --model model --user mira -k 2 --format json").ok();
    assert_eq!(place.grease("explain --model ours --user mira -k 2 --format json").ok(), why);

    place.write("recbole.npz", npz(&recbole_ngcf(&w)));
    place.grease(&format!("import ngcf --out recbole --weights recbole.npz {DATA}")).ok();
    is_the_same(&place, "recbole");
    let manifest: serde_json::Value = serde_json::from_slice(&place.files("recbole")["model.json"]).unwrap();
    assert_eq!(manifest["normalised_layers"], true);
    // The same tensors, another network: RecBole's layers are given normalised ones.
    let list =
        |model: &str| place.grease(&format!("recommend --model {model} --user mira --format json")).json();
    assert_ne!(list("recbole"), list("model"));
    let why = place.grease("explain --model recbole --user mira -k 2 --format jsonl --out why.jsonl");
    assert_eq!(why.code, 0, "{}", why.whole());
    place.grease("verify --model recbole why.jsonl").ok();
}

/// Three users and four items whose ids are row numbers; user 2 and item 3 have no interactions.
fn numbered() -> Place {
    let place = Place::new();
    place.write("train.tsv", "user\titem\n0\t0\n0\t1\n1\t1\n1\t2\n");
    let table = |name: &str, rows: usize| -> Stored {
        (name.into(), vec![rows, 2], (0..rows * 2).map(|at| (at * at % 7) as f32 - 2.5).collect())
    };
    place.write("users.npy", npy(&table("", 3)));
    place.write("items.npy", npy(&table("", 4)));
    place.write(
        "w.safetensors",
        safetensors(&[table("embedding_user.weight", 3), table("embedding_item.weight", 4)]),
    );
    place
}

#[test]
fn without_ids_rows_are_numbers_and_rows_without_interactions_stay() {
    let place = numbered();
    let ran =
        place.grease("import lightgcn --weights w.safetensors --layers 1 --interactions train.tsv --out m");
    assert_snapshot!("import_of_row_numbers", ran.whole());
    assert_eq!(place.files("m")["users.tsv"], b"row\tid\ttitle\n0\t0\t\n1\t1\t\n2\t2\t\n");
    assert_eq!(
        place.grease("recommend --model m --user 2 -k 4 --format json").json()["recommendations"][3]["rank"],
        4
    );
}

#[test]
fn weights_whose_scores_overflow_are_not_an_oracles_doing() {
    let place = numbered();
    let large = |name: &str, rows: usize| -> Stored { (name.into(), vec![rows, 2], vec![1e30; rows * 2]) };
    let ours = [large("user_embedding", 3), large("item_embedding", 4)];
    place.write("large.safetensors", safetensors(&ours));
    let import = "import lightgcn --weights large.safetensors --interactions train.tsv --out m";
    assert_snapshot!("import_ours_without_layers", place.grease(import).whole());
    place.grease(&format!("{import} --layers 1")).ok();
    for verb in ["recommend", "explain", "what-if --add 2"] {
        let ran = place.grease(&format!("{verb} --model m --user 0 -k 1"));
        assert_eq!(ran.code, 4, "{}", ran.whole());
        assert!(ran.stderr.contains("smaller --learning-rate"), "{}", ran.whole());
        assert!(!ran.stderr.contains("oracle"), "{}", ran.whole());
    }
}

#[test]
fn frozen_embeddings_give_lists_and_guesses_that_say_so() {
    let place = trained("lightgcn");
    let folder = ModelFolder::load(&place.path("model")).unwrap();
    let shown = folder.model.output();
    let table = |rows: &[f32]| -> Stored { (String::new(), vec![rows.len() / 8, 8], rows.to_vec()) };
    place.write("users.npy", npy(&table(shown.users)));
    place.write("items.npy", npy(&table(shown.items)));
    let lists = place.grease("recommend --model model --user mira -k 8 --format csv").ok();
    place.write("lists.csv", lists);
    let import = format!("import frozen --user-embeddings users.npy --item-embeddings items.npy {DATA}");
    let ran = place.grease(&format!("{import} --out frozen --top-k lists.csv"));
    assert!(ran.stderr.contains("1 list of 8 is the same"), "{}", ran.whole());
    ran.ok();
    place.grease(&format!("{import} --out cosine --score cosine")).ok();
    for model in ["frozen", "cosine"] {
        let why = place
            .grease(&format!("explain --model {model} --user mira -k 2 --format jsonl --out {model}.jsonl"));
        assert_eq!(why.code, 0, "{}", why.whole());
        let text = String::from_utf8(std::fs::read(place.path(&format!("{model}.jsonl"))).unwrap()).unwrap();
        assert!(
            text.lines().count() == 4 && text.lines().all(|line| !line.contains("\"verified\"")),
            "{text}"
        );
        let checked = place.grease(&format!("verify --model {model} {model}.jsonl"));
        assert_eq!(checked.code, 0, "{}", checked.whole());
        place.grease(&format!("batch --model {model} --users all -k 1 --out {model}.parquet")).ok();
        let measured = place.grease(&format!("evaluate-model --model {model}")).ok();
        assert!(measured.starts_with("frozen of width 8, over"), "{measured}");
    }
    let original = place.grease("evaluate-model --model model --format json").json();
    let same = place.grease("evaluate-model --model frozen --format json").json();
    assert_eq!(same["recall@20"], original["recall@20"]);
}

#[test]
fn imported_models_are_not_trained_again() {
    let place = numbered();
    place.grease("import lightgcn --weights w.safetensors --layers 1 --interactions train.tsv --out m").ok();
    let ran = place.grease("train --interactions train.tsv --out m --resume");
    assert_eq!(ran.code, 2);
    assert_snapshot!("resume_an_import", ran.whole());
    let ran = place.grease("evaluate --model m --out e --audit retrain");
    assert_eq!(ran.code, 2);
    assert_snapshot!("audit_an_import", ran.whole());
    assert!(!place.path("e").exists());
    let ran = place.grease("train --interactions train.tsv --out n --kind frozen");
    assert_eq!(ran.code, 2);
    assert_snapshot!("train_frozen", ran.whole());
    let ran =
        place.grease("import lightgcn --weights w.safetensors --layers 2 --interactions train.tsv --out m");
    assert_eq!(ran.code, 2);
    assert_snapshot!("import_over_a_model", ran.whole());
    place
        .grease("import lightgcn --weights w.safetensors --layers 2 --interactions train.tsv --out m --force")
        .ok();
}

#[test]
fn lists_that_are_not_the_same_are_told_and_nothing_is_written() {
    let place = numbered();
    let import =
        "import lightgcn --weights w.safetensors --layers 1 --interactions train.tsv --out m --top-k";
    place.write("lists.jsonl", "{\"user\": 0, \"items\": [2, 3]}\n{\"user\": \"1\", \"items\": [1, 0]}\n");
    let other = place.grease(&format!("{import} lists.jsonl"));
    assert_eq!(other.code, 6, "{}", other.whole());
    assert_snapshot!("other_lists", other.whole());
    assert!(!place.path("m").exists());
    place.write("strange.csv", "user,item\n0,77\n");
    let strange = place.grease(&format!("{import} strange.csv"));
    assert_eq!(strange.code, 3, "{}", strange.whole());
    place.write("headless.csv", "0,2\n");
    let headless = place.grease(&format!("{import} headless.csv"));
    assert_eq!(headless.code, 3);
    assert_snapshot!("lists_without_a_header", headless.whole());
}

#[test]
fn what_cannot_be_imported_is_refused_with_the_way_out() {
    let place = numbered();
    let snapshot = |name: &str, line: &str, code: i32| {
        let ran = place.grease(&format!("import {line} --interactions train.tsv --out m"));
        assert_eq!(ran.code, code, "{}", ran.whole());
        assert!(!place.path("m").exists(), "nothing is written");
        assert_snapshot!(name, ran.whole());
    };
    snapshot("import_a_pickle", "lightgcn --weights model.pth --layers 1", 3);
    snapshot("import_without_layers", "lightgcn --weights w.safetensors", 2);
    snapshot("import_one_npy", "lightgcn --weights users.npy --layers 1", 2);
    snapshot("import_unknown_layout", "lightgcn --weights w.safetensors --layout torch", 2);
    snapshot("import_ngcf_from_lightgcn", "ngcf --weights w.safetensors", 3);
    place.write("strange.safetensors", safetensors(&[("encoder".into(), vec![1, 2], vec![0.0, 1.0])]));
    snapshot("import_strange_names", "lightgcn --weights strange.safetensors --layers 1", 3);
    place.write("cut.npy", &std::fs::read(place.path("users.npy")).unwrap()[..90]);
    snapshot("import_truncated", "frozen --user-embeddings cut.npy --item-embeddings items.npy", 3);
    place.write("nan.npy", npy(&(String::new(), vec![3, 2], vec![1.0, 2.0, 3.0, f32::NAN, 1.0, 1.0])));
    snapshot("import_not_a_number", "frozen --user-embeddings nan.npy --item-embeddings items.npy", 3);
    place.write("zero.npy", npy(&(String::new(), vec![3, 2], vec![1.0, 2.0, 0.0, 0.0, 1.0, 1.0])));
    snapshot(
        "import_no_cosine",
        "frozen --user-embeddings zero.npy --item-embeddings items.npy --score cosine",
        3,
    );
    place.write("few.txt", "a\nb\n");
    snapshot("import_too_few_ids", "lightgcn --weights w.safetensors --layers 1 --user-ids few.txt", 3);
    place.write("others.txt", "a\nb\nc\n");
    snapshot("import_ids_of_others", "lightgcn --weights w.safetensors --layers 1 --user-ids others.txt", 3);
    place.write("twice.txt", "0\n1\n0\n");
    snapshot("import_ids_twice", "lightgcn --weights w.safetensors --layers 1 --user-ids twice.txt", 3);
    place.write("train.tsv", "user\titem\nada\t0\n");
    snapshot("import_names_without_ids", "lightgcn --weights w.safetensors --layers 1", 3);
}
