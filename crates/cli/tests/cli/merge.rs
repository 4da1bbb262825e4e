//! `grease merge`

use grease::{Row, TableFormat, TableReader, TableWriter};
use insta::assert_snapshot;

use crate::support::Place;

/// With the five people of `model` in three parts, and whole.
fn parted() -> Place {
    let place = Place::with_tastes();
    let line = "batch --model model --users all -k 2 -q";
    place.grease(&format!("{line} --out whole.parquet")).ok();
    place.grease(&format!("{line} --out whole.jsonl")).ok();
    for part in 1..=3 {
        place.grease(&format!("{line} --out part-{part}.parquet --shard {part}/3")).ok();
    }
    place
}

fn read(place: &Place, name: &str) -> Vec<u8> {
    std::fs::read(place.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn all_parts_in_any_order_are_the_whole() {
    let place = parted();
    let line = "merge part-3.parquet part-1.parquet part-2.parquet";
    assert_snapshot!("merge", place.grease(&format!("{line} --out all.parquet")).whole());
    assert!(read(&place, "all.parquet") == read(&place, "whole.parquet"));
    place.grease(&format!("{line} --out all.jsonl")).ok();
    assert!(read(&place, "all.jsonl") == read(&place, "whole.jsonl"));
    assert_eq!(place.grease(&format!("{line} --out all.parquet")).code, 2, "it is there already");
    place.grease(&format!("{line} --out all.parquet --force")).ok();

    // More parts than people: some are empty.
    for part in 1..=7 {
        let out = format!("--out one-{part}.parquet --shard {part}/7");
        place.grease(&format!("batch --model model --users all -k 2 -q {out}")).ok();
    }
    let parts: Vec<String> = (1..=7).map(|part| format!("one-{part}.parquet")).collect();
    place.grease(&format!("merge {} --out seven.parquet", parts.join(" "))).ok();
    assert!(read(&place, "seven.parquet") == read(&place, "whole.parquet"));
}

#[test]
fn what_is_no_whole_is_refused_by_name() {
    let place = parted();
    place.grease("batch --model model --users all -k 1 -q --out other.parquet --shard 2/3").ok();
    place.grease("batch --model model --users all -k 2 -q --out half.parquet --shard 1/2").ok();
    place.write("text.parquet", "user,item\n");
    let refused = |name: &str, parts: &str, code: i32| {
        let ran = place.grease(&format!("merge {parts} --out all.parquet"));
        assert_eq!(ran.code, code, "{}", ran.whole());
        assert_snapshot!(name, ran.whole());
        assert!(!place.path("all.parquet").exists());
    };
    refused("merge_missing", "part-1.parquet part-3.parquet", 2);
    refused("merge_twice", "part-1.parquet part-2.parquet part-1.parquet", 2);
    refused("merge_other_settings", "part-1.parquet other.parquet part-3.parquet", 2);
    refused("merge_other_parts", "part-2.parquet half.parquet", 2);
    refused("merge_whole", "whole.parquet", 3);
    refused("merge_no_table", "part-1.parquet text.parquet", 3);
    refused("merge_lines", "whole.jsonl", 3);
    refused("merge_no_file", "part-1.parquet none.parquet", 3);
}

/// What an engine makes of the same people: tables in a folder, everybody somewhere, and what the run is beside them.
fn scattered(place: &Place) {
    let reader = TableReader::<Row>::open(&place.path("whole.parquet")).unwrap();
    let mut run = reader.run().cloned().unwrap();
    run["people"] = serde_json::Value::Null;
    place.write("run.json", run.to_string());
    let rows: Vec<Row> = reader.map(Result::unwrap).collect();
    std::fs::create_dir(place.path("parts")).unwrap();
    for file in 0..3 {
        let mut out = std::fs::File::create(place.path(&format!("parts/{file}.parquet"))).unwrap();
        let mut writer = TableWriter::new(&mut out, TableFormat::Parquet, &serde_json::Value::Null).unwrap();
        let mine = rows.iter().enumerate().filter(|(at, _)| at % 3 == file);
        mine.for_each(|(_, row)| writer.write(row.clone()).unwrap());
        writer.finish().unwrap();
    }
}

#[test]
fn what_an_engine_wrote_becomes_the_file_of_one_run() {
    let place = parted();
    scattered(&place);
    let line = "merge --run run.json parts";
    // `nobody` has no history, and an empty list of what an explanation could name is still a list.
    place.write("people.txt", "ada\nbob\ncyd\ndee\nnobody\nada\n");
    let gathered = place.grease(&format!("{line} --users people.txt --out all.parquet"));
    assert_snapshot!("merge_run", gathered.whole());
    assert!(read(&place, "all.parquet") == read(&place, "whole.parquet"));
    place.grease(&format!("{line} --users model --out all.jsonl")).ok();
    assert!(read(&place, "all.jsonl") == read(&place, "whole.jsonl"));

    let refused = |name: &str, line: &str, code: i32| {
        let ran = place.grease(&format!("merge {line} --out no.parquet"));
        assert_eq!(ran.code, code, "{}", ran.whole());
        assert_snapshot!(name, ran.whole());
        assert!(!place.path("no.parquet").exists());
    };
    place.write("more.txt", "zoe\nada\nbob\ncyd\ndee\nnobody\n");
    place.write("fewer.txt", "ada\n");
    place.write("text.json", "no");
    place.write("number.json", "{}");
    std::fs::create_dir(place.path("nothing")).unwrap();
    refused("merge_run_absent", "--run run.json --users more.txt parts", 3);
    refused("merge_run_stranger", "--run run.json --users fewer.txt parts", 3);
    refused("merge_run_no_json", "--run text.json --users model parts", 3);
    refused("merge_run_no_run", "--run number.json --users model parts", 3);
    refused("merge_run_no_parts", "--run run.json --users model nothing", 3);
    refused("merge_run_alone", "--run run.json parts", 2);
    place.grease(&format!("{line} --users more.txt --out with-zoe.parquet --allow-absent")).ok();
}
