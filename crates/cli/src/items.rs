//! Items as arguments: by id or title, one by one, separated by commas, or in files.

use std::path::{Path, PathBuf};

use clap::Args;
use grease::graph::Catalogue;
use grease::{LookupError, Question, Refusal, find_item};

use crate::failure::{Code, Failure};
use crate::output::Output;

/// What may be listed.
#[derive(Debug, Args)]
pub(crate) struct CandidateArguments {
    /// List only items named in this file
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
    /// List no items named in this file
    #[arg(long, value_name = "FILE")]
    exclude: Option<PathBuf>,
}

impl CandidateArguments {
    /// Says in the question what may be listed.
    pub(crate) fn fill(
        &self,
        question: &mut Question,
        items: &Catalogue,
        output: &Output,
    ) -> Result<(), Failure> {
        question.candidates =
            self.candidates.as_deref().map(|file| items_in(file, items, output)).transpose()?;
        if let Some(file) = &self.exclude {
            question.exclude = items_in(file, items, output)?;
        }
        Ok(())
    }
}

/// What `--history` names, each time it is given: an id or title, or several separated by commas.
///
/// What is an item as a whole is that item, commas and all; of several, double quotes keep the commas of one together.
pub(crate) fn brought(values: &[String], items: &Catalogue) -> Vec<String> {
    let is_known = |name: &str| !matches!(find_item(items, name), Err(LookupError::Unknown { .. }));
    let named = |value: &String| match value.trim() {
        whole if is_known(whole) => vec![whole.to_owned()],
        several => pieces(several).into_iter().map(|piece| piece.name(is_known)).collect(),
    };
    values.iter().flat_map(named).filter(|name| !name.is_empty()).collect()
}

/// One of several names, as it was typed and, where it was in quotes, without them.
#[derive(Debug, PartialEq)]
struct Piece<'t> {
    typed: &'t str,
    unquoted: Option<String>,
}

impl Piece<'_> {
    /// Titles may have quotes of their own.
    fn name(self, is_known: impl Fn(&str) -> bool) -> String {
        match self.unquoted {
            Some(unquoted) if !is_known(self.typed) => unquoted,
            _ => self.typed.to_owned(),
        }
    }
}

/// Between commas, but for those in double quotes.
fn pieces(mut text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start();
        let quoted = quoted(text);
        let comma = match &quoted {
            Some((end, _)) => text[*end..].find(',').map(|at| end + at),
            None => text.find(','),
        };
        let typed = text[..comma.unwrap_or(text.len())].trim_end();
        found.push(Piece { typed, unquoted: quoted.map(|(_, name)| name) });
        match comma {
            Some(comma) => text = &text[comma + 1..],
            None => return found,
        }
    }
}

/// Where the quotes that a text begins with end, and what is in them, a doubled one for each of its own. None where nothing
/// but a comma or the end may follow and something does: such quotes are part of a title.
fn quoted(text: &str) -> Option<(usize, String)> {
    let rest = text.strip_prefix('"')?;
    let mut from = 0;
    loop {
        let at = from + rest[from..].find('"')?;
        if rest[at + 1..].starts_with('"') {
            from = at + 2;
            continue;
        }
        let follows = rest[at + 1..].trim_start();
        let is_whole = follows.is_empty() || follows.starts_with(',');
        return is_whole.then(|| (at + 2, rest[..at].replace("\"\"", "\"")));
    }
}

/// One item a line. What the model does not know cannot be listed or cited anyway: counted, not refused.
pub(crate) fn items_in(file: &Path, items: &Catalogue, output: &Output) -> Result<Vec<String>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::new(Code::Data, format_args!("the items in {} could not be read: {error}", file.display()))
    })?;
    let names = text.lines().map(|line| line.split('\t').next().unwrap_or("").trim());
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for name in names.filter(|name| !name.is_empty()) {
        match find_item(items, name) {
            Ok(item) => found.push(items.id(item.0).to_owned()),
            Err(error) => unknown.push(Refusal::from(error).said()),
        }
    }
    match (&unknown[..], found.is_empty()) {
        ([], true) => {
            return Err(Failure::new(Code::Data, format_args!("{} names no item", file.display())));
        }
        ([first, ..], true) => {
            return Err(Failure::new(Code::Unknown, format_args!("{}: {first}", file.display())));
        }
        ([first, ..], false) => output.note(format_args!(
            "note: passed over what the model does not know in {1}: {0} ({first})",
            unknown.len(),
            file.display()
        )),
        ([], false) => {}
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use grease::graph::CatalogueBuilder;

    use super::*;

    fn of(values: &[&str]) -> Vec<String> {
        let mut builder = CatalogueBuilder::new();
        for (id, title) in [
            ("1", "Crosby, Stills & Nash"),
            ("2", "Earth, Wind & Fire"),
            ("3", "Yes"),
            ("4", "\"Heroes\""),
            ("5", "12\" Mix"),
            ("6", "Twins, The"),
            ("7", "Twins, The"),
        ] {
            let row = builder.intern(id).unwrap();
            builder.set_title(row, title);
        }
        brought(&values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>(), &builder.finish())
    }

    #[test]
    fn titles_with_commas_are_named_alone_or_in_quotes() {
        let (csn, ewf) = ("Crosby, Stills & Nash", "Earth, Wind & Fire");
        assert_eq!(of(&[" Earth, Wind & Fire "]), [ewf]);
        assert_eq!(of(&[ewf, "Yes", csn]), [ewf, "Yes", csn]);
        assert_eq!(of(&["\"Crosby, Stills & Nash\" , Yes,\"Earth, Wind & Fire\""]), [csn, "Yes", ewf]);
        assert_eq!(of(&["1, Yes,,", ","]), ["1", "Yes"]);
        assert_eq!(of(&["Twins, The"]), ["Twins, The"], "that two have this title is said of the title");
        assert_eq!(of(&["Genesis, Yes"]), ["Genesis", "Yes"], "what is unknown is said of each");
        assert!(of(&[]).is_empty() && of(&["", " , ", "\"\""]).is_empty());
    }

    #[test]
    fn titles_may_have_quotes_of_their_own() {
        assert_eq!(of(&["\"Heroes\", Yes"]), ["\"Heroes\"", "Yes"]);
        assert_eq!(of(&["Yes,\"\"\"Heroes\"\"\""]), ["Yes", "\"Heroes\""]);
        assert_eq!(of(&["12\" Mix, Yes"]), ["12\" Mix", "Yes"]);
        assert_eq!(of(&["\"Yes\" live, 3"]), ["\"Yes\" live", "3"]);
        assert_eq!(of(&["\"Yes, 3"]), ["\"Yes", "3"], "what is not closed is no quote");
    }
}
