//! Numbers as arguments.

use std::num::NonZeroUsize;

use grease::oracle::MOST_WORKERS;

/// A whole number of at least 1.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("expected at least 1".into()),
        Ok(n) => Ok(n),
        Err(_) => Err("expected a whole number of at least 1".into()),
    }
}

/// How many threads, or how many may ask at a time.
pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.trim().parse().ok().and_then(NonZeroUsize::new);
    number
        .filter(|number| number.get() <= MOST_WORKERS)
        .ok_or_else(|| format!("expected a whole number from 1 to {MOST_WORKERS}"))
}

/// A share of something.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("expected a share above 0, up to 1".into()),
    }
}
