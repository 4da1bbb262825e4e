//! Items as arguments: by id or title, one by one, separated by commas, or in files.

use std::path::{Path, PathBuf};

use clap::Args;
use grease::graph::Catalogue;
use grease::{Question, Refusal, find_item};

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

/// What `--history` names: ids and titles separated by commas; a title may have commas of its own if it is the only one.
pub(crate) fn brought(list: &str, items: &Catalogue) -> Result<Vec<String>, Failure> {
    if find_item(items, list.trim()).is_ok() {
        return Ok(vec![list.trim().to_owned()]);
    }
    let names: Vec<String> =
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if names.is_empty() {
        return Err(
            Failure::usage("--history names no item").help("name at least one: --history 'first,second'")
        );
    }
    Ok(names)
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
