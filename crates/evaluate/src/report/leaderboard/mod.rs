//! The leaderboard: what stored results say of every method, as tables of a page that are made and never typed.
//!
//! A page has a place for each table, between `<!-- made: NAME -->` and `<!-- end -->`; all else on it is written by people.

mod sheets;
mod stored;

use std::path::Path;

use super::markdown::table;

use stored::Stored;
pub use stored::UnreadableResults;

/// What a page cannot be made of.
#[derive(Debug, thiserror::Error)]
pub enum LeaderboardError {
    /// The results.
    #[error(transparent)]
    Results(#[from] UnreadableResults),
    /// There is no place for a table, or no end of it.
    #[error(
        "the page has no place for the table `{0}`: it goes between `<!-- made: {0} -->` and `<!-- end -->`"
    )]
    NoPlace(&'static str),
}

const END: &str = "<!-- end -->";

/// The page with its tables made anew from the results in a folder: every `NAME.json`, with `NAME.times.json` beside it where there is one.
pub fn leaderboard(page: &str, folder: &Path) -> Result<String, LeaderboardError> {
    let stored = Stored::all(folder)?;
    let tables = [
        ("sizes", sheets::sizes(&stored)),
        ("leaderboard", sheets::methods(&stored)),
        ("bar", sheets::bar(&stored)),
    ];
    tables.into_iter().try_fold(page.to_owned(), |page, (name, sheet)| {
        let made =
            sheet.map_or_else(|| "Nothing is stored that says it.\n".to_owned(), |sheet| table(&sheet));
        put(&page, name, &made)
    })
}

/// The page with this between the marks of that name.
fn put(page: &str, name: &'static str, made: &str) -> Result<String, LeaderboardError> {
    let mark = format!("<!-- made: {name} -->");
    let found = page.split_once(&mark).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = found.ok_or(LeaderboardError::NoPlace(name))?;
    Ok(format!("{before}{mark}\n\n{}\n\n{END}{after}", made.trim()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::report::tests::fixtures::{times, whole};

    #[test]
    fn the_tables_in_docs_are_made_from_the_results_beside_them() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
        let file = folder.join("README.md");
        let page = fs::read_to_string(&file).unwrap();
        let made = leaderboard(&page, &folder).unwrap();
        if std::env::var_os("GREASE_UPDATE_DOCS").is_some() {
            fs::write(&file, made).unwrap();
        } else {
            assert!(
                page == made,
                "docs/results/README.md and the results beside it disagree: run `cargo xtask results`"
            );
        }
    }

    #[test]
    fn every_method_has_a_line_with_what_is_stored_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let whole = whole();
        let store = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
        store("one.json", serde_json::to_string(&whole).unwrap());
        store("one.times.json", serde_json::to_string(&times(&whole)).unwrap());
        let page = ["sizes", "leaderboard", "bar"].map(|name| format!("<!-- made: {name} --><!-- end -->"));
        insta::assert_snapshot!(leaderboard(&page.join("\n"), folder.path()).unwrap());
    }

    #[test]
    fn results_that_cannot_be_read_are_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("odd.json"), "{\"models\": 3}").unwrap();
        let page = "<!-- made: sizes --><!-- end -->";
        let error = leaderboard(page, folder.path()).unwrap_err().to_string();
        assert!(error.contains("odd.json") && error.contains("expected the results.json"), "{error}");
    }

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = "# One\n<!-- made: bar -->old\nolder<!-- end -->\ntwo <!-- end -->";
        let made = put(page, "bar", "\n| new |\n").unwrap();
        assert_eq!(made, "# One\n<!-- made: bar -->\n\n| new |\n\n<!-- end -->\ntwo <!-- end -->");
        assert_eq!(put(&made, "bar", "| new |").unwrap(), made);
        for without in ["# One", "<!-- made: bar --> and no end"] {
            let error = put(without, "bar", "").unwrap_err().to_string();
            assert!(error.contains("no place for the table `bar`"), "{error}");
        }
    }
}
