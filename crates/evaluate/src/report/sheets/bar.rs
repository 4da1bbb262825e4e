//! Whether grease is ahead of every other method: one line a table and length of lists.

use grease_explain::Goal;

use super::super::figures::{edges, share};
use super::super::select::{View, ks, models, tables};
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::words;
use super::place;
use crate::bar::{Figure, Held, Standing, bar as held};
use crate::{ModelResults, Results};

/// What is compared, in the order it is shown.
const SHOWN: [Goal; 3] = [Goal::Counterfactual, Goal::Factual, Goal::Joint];

/// Grease beside the method that does best against it, in each row of each table.
pub(crate) fn bar(results: &Results) -> Option<Sheet> {
    let label = |model: &ModelResults| words::model(&model.model);
    bar_of(models(results).into_iter().map(|(_, model)| (label(model), results, model)))
}

/// The same of models out of several results, each with what it is called.
pub(crate) fn bar_of<'r>(
    all: impl Iterator<Item = (String, &'r Results, &'r ModelResults)>,
) -> Option<Sheet> {
    let note = "Grease beside the other method that does best against it: by how much it is ahead, on the pairs both tried (shares) or both solve (edges fewer), and whether it is ahead, behind, \
        or within the 95 % interval, people’s lists being what is drawn; whose it is where it is not ahead. In its own right and certified count as two methods, the ceiling as none.";
    let mut columns = vec![Column::words("lists")];
    for (goal, rank) in SHOWN.into_iter().zip(0..) {
        let (name, ec) = (words::share(goal), format!("EC of {}", words::share(goal)));
        columns.extend([
            Column { rank, ..Column::words(name) },
            Column { rank: 3 + rank, ..Column::words(&ec) },
        ]);
    }
    let mut sheet = Sheet::new("Grease beside the best other method".to_owned(), note.to_owned(), columns);
    sheet.prominent = true;
    for (label, results, model) in all {
        let held = held(&model.cells);
        let views = tables(results)
            .into_iter()
            .flat_map(|table| ks(results, table).into_iter().map(move |k| View { table, k }));
        let rows = views.filter_map(|view| row(&held, view));
        sheet.groups.push(Group { label, rows: rows.collect() });
    }
    sheet.trimmed()
}

fn row(held: &[Held], view: View) -> Option<Vec<Entry>> {
    let mut row = vec![Entry::words(place(view))];
    for goal in SHOWN {
        for figure in [Figure::Share, Figure::Length] {
            let here = |held: &&Held| {
                (held.table, held.k, held.goal, held.figure) == (view.table, view.k, goal, figure)
            };
            row.push(held.iter().find(here).map_or_else(Entry::missing, said));
        }
    }
    row.iter().skip(1).any(|entry| !entry.is_missing()).then_some(row)
}

/// "ahead 0.046", and of whom it is not.
fn said(held: &Held) -> Entry {
    let by = match held.figure {
        Figure::Share => share(held.ahead.mean),
        Figure::Length => edges(held.ahead.mean),
    };
    let said = format!("{} {by}", held.standing().name());
    match held.standing() {
        Standing::Ahead => Entry::words(said),
        _ => Entry::words(format!("{said} {}", words::spoken(held.other.method, held.other.rigour))),
    }
}
