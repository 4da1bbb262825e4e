//! Importance curves: whether an item goes first when what a method calls important goes first.

use super::super::figures::{count, share, spread};
use super::super::select::models;
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::words;
use crate::{Importance, Results};

/// Of every method that orders whole histories.
pub(crate) fn importance(results: &Results) -> Option<Sheet> {
    let note = "Ten growing tenths of a history are taken away, those interactions first that the method thinks an item is there for (POS-P), or last (NEG-P): the mean share of items that are still on the list. \
        A good order has a low POS-P and a high NEG-P. After half: the same when half of the history is gone. Own interactions; methods with an order of all of them.";
    let columns = vec![
        Column::words("method"),
        Column::figures("people", 3),
        Column::figures("pairs", 2),
        Column::figures("POS-P", 0),
        Column::figures("NEG-P", 0),
        Column::figures("POS-P", 1).under("after half"),
        Column::figures("NEG-P", 1).under("after half"),
    ];
    let mut sheet = Sheet::new("Importance curves".to_owned(), note.to_owned(), columns);
    for (_, model) in models(results) {
        let mut ks: Vec<usize> = model.importance.iter().map(|importance| importance.k).collect();
        ks.dedup();
        for k in ks {
            let here = model.importance.iter().filter(|importance| importance.k == k);
            let mut rows: Vec<Vec<Entry>> =
                here.map(|importance| row(importance, results.settings.repeats)).collect();
            emphasise(&mut rows, model.importance.iter().filter(|importance| importance.k == k));
            sheet.groups.push(Group { label: format!("{} · top-{k}", words::model(&model.model)), rows });
        }
    }
    sheet.trimmed()
}

fn row(importance: &Importance, repeats: usize) -> Vec<Entry> {
    let half =
        |listed: &[f64]| listed.get(4).map_or_else(Entry::missing, |listed| Entry::words(share(*listed)));
    vec![
        Entry::words(importance.method.name()),
        Entry::words(count(importance.people)),
        Entry::words(count(importance.pairs)),
        spread(importance.most_first, repeats, share),
        spread(importance.least_first, repeats, share),
        half(&importance.listed_most_first),
        half(&importance.listed_least_first),
    ]
}

/// The lowest POS-P and the highest NEG-P, as they are written.
fn emphasise<'i>(rows: &mut [Vec<Entry>], all: impl Iterator<Item = &'i Importance>) {
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for importance in all {
        lowest = importance.most_first.map_or(lowest, |spread| lowest.min(spread.mean));
        highest = importance.least_first.map_or(highest, |spread| highest.max(spread.mean));
    }
    if rows.len() > 1 {
        for row in rows {
            row[3].best = row[3].text == share(lowest);
            row[4].best = row[4].text == share(highest);
        }
    }
}
