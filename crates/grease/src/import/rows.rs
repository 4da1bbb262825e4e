//! Which row of the weights is whose.

use grease_graph::{Catalogue, CatalogueBuilder, Interactions, check_id};
use grease_models::import::{Recognised, Rows};

use super::ImportError;
use crate::lookup::Sort;

/// What RecBole calls row 0, which is nobody's.
const PADDING: &str = "[PAD]";

/// How many ids an error names.
const NAMED: usize = 3;

/// The names of both tables' rows.
pub(super) struct Named {
    pub(super) users: Side,
    pub(super) items: Side,
}

/// The names of one table's rows, without padding.
pub(super) struct Side {
    sort: Sort,
    ids: Vec<String>,
    /// Rows before the first name: 1 where row 0 is padding.
    skipped: usize,
}

impl Named {
    pub(super) fn skipped(&self) -> [usize; 2] {
        [self.users.skipped, self.items.skipped]
    }
}

/// Names every row: by the ids given, or by row numbers if that is how the interactions name users and items.
pub(super) fn name(
    recognised: &Recognised,
    interactions: &Interactions,
    user_ids: Option<Vec<String>>,
    item_ids: Option<Vec<String>>,
) -> Result<Named, ImportError> {
    let padded = recognised.padded;
    let side = |sort, rows, ids, seen| match ids {
        Some(ids) => Side::given(sort, rows, padded, ids),
        None => Side::numbers(sort, rows, padded, seen),
    };
    let Interactions { users: seen_users, items: seen_items, .. } = interactions;
    let (users, items) = match recognised.rows {
        Rows::Apart { users, items } => (users, items),
        Rows::Joined(rows) => {
            let unclear = ImportError::Joined { rows, users: seen_users.len(), items: seen_items.len() };
            let users = user_ids.as_ref().map(Vec::len);
            let items = item_ids.as_ref().map(Vec::len);
            match (users, items) {
                (Some(users), _) => (users, rows.checked_sub(users).ok_or(unclear)?),
                (None, Some(items)) => (rows.checked_sub(items).ok_or(unclear)?, items),
                (None, None) if seen_users.len() + seen_items.len() == rows => {
                    (seen_users.len(), seen_items.len())
                }
                (None, None) => return Err(unclear),
            }
        }
    };
    Ok(Named {
        users: side(Sort::User, users, user_ids, seen_users)?,
        items: side(Sort::Item, items, item_ids, seen_items)?,
    })
}

impl Side {
    fn given(sort: Sort, rows: usize, padded: bool, mut ids: Vec<String>) -> Result<Self, ImportError> {
        let counted = ids.len();
        let names_padding = ids.first().is_some_and(|first| first == PADDING);
        if names_padding {
            ids.remove(0);
        }
        let skipped = match rows.checked_sub(ids.len()) {
            Some(0) => 0,
            Some(1) if names_padding || padded => 1,
            _ => return Err(ImportError::Count { side: sort, rows, ids: counted }),
        };
        let fail = |reason: String| Err(ImportError::Ids { side: sort, reason });
        if let Some(row) = ids.iter().position(|id| check_id(id).is_err()) {
            return fail(format!("`{}`, of row {row}, is no id", ids[row].escape_debug()));
        }
        Ok(Self { sort, ids, skipped })
    }

    /// Row numbers as names. Where row 0 may be padding, it is so if nobody is called 0.
    fn numbers(sort: Sort, rows: usize, padded: bool, seen: &Catalogue) -> Result<Self, ImportError> {
        let number = |id: &str| id.parse().ok().filter(|row: &usize| *row < rows && row.to_string() == id);
        let mut last = 0;
        for row in 0..seen.len() as u32 {
            let id = seen.id(row);
            let number = number(id).ok_or_else(|| ImportError::NotRowNumbers {
                side: sort,
                id: id.escape_debug().to_string(),
                last: rows.saturating_sub(1),
            })?;
            last = last.max(number);
        }
        let skipped = usize::from(padded && rows > 0 && seen.row("0").is_none());
        if padded && skipped == 0 && last + 2 == rows {
            return Err(ImportError::PaddingUnclear { side: sort, last });
        }
        Ok(Self { sort, ids: (skipped..rows).map(|row| row.to_string()).collect(), skipped })
    }

    /// The rows' names, with the titles the interactions know, and for each row of the interactions the row it is here.
    pub(super) fn catalogue(&self, seen: &Catalogue) -> Result<(Catalogue, Vec<u32>), ImportError> {
        let mut builder = CatalogueBuilder::new();
        for (row, id) in self.ids.iter().enumerate() {
            if builder.intern(id).map(|at| at as usize) != Some(row) {
                let reason = format!("`{}` is there twice", id.escape_debug());
                return Err(ImportError::Ids { side: self.sort, reason });
            }
        }
        let mut rows = Vec::with_capacity(seen.len());
        let mut strangers = Vec::new();
        for at in 0..seen.len() as u32 {
            match builder.row(seen.id(at)) {
                Some(row) => {
                    if let Some(title) = seen.title(at) {
                        builder.set_title(row, title);
                    }
                    rows.push(row);
                }
                None => strangers.push(seen.id(at)),
            }
        }
        if !strangers.is_empty() {
            let some: Vec<String> =
                strangers.iter().take(NAMED).map(|id| format!("`{}`", id.escape_debug())).collect();
            let some = some.join(", ");
            return Err(ImportError::NoRow { side: self.sort, count: strangers.len(), some });
        }
        Ok((builder.finish(), rows))
    }
}
