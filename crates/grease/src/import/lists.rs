//! Whether an imported model makes the lists the original made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use grease_graph::{Candidates, Recommender as _, Who, recommend};
use grease_models::folder::ModelFolder;
use serde::Deserialize;

use super::ImportError;
use crate::lookup::Sort;

/// Scores closer than this share of the largest are equal: which of the two comes first is rounding.
const TIE: f32 = 1e-5;

/// A list the original made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedList {
    pub user: String,
    /// The items' ids, best first.
    pub items: Vec<String>,
}

/// What came of comparing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListCheck {
    pub lists: usize,
    /// Their length, where it is the same for all.
    pub length: Option<usize>,
    /// Those that are not the same.
    pub different: Vec<DifferentList>,
}

/// Where a list first differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferentList {
    pub user: String,
    /// The place, from 1.
    pub place: usize,
    /// What the original has there.
    pub expected: String,
    /// What the imported model has there; nothing where its list ends before.
    pub got: Option<String>,
    /// Whether the interactions say that the person has what is expected already: it is never listed.
    pub known_already: bool,
}

/// One line of JSON.
#[derive(Deserialize)]
struct Line {
    user: Id,
    items: Vec<Id>,
}

/// Programs write ids as numbers, too.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

impl Id {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

/// The lists of a file: a table with columns `user` and `item` (TSV or CSV), each user's best item first, or lines of JSON
/// `{"user": …, "items": […]}`. Scores beside them are not compared: programs write them scaled.
pub fn read_lists(file: &Path) -> Result<Vec<ExpectedList>, ImportError> {
    let bytes = std::fs::read(file).map_err(|error| ImportError::Io { file: file.into(), error })?;
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let lists = if is_json { json_lists(file, &bytes)? } else { table_lists(file, &bytes)? };
    if lists.is_empty() {
        return Err(ImportError::NoLists(file.into()));
    }
    Ok(lists)
}

fn json_lists(file: &Path, bytes: &[u8]) -> Result<Vec<ExpectedList>, ImportError> {
    let lines = bytes.split(|&byte| byte == b'\n').zip(1..).filter(|(line, _)| !line.trim_ascii().is_empty());
    let list = |(line, at): (&[u8], u64)| match serde_json::from_slice::<Line>(line) {
        Ok(Line { user, items }) => {
            Ok(ExpectedList { user: user.text(), items: items.into_iter().map(Id::text).collect() })
        }
        Err(error) => {
            let reason = format!("expected {{\"user\": …, \"items\": […]}}: {error}");
            Err(ImportError::Line { file: file.into(), line: at, reason })
        }
    };
    lines.map(list).collect()
}

fn table_lists(file: &Path, bytes: &[u8]) -> Result<Vec<ExpectedList>, ImportError> {
    let fail = |line: u64, reason: String| ImportError::Line { file: file.into(), line, reason };
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let delimiter = if first.contains(&b'\t') { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(bytes);
    let header = reader.headers().map_err(|error| fail(1, error.to_string()))?;
    let column = |name: &str| header.iter().position(|column| column == name);
    let (Some(user), Some(item)) = (column("user"), column("item")) else {
        return Err(fail(1, "expected a header with the columns `user` and `item`".into()));
    };
    let mut lists: Vec<ExpectedList> = Vec::new();
    let mut by_user: BTreeMap<String, usize> = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            fail(error.position().map_or(0, csv::Position::line), "a line that is not like the header".into())
        })?;
        let field = |at: usize| record.get(at).unwrap_or_default().to_owned();
        let at = *by_user.entry(field(user)).or_insert_with(|| {
            lists.push(ExpectedList { user: field(user), items: Vec::new() });
            lists.len() - 1
        });
        lists[at].items.push(field(item));
    }
    Ok(lists)
}

/// Makes the same lists anew and compares. What a person has in the training part is never listed; items whose scores are equal may
/// change places.
pub fn check_lists(folder: &ModelFolder, lists: &[ExpectedList]) -> Result<ListCheck, ImportError> {
    let mut different = Vec::new();
    for list in lists {
        different.extend(first_difference(folder, list)?);
    }
    let mut lengths = lists.iter().map(|list| list.items.len());
    let first = lengths.next();
    let length = first.filter(|&first| lengths.all(|length| length == first));
    Ok(ListCheck { lists: lists.len(), length, different })
}

fn first_difference(folder: &ModelFolder, list: &ExpectedList) -> Result<Option<DifferentList>, ImportError> {
    let (model, data) = (&folder.model, &folder.data);
    let unknown = |side: Sort, id: &str| ImportError::Unknown { side, id: id.escape_debug().to_string() };
    let user = data.users.row(&list.user).ok_or_else(|| unknown(Sort::User, &list.user))?;
    let user = grease_graph::UserId(user);
    let mut wanted = Vec::with_capacity(list.items.len());
    for id in &list.items {
        wanted.push(data.items.row(id).ok_or_else(|| unknown(Sort::Item, id))?);
    }
    let scores = model.scores(user)?;
    let largest = scores.iter().fold(0f32, |most, score| most.max(score.abs()));
    let listed = recommend(model, &Who::Known(user), wanted.len(), &Candidates::default())?;
    let touched = model.graph().items_of(user);
    let mut before = BTreeSet::new();
    for (at, (&wanted, expected)) in wanted.iter().zip(&list.items).enumerate() {
        let got = listed.get(at).map(|listed| listed.item.0);
        let known_already = touched.binary_search(&wanted).is_ok();
        let is_tie = got.is_some_and(|got| {
            (scores[got as usize] - scores[wanted as usize]).abs() <= TIE * largest && !known_already
        });
        let is_same = got == Some(wanted) || is_tie;
        if !is_same || !before.insert(wanted) {
            return Ok(Some(DifferentList {
                user: list.user.clone(),
                place: at + 1,
                expected: expected.clone(),
                got: got.map(|got| data.items.id(got).to_owned()),
                known_already,
            }));
        }
    }
    Ok(None)
}
