//! What came of a command, and how two such outcomes differ.

use std::collections::BTreeMap;

/// All that is compared of one command or request.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) name: String,
    /// By what it is: `stdout`, `file why.jsonl`.
    parts: BTreeMap<String, Part>,
    /// Said where the outcome is not what the list expects.
    pub(super) unexpected: Option<String>,
}

#[derive(Debug, PartialEq)]
struct Part {
    bytes: Vec<u8>,
    /// Whether another text is as good.
    may: bool,
}

/// Something that is not the same.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    pub(super) what: String,
    pub(super) may: bool,
    pub(super) before: String,
    pub(super) after: String,
}

impl Record {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Must be the same, or `may` differ.
    pub(super) fn add(&mut self, what: impl Into<String>, bytes: impl Into<Vec<u8>>, may: bool) {
        self.parts.insert(what.into(), Part { bytes: bytes.into(), may });
    }

    /// As a text, to be looked at.
    pub(super) fn shown(&self) -> String {
        let text = |part: &Part| String::from_utf8_lossy(&part.bytes).into_owned();
        let said = self.parts.iter().filter(|(what, _)| !what.starts_with("file "));
        said.map(|(what, part)| format!("--- {what}\n{}\n", text(part))).collect()
    }

    pub(super) fn differences(&self, after: &Self) -> Vec<Difference> {
        let mut found = Vec::new();
        // Where only the one after is unexpected, its parts differ anyway, if it has any.
        if self.unexpected.is_some() || (after.unexpected.is_some() && after.parts.is_empty()) {
            let said = |record: &Self| record.unexpected.clone().unwrap_or_else(|| "as expected".to_owned());
            found.push(Difference {
                what: "the list".to_owned(),
                may: false,
                before: said(self),
                after: said(after),
            });
        }
        for (what, part) in &self.parts {
            match after.parts.get(what) {
                Some(other) if other.bytes == part.bytes => {}
                Some(other) => {
                    let (before, after) = first_difference(&part.bytes, &other.bytes);
                    found.push(Difference { what: what.clone(), may: part.may && other.may, before, after });
                }
                None => found.push(one_sided(what, part, true)),
            }
        }
        let new = after.parts.iter().filter(|(what, _)| !self.parts.contains_key(*what));
        found.extend(new.map(|(what, part)| one_sided(what, part, false)));
        found
    }
}

fn one_sided(what: &str, part: &Part, is_before: bool) -> Difference {
    let (before, after) = if is_before { ("there", "not there") } else { ("not there", "there") };
    Difference { what: what.to_owned(), may: part.may, before: before.into(), after: after.into() }
}

/// The first line that differs, both ways, from a little before the place where it does.
fn first_difference(before: &[u8], after: &[u8]) -> (String, String) {
    const CONTEXT: usize = 16;
    let (Ok(one), Ok(other)) = (std::str::from_utf8(before), std::str::from_utf8(after)) else {
        let at = before.iter().zip(after).take_while(|(one, other)| one == other).count();
        let said = |bytes: &[u8]| match bytes.get(at) {
            Some(byte) => format!("byte {at} of {} is {byte:#04x}", bytes.len()),
            None => format!("ends after byte {at}"),
        };
        return (said(before), said(after));
    };
    let (mut lines, mut others, mut number) = (one.split('\n'), other.split('\n'), 1);
    loop {
        match (lines.next(), others.next()) {
            (Some(line), Some(other)) if line == other => number += 1,
            (line, other) => {
                let (line, other) = (line.unwrap_or("(the end)"), other.unwrap_or("(the end)"));
                let same = line.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
                let skipped = same.saturating_sub(CONTEXT);
                let shown = |line: &str| {
                    let dots = if skipped > 0 { "…" } else { "" };
                    format!("{number}: {dots}{}", line.chars().skip(skipped).collect::<String>())
                };
                return (shown(line), shown(other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(parts: &[(&str, &[u8], bool)]) -> Record {
        let mut record = Record::new("one");
        parts.iter().for_each(|(what, bytes, may)| record.add(*what, *bytes, *may));
        record
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        let before = record(&[("stdout", b"same\nrank 5\n", false), ("stderr", b"a", true)]);
        let after =
            record(&[("stdout", b"same\nrank 6\n", false), ("stderr", b"b", true), ("file x", b"", false)]);
        let told: Vec<_> = before.differences(&after);
        let told: Vec<_> = told.iter().map(|d| (&*d.what, d.may, &*d.before, &*d.after)).collect();
        let expected = [
            ("stderr", true, "1: a", "1: b"),
            ("stdout", false, "2: rank 5", "2: rank 6"),
            ("file x", false, "not there", "there"),
        ];
        assert_eq!(told, expected);
        assert!(before.differences(&before).is_empty());
    }

    #[test]
    fn long_lines_are_shown_where_they_differ_and_bytes_by_number() {
        let long = "x".repeat(100);
        let (before, after) = first_difference(format!("{long}1").as_bytes(), format!("{long}2").as_bytes());
        assert_eq!((before, after), (format!("1: …{}1", &long[..16]), format!("1: …{}2", &long[..16])));
        let bytes = first_difference(&[0xff, 1], &[0xff]);
        assert_eq!(bytes, ("byte 1 of 2 is 0x01".to_owned(), "ends after byte 1".to_owned()));
    }
}
