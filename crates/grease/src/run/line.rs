//! A line of a journal: a unit as an object of JSON, whose last field says what the rest of it hashes to.

use grease_models::folder::hash_of_bytes;
use serde::Serialize;

/// How the last field begins; sixteen hexadecimal digits and [`END`] follow.
const FIELD: &[u8] = b"\"sum\":\"";
const END: &[u8] = b"\"}";
const DIGITS: usize = 16;

/// The line of a unit, or why it has none.
pub(super) fn write(unit: &impl Serialize) -> Result<Vec<u8>, String> {
    let mut line = serde_json::to_vec(unit).map_err(|error| error.to_string())?;
    if !line.starts_with(b"{") || line.pop() != Some(b'}') {
        return Err("it is no object in JSON".to_owned());
    }
    let sum = sum_of(&line);
    if line.len() > 1 {
        line.push(b',');
    }
    line.extend([FIELD, sum.as_bytes(), END, b"\n"].concat());
    Ok(line)
}

/// Checks the hash of a line and takes it out. A line of an earlier version has none, and stays as it is.
pub(super) fn open(line: &mut Vec<u8>) -> Result<(), String> {
    if line.ends_with(b"\n") {
        line.pop();
    }
    let Some(begin) = line.len().checked_sub(FIELD.len() + DIGITS + END.len()) else { return Ok(()) };
    let field = &line[begin..];
    if !field.starts_with(FIELD) || !field.ends_with(END) {
        return Ok(());
    }
    let says = &field[FIELD.len()..][..DIGITS];
    let rest = line[..begin].strip_suffix(b",").unwrap_or(&line[..begin]);
    let sum = sum_of(rest);
    if sum.as_bytes() != says {
        let says = String::from_utf8_lossy(says);
        return Err(format!("it was changed after it was written: its hash is {sum}, and it says {says}"));
    }
    line.truncate(rest.len());
    line.push(b'}');
    Ok(())
}

fn sum_of(rest: &[u8]) -> String {
    let mut sum = hash_of_bytes(rest);
    sum.truncate(DIGITS);
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn any_changed_byte_is_noticed_or_changes_nothing() {
        for unit in [json!({}), json!({ "user": "ada", "records": [{ "rank": 3 }] })] {
            let line = write(&unit).unwrap();
            for (at, bit) in (0..line.len() - 1).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
                let mut changed = line.clone();
                changed[at] ^= 1 << bit;
                let opened = open(&mut changed).is_ok();
                let read = serde_json::from_slice::<serde_json::Value>(&changed).ok().filter(|_| opened);
                // Where the last field is no longer known as one, the unit itself is whole.
                let same = read.is_none_or(|mut read| {
                    let object = read.as_object_mut().unwrap();
                    object.retain(|name, _| unit.get(name).is_some());
                    read == unit
                });
                assert!(same, "{}", String::from_utf8_lossy(&changed));
            }
        }
    }

    #[test]
    fn lines_of_earlier_versions_are_read_and_what_is_no_object_is_not_written() {
        for old in ["{\"user\":\"ada\"}", "{}", "7"] {
            let mut line = format!("{old}\n").into_bytes();
            open(&mut line).unwrap();
            assert_eq!(line, old.as_bytes());
        }
        assert!(write(&7).is_err());
    }
}
