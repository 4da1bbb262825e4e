//! Paths for people to paste into a shell.

use std::path::Path;

/// As a shell takes it.
pub fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let harmless = |c: char| c.is_alphanumeric() || "/._-+:\\".contains(c);
    if !path.is_empty() && path.chars().all(harmless) {
        path
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_well() {
        assert_eq!(quoted(Path::new("it's here")), "'it'\\''s here'");
        assert_eq!(quoted(Path::new("target/release/grease")), "target/release/grease");
    }
}
