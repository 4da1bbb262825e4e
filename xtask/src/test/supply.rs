//! What comes from elsewhere, and what goes out: licences, notices, the oldest Rust, packages that are whole.

use std::process::Command;

use super::counts::Counts;
use super::{heading, is_ci};
use crate::failure::Failure;
use crate::process::{self, cargo};
use crate::supply::{self, Packages};
use crate::tools::DENY;

pub(super) fn step(counts: &mut Counts) -> Result<(), Failure> {
    heading("supply chain");
    let packages = Packages::read()?;
    tell("notices", notices(&packages), counts)?;
    tell("oldest Rust", oldest_rust(&packages), counts)?;
    tell("packages for crates.io", whole_packages(), counts)?;
    match DENY.program() {
        Ok(program) => {
            let mut deny = Command::new(program);
            deny.current_dir(process::workspace_root()).args(["--log-level", "warn", "--locked", "check"]);
            // Advisories are kept in a repository of their own, which a machine without a way there cannot ask.
            tell("cargo-deny", process::succeed(deny.args(["licenses", "bans", "sources"])), counts)
        }
        Err(failure) if !is_ci() => {
            println!("skipped: {failure}");
            counts.skipped += 1;
            Ok(())
        }
        Err(failure) => Err(failure),
    }
}

fn tell(name: &str, result: Result<(), Failure>, counts: &mut Counts) -> Result<(), Failure> {
    match &result {
        Ok(()) => counts.passed += 1,
        Err(_) => counts.failed += 1,
    }
    println!("{name}: {}", if result.is_ok() { "ok" } else { "FAILED" });
    result
}

fn notices(packages: &Packages) -> Result<(), Failure> {
    if supply::is_up_to_date(packages)? {
        return Ok(());
    }
    Err(Failure::work("THIRD-PARTY-NOTICES.txt is out of date: run `cargo xtask notices`"))
}

/// Nothing we are compiled from may need a newer Rust than `rust-version` promises. That our own code does not is what the
/// rest of the tests show where this Rust is that one.
fn oldest_rust(packages: &Packages) -> Result<(), Failure> {
    let promised = env!("CARGO_PKG_RUST_VERSION");
    let newer = |version: &String| parts(version) > parts(promised);
    let wanting = packages.0.iter().find(|package| package.rust_version.as_ref().is_some_and(newer));
    if let Some(package) = wanting {
        let version = package.rust_version.as_deref().unwrap_or_default();
        return Err(Failure::work(format!(
            "{} needs Rust {version}, and Cargo.toml promises {promised}: take an older one, or promise less",
            package.called()
        )));
    }
    let here = process::output(Command::new("rustc").arg("--version"))?;
    let here = here.split_whitespace().nth(1).unwrap_or_default().to_owned();
    if parts(&here)[..2] != parts(promised)[..2] {
        println!("compiled with Rust {here}: that {promised} is enough was not tried here");
    }
    Ok(())
}

/// The numbers of a version; those that are not said are 0.
fn parts(version: &str) -> [u32; 3] {
    let mut numbers = version.split(['.', '-']).map_while(|part| part.parse().ok());
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

/// That they compile on their own is for `cargo xtask dist`: here only that they can be made.
fn whole_packages() -> Result<(), Failure> {
    let package = ["package", "--quiet", "--workspace", "--no-verify", "--allow-dirty", "--locked"];
    let ours = ["xtask", "grease-python", "grease-testing"].map(|name| ["--exclude", name]);
    process::succeed(cargo(package).args(ours.as_flattened()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(parts("1.100") > parts("1.95.2") && parts("1.95") == parts("1.95.0"));
        assert_eq!(parts("1.96.0-nightly"), [1, 96, 0]);
    }
}
