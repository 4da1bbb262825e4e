//! What an id may be, wherever it comes from.

/// The most bytes an id has.
pub(crate) const MAX_ID: usize = 1024;

/// What is wrong with an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadId {
    /// There is nothing in it.
    Empty,
    /// It has more than 1024 bytes.
    Long,
    /// A line, a table or a terminal would break on it.
    Control,
}

/// Refuses what no id can be: nothing, more than 1024 bytes, control characters and byte order marks.
pub fn check_id(id: &str) -> Result<(), BadId> {
    if id.trim().is_empty() {
        Err(BadId::Empty)
    } else if id.len() > MAX_ID {
        Err(BadId::Long)
    } else if id.bytes().any(|b| !(0x20..0x7f).contains(&b)) && id.chars().any(is_forbidden) {
        Err(BadId::Control)
    } else {
        Ok(())
    }
}

/// Control characters and byte order marks: invisible, and a line or a terminal breaks on them.
pub(crate) fn is_forbidden(c: char) -> bool {
    c.is_control() || c == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_whole_words_of_one_line() {
        for fine in ["42", "Sigur Rós", &"x".repeat(1024)] {
            assert_eq!(check_id(fine), Ok(()));
        }
        assert_eq!(["", " "].map(check_id), [Err(BadId::Empty); 2]);
        assert_eq!(check_id(&"x".repeat(1025)), Err(BadId::Long));
        assert_eq!(["a\tb", "a\u{feff}", "\u{7f}x"].map(check_id), [Err(BadId::Control); 3]);
    }
}
