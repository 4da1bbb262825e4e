//! A part of the people, for a machine of its own.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Person;

/// One of several parts of about the same size, each a stretch of the people in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    number: usize,
    parts: usize,
}

impl Shard {
    /// Which part, from 1, and of how many; `None` where there is no such part.
    pub fn new(number: usize, parts: usize) -> Option<Self> {
        (1..=parts).contains(&number).then_some(Self { number, parts })
    }

    /// Which part, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// Of how many.
    pub fn parts(self) -> usize {
        self.parts
    }

    /// Those of `people` that belong to it; everybody where there are no parts.
    pub(super) fn part_of(shard: Option<Self>, people: &[Person]) -> &[Person] {
        &people[shard.map_or(0..people.len(), |shard| shard.of(people.len()))]
    }

    /// Which of so many people belong to it.
    pub fn of(self, people: usize) -> Range<usize> {
        // In 128 bits, so that no number of parts is too large.
        let begin = |number: usize| (people as u128 * number as u128 / self.parts as u128) as usize;
        begin(self.number - 1)..begin(self.number)
    }
}

/// As `2/8`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.parts)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').map(|(number, parts)| (number.trim().parse(), parts.trim().parse()));
        let Some((Ok(number), Ok(parts))) = numbers else {
            return Err("expected the part and the number of parts, such as 2/8".to_owned());
        };
        Self::new(number, parts).ok_or_else(|| match parts {
            0 => "expected at least one part".to_owned(),
            _ => format!("the parts are 1/{parts} to {parts}/{parts}"),
        })
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_belongs_to_exactly_one_part() {
        for (people, parts) in [(0, 1), (0, 3), (1, 3), (10, 3), (7, 7), (1000, 64)] {
            let ranges = (1..=parts).map(|number| Shard::new(number, parts).unwrap().of(people));
            let all: Vec<usize> = ranges.clone().flatten().collect();
            assert_eq!(all, (0..people).collect::<Vec<_>>());
            let (least, most) = (ranges.clone().map(|r| r.len()).min(), ranges.map(|r| r.len()).max());
            assert!(most.unwrap() - least.unwrap() <= 1);
        }
        assert_eq!(Shard::new(usize::MAX, usize::MAX).unwrap().of(3), 2..3);
    }

    #[test]
    fn it_is_written_as_it_is_read() {
        let shard: Shard = "2/8".parse().unwrap();
        assert_eq!((shard, shard.to_string().as_str()), (Shard::new(2, 8).unwrap(), "2/8"));
        assert_eq!(serde_json::to_string(&shard).unwrap(), "\"2/8\"");
        for (bad, why) in [
            ("2", "such as 2/8"),
            ("a/b", "such as"),
            ("0/8", "1/8 to 8/8"),
            ("9/8", "1/8"),
            ("1/0", "one part"),
        ] {
            assert!(bad.parse::<Shard>().unwrap_err().contains(why), "{bad}");
        }
    }
}
