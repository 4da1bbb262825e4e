//! The examples for clusters, with what a cluster would set.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Place;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cluster").join(name)
}

/// A trained `model`.
fn trained() -> Place {
    let place = Place::with_music();
    place
        .grease(
            "train --interactions music --epochs 10 --batch 256 --learning-rate 0.01 --dim 16 --out model",
        )
        .ok();
    place
}

/// A command that finds this `grease`.
fn with_grease(place: &Place, program: &str) -> Command {
    let mut command = Command::new(program);
    let folder = Path::new(env!("CARGO_BIN_EXE_grease")).parent().unwrap();
    let path = std::env::join_paths(
        [folder.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    command.env("PATH", path.unwrap()).current_dir(place.path("."));
    command
}

fn assert_whole(place: &Place, parts: &str, count: usize) {
    place.grease("batch --model model --users all --out whole.parquet").ok();
    let parts: Vec<String> = (0..count).map(|part| format!("{parts}/part-{part}.parquet")).collect();
    place.grease(&format!("merge {} --out merged.parquet", parts.join(" "))).ok();
    let read = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert!(read("merged.parquet") == read("whole.parquet"));
}

#[test]
fn a_slurm_array_makes_all_parts() {
    let place = trained();
    for task in 0..8 {
        let mut command = with_grease(&place, "bash");
        command.arg(example("slurm.sh")).args(["model", "out"]);
        command.env("SLURM_ARRAY_TASK_ID", task.to_string()).env("SLURM_ARRAY_TASK_MIN", "0");
        command.env("SLURM_ARRAY_TASK_COUNT", "8").env("SLURM_CPUS_PER_TASK", "1");
        place.finish(command).ok();
    }
    assert_whole(&place, "out", 8);
}

#[test]
fn a_kubernetes_job_makes_all_parts() {
    let place = trained();
    let manifest = std::fs::read_to_string(example("kubernetes.yaml")).unwrap();
    let value = |name: &str| {
        let line = manifest.lines().find_map(|line| line.trim().strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in the manifest")).trim().trim_matches('"').to_owned()
    };
    let completions: usize = value("completions:").parse().unwrap();
    let said = manifest.split_once("name: JOB_COMPLETIONS").unwrap().1;
    let said = said.lines().nth(1).unwrap().trim().strip_prefix("value:").unwrap().trim().trim_matches('"');
    assert_eq!(said, completions.to_string(), "the pods are told how many they are");
    let (_, script) = manifest.split_once("- >-\n").unwrap();
    let indent = script.len() - script.trim_start().len();
    let lines = script.lines().take_while(|line| line.len() - line.trim_start().len() == indent);
    let script = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let script = script.replace("/model", "model").replace("/out/", "out/");
    std::fs::create_dir(place.path("out")).unwrap();
    for index in 0..completions {
        let mut command = with_grease(&place, "sh");
        command.args(["-c", &script]);
        command.env("JOB_COMPLETION_INDEX", index.to_string()).env("JOB_COMPLETIONS", said);
        place.finish(command).ok();
    }
    assert_whole(&place, "out", completions);
}

#[test]
fn where_nobody_says_which_part_it_is_that_is_said() {
    let place = Place::with_tastes();
    let mut command = place.command("batch --model model --users all --out a.parquet --shard auto");
    for name in ["JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID", "AWS_BATCH_JOB_ARRAY_INDEX"] {
        command.env_remove(name);
    }
    let ran = place.finish(command);
    insta::assert_snapshot!("shard_auto_nowhere", ran.whole());
}
