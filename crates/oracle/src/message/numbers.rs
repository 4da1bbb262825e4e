//! Rows of numbers, as JSON or as base64 of little-endian f32, straight to where they belong.

use std::fmt;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Text;

/// With or without the signs at the end.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Reads `[[…],…]` into `out`, which is `[rows, order.len()]`: the number at place `p` of a row goes to `order[p]` of it.
/// `name` says what stands at a place.
pub(crate) fn read_rows(
    json: &RawValue,
    order: &[u32],
    out: &mut [f32],
    name: impl Fn(usize) -> String,
) -> Result<(), String> {
    let mut wrong = None;
    let mut reader = serde_json::Deserializer::from_str(json.get());
    let rows = if order.is_empty() { 0 } else { out.len() / order.len() };
    let seed = Rows { order, out, rows, name: &name, wrong: &mut wrong };
    match seed.deserialize(&mut reader) {
        Ok(()) => Ok(()),
        Err(error) => Err(wrong.unwrap_or_else(|| format!("its scores are not arrays of numbers ({error})"))),
    }
}

struct Rows<'a> {
    order: &'a [u32],
    out: &'a mut [f32],
    rows: usize,
    name: &'a dyn Fn(usize) -> String,
    wrong: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of arrays of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        let mut read = 0;
        if !self.order.is_empty() {
            for (number, out) in self.out.chunks_exact_mut(self.order.len()).enumerate() {
                let row = Row { number, order: self.order, out, name: self.name, wrong: self.wrong };
                if rows.next_element_seed(row)?.is_none() {
                    break;
                }
                read += 1;
            }
        }
        let mut more = 0;
        while rows.next_element::<serde::de::IgnoredAny>()?.is_some() {
            more += 1;
        }
        // Where there are no items, a row is empty and its number is all there is to count.
        if !self.order.is_empty() && read + more != self.rows {
            return Err(said(
                self.wrong,
                format!("it has {} rows of scores for {} edits", read + more, self.rows),
            ));
        }
        Ok(())
    }
}

struct Row<'a> {
    number: usize,
    order: &'a [u32],
    out: &'a mut [f32],
    name: &'a dyn Fn(usize) -> String,
    wrong: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(number) = numbers.next_element::<Option<f32>>()? {
            let Some(&row) = self.order.get(place) else {
                place += 1;
                continue;
            };
            match number {
                Some(number) if number.is_finite() => self.out[row as usize] = number,
                Some(number) => {
                    return Err(said(self.wrong, not_finite(&number.to_string(), place, self.name)));
                }
                None => return Err(said(self.wrong, not_finite("null", place, self.name))),
            }
            place += 1;
        }
        if place != self.order.len() {
            return Err(said(self.wrong, wrong_length(self.number, place, self.order.len())));
        }
        Ok(())
    }
}

fn said<E: serde::de::Error>(wrong: &mut Option<String>, what: String) -> E {
    *wrong = Some(what);
    E::custom("")
}

fn not_finite(number: &str, place: usize, name: &dyn Fn(usize) -> String) -> String {
    format!("the score of {} is {number}; every score must be a finite number", name(place))
}

fn wrong_length(row: usize, got: usize, expected: usize) -> String {
    format!("row {row} has {got} scores, but its answer to hello listed {expected} items")
}

/// Reads `["base64",…]` into `out`, as [`read_rows`] does.
pub(crate) fn decode_rows(
    json: &RawValue,
    order: &[u32],
    out: &mut [f32],
    name: impl Fn(usize) -> String,
) -> Result<(), String> {
    let texts: Vec<Text<'_>> = serde_json::from_str(json.get())
        .map_err(|error| format!("its scores_f32 are not an array of texts ({error})"))?;
    let rows = if order.is_empty() { texts.len() } else { out.len() / order.len() };
    if texts.len() != rows {
        return Err(format!("it has {} rows of scores for {rows} edits", texts.len()));
    }
    if order.is_empty() {
        return Ok(());
    }
    let mut bytes = Vec::new();
    for (number, (text, out)) in texts.iter().zip(out.chunks_exact_mut(order.len())).enumerate() {
        decode(&text.0, &mut bytes)?;
        if bytes.len() != 4 * order.len() {
            return Err(wrong_length(number, bytes.len() / 4, order.len()));
        }
        for (place, (four, &row)) in bytes.chunks_exact(4).zip(order).enumerate() {
            let score = f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            if !score.is_finite() {
                return Err(not_finite(&score.to_string(), place, &name));
            }
            out[row as usize] = score;
        }
    }
    Ok(())
}

