//! What is said when something is wrong, and the exit code.

use insta::assert_snapshot;

use crate::support::Place;

fn snapshot(name: &str, place: &Place, line: &str, code: i32) {
    let ran = place.grease(line);
    assert_eq!(ran.code, code, "{}", ran.whole());
    assert!(ran.stderr.contains("error: "), "{}", ran.whole());
    assert!(!ran.stderr.contains("panicked"), "{}", ran.whole());
    assert_snapshot!(name, ran.whole());
}

#[test]
fn wrong_usage_is_2() {
    let place = Place::with_model();
    snapshot("k_zero", &place, "recommend --model model --user ada -k 0", 2);
    snapshot("too_many_threads", &place, "recommend --model model --user ada --threads 1025", 2);
    snapshot("no_threads", &place, "recommend --model model --user ada --threads 0", 2);
    let crowd = "recommend --oracle-cmd x --interactions y --user ada --oracle-workers 100000";
    snapshot("too_many_workers", &place, crowd, 2);
    snapshot("nobody_named", &place, "recommend --model model", 2);
    snapshot("unknown_kind", &place, "train --interactions x --kind gcn --out m", 2);
    snapshot("bad_learning_rate", &place, "train --interactions x --learning-rate -1 --out m", 2);
    snapshot("no_such_column_format", &place, "data describe x --input-format xml", 2);
    snapshot("out_holds_a_model", &place, "train --interactions x --out model", 2);
    place.write("file.txt", "something else");
    snapshot("out_holds_something_else", &place, "train --interactions x --out . --force", 2);
    snapshot("empty_history", &place, "recommend --model model --history ,", 2);
}

#[test]
fn bad_data_is_3() {
    let place = Place::new();
    snapshot("missing_file", &place, "data describe ratings.csv", 3);
    place.write("header.csv", "user,item\n");
    snapshot("header_only", &place, "train --interactions header.csv --out m", 3);
    assert!(!place.path("m").exists(), "nothing is made of nothing");
    place.write("columns.csv", "a,b\n1,2\n");
    snapshot("no_user_column", &place, "data describe columns.csv", 3);
    let model = Place::with_model();
    snapshot("missing_candidates", &model, "recommend --model model --user ada --candidates none.txt", 3);
}

#[test]
fn bad_models_are_4() {
    let place = Place::with_model();
    snapshot("no_model", &place, "recommend --model nowhere --user ada", 4);
    std::fs::create_dir(place.path("empty")).unwrap();
    snapshot("not_a_model", &place, "evaluate-model --model empty", 4);
    snapshot(
        "nan_weights",
        &Place::with_items([1.0, f32::NAN, 1.0, 1.0, 1.0]),
        "recommend --model model --user ada",
        4,
    );

    snapshot("model_is_a_file", &place, "recommend --model model/model.json --user ada", 4);
    snapshot("model_is_a_device", &place, "recommend --model /dev/null --user ada", 4);

    let weights = std::fs::read(place.path("model/model.safetensors")).unwrap();
    place.write("model/model.safetensors", &weights[..weights.len() - 3]);
    snapshot("truncated_weights", &place, "recommend --model model --user ada", 4);
    place.write("model/model.safetensors", &weights);
    place.write("model/train.tsv", "user\titem\nada\ttea\n");
    snapshot("tampered_interactions", &place, "recommend --model model --user ada", 4);
    std::fs::remove_file(place.path("model/train.tsv")).unwrap();
    snapshot("missing_interactions", &place, "recommend --model model --user ada", 4);
    std::fs::create_dir(place.path("model/train.tsv")).unwrap();
    snapshot("interactions_are_a_folder", &place, "recommend --model model --user ada", 4);
    place.write("model/model.json", "{\"format\": \"grease.model/1\"");
    snapshot("broken_manifest", &place, "evaluate-model --model model", 4);
}

#[cfg(unix)]
#[test]
fn pipes_in_a_model_are_4_and_links_to_files_are_fine() {
    let place = Place::with_model();
    for name in ["train.tsv", "model.json", "model.safetensors"] {
        let (file, elsewhere) = (place.path("model").join(name), place.path(name));
        std::fs::rename(&file, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        place.grease("recommend --model model --user ada").ok();
        std::fs::remove_file(&file).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        let ran = place.grease("recommend --model model --user ada");
        let said = format!("error: model/{name} is a pipe or a device where a file is expected");
        assert!(ran.code == 4 && ran.stderr.contains(&said), "{}", ran.whole());
        std::fs::remove_file(&file).unwrap();
        std::fs::rename(&elsewhere, &file).unwrap();
    }
}

#[test]
fn unknown_names_are_5() {
    let place = Place::with_model();
    snapshot("unknown_user", &place, "recommend --model model --user adda", 5);
    snapshot("unknown_user_without_likeness", &place, "recommend --model model --user zzzzzzzzz", 5);
    snapshot("unknown_item_in_history", &place, "recommend --model model --history tea,cak", 5);
    snapshot("ambiguous_title", &place, "recommend --model model --history Jam", 5);
    place.write("none.txt", "bread\nbutter\n");
    snapshot("no_known_candidate", &place, "recommend --model model --user ada --candidates none.txt", 5);
}

#[test]
fn quiet_keeps_errors() {
    let place = Place::with_model();
    let ran = place.grease("recommend --model model --user ada -k 9 -q");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = place.grease("recommend --model model --user adda -q");
    assert!(ran.stderr.starts_with("error: unknown user"), "{}", ran.whole());
}
