//! What people see, held as it is; and that it is the same whenever it is written.

use grease_explain::{Goal, Method, Rigour};

use super::fixtures::{empty, small, times, whole};
use crate::report::{Sheet, Terminal, charts, findings, html, markdown, sheets, terminal};
use crate::{Results, Spread, Table};

const WIDE: Terminal = Terminal { width: 200, unicode: true, colour: false };

#[test]
fn markdown_of_one_model() {
    insta::assert_snapshot!(markdown(&small()));
}

#[test]
fn every_sheet_in_a_terminal() {
    let small = small();
    let shown: Vec<String> =
        sheets(&small, Some(&times(&small))).iter().map(|sheet| terminal(sheet, WIDE)).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn the_main_table_in_a_plain_terminal_of_eighty() {
    let whole = whole();
    let main = sheets(&whole, None).into_iter().find(|sheet| sheet.prominent).unwrap();
    insta::assert_snapshot!(terminal(&main, Terminal { width: 80, unicode: false, colour: false }));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let whole = whole();
    for sheet in sheets(&whole, Some(&times(&whole))) {
        for width in [64, 80, 100, 140, 250] {
            for line in terminal(&sheet, Terminal { width, unicode: true, colour: false }).lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
        // Where nothing is left to leave out names are cut, and figures never.
        let least = terminal(&sheet, Terminal { width: 0, unicode: true, colour: true });
        assert!(least.lines().count() > sheet.groups.len());
    }
}

#[test]
fn what_is_left_out_is_said() {
    let whole = whole();
    let main = sheets(&whole, None).into_iter().find(|sheet| sheet.prominent).unwrap();
    let narrow = terminal(&main, Terminal { width: 80, unicode: true, colour: false });
    let said = narrow.replace('\n', " ");
    assert!(said.contains("Left out for want of room: judged: EC, judged: PN"), "{narrow}");
    assert!(!terminal(&main, WIDE).contains("Left out"));
}

#[test]
fn the_same_results_give_the_same_bytes() {
    let (one, two) = (whole(), whole());
    assert_eq!(markdown(&one), markdown(&two));
    assert_eq!(html(&one), html(&two));
    assert_eq!(sheets(&one, None), sheets(&two, None));
}

#[test]
fn times_stand_only_where_they_are_asked_for() {
    let whole = whole();
    let has_times = |sheets: &[Sheet]| sheets.iter().flat_map(|sheet| &sheet.columns).any(|c| c.head == "ms");
    assert!(has_times(&sheets(&whole, Some(&times(&whole)))));
    assert!(!has_times(&sheets(&whole, None)));
}

#[test]
fn nothing_found_is_said_without_a_panic() {
    let empty = empty();
    assert!(sheets(&empty, None).is_empty() && charts(&empty).is_empty() && findings(&empty).is_empty());
    assert!(html(&empty).contains("How good explanations are") && !markdown(&empty).contains("| "));
    let mut hollow = whole();
    for model in &mut hollow.models {
        model.cells.iter_mut().for_each(|cell| cell.attempted = 0);
        model.curves.iter_mut().for_each(|curve| curve.points.clear());
    }
    assert!(findings(&hollow).iter().all(|finding| !finding.says.concat().contains("NaN")));
    assert!(!html(&hollow).contains("NaN") && !markdown(&hollow).contains("NaN"));
}

#[test]
fn figures_that_are_none_are_dashes() {
    let mut odd = whole();
    for cell in odd.models.iter_mut().flat_map(|model| &mut model.cells) {
        cell.share = Spread { mean: f64::NAN, sd: f64::INFINITY };
        cell.judged = Some(Spread { mean: f64::NEG_INFINITY, sd: f64::NAN });
    }
    for told in [html(&odd), markdown(&odd)] {
        assert!(!told.contains("NaN") && !told.contains("inf,") && !told.contains("inf±"));
    }
}

#[test]
fn the_main_table_holds_every_figure_of_the_results() {
    let whole = whole();
    for sheet in sheets(&whole, None).iter().filter(|sheet| sheet.title.starts_with("Top-10")) {
        let shown = terminal(sheet, Terminal { width: 400, unicode: true, colour: false });
        let table = if sheet.title.contains("own") { Table::Own } else { Table::Paper };
        let cells = whole.models.iter().flat_map(|model| &model.cells);
        for cell in cells.filter(|cell| cell.row.table == table && cell.row.k == 10) {
            let share = format!("{:.3}±{:.3}", cell.share.mean, cell.share.sd);
            let length = cell.edges.map(|edges| format!("{:.2}±{:.2}", edges.mean, edges.sd));
            assert!(shown.contains(&share), "{share}");
            assert!(length.is_none_or(|length| shown.contains(&length)));
        }
        // The ceiling is not in the running, and each model has one best method for each goal.
        assert_eq!(shown.matches('*').count(), 2 * whole.models.len());
    }
}

/// Sets the shares of method `grease` and of everybody else, and hears what is said of the first model.
fn heard(grease: Option<f64>, other: Option<f64>) -> (String, String) {
    let mut results: Results = small();
    let is_grease = |method: Method| method == Method::Grease;
    results.models[0].cells.retain(|cell| match cell.row.method {
        Method::Exact => true,
        method if is_grease(method) => grease.is_some(),
        _ => other.is_some(),
    });
    for cell in &mut results.models[0].cells {
        let share = if is_grease(cell.row.method) { grease } else { other };
        cell.share = Spread { mean: share.unwrap_or(0.5), sd: 0.0 };
    }
    let says = findings(&results);
    let of_model = says.iter().find(|finding| finding.about.contains("top-10")).unwrap();
    (says[0].says.concat(), of_model.says.concat())
}

#[test]
fn findings_are_true_whatever_the_figures() {
    let (overall, model) = heard(Some(0.4), Some(0.3));
    assert!(
        overall.contains("in 2, the same") && model.contains("0.100 above the 0.300"),
        "{overall} {model}"
    );
    let (overall, model) = heard(Some(0.2), Some(0.3));
    assert!(overall.contains("a smaller one in 2") && model.contains("0.100 below"), "{overall} {model}");
    // Less than the tables show is no difference, and all who are level are named.
    let (overall, model) = heard(Some(0.30004), Some(0.3));
    assert!(
        overall.contains("best of them in 2")
            && model.contains("level with the best other, GREASE as published (paper) †, random"),
        "{overall} {model}"
    );
    let (_, model) = heard(Some(0.3), None);
    assert!(model.contains("no other method"), "{model}");
    let (_, model) = heard(None, Some(0.3));
    assert!(model.contains("there is nothing of grease; most"), "{model}");
}

#[test]
fn a_difference_within_the_spread_of_repeats_is_called_so() {
    let mut results = whole();
    for cell in &mut results.models[0].cells {
        let ahead = f64::from(u8::from(cell.row.method == Method::Grease)) * 0.01;
        cell.share = Spread { mean: 0.3 + ahead, sd: 0.02 };
    }
    let says = findings(&results)[1].says.concat();
    assert!(says.contains("no more than repeats differ among themselves"), "{says}");
}

#[test]
fn a_goal_that_was_not_asked_for_has_no_columns() {
    let mut results = small();
    results.models[0].cells.retain(|cell| cell.row.goal == Goal::Counterfactual);
    results.models[0].curves.retain(|curve| curve.row.goal == Goal::Counterfactual);
    let main = sheets(&results, None).into_iter().find(|sheet| sheet.prominent).unwrap();
    assert!(main.columns.iter().all(|column| column.head != "PS"));
    assert!(results.models[0].cells.iter().any(|cell| cell.row.rigour == Rigour::InOrder));
    assert!(!charts(&results).is_empty());
}
