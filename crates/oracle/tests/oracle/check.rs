//! The checks of an oracle see what is wrong with it.

use grease_oracle::check::{CheckReport, Verdict, check};
use grease_oracle::{Address, OracleOptions};

use crate::support::{ALL, Served, data, hasty, small};

fn checked(options: &str) -> CheckReport {
    let served = Served::new(&small());
    check(&served.address(options), &data(&small()), &hasty(), 3)
}

fn finding<'r>(report: &'r CheckReport, name: &str) -> &'r grease_oracle::check::Finding {
    report.findings.iter().find(|finding| finding.check == name).unwrap_or_else(|| panic!("{report:#?}"))
}

#[test]
fn a_good_oracle_passes_every_check() {
    for options in [ALL, "--abilities newcomers,others --f32 yes", "--abilities others --batch 2", "--top 6"]
    {
        let report = checked(options);
        assert!(!report.failed(), "{options}: {report:#?}");
        assert_eq!(report.count(Verdict::Warning), 0, "{options}: {report:#?}");
    }
    let report = checked("--batch 5");
    assert_eq!(finding(&report, "newcomers").verdict, Verdict::Skipped);
    assert!(report.asking.unwrap().requests > 10);
}

#[test]
fn mistakes_are_found_and_come_with_advice() {
    let cases = [
        ("--mistake nan", "scores", Verdict::Failed),
        ("--mistake short --at 4", "asked twice", Verdict::Failed),
        ("--fickle yes", "asked another worker", Verdict::Failed),
        ("--embeddings yes", "embeddings", Verdict::Warning),
        ("--items 5", "items", Verdict::Failed),
        ("--banner hello", "hello", Verdict::Failed),
    ];
    for (options, name, verdict) in cases {
        let report = checked(options);
        let found = finding(&report, name);
        assert_eq!(found.verdict, verdict, "{options}: {report:#?}");
        assert!(found.advice.is_some(), "{options}: {report:#?}");
    }
}

#[test]
fn edits_that_are_ignored_are_noticed() {
    // Whatever is asked, the answer is the same.
    let script = r#"while read line; do
        id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
        case "$line" in
        *hello*) echo "{\"grease\":\"oracle/1\",\"id\":$id,\"name\":\"same\",\"items\":[\"i0\",\"i1\",\"i2\",\"i3\",\"i4\",\"i5\"],\"batch\":1,\"abilities\":[\"newcomers\",\"others\"]}" ;;
        *) echo "{\"id\":$id,\"scores\":[[6,5,4,3,2,1]]}" ;;
        esac
    done"#;
    let report = check(&Address::Command(script.into()), &data(&small()), &OracleOptions::default(), 3);
    for name in ["hello", "removals", "additions", "unknown user", "newcomers", "others"] {
        assert_eq!(finding(&report, name).verdict, Verdict::Warning, "{name}: {report:#?}");
    }
    assert!(!report.failed(), "{report:#?}");
}
