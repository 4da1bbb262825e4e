//! What test runners say at the end.

use std::ops::AddAssign;

/// How many tests ended how.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
}

/// What pytest counts.
const PYTEST: [&str; 8] =
    ["passed", "failed", "skipped", "error", "warning", "xfailed", "xpassed", "deselected"];

impl Counts {
    /// `     Summary [   0.005s] 3 tests run: 2 passed (1 slow), 1 failed, 1 timed out, 0 skipped`
    pub(super) fn from_nextest(line: &str) -> Option<Self> {
        let (_, outcomes) = line.trim_start().strip_prefix("Summary [")?.split_once(" run: ")?;
        Some(Self::sum(without_brackets(outcomes).split(',')))
    }

    /// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`
    pub(super) fn from_cargo_test(line: &str) -> Option<Self> {
        let (_, outcomes) = line.strip_prefix("test result: ")?.split_once(". ")?;
        Some(Self::sum(outcomes.split(';')))
    }

    /// `==== 2 failed, 56 passed, 1 skipped, 3 warnings in 15.56s ====`, with or without the rules; `2 passed, 0 failed` of a script.
    pub(super) fn from_pytest(line: &str) -> Option<Self> {
        let line = line.trim().trim_matches('=').trim();
        let outcomes = line.split_once(" in ").map_or(line, |(outcomes, _)| outcomes);
        let is_outcome = |outcome: &str| {
            outcome.trim().split_once(' ').is_some_and(|(number, name)| {
                number.parse::<u64>().is_ok() && PYTEST.iter().any(|known| name.starts_with(known))
            })
        };
        if !outcomes.split(',').all(is_outcome) {
            return None;
        }
        Some(Self::sum(outcomes.split(',').filter(|outcome| !outcome.contains("warning"))))
    }

    fn sum<'a>(outcomes: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            let Some((number, name)) = outcome.trim().split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match name.trim() {
                "passed" => counts.passed += number,
                "skipped" | "ignored" | "xfailed" => counts.skipped += number,
                "measured" | "filtered out" | "deselected" => {}
                // nextest names some kinds of failure apart: `timed out`, `exec failed`.
                _ => counts.failed += number,
            }
        }
        counts
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// `2 passed (1 slow, 1 flaky), 1 failed` becomes `2 passed , 1 failed`.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64, skipped: u64) -> Option<Counts> {
        Some(Counts { passed, failed, skipped })
    }

    #[test]
    fn reads_nextest() {
        let read = Counts::from_nextest;
        assert_eq!(read("     Summary [   0.005s] 3 tests run: 3 passed, 0 skipped\n"), counts(3, 0, 0));
        assert_eq!(read("     Summary [   0.005s] 1 test run: 1 passed, 2 skipped"), counts(1, 0, 2));
        let mixed =
            "Summary [ 12.300s] 6/9 tests run: 3 passed (1 slow, 1 flaky), 1 failed, 2 timed out, 4 skipped";
        assert_eq!(read(mixed), counts(3, 3, 4));
    }

    #[test]
    fn reads_cargo_test() {
        let read = Counts::from_cargo_test;
        let ok =
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 5 filtered out; finished in 0.00s\n";
        assert_eq!(read(ok), counts(3, 0, 1));
        let failed = "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(read(failed), counts(2, 1, 0));
    }

    #[test]
    fn reads_pytest() {
        let read = Counts::from_pytest;
        assert_eq!(read("56 passed in 15.56s\n"), counts(56, 0, 0));
        let mixed = "=========== 2 failed, 50 passed, 1 skipped, 3 warnings, 1 error in 48.92s ===========";
        assert_eq!(read(mixed), counts(50, 3, 1));
        assert_eq!(read("3 passed, 0 failed"), counts(3, 0, 0));
    }

    #[test]
    fn other_lines_are_no_summary() {
        for line in
            ["running 3 tests", "test tests::reads_nextest ... ok", "", "Summary of the run: 3 passed"]
        {
            assert_eq!(Counts::from_nextest(line), None, "{line}");
            assert_eq!(Counts::from_cargo_test(line), None, "{line}");
            assert_eq!(Counts::from_pytest(line), None, "{line}");
        }
    }

    #[test]
    fn what_nextest_repeats_of_a_failed_test_is_not_counted_again() {
        let repeated = "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out";
        assert_eq!(Counts::from_nextest(repeated), None);
        assert_eq!(Counts::from_cargo_test(repeated), None);
    }
}