/// So many rows of numbers in one text.
pub(crate) fn decode_floats(text: &str, expected: usize) -> Result<Vec<f32>, String> {
    let mut bytes = Vec::new();
    decode(text, &mut bytes)?;
    if bytes.len() != 4 * expected {
        return Err(format!("{} numbers instead of {expected}", bytes.len() / 4));
    }
    let floats: Vec<f32> =
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    match floats.iter().find(|number| !number.is_finite()) {
        Some(number) => Err(format!("{number} is not a finite number")),
        None => Ok(floats),
    }
}

fn decode(text: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
    bytes.clear();
    BASE64.decode_vec(text, bytes).map_err(|error| format!("its text is not base64 ({error})"))?;
    if !bytes.len().is_multiple_of(4) {
        return Err(format!("its base64 has {} bytes, which are no whole f32 numbers", bytes.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Vec<f32>, String> {
        let mut out = vec![0f32; 4];
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        read_rows(raw, &[1, 0], &mut out, |place| format!("`i{place}`")).map(|()| out)
    }

    fn decoded(json: &str) -> Result<Vec<f32>, String> {
        let mut out = vec![0f32; 4];
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        decode_rows(raw, &[1, 0], &mut out, |place| format!("`i{place}`")).map(|()| out)
    }

    #[test]
    fn numbers_go_where_their_items_are() {
        assert_eq!(read("[[1, 2.5], [-3e1, 0.1]]").unwrap(), [2.5, 1.0, 0.1, -30.0]);
        // 1.0 and -2.0 as little-endian f32.
        assert_eq!(decoded(r#"["AACAPwAAAMA=","AACAPwAAAMA"]"#).unwrap(), [-2.0, 1.0, -2.0, 1.0]);
        assert_eq!(decoded(r#"["AACAPwAAAMA\u003d","AACAPwAAAMA="]"#).unwrap(), [-2.0, 1.0, -2.0, 1.0]);
        assert_eq!(decode_floats("AACAPwAAAMA=", 2).unwrap(), [1.0, -2.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let cases = [
            (read("[[1, 2], [3]]"), "row 1 has 1 scores, but its answer to hello listed 2 items"),
            (read("[[1, 2], [3, 4, 5]]"), "row 1 has 3 scores"),
            (read("[[1, 2]]"), "1 rows of scores for 2 edits"),
            (read("[[1, 2], [3, 4], [5, 6]]"), "3 rows of scores for 2 edits"),
            (read("[[1, null], [3, 4]]"), "the score of `i1` is null"),
            (read("[[1, 1e39], [3, 4]]"), "number out of range"),
            (read("[[1, \"2\"], [3, 4]]"), "not arrays of numbers"),
            (read("{}"), "not arrays of numbers"),
            (decoded(r#"["AACAPwAAAMA="]"#), "1 rows of scores for 2 edits"),
            (decoded(r#"["AACAPwAAAMA=","AACAPw=="]"#), "row 1 has 1 scores"),
            (decoded(r#"["AACAPwAAwH8=","AACAPwAAAMA="]"#), "the score of `i1` is NaN"),
            (decoded(r#"["%%","AACAPw=="]"#), "not base64"),
            (decoded(r#"["AACA","AACAPw=="]"#), "no whole f32 numbers"),
            (decoded("[1]"), "not an array of texts"),
        ];
        for (got, part) in cases {
            let got = got.unwrap_err();
            assert!(got.contains(part), "{got} should say {part}");
        }
        assert!(decode_floats("AACAPw==", 2).unwrap_err().contains("1 numbers instead of 2"));
    }
}
