//! Both at once: one set that is needed and enough, beside what is needed and what is enough by itself; and what whole lists rest on.

use grease_explain::{Goal, Method, Rigour};

use super::super::figures::{count, edges, maybe, share, spread};
use super::super::select::{View, cell, lines, models};
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::words;
use super::place;
use crate::{ModelResults, Results};

/// PN, PS, PNS and F_NS of each method.
pub(crate) fn joint(results: &Results, view: View) -> Option<Sheet> {
    let note = "PNS: share of pairs with one set that is both needed and enough, both checked on the recommender. F_NS: the harmonic mean of PN and PS, \
        which is what two separate explanations reach. Answered: pairs with an answer, or a checked one to the nearest weaker question; it is told by method grease.";
    let columns = vec![
        Column::words("method"),
        Column::figures("PNS", 0),
        Column::figures("EC", 1),
        Column::figures("queries", 3),
        Column::figures("PN", 2),
        Column::figures("PS", 2),
        Column::figures("F_NS", 1),
        Column::figures("answered", 0),
    ];
    let mut sheet = Sheet::new(format!("Both at once, {}", place(view)), note.to_owned(), columns);
    for (_, model) in models(results) {
        let rows = lines(model, view).into_iter().filter_map(|line| row(model, view, line));
        sheet.groups.push(Group { label: words::model(&model.model), rows: rows.collect() });
    }
    sheet.trimmed()
}

fn row(model: &ModelResults, view: View, (method, rigour): (Method, Rigour)) -> Option<Vec<Entry>> {
    let of = |goal| cell(model, view.row(goal, method, rigour));
    let (both, out, alone) = (of(Goal::Joint), of(Goal::Counterfactual), of(Goal::Factual));
    let answered = out.and_then(|cell| cell.answered);
    if both.is_none() && answered.is_none() {
        return None;
    }
    let repeats = both.or(out).map_or(1, |cell| cell.repeats);
    let harmonic = out.zip(alone).map(|(out, alone)| {
        let (pn, ps) = (out.share.mean, alone.share.mean);
        if pn + ps > 0.0 { 2.0 * pn * ps / (pn + ps) } else { 0.0 }
    });
    Some(vec![
        Entry::words(words::method(method, rigour)),
        spread(both.map(|cell| cell.share), repeats, share),
        spread(both.and_then(|cell| cell.edges), repeats, edges),
        spread(both.map(|cell| cell.queries), repeats, edges),
        spread(out.map(|cell| cell.share), repeats, share),
        spread(alone.map(|cell| cell.share), repeats, share),
        maybe(harmonic, share),
        spread(answered, repeats, share),
    ])
}

/// What lists as a whole rest on.
pub(crate) fn whole_lists(results: &Results) -> Option<Sheet> {
    let note = "The fewest own interactions found without which half of a list is another, each checked on the recommender. \
        PN-S: share of the list that is then new; PN-R: the same, the first places counting most; both over all people, where nothing found changes nothing.";
    let columns = vec![
        Column::words("lists"),
        Column::figures("people", 2),
        Column::figures("found", 0),
        Column::figures("EC", 1),
        Column::figures("PN-S", 0),
        Column::figures("PN-R", 0),
    ];
    let mut sheet = Sheet::new("Whole lists".to_owned(), note.to_owned(), columns);
    for (_, model) in models(results) {
        let rows = model.lists.iter().map(|lists| {
            vec![
                Entry::words(format!("top-{}", lists.k)),
                Entry::words(count(lists.people)),
                Entry::words(count(lists.found)),
                maybe(lists.edges, edges),
                maybe(Some(lists.changed), share),
                maybe(Some(lists.changed_by_rank), share),
            ]
        });
        sheet.groups.push(Group { label: words::model(&model.model), rows: rows.collect() });
    }
    sheet.trimmed()
}
