//! What ratings there are, and what a lowest one would drop.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::{Field, counted, grouped};

/// Up to so many different ratings are listed one by one: half stars from 0.5 to 5 are ten.
const LISTED: usize = 12;

/// The ratings of some data, whether or not they were asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratings {
    /// The column they stand in.
    pub column: String,
    /// Lines with a rating.
    pub rated: u64,
    /// Lines whose rating is missing or no number.
    pub unrated: u64,
    pub lowest: f64,
    pub highest: f64,
    /// What lowest ratings would drop: each that occurs, or some of them where they are many.
    pub thresholds: Vec<Threshold>,
}

/// A lowest rating, and what it would drop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Threshold {
    pub min_rating: f64,
    /// Lines with a lower rating.
    pub dropped: u64,
}

/// Ratings as they come.
#[derive(Debug, Default)]
pub(super) struct Tally {
    column: String,
    unrated: u64,
    /// By value, ascending: bits that sort as their numbers do.
    counts: BTreeMap<i64, u64>,
}

impl Tally {
    pub(super) fn count(&mut self, column: &str, rating: Option<f64>) {
        if self.column.is_empty() {
            column.clone_into(&mut self.column);
        }
        match rating {
            Some(rating) => *self.counts.entry(sortable(rating)).or_default() += 1,
            None => self.unrated += 1,
        }
    }

    /// None where there are no ratings.
    pub(super) fn finish(self) -> Option<Ratings> {
        let (&lowest, &highest) = (self.counts.keys().next()?, self.counts.keys().next_back()?);
        let rated: u64 = self.counts.values().sum();
        let mut below = 0;
        let steps = self.counts.iter().map(|(&bits, &count)| {
            let step = Threshold { min_rating: number(bits), dropped: below };
            below += count;
            step
        });
        let steps: Vec<Threshold> = steps.skip(1).collect();
        let thresholds = if self.counts.len() <= LISTED { steps } else { some_of(&steps, rated) };
        let (lowest, highest) = (number(lowest), number(highest));
        Some(Ratings { column: self.column, rated, unrated: self.unrated, lowest, highest, thresholds })
    }
}

/// Those nearest to dropping a tenth, a quarter, half, three quarters and nine tenths of the lines.
fn some_of(steps: &[Threshold], rated: u64) -> Vec<Threshold> {
    let mut found: Vec<Threshold> = Vec::new();
    for percent in [10, 25, 50, 75, 90] {
        let wanted = (rated as u128 * percent / 100) as u64;
        let nearest = steps.iter().min_by_key(|step| step.dropped.abs_diff(wanted));
        found.extend(nearest.filter(|&step| found.last() != Some(step)));
    }
    found
}

/// As the standard library's `total_cmp` compares; zero has one sign.
fn sortable(value: f64) -> i64 {
    let bits = (value + 0.0).to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

fn number(sortable: i64) -> f64 {
    f64::from_bits((sortable ^ (((sortable >> 63) as u64) >> 1) as i64) as u64)
}

impl fmt::Display for Ratings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, rated, unrated, lowest, highest, thresholds } = self;
        let min_rating = Field::MinRating;
        writeln!(f, "Ratings in column '{column}': {lowest} to {highest}, on {}", counted(*rated, "line"))?;
        if thresholds.is_empty() {
            writeln!(f, "\nAll are the same: {min_rating} would drop all or nothing")?;
        } else {
            writeln!(f, "\nWhat {min_rating} would drop, in lines\n")?;
        }
        let rows: Vec<(String, String)> =
            thresholds.iter().map(|step| (step.min_rating.to_string(), grouped(step.dropped))).collect();
        let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
        let left = widest(&mut rows.iter().map(|(min, _)| min.len()));
        let right = widest(&mut rows.iter().map(|(_, dropped)| dropped.len()));
        for ((min, dropped), step) in rows.iter().zip(thresholds) {
            let share = 100.0 * step.dropped as f64 / *rated as f64;
            writeln!(f, "  {min:>left$}  {dropped:>right$}  {share:>5.1} %")?;
        }
        if *unrated > 0 {
            writeln!(f, "\nno number there: {}, which {min_rating} refuses", counted(*unrated, "line"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = f64>) -> Ratings {
        let mut tally = Tally::default();
        values.into_iter().for_each(|value| tally.count("stars", Some(value)));
        tally.finish().unwrap()
    }

    #[test]
    fn every_rating_that_occurs_says_what_it_would_drop() {
        let ratings = of([5.0, 1.0, 4.0, 4.0, -1.5, 0.0, -0.0]);
        let dropped: Vec<_> = ratings.thresholds.iter().map(|step| (step.min_rating, step.dropped)).collect();
        assert_eq!(dropped, [(0.0, 1), (1.0, 3), (4.0, 4), (5.0, 6)]);
        assert_eq!((ratings.lowest, ratings.highest, ratings.rated), (-1.5, 5.0, 7));
    }

    #[test]
    fn of_many_some_are_said() {
        let ratings = of((1..=1000).map(f64::from));
        let dropped: Vec<_> = ratings.thresholds.iter().map(|step| (step.min_rating, step.dropped)).collect();
        assert_eq!(dropped, [(101.0, 100), (251.0, 250), (501.0, 500), (751.0, 750), (901.0, 900)]);
        // Nearly all the same: each is said once.
        let plays = of((0..900).map(|_| 1.0).chain((2..100).map(f64::from)));
        assert_eq!(plays.thresholds.len(), 1, "{plays:?}");
    }

    #[test]
    fn what_is_no_number_is_counted_and_no_ratings_are_none() {
        let mut tally = Tally::default();
        tally.count("stars", None);
        assert_eq!(tally.finish(), None);
        let mut tally = Tally::default();
        tally.count("stars", Some(3.0));
        tally.count("stars", None);
        let said = tally.finish().unwrap().to_string();
        assert!(said.starts_with("Ratings in column 'stars': 3 to 3, on 1 line\n"), "{said}");
        assert!(said.contains("All are the same") && said.contains("no number there: 1 line,"), "{said}");
    }
}
