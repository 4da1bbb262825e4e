//! Finding columns by name.

use super::error::{At, ReadError, list};
use crate::Field;

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    User,
    Item,
    Rating,
    /// A title beside an interaction, where a bare `name` might be the user's.
    Title,
    /// The id in a file of titles.
    TitledItem,
    /// The title in a file of titles.
    ItemTitle,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Item | Self::TitledItem => "item",
            Self::Rating => "rating",
            Self::Title | Self::ItemTitle => "title",
        }
    }

    fn field(self) -> Field {
        match self {
            Self::User => Field::UserColumn,
            Self::Item | Self::TitledItem => Field::ItemColumn,
            Self::Rating => Field::RatingColumn,
            Self::Title | Self::ItemTitle => Field::TitleColumn,
        }
    }

    /// Usual names, likeliest first, as [`plain`] writes them.
    fn usual(self) -> impl Iterator<Item = &'static str> {
        let names = match self {
            Self::User => {
                "user userid uid username customer customerid person personid visitor visitorid member \
                 memberid reviewerid listener reader viewer"
            }
            Self::Item => {
                "item itemid iid movie movieid film filmid artist artistid product productid parentasin \
                 asin book bookid isbn song songid track trackid business businessid venue venueid location \
                 locationid poi poiid place placeid game gameid article articleid recipe recipeid"
            }
            Self::TitledItem => "id",
            Self::Rating => "rating ratings score stars weight count counts plays playcount value",
            Self::Title => "title itemtitle itemname movietitle artistname producttitle",
            Self::ItemTitle => "title name itemtitle itemname",
        };
        names.split_whitespace()
    }
}

/// `User_ID`, `user id` and `userId` are one name.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}

/// The column for `role`: the one named, else one with a usual name. An explicit name that is not
/// there is an error; a usual one that is not there is `None`.
pub(crate) fn find(
    at: At<'_>,
    names: &[String],
    role: Role,
    explicit: Option<&str>,
) -> Result<Option<usize>, ReadError> {
    if let Some(wanted) = explicit {
        let wanted = wanted.trim();
        let exact = names.iter().position(|name| name.trim() == wanted);
        let found = exact.or_else(|| names.iter().position(|name| name.trim().eq_ignore_ascii_case(wanted)));
        return match found {
            Some(column) => Ok(Some(column)),
            None => Err(missing(at, names, role, explicit)),
        };
    }
    let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let find = |usual: &str| names.iter().position(|name| name == usual);
    let mut found = role.usual().find_map(find);
    if role == Role::TitledItem {
        found = Role::Item.usual().find_map(find).or(found);
    }
    if role == Role::ItemTitle {
        // RecBole and others: `movie_title`, `artist_name`, whatever holds the word.
        found = found
            .or_else(|| names.iter().position(|name| name.contains("title")))
            .or_else(|| names.iter().position(|name| name.contains("name")));
    }
    Ok(found)
}

/// As [`find`], but the column must be there.
pub(crate) fn need(
    at: At<'_>,
    names: &[String],
    role: Role,
    explicit: Option<&str>,
) -> Result<usize, ReadError> {
    find(at, names, role, explicit)?.ok_or_else(|| missing(at, names, role, explicit))
}

fn missing(at: At<'_>, names: &[String], role: Role, explicit: Option<&str>) -> ReadError {
    let usual: Vec<&str> = role.usual().take(4).collect();
    let expected = match explicit {
        Some(name) => list(&[name]),
        None => format!("a name such as {}", list(&usual)),
    };
    ReadError::MissingColumn {
        at: at.place(),
        role: role.name(),
        expected,
        found: list(names),
        field: role.field(),
    }
}

/// Whether a header line names both a user and an item column.
pub(crate) fn is_header(names: &[String], user: Option<&str>, item: Option<&str>) -> bool {
    let at = At::file(std::path::Path::new(""));
    let has = |role, explicit| matches!(find(at, names, role, explicit), Ok(Some(_)));
    has(Role::User, user) && has(Role::Item, item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn names(header: &str) -> Vec<String> {
        header.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn usual_names_are_found_in_any_case_and_order() {
        let at = At::file(Path::new("x"));
        for (header, user, item) in [
            ("user,item", 0, 1),
            ("Timestamp,Movie_ID,USER_ID", 2, 1),
            ("userId,movieId,rating", 0, 1),
            ("rating,uid,iid", 1, 2),
            ("userID,artistID,weight", 0, 1),
        ] {
            let names = names(header);
            assert_eq!(need(at, &names, Role::User, None).unwrap(), user, "{header}");
            assert_eq!(need(at, &names, Role::Item, None).unwrap(), item, "{header}");
        }
    }

    #[test]
    fn titles_are_found_by_part_of_a_name() {
        let at = At::file(Path::new("x"));
        let names = names("item_id,movie_title,release_year");
        assert_eq!(need(at, &names, Role::TitledItem, None).unwrap(), 0);
        assert_eq!(need(at, &names, Role::ItemTitle, None).unwrap(), 1);
    }

    #[test]
    fn a_missing_column_lists_what_there_is() {
        let at = At::line(Path::new("x.csv"), 1);
        let message = need(at, &names("a,b"), Role::User, None).unwrap_err().to_string();
        assert!(message.contains("'a', 'b'") && message.contains("`user_column`"), "{message}");
        let message = need(at, &names("user,b"), Role::User, Some("who")).unwrap_err().to_string();
        assert!(message.contains("'who'"), "{message}");
    }
}
