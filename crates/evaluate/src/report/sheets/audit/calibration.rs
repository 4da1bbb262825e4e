//! How often explanations hold when trained again, by how far the item falls.

use grease::Share;
use grease::calibration::Band;

use super::{audits, with_interval};
use crate::Results;
use crate::report::figures::{count, share};
use crate::report::sheet::{Column, Entry, Group, Sheet};

/// The shares as they were counted beside what is promised.
pub(super) fn calibration(results: &Results) -> Option<Sheet> {
    let note = "Of the people who lost what an explanation names, by the rank that the recommender, asked about the edited graph, gives the item: how often it is off the list of the recommender \
        trained again, as it was counted (in brackets the 95 % interval) and as it is promised. What happens to people who lost nothing is chance.";
    let columns = vec![
        Column::words("rank after the edit"),
        Column::figures("cases", 1),
        Column::figures("held", 0),
        Column::figures("promised", 0),
    ];
    let title = "How often explanations hold when trained again".to_owned();
    let mut sheet = Sheet::new(title, note.to_owned(), columns);
    sheet.prominent = true;
    for (model, audit) in audits(results) {
        let Some(found) = &audit.calibration else { continue };
        let row = |name: String, held: Share, promised| {
            vec![Entry::words(name), Entry::words(count(held.of)), with_interval(held), promised]
        };
        let mut rows: Vec<_> = found
            .curve
            .iter()
            .map(|band| row(ranks(band), band.held, Entry::words(share(band.fitted))))
            .collect();
        rows.push(row("people who lost nothing".to_owned(), found.untouched, Entry::missing()));
        sheet.groups.push(Group { label: model, rows });
    }
    sheet.trimmed()
}

/// "11 to 12".
fn ranks(band: &Band) -> String {
    match band.to {
        Some(to) if to == band.from => to.to_string(),
        Some(to) => format!("{} to {to}", band.from),
        None => format!("{} and beyond", band.from),
    }
}
