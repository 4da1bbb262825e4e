//! `cargo xtask test --device cuda`: what only a card can show.

use super::counts::Counts;
use crate::card::Card;
use crate::failure::Failure;
use crate::process::{self, cargo, heading};

/// Whose tests want a card; they are passed over elsewhere.
const PACKAGE: &str = "grease-cuda";

pub(super) fn run(card: Card) -> Result<(), Failure> {
    let about = card.described();
    println!("{about}");
    heading("tests on the card");
    let mut tests = cargo(["test", "--package", PACKAGE, "--tests", "--no-fail-fast", "--"]);
    // One at a time: some fill the card's memory.
    tests.args(["--ignored", "--test-threads=1"]);
    let (status, closing) = process::watch(card.alone(&mut tests), closing_line)?;
    let mut counts = Counts::default();
    for summary in closing.iter().filter_map(|line| Counts::from_cargo_test(line)) {
        counts += summary;
    }
    println!("\n{about}\n{}", closing.concat());
    println!("{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped);
    match counts.passed {
        _ if !status.success() => Err(process::ended_badly(&tests, status)),
        0 => Err(Failure::work(format!("{PACKAGE} has no test for a card"))),
        _ => Ok(()),
    }
}

/// A test program's last line, unless it had nothing to run.
fn closing_line(line: &str) -> Option<String> {
    let counts = Counts::from_cargo_test(line)?;
    (counts != Counts::default()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_without_tests_for_cards_are_not_told_of() {
        let none =
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out; finished in 0.00s\n";
        let some = "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 9.70s\n";
        assert_eq!(closing_line(none), None);
        assert_eq!(closing_line(some).as_deref(), Some(some));
        assert_eq!(closing_line("running 3 tests"), None);
    }
}
