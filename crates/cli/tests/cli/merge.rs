//! `grease merge`

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
