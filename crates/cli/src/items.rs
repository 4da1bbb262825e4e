//! Items as arguments: by id or title, one by one, separated by commas, or in files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use grease::graph::ItemId;
use grease::models::folder::Dataset;
use grease::{Candidates, find_item};

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
    pub(crate) fn read(&self, data: &Dataset, output: &Output) -> Result<Candidates, Failure> {
        Ok(Candidates {
            only: self.candidates.as_deref().map(|file| items_in(file, data, output)).transpose()?,
            except: match &self.exclude {
                Some(file) => items_in(file, data, output)?,
                None => BTreeSet::new(),
            },
        })
    }
}

/// What `--history` names: ids and titles separated by commas; a title may have commas of its own if it is the only one.
pub(crate) fn brought(list: &str, data: &Dataset) -> Result<Vec<ItemId>, Failure> {
    if let Ok(item) = find_item(&data.items, list.trim()) {
        return Ok(vec![item]);
    }
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let items: Vec<ItemId> = names.map(|name| find_item(&data.items, name)).collect::<Result<_, _>>()?;
    if items.is_empty() {
        return Err(
            Failure::usage("--history names no item").help("name at least one: --history 'first,second'")
        );
    }
    Ok(items)
}

/// One item a line. What the model does not know cannot be listed or cited anyway: counted, not refused.
pub(crate) fn items_in(file: &Path, data: &Dataset, output: &Output) -> Result<BTreeSet<ItemId>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::new(Code::Data, format_args!("the items in {} could not be read: {error}", file.display()))
    })?;
    let names = text.lines().map(|line| line.split('\t').next().unwrap_or("").trim());
    let (mut items, mut unknown) = (BTreeSet::new(), Vec::new());
    for name in names.filter(|name| !name.is_empty()) {
        match find_item(&data.items, name) {
            Ok(item) => _ = items.insert(item),
            Err(error) => unknown.push(error),
        }
    }
    match (&unknown[..], items.is_empty()) {
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
    Ok(items)
}
