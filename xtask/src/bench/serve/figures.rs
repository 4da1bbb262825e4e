//! What was measured, and whether it is what was asked for.

use serde_json::{Value, json};

use crate::bench::{figure, table};

/// One line of the table.
pub(super) struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
    bar: Option<(Bar, f64)>,
}

/// Which way a bar is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bar {
    Under,
    AtLeast,
}

impl Figure {
    /// A figure nothing was asked of.
    pub(super) fn plain(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { what: what.into(), value, unit, bar: None }
    }

    /// A figure with a bar.
    pub(super) fn held(
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
        bar: Bar,
        limit: f64,
    ) -> Self {
        Self { what: what.into(), value, unit, bar: Some((bar, limit)) }
    }

    /// What could not be measured meets nothing.
    fn is_met(&self) -> Option<bool> {
        self.bar.map(|(bar, limit)| match bar {
            Bar::Under => self.value < limit,
            Bar::AtLeast => self.value >= limit,
        })
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "what": self.what, "value": self.value, "unit": self.unit,
            "bar": self.bar.map(|(_, limit)| limit), "met": self.is_met(),
        })
    }

    fn cells(&self) -> Vec<String> {
        let number = |value: f64| match value {
            value if value == value.trunc() => format!("{value}"),
            value => figure(value),
        };
        let bar = |(bar, limit)| match bar {
            Bar::Under => format!("under {}", number(limit)),
            Bar::AtLeast => format!("at least {}", number(limit)),
        };
        let verdict = match self.is_met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        vec![
            self.what.clone(),
            number(self.value),
            self.unit.to_owned(),
            self.bar.map(bar).unwrap_or_default(),
            verdict.to_owned(),
        ]
    }
}

/// All of them, and in a sentence how many bars are met.
pub(super) fn text(figures: &[Figure]) -> String {
    let cells: Vec<Vec<String>> = figures.iter().map(Figure::cells).collect();
    let held: Vec<bool> = figures.iter().filter_map(Figure::is_met).collect();
    let met = held.iter().filter(|met| **met).count();
    format!("{}\n{met} of {} bars met\n", table(&["figure", "value", "unit", "bar", ""], &cells), held.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_met_or_missed_and_what_was_not_measured_misses_it() {
        let said = text(&[
            Figure::held("fast", 3.0, "ms", Bar::Under, 5.0),
            Figure::held("slow", 5.0, "ms", Bar::Under, 5.0),
            Figure::held("often", 5.0, "a second", Bar::AtLeast, 5.0),
            Figure::held("unknown", f64::NAN, "ms", Bar::Under, 5.0),
            Figure::plain("noted", 1.0, "ms"),
        ]);
        let verdicts: Vec<&str> =
            said.lines().skip(2).take(5).map(|line| line.rsplit('|').nth(1).unwrap().trim()).collect();
        assert_eq!(verdicts, ["met", "MISSED", "met", "MISSED", ""]);
        assert!(said.ends_with("2 of 4 bars met\n"));
    }
}
