//! From a path to the files to read and the form they are in.

use std::fs;
use std::path::{Path, PathBuf};

use super::columns::is_header;
use super::error::{ReadError, list};
use super::format::{Delimiter, InputFormat};
use super::options::ReadOptions;
use super::siblings::{base_name, existing, test_beside, test_name, titles_beside};
use super::source::{Source, first_line};

/// The files that make up one set of data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Located {
    /// Never `Auto`.
    pub(crate) format: InputFormat,
    pub(crate) data: PathBuf,
    pub(crate) test: Option<PathBuf>,
    pub(crate) titles: Option<PathBuf>,
}

const LOOKED_FOR: &str = "interactions.tsv/.csv/.parquet, train.tsv/.csv/.parquet (a table with a header), \
    train.txt ('user item item …' a line), u.data, ratings.dat or ratings.csv (MovieLens), user_artists.dat \
    (HetRec), one *.inter file (RecBole), or a single .tsv, .csv or .parquet file; each may end in .gz";

const FILE_FORMS: &str = "a header naming a user and an item column, 'user item item …' with numbers, \
    'user::item::rating', four numbers separated by tabs, a RecBole 'name:type' header, or Parquet";

pub(crate) fn locate(path: &Path, options: &ReadOptions) -> Result<Located, ReadError> {
    let kind = fs::metadata(path).map_err(|e| ReadError::io(path, e))?;
    let (data, format) =
        if kind.is_dir() { in_folder(path, options.format)? } else { (path.to_path_buf(), options.format) };
    let format = match format {
        InputFormat::Auto => sniff_file(&data, options)?,
        format => format,
    };
    let test = options.test.clone().or_else(|| test_beside(&data));
    let titles = options.titles.clone().or_else(|| titles_beside(&data, format));
    Ok(Located { format, data, test, titles })
}

/// File names that say what they are; `Auto`: the contents decide.
const KNOWN: &[(&str, InputFormat)] = &[
    ("u.data", InputFormat::MovieLens),
    ("ratings.dat", InputFormat::MovieLens),
    ("ratings.csv", InputFormat::MovieLens),
    ("user_artists.dat", InputFormat::HetRec),
    ("interactions.tsv", InputFormat::Delimited),
    ("interactions.csv", InputFormat::Delimited),
    ("interactions.parquet", InputFormat::Parquet),
    ("train.tsv", InputFormat::Delimited),
    ("train.csv", InputFormat::Delimited),
    ("train.parquet", InputFormat::Parquet),
    ("train.txt", InputFormat::Auto),
];

/// Names that belong to the data but hold no interactions to train on.
const COMPANIONS: [&str; 9] =
    ["items", "users", "test", "valid", "validation", "movies", "links", "tags", "artists"];

fn in_folder(folder: &Path, asked: InputFormat) -> Result<(PathBuf, InputFormat), ReadError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| ReadError::io(folder, e))? {
        let entry = entry.map_err(|e| ReadError::io(folder, e))?;
        if let Some(name) = entry.file_name().to_str().filter(|name| !name.starts_with('.')) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    let mut found: Vec<(PathBuf, InputFormat)> = KNOWN
        .iter()
        .filter(|&&(name, format)| may_be(name, format, asked))
        .filter_map(|&(name, format)| Some((existing(folder, name)?, format)))
        .collect();
    let recbole = [InputFormat::Auto, InputFormat::RecBole].contains(&asked);
    found.extend(
        with_extensions(folder, &names, &["inter"]).filter(|_| recbole).map(|p| (p, InputFormat::RecBole)),
    );
    if found.is_empty() {
        // Whatever its name, a folder's only table is what is meant.
        let extensions: &[&str] = match asked {
            InputFormat::Auto => &["tsv", "csv", "parquet"],
            InputFormat::Delimited => &["tsv", "csv", "txt"],
            InputFormat::Parquet => &["parquet"],
            InputFormat::Adjacency => &["txt"],
            _ => &[],
        };
        found.extend(with_extensions(folder, &names, extensions).map(|path| (path, InputFormat::Auto)));
    }
    if found.len() > 1 {
        let names: Vec<String> = found.iter().map(|(path, _)| base_name(path)).collect();
        return Err(ReadError::Ambiguous { path: folder.to_path_buf(), found: list(&names) });
    }
    match found.pop() {
        Some((path, format)) => Ok((path, if asked == InputFormat::Auto { format } else { asked })),
        None => {
            let found = match names.len() {
                0 => "the folder is empty".to_owned(),
                _ => format!("no known file of interactions among {}", list(&names)),
            };
            let fix = "Give the path of the file itself, with `input_format` if need be";
            Err(ReadError::Unrecognised { path: folder.to_path_buf(), found, looked_for: LOOKED_FOR, fix })
        }
    }
}

