//! `grease data`

use insta::assert_snapshot;

use crate::support::Place;

#[test]
fn describe_says_what_is_there() {
    let place = Place::new();
    place.write("r.csv", "user,item,rating\nzoe,tea,5\nadam,tea,4\nadam,milk,1\nadam,tea,4\n");
    assert_snapshot!(
        "describe_text",
        place.grease("data describe r.csv --person guest --item-word drink").whole()
    );
    assert_snapshot!(
        "describe_json",
        place.grease("data describe r.csv --format json --min-rating 4 -q").whole()
    );
    // Ratings that nobody asked to read may be anything.
    place.write("odd.csv", "user,item,rating\nzoe,tea,good\nadam,tea,\n");
    let odd = place.grease("data describe odd.csv").ok();
    assert!(!odd.contains("Ratings"), "{odd}");
}

#[test]
fn every_form_comes_back_as_it_was() {
    let place = Place::with_music();
    let described = |path: &str| place.grease(&format!("data describe {path} --format json")).json();
    let before = described("music");
    for (form, file) in [
        ("table", "a.tsv"),
        ("csv", "a.csv"),
        ("lightgcn", "train.txt"),
        ("recbole", "a.inter"),
        ("parquet", "a.parquet"),
    ] {
        let path = format!("{form}/{file}");
        let written = place.grease(&format!("data convert music --format {form} --out {path}")).ok();
        assert!(written.lines().any(|line| line == path), "{written}");
        let read_as = if form == "csv" { "table" } else { form };
        let after = described(&format!("{path} --input-format {read_as}"));
        assert_eq!(before["interactions"], after["interactions"], "{form}");
        assert_eq!(before["titled_items"], after["titled_items"], "{form}");
    }
    let again = place.grease("data convert music --format csv --out csv/a.csv");
    assert_eq!(again.code, 2, "{}", again.whole());
    place.grease("data convert music --format csv --out csv/a.csv --force").ok();
}

#[test]
fn a_large_service_is_invented_and_its_embeddings_are_a_model() {
    let place = Place::new();
    let line =
        "data sample --users 300 --artists 60 --interactions 4000 --to parquet --embeddings 8 --out big";
    assert_eq!(place.grease(line).ok().lines().count(), 6);
    let first = place.files("big");
    assert_eq!(place.grease(line).code, 2, "nothing is replaced unasked");
    place.grease(&format!("{line} --force")).ok();
    assert!(first == place.files("big"), "the same seed gives the same bytes");
    let described = place.grease("data describe big --format json").json();
    assert_eq!((described["users"].as_u64(), described["items"].as_u64()), (Some(300), Some(60)));
    assert_eq!(described["titled_items"], 60);
    let weights = "big/user_embedding.npy big/item_embedding.npy";
    let ids = "--user-ids big/users.txt --item-ids big/items.txt";
    place
        .grease(&format!(
            "import lightgcn --weights {weights} --layers 2 --interactions big {ids} --out model"
        ))
        .ok();
    assert!(place.grease("recommend --model model --user mira -k 3").ok().contains('3'));
}

#[test]
fn nobody_reading_is_no_error() {
    let place = Place::with_music();
    let mut command = place.command("data describe music -q");
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}
