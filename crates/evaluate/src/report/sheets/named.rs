//! What the explanations of a list name together, and how personal lists are to begin with.

use super::super::figures::{count, maybe, share, spread};
use super::super::select::{View, models};
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::words;
use super::{by_goal, place};
use crate::report::figures::edges;
use crate::{Cell, Results};

/// What lists of explanations name, how plausible the histories are that they leave, and what is proved of their lengths.
pub(crate) fn named(results: &Results, view: View) -> Option<Sheet> {
    let note = "Of lists with two verified explanations or more: how many different edges these name, and the share of them that name the edge most of them name. \
        Plausible: the largest overlap of the history that an explanation leaves with that of one of 1,000 people drawn, 1 where somebody did exactly this; before: the same of the history as it is. \
        Proved: share of verified answers of which it is proved that fewer edges do not do it; longer: answers where fewer are known to.";
    let columns = vec![
        Column::figures("lists", 3),
        Column::figures("different edges", 0),
        Column::figures("most named", 0),
        Column::figures("plausible", 1),
        Column::figures("before", 2),
        Column::figures("proved", 1),
        Column::figures("longer", 2),
    ];
    let sheet =
        Sheet::new(format!("What lists of explanations name, {}", place(view)), note.to_owned(), columns);
    by_goal(results, view, sheet, |model| &model.cells, |cell| &cell.row, |_, cell| figures(cell))
}

fn figures(cell: &Cell) -> Vec<Entry> {
    if cell.named.is_none() && cell.proved.is_none() {
        return Vec::new();
    }
    let named = cell.named.as_ref();
    let of = |figure, written| spread(figure, cell.repeats, written);
    vec![
        named.map_or_else(Entry::missing, |named| Entry::words(count(named.lists))),
        of(named.and_then(|named| named.distinct), edges),
        of(named.and_then(|named| named.most_named), share),
        of(named.and_then(|named| named.plausibility), share),
        of(named.and_then(|named| named.plausibility_before), share),
        maybe(cell.proved.map(|proved| proved.share), share),
        cell.proved.map_or_else(Entry::missing, |proved| Entry::words(count(proved.longer))),
    ]
}

/// How much of somebody's list is on other people's, and how much is what everybody is shown.
pub(crate) fn personal(results: &Results) -> Option<Sheet> {
    let note = "Of the lists themselves, whatever the method. Overlap: what two lists share over what is on either. \
        With others: with the lists of 100 others who were looked at; with the most popular: with as many of the items most people have, those the person has left out. 0 is all personal.";
    let columns = vec![
        Column::words("lists"),
        Column::figures("people", 1),
        Column::figures("with others", 0).under("overlap"),
        Column::figures("with the most popular", 0).under("overlap"),
    ];
    let mut sheet = Sheet::new("How personal lists are".to_owned(), note.to_owned(), columns);
    let repeats = results.settings.repeats;
    for (_, model) in models(results) {
        let rows = model.personal.iter().map(|lists| {
            vec![
                Entry::words(format!("top-{}", lists.k)),
                Entry::words(count(lists.people)),
                spread(lists.others, repeats, share),
                spread(lists.popular, repeats, share),
            ]
        });
        sheet.groups.push(Group { label: words::model(&model.model), rows: rows.collect() });
    }
    sheet.trimmed()
}