/// Whether a file of this name may be what was asked for.
fn may_be(name: &str, format: InputFormat, asked: InputFormat) -> bool {
    match asked {
        InputFormat::Auto => true,
        InputFormat::Delimited => format == asked || ["ratings.csv", "train.txt"].contains(&name),
        InputFormat::Adjacency => name == "train.txt",
        _ => format == asked,
    }
}

/// Files with one of the extensions, but for companions and held-out parts of others.
fn with_extensions<'a>(
    folder: &'a Path,
    names: &'a [String],
    extensions: &'a [&str],
) -> impl Iterator<Item = PathBuf> + 'a {
    let tests: Vec<String> = names.iter().filter_map(|name| test_name(Path::new(name))).collect();
    names.iter().filter_map(move |name| {
        let plain = name.strip_suffix(".gz").unwrap_or(name);
        let (stem, extension) = plain.rsplit_once('.')?;
        let wanted = extensions.contains(&extension.to_ascii_lowercase().as_str());
        let other = COMPANIONS.contains(&stem.to_ascii_lowercase().as_str());
        let path = folder.join(name);
        (wanted && !other && !tests.iter().any(|test| test == plain) && path.is_file()).then_some(path)
    })
}

fn sniff_file(path: &Path, options: &ReadOptions) -> Result<InputFormat, ReadError> {
    let source = Source::open(path)?;
    if source.head.is_empty() {
        return Err(ReadError::Empty { path: path.to_path_buf(), expected: FILE_FORMS });
    }
    let format = sniff(&base_name(path), &source.head, options);
    if format != Some(InputFormat::Parquet) {
        source.expect_text()?;
    }
    format.ok_or_else(|| unknown(path, &source.head))
}

/// The error for a file that could be anything.
pub(crate) fn unknown(path: &Path, head: &[u8]) -> ReadError {
    let found = format!("the first line is '{}'", super::error::excerpt(&first_line(head)));
    let fix = "Add a header line such as 'user\\titem', or say what it is with `input_format` \
               (table, lightgcn, movielens, hetrec, recbole, parquet)";
    ReadError::Unrecognised { path: path.to_path_buf(), found, looked_for: FILE_FORMS, fix }
}

/// The form of a file, from its name (lower case, without `.gz`) and its beginning.
pub(crate) fn sniff(name: &str, head: &[u8], options: &ReadOptions) -> Option<InputFormat> {
    if head.starts_with(b"PAR1") || name.ends_with(".parquet") {
        return Some(InputFormat::Parquet);
    }
    if name.ends_with(".inter") {
        return Some(InputFormat::RecBole);
    }
    if let Some(&(_, format)) =
        KNOWN.iter().find(|&&(known, format)| known == name && format != InputFormat::Auto)
    {
        return Some(format);
    }
    let line = first_line(head);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let delimiter = Delimiter::detect(&line);
    let names: Vec<String> = match delimiter {
        Some(delimiter) => line.split(char::from(delimiter.byte())).map(plain_name).collect(),
        None => Vec::new(),
    };
    if is_header(&names, options.columns.user.as_deref(), options.columns.item.as_deref()) {
        return Some(InputFormat::Delimited);
    }
    let ids = || line.split(' ').filter(|id| !id.is_empty());
    // The last number may be cut off by the end of the head; it is a number still. Under LightGCN's own
    // names ids may be anything, but tabs would rather be columns.
    let lightgcn = ["train.txt", "test.txt"].contains(&name) && !line.contains('\t');
    if ids().count() > 1 && (lightgcn || ids().all(is_number)) {
        return Some(InputFormat::Adjacency);
    }
    if delimiter == Some(Delimiter::Tab) && names.iter().all(|name| name.contains(':')) {
        return Some(InputFormat::RecBole);
    }
    let four_numbers = (3..=4).contains(&names.len()) && names.iter().all(|name| is_number(name));
    if line.split("::").count() >= 3 || (delimiter == Some(Delimiter::Tab) && four_numbers) {
        return Some(InputFormat::MovieLens);
    }
    // Let the reader itself say what it misses.
    if lightgcn && delimiter.is_none() {
        return Some(InputFormat::Adjacency);
    }
    [".tsv", ".csv"].iter().any(|end| name.ends_with(end)).then_some(InputFormat::Delimited)
}

fn plain_name(name: &str) -> String {
    name.trim().trim_matches('"').to_owned()
}
