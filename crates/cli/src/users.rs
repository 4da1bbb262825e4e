//! Users named in a file.

use std::path::Path;

use crate::failure::{Code, Failure};

/// One a line, with the number of the line; of a line with tabs the first column counts.
pub(crate) fn users_named_in(file: &Path) -> Result<Vec<(String, usize)>, Failure> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::new(Code::Data, format_args!("the users in {shown} could not be read: {error}"))
    })?;
    let names = text.lines().zip(1..).map(|(line, at)| (line.split('\t').next().unwrap_or("").trim(), at));
    let named = names.filter(|(name, _)| !name.is_empty()).map(|(name, at)| (name.to_owned(), at));
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return Err(Failure::new(Code::Data, format_args!("{shown} names no user")));
    }
    Ok(named)
}
