//! Finds out what `grease --version` says about where the binary is from.

use std::path::Path;
use std::process::Command;

/// Of a commit's name, enough to find it.
const DIGITS: usize = 12;

fn main() {
    println!("cargo::rerun-if-env-changed=GREASE_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    let commit = given().or_else(packaged).or_else(checked_out).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=GREASE_COMMIT={commit}");
    for about in ["TARGET", "PROFILE"] {
        println!("cargo::rustc-env=GREASE_{about}={}", std::env::var(about).unwrap_or_default());
    }
}

/// Whoever builds from an archive knows it, and may say it.
fn given() -> Option<String> {
    std::env::var("GREASE_COMMIT").ok().filter(|commit| !commit.is_empty())
}

/// `cargo package` writes it beside the manifest.
fn packaged() -> Option<String> {
    let info = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, after) = info.split_once("\"sha1\"")?;
    after.split('"').nth(1).map(|commit| commit.chars().take(DIGITS).collect())
}

fn checked_out() -> Option<String> {
    // In a package somebody unpacked inside a repository of theirs, git would name a commit of theirs.
    let crates = Path::new("..").canonicalize().ok()?;
    let root = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&root).canonicalize().ok()? != crates.parent()? {
        return None;
    }
    // Another commit, or other sources than those of the commit.
    for watched in ["HEAD", "logs/HEAD"] {
        println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", watched])?);
    }
    println!("cargo::rerun-if-changed=..");
    let commit = git(&["rev-parse", &format!("--short={DIGITS}"), "HEAD"])?;
    let changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|files| !files.is_empty());
    Some(if changed { format!("{commit}, changed since") } else { commit })
}

fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}
