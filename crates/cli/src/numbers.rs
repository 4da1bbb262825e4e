//! Numbers as arguments.

/// A whole number of at least 1.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("expected at least 1".into()),
        Ok(n) => Ok(n),
        Err(_) => Err("expected a whole number of at least 1".into()),
    }
}
