//! Taking out what no two runs have in common: times, and the port that was free.

use std::path::Path;

/// Of what was said.
pub(super) fn said(bytes: Vec<u8>) -> Vec<u8> {
    lines(bytes, |line| {
        let is_pace = line.contains(" a second, ") && line.trim_end().ends_with(" left");
        if is_pace {
            return String::new();
        }
        let line = without_port(line);
        // `oracle check` and what is said about asking. Times have decimals, counts have none.
        let is_time = |name: &str| line.trim_start().starts_with(name);
        if line.contains(" ms") || ["\"mean\":", "\"median\":", "\"p99\":"].into_iter().any(is_time) {
            return without(&line, |number| number.contains('.'));
        }
        line
    })
}

/// Of what was written.
pub(super) fn file(path: &Path, bytes: Vec<u8>) -> Vec<u8> {
    match path.file_name().and_then(|name| name.to_str()) {
        // Nothing but times.
        Some("times.json") => lines(bytes, |line| without(line, |_| true)),
        // `"ms":` is how long a unit and its calls took, and the sum at the end is of that too.
        Some("units.jsonl") => lines(bytes, |line| {
            let line = match line.rsplit_once(",\"sum\":\"") {
                Some((line, _)) => format!("{line}}}\n"),
                None => line.to_owned(),
            };
            let mut parts = line.split("\"ms\":");
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |all, part| {
                all + "\"ms\":#" + part.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.e".contains(c))
            })
        }),
        _ => bytes,
    }
}

fn lines(bytes: Vec<u8>, settle: impl Fn(&str) -> String) -> Vec<u8> {
    match std::str::from_utf8(&bytes) {
        Ok(text) => text.split_inclusive('\n').map(settle).collect::<String>().into_bytes(),
        Err(_) => bytes,
    }
}

/// With `#` for the numbers that are to go.
fn without(line: &str, goes: impl Fn(&str) -> bool) -> String {
    let mut settled = String::new();
    let mut rest = line;
    while let Some(begin) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(begin);
        let end = from.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(from.len());
        let (number, after) = from.split_at(end);
        settled += before;
        settled += if goes(number) { "#" } else { number };
        rest = after;
    }
    settled + rest
}

fn without_port(line: &str) -> String {
    let mut parts = line.split("127.0.0.1:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + "127.0.0.1:#" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(text: &str) -> String {
        String::from_utf8(said(text.into())).unwrap()
    }

    #[test]
    fn times_go_and_counts_stay() {
        assert_eq!(
            settled("oracle: 21 questions, 4 requests of 1.23 ms (median 1.00, p99 4.5)\n"),
            "oracle: 21 questions, 4 requests of # ms (median #, p99 #)\n"
        );
        assert_eq!(settled("3 of 80 people, 0.1 a second, 2 minutes left\nrank 3.5\n"), "rank 3.5\n");
        assert_eq!(settled("at http://127.0.0.1:4711/\n"), "at http://127.0.0.1:#/\n");
    }

    #[test]
    fn files_keep_all_but_times() {
        for sum in ["", ",\"sum\":\"0123456789abcdef\""] {
            let units = format!("{{\"k\":3,\"ms\":1.5e-3,\"calls\":[{{\"ms\":2}}]{sum}}}\n");
            let units = file(Path::new("e/units.jsonl"), units.into());
            assert_eq!(units, b"{\"k\":3,\"ms\":#,\"calls\":[{\"ms\":#}]}\n");
        }
        assert_eq!(file(Path::new("e/times.json"), b"\"mean\": 12.5,".into()), b"\"mean\": #,");
        assert_eq!(file(Path::new("e/results.json"), b"\"mean\": 12.5,".into()), b"\"mean\": 12.5,");
    }
}
