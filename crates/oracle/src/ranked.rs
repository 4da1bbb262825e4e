//! Answers of oracles that say only what their first items are.
//!
//! What is said keeps its score. Everything else is below the first items, and where nobody knows: it gets one score just
//! below all that was said, so a rank beyond the length of the answer is the least it can be.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::message::{Expected, Fault};
use crate::names::Names;

/// One edit's answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Ranked {
    /// The first items with their scores.
    top: Vec<(String, Option<f32>)>,
    /// The scores of the items that were asked for.
    #[serde(default)]
    items: HashMap<String, Option<f32>>,
}

/// Reads `[{"top":…,"items":…},…]`.
pub(crate) fn parse(json: &RawValue, asked: &Expected) -> Result<Vec<Ranked>, Fault> {
    serde_json::from_str(json.get())
        .map_err(|error| Fault::reply(asked, format_args!("its `ranked` is not as it should be: {error}")))
}

impl Ranked {
    /// Spreads it over all items. `wanted` are the items asked for, `fewest` and `most` how many come first.
    pub(crate) fn spread(
        &self,
        names: &Names,
        wanted: &[u32],
        (fewest, most): (usize, usize),
        out: &mut [f32],
    ) -> Result<(), String> {
        let first = self.top.len();
        if first < fewest || first > most {
            return Err(format!("its `top` has {first} items, expected {fewest} to {most}"));
        }
        out.fill(f32::NEG_INFINITY);
        let (mut lowest, mut highest) = (f32::INFINITY, f32::NEG_INFINITY);
        let mut put = |id: &str, score: Option<f32>, out: &mut [f32]| -> Result<bool, String> {
            let row = names.items.row(id).ok_or_else(|| format!("it names an unknown item `{id}`"))?;
            let score = score
                .filter(|score| score.is_finite())
                .ok_or_else(|| format!("the score of `{id}` is not a finite number"))?;
            (lowest, highest) = (lowest.min(score), highest.max(score));
            let before = std::mem::replace(&mut out[row as usize], score);
            Ok(before == f32::NEG_INFINITY)
        };
        for (id, score) in &self.top {
            if !put(id, *score, out)? {
                return Err(format!("its `top` has `{id}` twice"));
            }
        }
        for &row in wanted {
            let id = names.items.id(row);
            if out[row as usize] == f32::NEG_INFINITY {
                let score = *self.items.get(id).ok_or_else(|| {
                    format!("it says nothing about `{id}`, which was among the `items` asked for")
                })?;
                put(id, score, out)?;
            }
        }
        let below = just_below(lowest, highest);
        out.iter_mut().filter(|score| **score == f32::NEG_INFINITY).for_each(|score| *score = below);
        Ok(())
    }
}

/// Clearly below the lowest score, as the scale of the scores goes, and no further.
fn just_below(lowest: f32, highest: f32) -> f32 {
    if !lowest.is_finite() || !highest.is_finite() {
        return 0.0;
    }
    let step = (1e-3 * (highest - lowest)).max(1e-4 * lowest.abs().max(highest.abs()));
    let below = lowest - step;
    if below.is_finite() && below < lowest { below } else { lowest.next_down().max(f32::MIN) }
}

#[cfg(test)]
mod tests {
    use grease_graph::{Catalogue, CatalogueBuilder};

    use super::*;

    fn spread(json: &str, wanted: &[u32]) -> Result<Vec<f32>, String> {
        let mut builder = CatalogueBuilder::new();
        ["tea", "milk", "oat", "jam"].iter().for_each(|id| {
            builder.intern(id);
        });
        let names = Names { users: Catalogue::default(), items: builder.finish(), order: vec![0, 1, 2, 3] };
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        let parsed = parse(raw, &Expected::Hello).map_err(|fault| fault.error.to_string())?;
        let mut out = vec![0f32; 4];
        parsed[0].spread(&names, wanted, (1, 2), &mut out).map(|()| out)
    }

    #[test]
    fn what_is_not_said_is_just_below_what_is() {
        let scores = spread(r#"[{"top":[["oat",3.0],["tea",2.0]],"items":{"jam":0.5}}]"#, &[3, 2]).unwrap();
        assert_eq!((scores[2], scores[0], scores[3]), (3.0, 2.0, 0.5));
        assert!(scores[1] < 0.5 && scores[1] > 0.49, "{}", scores[1]);
        let alike = spread(r#"[{"top":[["oat",0],["tea",0]]}]"#, &[]).unwrap();
        assert!(alike[1] < 0.0, "also where all scores are alike");
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let cases = [
            (r#"[{"top":[["beer",1]]}]"#, "unknown item `beer`"),
            (r#"[{"top":[["oat",null]]}]"#, "the score of `oat` is not a finite number"),
            (r#"[{"top":[["oat",1],["oat",1]]}]"#, "`oat` twice"),
            (r#"[{"top":[]}]"#, "its `top` has 0 items, expected 1 to 2"),
            (r#"[{"top":[["oat",1]]}]"#, "says nothing about `jam`"),
            (r#"[{"best":[]}]"#, "missing field `top`"),
        ];
        for (json, part) in cases {
            let got = spread(json, &[3]).unwrap_err();
            assert!(got.contains(part), "{json}: {got}");
        }
    }
}
