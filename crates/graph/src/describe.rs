//! What is in the data, in numbers a person can check at a glance.

use std::fmt;

use serde::Serialize;

use crate::read::Ratings;
use crate::{Interactions, Words, grouped};

/// A summary of some interactions. `Display` prints it as a report of at most 80 columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    pub users: usize,
    /// Number of items.
    pub items: usize,
    /// How many items have a title.
    pub titled_items: usize,
    /// All interactions, those of a given test part included.
    pub interactions: usize,
    /// Sizes of the parts, where the data came already split.
    pub given_split: Option<GivenSplit>,
    /// The share of all possible user-item pairs that are in the data.
    pub density: f64,
    /// How many interactions the users have.
    pub user_degrees: Degrees,
    /// How many interactions the items have.
    pub item_degrees: Degrees,
    /// What ratings there are, and what a lowest one would drop.
    pub ratings: Option<Ratings>,
    #[serde(skip)]
    words: Words,
}

/// Sizes of the parts that data came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GivenSplit {
    /// Interactions to learn from.
    pub train: usize,
    pub test: usize,
}

/// How many interactions each of many has. A quantile `q` is the smallest number that at least
/// the share `q` of them do not exceed, so it is always a number that occurs. All 0 for no rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Degrees {
    pub min: usize,
    /// A tenth has at most this many.
    pub p10: usize,
    /// A quarter has at most this many.
    pub p25: usize,
    /// Half has at most this many.
    pub median: usize,
    /// Three quarters have at most this many.
    pub p75: usize,
    /// Nine tenths have at most this many.
    pub p90: usize,
    /// All but one in a hundred have at most this many.
    pub p99: usize,
    pub max: usize,
    pub mean: f64,
    /// Buckets 1, 2-3, 4-7, 8-15, … from the first that is not empty to the last.
    pub histogram: Vec<Bucket>,
}

/// How many rows have between `from` and `to` interactions, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// The fewest interactions in this bucket.
    pub from: usize,
    pub to: usize,
    pub count: usize,
}

