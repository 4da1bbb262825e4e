//! Whether what was verified on the model as it is also holds for one trained without what explanations name.

mod calibration;

use super::super::figures::{count, decimals, edges, maybe, share};
use super::super::select::models;
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::words;
use crate::{Audit, Comparison, Figures, Results, Training};
use calibration::calibration;
use grease::Share;

/// What became of the items, whether verdicts agree, and what says that the audit itself can be trusted.
pub(crate) fn audit(results: &Results) -> Vec<Sheet> {
    let [own, joint]: [fn(&Figures) -> Comparison; 2] = [|f| f.edited, |f| f.jointly_edited];
    [
        outcomes(results),
        calibration(results),
        agreement(results, "own deletions", own),
        agreement(results, "everybody’s deletions", joint),
        controls(results),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn outcomes(results: &Results) -> Option<Sheet> {
    let note = "People in three groups chosen alike. The first lose what an explanation of the item names, the second as many other interactions, the third nothing; \
        then the recommender is trained again. The item leaves the list on the edited graph, or after training again: \
        what happens to the third group is chance. In brackets the 95 % interval. List kept: share of the list that is still on it after training again.";
    let columns = vec![
        Column::words("group"),
        Column::figures("cases", 1),
        Column::figures("deleted each", 3),
        Column::figures("edited", 1).under("item leaves"),
        Column::figures("trained again", 0).under("item leaves"),
        Column::figures("list kept", 2),
    ];
    let title = "Trained again without what explanations name".to_owned();
    let mut sheet = by_group(results, Sheet::new(title, note.to_owned(), columns), |figures| {
        vec![
            Entry::words(count(figures.people)),
            Entry::words(edges(figures.mean_deleted)),
            with_interval(figures.leave_edited),
            with_interval(figures.leave_retrained),
            Entry::words(share(figures.list_kept)),
        ]
    })?;
    sheet.prominent = true;
    Some(sheet)
}

fn agreement(results: &Results, of: &str, compared: fn(&Figures) -> Comparison) -> Option<Sheet> {
    let note = "The verdict on the edited graph beside that after training again: in how many cases the item leaves the list in both, in one only, in neither.";
    let columns = vec![
        Column::words("group"),
        Column::figures("both leave", 0),
        Column::figures("edited only", 0),
        Column::figures("trained only", 0),
        Column::figures("both stay", 0),
        Column::figures("agreement", 1),
    ];
    let title = format!("Agreement of editing ({of}) and training again");
    by_group(results, Sheet::new(title, note.to_owned(), columns), |figures| {
        let compared = compared(figures);
        let counts =
            [compared.both_leave, compared.edited_leaves, compared.retrained_leaves, compared.both_stay];
        let mut row: Vec<Entry> = counts.map(|cases| Entry::words(count(cases))).into();
        row.push(with_interval(compared.agreement));
        row
    })
}

fn controls(results: &Results) -> Option<Sheet> {
    let note = "Fitting: people with a verified explanation that names at most half of their history. Same weights: training with nothing deleted gives the same model to the last bit. Items that leave the list: of those who lost what an explanation names, and of those who lost nothing.";
    let columns = vec![
        Column::words("audited"),
        Column::figures("people asked", 2),
        Column::figures("fitting", 1),
        Column::figures("deleted", 1),
        Column::figures("items left without", 3),
        Column::figures("same weights", 0),
        Column::figures("explained", 1).under("item leaves"),
        Column::figures("untouched", 1).under("item leaves"),
        Column::figures("before", 2).under("recall@20"),
        Column::figures("after", 2).under("recall@20"),
    ];
    let mut sheet = Sheet::new("Controls of training again".to_owned(), note.to_owned(), columns);
    for (model, audit) in audits(results) {
        let yes = |yes| if yes { "yes" } else { "no" };
        let row = |(number, training): (usize, &Training)| {
            vec![
                Entry::words(format!(
                    "{}, top-{}, trained from seed {}",
                    audit.options.method, audit.options.k, training.seed
                )),
                Entry::words(count(audit.asked)),
                Entry::words(count(audit.fitting)),
                Entry::words(count(training.deleted)),
                Entry::words(count(training.items_without_interactions)),
                // The control is made once.
                audit
                    .reproduced
                    .filter(|_| number == 0)
                    .map_or_else(Entry::missing, |same| Entry::words(yes(same))),
                with_interval(training.explained),
                with_interval(training.untouched),
                maybe(audit.recall_before, share),
                maybe(training.recall, share),
            ]
        };
        let rows = audit.trainings.iter().enumerate().map(row).collect();
        sheet.groups.push(Group { label: model, rows });
    }
    sheet.trimmed()
}

fn by_group(results: &Results, mut sheet: Sheet, entries: impl Fn(&Figures) -> Vec<Entry>) -> Option<Sheet> {
    for (model, audit) in audits(results) {
        let groups = [
            ("what the explanation names", &audit.explained),
            ("as much that it does not name", &audit.at_random),
            ("nothing", &audit.untouched),
            ("all together", &audit.overall),
        ];
        let rows = groups.map(|(name, figures)| {
            let mut row = vec![Entry::words(name)];
            row.extend(entries(figures));
            row
        });
        sheet.groups.push(Group { label: model, rows: rows.into() });
    }
    sheet.trimmed()
}

fn audits(results: &Results) -> impl Iterator<Item = (String, &Audit)> {
    models(results)
        .into_iter()
        .filter_map(|(_, model)| Some((words::model(&model.model), model.audit.as_ref()?)))
}

/// The share and its interval; of nobody there is none.
fn with_interval(of: Share) -> Entry {
    if of.of == 0 {
        return Entry::missing();
    }
    Entry::words(format!("{} ({} to {})", share(of.share), decimals(of.low, 2), decimals(of.high, 2)))
}
