//! A short turn of every fuzz target: what a minute finds need not wait for somebody to think of it.

use std::process::Command;

use super::counts::Counts;
use super::{heading, is_ci};
use crate::failure::Failure;
use crate::{fuzz, process};

/// For each target.
const SECONDS: u32 = 5;

pub(super) fn step(counts: &mut Counts) -> Result<(), Failure> {
    let can = cfg!(target_os = "linux") && process::works(Command::new("c++").arg("--version"));
    if !can && !is_ci() {
        heading("fuzz: skipped");
        println!("skipped: libFuzzer needs Linux and a C++ compiler; install g++ or clang");
        counts.skipped += 1;
        return Ok(());
    }
    heading("fuzz");
    let outcomes = fuzz::turns(SECONDS, None)?;
    let survived = outcomes.iter().filter(|outcome| outcome.survived()).count();
    counts.passed += survived as u64;
    counts.failed += (outcomes.len() - survived) as u64;
    match outcomes.len() - survived {
        0 => Ok(()),
        broken => Err(Failure::work(format!("{broken} fuzz targets broke"))),
    }
}