/// Counts what is in the data; `ratings` are those of the [report](crate::read::ReadReport) of its reading.
pub fn describe(interactions: &Interactions, ratings: Option<Ratings>) -> Description {
    let Interactions { users, items, edges, given_test, words } = interactions;
    let (mut user_degrees, mut item_degrees) = (vec![0; users.len()], vec![0; items.len()]);
    for edge in edges.iter().chain(given_test.iter().flatten()) {
        user_degrees[edge.user.row()] += 1;
        item_degrees[edge.item.row()] += 1;
    }
    let given_split = given_test.as_ref().map(|test| GivenSplit { train: edges.len(), test: test.len() });
    let interactions = edges.len() + given_split.map_or(0, |split| split.test);
    Description {
        users: users.len(),
        items: items.len(),
        titled_items: items.titled(),
        interactions,
        given_split,
        density: ratio(interactions as f64, users.len() as f64 * items.len() as f64),
        user_degrees: Degrees::of(user_degrees),
        item_degrees: Degrees::of(item_degrees),
        ratings,
        words: words.clone(),
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

impl Degrees {
    fn of(mut degrees: Vec<usize>) -> Self {
        degrees.sort_unstable();
        let quantile = |percent: usize| {
            let at = (degrees.len() * percent).div_ceil(100).max(1) - 1;
            degrees.get(at).copied().unwrap_or(0)
        };
        Self {
            min: quantile(0),
            p10: quantile(10),
            p25: quantile(25),
            median: quantile(50),
            p75: quantile(75),
            p90: quantile(90),
            p99: quantile(99),
            max: quantile(100),
            mean: ratio(degrees.iter().sum::<usize>() as f64, degrees.len() as f64),
            histogram: histogram(&degrees),
        }
    }

    /// Quantiles with their column heads.
    fn quantiles(&self) -> [(&'static str, String); 9] {
        [
            ("min", grouped(self.min)),
            ("10 %", grouped(self.p10)),
            ("25 %", grouped(self.p25)),
            ("median", grouped(self.median)),
            ("75 %", grouped(self.p75)),
            ("90 %", grouped(self.p90)),
            ("99 %", grouped(self.p99)),
            ("max", grouped(self.max)),
            ("mean", format!("{:.1}", self.mean)),
        ]
    }
}

fn histogram(sorted: &[usize]) -> Vec<Bucket> {
    let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let mut buckets = Vec::new();
    let mut from = if min == 0 { 0 } else { 1 << min.ilog2() };
    while from <= max {
        let to = (2 * from).saturating_sub(1);
        let count = sorted.partition_point(|&n| n <= to) - sorted.partition_point(|&n| n < from);
        buckets.push(Bucket { from, to, count });
        from = to + 1;
    }
    buckets
}

/// Of a terminal nobody has made larger.
const WIDTH: usize = 80;
/// Leaves room for labels and counts of ten digits.
const LONGEST_BAR: usize = 32;

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Words { person, did, item, .. } = &self.words;
        let titled = match self.titled_items {
            0 => "without titles".to_owned(),
            n if n == self.items => "all with a title".to_owned(),
            n => format!("{} with a title", grouped(n)),
        };
        let mut facts = vec![
            ("users", grouped(self.users), format!("each is one {person}")),
            ("items", grouped(self.items), format!("each is one {item}; {titled}")),
            ("interactions", grouped(self.interactions), format!("one {person} {did} one {item}")),
        ];
        if let Some(split) = self.given_split {
            facts.push(("  training", grouped(split.train), "to learn from, as the data came".to_owned()));
            facts.push(("  test", grouped(split.test), "held out, as the data came".to_owned()));
        }
        facts.push(("density", percent(self.density), format!("of all pairs of {person} and {item}")));
        let width = facts.iter().map(|(_, number, _)| number.chars().count()).max().unwrap_or(0);
        for (name, number, meaning) in facts {
            writeln!(f, "{name:<14}{number:>width$}   {meaning}")?;
        }

        write_degrees(f, person, "users", &self.user_degrees)?;
        write_degrees(f, item, "items", &self.item_degrees)?;
        self.ratings.iter().try_for_each(|ratings| write!(f, "\n{ratings}"))
    }
}

fn write_degrees(f: &mut fmt::Formatter<'_>, one: &str, many: &str, degrees: &Degrees) -> fmt::Result {
    writeln!(f, "\nInteractions per {one}: half of the {many} have at most {}\n", grouped(degrees.median))?;
    write_quantiles(f, &degrees.quantiles())?;

    let head = ("interactions".to_owned(), many.to_owned(), String::new());
    let highest = degrees.histogram.iter().map(|bucket| bucket.count).max().unwrap_or(0);
    let rows = degrees
        .histogram
        .iter()
        .map(|bucket| (bucket.label(), grouped(bucket.count), bar(bucket.count, highest, LONGEST_BAR)));
    let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
    let label_width = rows.iter().map(|(label, ..)| label.chars().count()).max().unwrap_or(0);
    let count_width = rows.iter().map(|(_, count, _)| count.len()).max().unwrap_or(0);
    for (label, count, bar) in rows {
        let line = format!("  {label:>label_width$}  {count:>count_width$}  {bar}");
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

/// One line of heads and one of numbers, or two of each where the numbers are too long for that.
fn write_quantiles(f: &mut fmt::Formatter<'_>, columns: &[(&str, String)]) -> fmt::Result {
    let width = |(head, value): &(&str, String)| head.len().max(value.len());
    let fits = columns.iter().map(|column| 2 + width(column)).sum::<usize>() <= WIDTH;
    for columns in columns.chunks(if fits { columns.len() } else { columns.len().div_ceil(2) }) {
        for column in columns {
            write!(f, "  {:>width$}", column.0, width = width(column))?;
        }
        writeln!(f)?;
        for column in columns {
            write!(f, "  {:>width$}", column.1, width = width(column))?;
        }
        writeln!(f, "\n")?;
    }
    Ok(())
}

impl Bucket {
    fn label(&self) -> String {
        if self.from == self.to {
            return grouped(self.from);
        }
        format!("{}–{}", grouped(self.from), grouped(self.to))
    }
}

/// In eighths of a column; what is there at all shows at least one.
fn bar(count: usize, highest: usize, room: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 {
        return String::new();
    }
    let length = (count as u128 * room as u128 * 8 / highest as u128).max(1) as usize;
    "█".repeat(length / 8) + EIGHTHS[length % 8]
}

/// Two digits that mean something, however small: "6.3 %", "0.084 %".
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let mut decimals = 0;
    let mut scaled = percent;
    while scaled < 10.0 && decimals < 9 {
        scaled *= 10.0;
        decimals += 1;
    }
    let decimals = if percent == 0.0 { 0 } else { decimals };
    format!("{percent:.decimals$} %")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CatalogueBuilder, Edge, SampleOptions, sample};

    const OF_THE_SAMPLE: &str = "\
users            600   each is one listener
items            300   each is one artist; all with a title
interactions  12,639   one listener listened to one artist
density        7.0 %   of all pairs of listener and artist

Interactions per listener: half of the users have at most 18

  min  10 %  25 %  median  75 %  90 %  99 %  max  mean
    8     8    11      18    28    39    51   59  21.1

  interactions  users
          8–15    240  ███████████████████████████████▏
         16–31    246  ████████████████████████████████
         32–63    114  ██████████████▊

Interactions per artist: half of the items have at most 32

  min  10 %  25 %  median  75 %  90 %  99 %  max  mean
   10    19    23      32    50    77   145  206  42.1

  interactions  items
          8–15     11  ██▌
         16–31    135  ████████████████████████████████
         32–63    103  ████████████████████████▍
        64–127     44  ██████████▍
       128–255      7  █▋
";

    #[test]
    fn the_sample_reads_like_this() {
        let text = describe(&sample(&SampleOptions::default()).interactions, None).to_string();
        assert_eq!(text, OF_THE_SAMPLE, "\n{text}");
    }

    fn data(users: u32, items: u32, edges: Vec<Edge>, given_test: Option<Vec<Edge>>) -> Interactions {
        let rows = |prefix: &str, n: u32| {
            let mut builder = CatalogueBuilder::new();
            for row in 0..n {
                builder.intern(&format!("{prefix}{row}")).unwrap();
            }
            builder.finish()
        };
        let (users, items) = (rows("u", users), rows("i", items));
        Interactions { users, items, edges, given_test, words: Words::default() }
    }

    #[test]
    fn a_given_split_is_counted_in_parts_and_whole() {
        let edges = (0..3).map(|item| Edge::new(0, item)).chain([Edge::new(1, 0)]).collect();
        let description = describe(&data(2, 4, edges, Some(vec![Edge::new(1, 3)])), None);
        assert_eq!(description.interactions, 5);
        assert_eq!(description.given_split, Some(GivenSplit { train: 4, test: 1 }));
        assert_eq!(description.density, 0.625);
        assert_eq!((description.user_degrees.min, description.user_degrees.max), (2, 3));
        assert!(description.to_string().contains("  test"));
    }

    #[test]
    fn quantiles_and_buckets_of_one_to_a_hundred() {
        let degrees = Degrees::of((1..=100).rev().collect());
        let Degrees { min, p10, p25, median, p75, p90, p99, max, mean, histogram } = degrees;
        assert_eq!([min, p10, p25, median, p75, p90, p99, max], [1, 10, 25, 50, 75, 90, 99, 100]);
        assert_eq!(mean, 50.5);
        let buckets: Vec<_> = histogram.iter().map(|b| (b.from, b.to, b.count)).collect();
        let expected =
            [(1, 1, 1), (2, 3, 2), (4, 7, 4), (8, 15, 8), (16, 31, 16), (32, 63, 32), (64, 127, 37)];
        assert_eq!(buckets, expected);
    }

    #[test]
    fn rows_without_interactions_have_a_bucket_of_their_own() {
        let buckets: Vec<_> = histogram(&[0, 0, 3]).iter().map(|b| (b.from, b.to, b.count)).collect();
        assert_eq!(buckets, [(0, 0, 2), (1, 1, 0), (2, 3, 1)]);
    }

    #[test]
    fn nothing_at_all_is_described_too() {
        let description = describe(&data(0, 0, Vec::new(), None), None);
        assert_eq!((description.density, description.user_degrees.mean), (0.0, 0.0));
        assert!(description.to_string().contains("0 %"));
    }

    #[test]
    fn large_data_fits_eighty_columns() {
        let mut description = describe(&sample(&SampleOptions::default()).interactions, None);
        let large = vec![1, 999_999, 1_000_000, 987_654_321, 987_654_321];
        description.users = 1_234_567_890;
        description.user_degrees = Degrees::of(large.clone());
        description.item_degrees = Degrees::of(large);
        let text = description.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "\n{text}");
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.0, 0.0625, 0.000_84, 1.0].map(percent), ["0 %", "6.2 %", "0.084 %", "100 %"]);
        assert_eq!([(0, 8), (1, 1_000), (1, 2), (8, 8)].map(|(n, of)| bar(n, of, 2)), ["", "▏", "█", "██"]);
    }
}
