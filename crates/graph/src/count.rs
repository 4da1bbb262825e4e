//! Numbers of things, as people read them.

use std::fmt;

/// "1 user", "1,801 users", "2 people".
pub fn counted(number: impl Copy + fmt::Display, noun: &str) -> String {
    let number = grouped(number);
    let plural = match noun {
        _ if number == "1" => noun.to_owned(),
        "person" => "people".to_owned(),
        noun => format!("{noun}s"),
    };
    format!("{number} {plural}")
}

/// 1234567 as 1,234,567.
pub fn grouped(number: impl Copy + fmt::Display) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one_and_thousands_have_commas() {
        let said = [(0, "user"), (1, "user"), (1, "person"), (2, "person"), (1_234_567, "interaction")];
        let said = said.map(|(number, noun)| counted(number, noun));
        assert_eq!(said, ["0 users", "1 user", "1 person", "2 people", "1,234,567 interactions"]);
    }
}
