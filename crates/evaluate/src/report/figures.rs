//! How figures are written: shares with three decimals, edges with two, what the paper prints with two.

use super::sheet::Entry;
use crate::Spread;

/// A share.
pub(super) fn share(value: f64) -> String {
    decimals(value, 3)
}

/// A number of edges, or of questions.
pub(super) fn edges(value: f64) -> String {
    decimals(value, 2)
}

/// Without a minus before nothing; what is no number is not shown as one.
pub(super) fn decimals(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return super::sheet::MISSING.to_owned();
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|digit| matches!(digit, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

/// A count with its thousands apart, as five digits in a row are hard to read.
pub(super) fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digits.len() > 4 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "1 pair", "2 pairs".
pub(super) fn counted(value: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// The figure with its standard deviation, which a single repeat does not have.
pub(super) fn spread(figure: Option<Spread>, repeats: usize, written: fn(f64) -> String) -> Entry {
    figure.map_or_else(Entry::missing, |figure| Entry {
        text: written(figure.mean),
        spread: (repeats > 1 && figure.mean.is_finite()).then(|| written(figure.sd)),
        best: false,
    })
}

/// As the paper prints it, its deviation a share too.
pub(super) fn printed(value: f64, sd: f64) -> Entry {
    Entry { text: decimals(value, 2), spread: Some(decimals(sd, 2)), best: false }
}

/// A figure that may not be there.
pub(super) fn maybe(value: Option<f64>, written: fn(f64) -> String) -> Entry {
    value.map_or_else(Entry::missing, |value| Entry::words(written(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_as_people_read_them() {
        assert_eq!(
            [share(0.5477), share(-0.0), share(-0.0001), share(f64::NAN)],
            ["0.548", "0.000", "0.000", "–"]
        );
        assert_eq!([share(-0.5), edges(10.0)], ["-0.500", "10.00"]);
        assert_eq!([count(0), count(9450), count(94500)], ["0", "9450", "94,500"]);
        let figure = Some(Spread { mean: 3.0, sd: 0.25 });
        assert_eq!(spread(figure, 5, edges).plain(), "3.00±0.25");
        assert_eq!(spread(figure, 1, edges).plain(), "3.00", "one repeat has no deviation");
    }
}
