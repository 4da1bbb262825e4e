//! Which files belong together: the held-out part beside the training part, the titles beside both.

use std::path::{Path, PathBuf};

use super::InputFormat;

/// The file's name without `.gz`, in lower case.
pub(crate) fn base_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.strip_suffix(".gz").map(str::to_owned).unwrap_or(name)
}

/// `folder/name`, or `folder/name.gz`, whichever is a file.
pub(crate) fn existing(folder: &Path, name: &str) -> Option<PathBuf> {
    [folder.join(name), folder.join(format!("{name}.gz"))].into_iter().find(|path| path.is_file())
}

/// The name of the held-out part that goes with this training part: `test.txt` with `train.txt`,
/// `a.test.inter` with `a.train.inter` and with `a.inter`, `u1.test` with `u1.base`.
pub(crate) fn test_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let dot = if extension.is_empty() { "" } else { "." };
    if extension == "base" {
        return Some(format!("{stem}.test"));
    }
    Some(match stem.strip_suffix("train") {
        Some(before) if before.is_empty() || before.ends_with('.') => format!("{before}test{dot}{extension}"),
        _ => format!("{stem}.test{dot}{extension}"),
    })
}

/// The held-out part beside the training part, if it is there.
pub(crate) fn test_beside(path: &Path) -> Option<PathBuf> {
    existing(folder_of(path), &test_name(path)?).filter(|test| test != path)
}

/// The name of a RecBole item file for an interaction file: `a.item` for `a.inter`, `a.train.inter`.
pub(crate) fn item_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let stem = name.strip_suffix(".inter").unwrap_or(name);
    Some(format!("{}.item", stem.strip_suffix(".train").unwrap_or(stem)))
}

/// A file of titles beside the data, if it is there.
pub(crate) fn titles_beside(path: &Path, format: InputFormat) -> Option<PathBuf> {
    let folder = folder_of(path);
    let own = match format {
        InputFormat::MovieLens => match base_name(path).as_str() {
            "ratings.dat" => "movies.dat".to_owned(),
            "ratings.csv" => "movies.csv".to_owned(),
            _ => "u.item".to_owned(),
        },
        InputFormat::HetRec => "artists.dat".to_owned(),
        InputFormat::RecBole => item_name(path)?,
        _ => "items.tsv".to_owned(),
    };
    [own.as_str(), "items.tsv", "items.csv"].into_iter().find_map(|name| existing(folder, name))
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_after_each_other() {
        for (train, test) in [
            ("train.txt", "test.txt"),
            ("d/train.tsv.gz", "test.tsv"),
            ("a.train.inter", "a.test.inter"),
            ("a.inter", "a.test.inter"),
            ("u1.base", "u1.test"),
            ("constrain.csv", "constrain.test.csv"),
            ("plain", "plain.test"),
        ] {
            assert_eq!(test_name(Path::new(train)).as_deref(), Some(test));
        }
        assert_eq!(item_name(Path::new("x/ml.train.inter.gz")).as_deref(), Some("ml.item"));
    }
}
