//! Whether every seed is taken by its target: a fuzzer that begins with what is refused learns little.

use std::path::Path;

use grease_fuzz::{interactions, models, oracle, runs, service, weights};
use grease_graph::read::InputFormat;
// What the coverage of the other crates is counted by.
use libfuzzer_sys as _;

type Target = fn(&[u8]) -> bool;

const TARGETS: [(&str, Target); 18] = [
    ("adjacency", |bytes| interactions::read_both_ways(InputFormat::Adjacency, bytes)),
    ("batch_table", runs::table),
    ("calibration", models::calibration),
    ("checkpoint", models::checkpoint),
    ("explanations", runs::explanations),
    ("hetrec", |bytes| interactions::read_both_ways(InputFormat::HetRec, bytes)),
    ("http", service::request),
    ("journal", runs::journal),
    ("link", service::pass),
    ("model_folder", models::folder),
    ("movielens", |bytes| interactions::read_both_ways(InputFormat::MovieLens, bytes)),
    ("npy", weights::npy),
    ("npz", weights::npz),
    ("oracle", oracle::answers),
    ("parquet", |bytes| interactions::read_both_ways(InputFormat::Parquet, bytes)),
    ("recbole", |bytes| interactions::read_both_ways(InputFormat::RecBole, bytes)),
    ("safetensors", weights::safetensors),
    ("table", |bytes| interactions::read_both_ways(InputFormat::Delimited, bytes)),
];

fn main() {
    let mut refused = 0;
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
        let seeds =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for seed in seeds {
            let path = seed.expect("a readable folder").path();
            if !target(&std::fs::read(&path).expect("a readable file")) {
                eprintln!("{} is refused", path.display());
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 0, "make them again by fuzz/seeds.py");
}
