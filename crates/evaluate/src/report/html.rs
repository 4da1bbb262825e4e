//! The report as one HTML page: no script, nothing loaded from elsewhere, fit for print.
//!
//! Made to be read in two minutes: what was found, the main table, its charts. The rest is folded away.

use super::chart::{Chart, first, further};
use super::select::{View, ks, tables};
use super::sheet::{Align, Column, Entry, Sheet};
use super::sheets::{areas, audit, behind, counts, main_table, models, overall};
use super::{Finding, about, findings, words};
use crate::{Results, Table};
use grease_tell::escape;

/// So many findings are read before a table; more are not.
const MANY: usize = 4;

const STYLE: &str = include_str!("page.css");

/// The report as a page. The same results give the same bytes: there are no times in it.
pub fn html(results: &Results) -> String {
    let title = escape(&words::title(results));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"lead\">{}</p>\n",
        escape(&about::lead(results))
    );
    found(&mut page, results);
    reading(&mut page, results);
    for table in tables(results) {
        section(&mut page, results, table);
    }
    for sheet in overall(results) {
        page.push_str(&format!("<section>\n<h2>{}</h2>\n", escape(&sheet.title)));
        grid(&mut page, &sheet);
        page.push_str("</section>\n");
    }
    audited(&mut page, results);
    done(&mut page, results);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// With many models what there is to say of each is folded away, so that the main table comes soon.
fn found(page: &mut String, results: &Results) {
    let found = findings(results);
    let Some((first, others)) = found.split_first() else { return };
    page.push_str("<section class=\"findings\">\n<h2>Findings</h2>\n<ul>\n");
    finding(page, first);
    let many = others.len() > MANY;
    if many {
        page.push_str("</ul>\n<details>\n<summary>Model by model</summary>\n<ul>\n");
    }
    others.iter().for_each(|other| finding(page, other));
    page.push_str("</ul>\n");
    if many {
        page.push_str("</details>\n");
    }
    page.push_str("</section>\n");
}

fn finding(page: &mut String, finding: &Finding) {
    page.push_str(&format!("<li><h3>{}</h3>", escape(&finding.about)));
    for says in &finding.says {
        page.push_str(&format!("<p>{}</p>", escape(says)));
    }
    page.push_str("</li>\n");
}

fn reading(page: &mut String, results: &Results) {
    page.push_str("<details>\n<summary>How to read it</summary>\n<dl>\n");
    for (term, meaning) in about::reading(results) {
        page.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(term), escape(&meaning)));
    }
    page.push_str("</dl>\n</details>\n");
}

/// One choice of edges: the shortest lists in full, the longer ones and what stands behind them folded away.
fn section(page: &mut String, results: &Results, table: Table) {
    page.push_str(&format!(
        "<section>\n<h2>{}</h2>\n",
        escape(&grease_tell::capitalised(words::table(table)))
    ));
    let views: Vec<View> = ks(results, table).into_iter().map(|k| View { table, k }).collect();
    for (at, view) in views.iter().enumerate() {
        let (main, charts, more) =
            (main_table(results, *view), first(results, *view), further(results, *view));
        if at == 0 {
            page.push_str(&format!("<h3>Top-{} recommendations</h3>\n", view.k));
            main.iter().for_each(|sheet| grid(page, sheet));
            charts.iter().for_each(|chart| figure(page, chart));
            if !more.is_empty() {
                page.push_str(&format!(
                    "<details>\n<summary>Top-{}: by rank, history and fidelity</summary>\n",
                    view.k
                ));
                more.iter().for_each(|chart| figure(page, chart));
                page.push_str("</details>\n");
            }
        } else {
            page.push_str(&format!("<details>\n<summary>Top-{}: table and charts</summary>\n", view.k));
            main.iter().for_each(|sheet| grid(page, sheet));
            charts.iter().chain(&more).for_each(|chart| figure(page, chart));
            page.push_str("</details>\n");
        }
    }
    let counts = views.iter().filter_map(|view| counts(results, *view, None));
    let others =
        areas(results, table).into_iter().chain(views.iter().flat_map(|view| behind(results, *view)));
    for sheet in counts.chain(others) {
        folded(page, &sheet);
    }
    page.push_str("</section>\n");
}

/// What training again says: the outcome in full, the rest folded away.
fn audited(page: &mut String, results: &Results) {
    let sheets = audit(results);
    let Some((outcome, others)) = sheets.split_first() else { return };
    page.push_str(&format!("<section>\n<h2>{}</h2>\n", escape(&outcome.title)));
    grid(page, outcome);
    others.iter().for_each(|sheet| folded(page, sheet));
    page.push_str("</section>\n");
}

fn done(page: &mut String, results: &Results) {
    page.push_str("<section>\n<h2>What was done</h2>\n");
    if let Some(sheet) = models(results) {
        grid(page, &sheet);
    }
    for sentence in about::settings(&results.settings) {
        page.push_str(&format!("<p>{}</p>\n", escape(&sentence)));
    }
    if let Some(command) = about::command(results) {
        page.push_str(&format!("<p>To repeat it:</p>\n<pre><code>{}</code></pre>\n", escape(&command)));
    }
    page.push_str(&format!("<p class=\"note\">{}</p>\n</section>\n", escape(&about::versions(results))));
}

fn figure(page: &mut String, chart: &Chart) {
    page.push_str(&format!(
        "<figure>\n<figcaption>{}</figcaption>\n<div class=\"scroll\" tabindex=\"0\">\n{}</div>\n</figure>\n",
        escape(&chart.title),
        chart.svg
    ));
}

fn folded(page: &mut String, sheet: &Sheet) {
    page.push_str(&format!("<details>\n<summary>{}</summary>\n", escape(&sheet.title)));
    grid(page, sheet);
    page.push_str("</details>\n");
}

fn grid(page: &mut String, sheet: &Sheet) {
    page.push_str("<div class=\"scroll\" tabindex=\"0\">\n<table>\n");
    heads(page, &sheet.columns);
    for group in &sheet.groups {
        page.push_str(&format!(
            "<tbody>\n<tr><th class=\"group\" colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n",
            sheet.columns.len(),
            escape(&group.label)
        ));
        for row in &group.rows {
            page.push_str("<tr>");
            for (at, (entry, column)) in row.iter().zip(&sheet.columns).enumerate() {
                page.push_str(&cell(entry, column, at, begins(&sheet.columns, at)));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody>\n");
    }
    page.push_str(&format!("</table>\n</div>\n<p class=\"note\">{}</p>\n", escape(&sheet.note)));
}

/// Names of columns, in two lines where neighbours share one.
fn heads(page: &mut String, columns: &[Column]) {
    let shared = columns.iter().any(|column| !column.over.is_empty());
    page.push_str("<thead>\n<tr>");
    let mut at = 0;
    while at < columns.len() {
        let column = &columns[at];
        let same = columns[at..].iter().take_while(|other| other.over == column.over).count();
        if column.over.is_empty() {
            let rows = if shared { " rowspan=\"2\"" } else { "" };
            page.push_str(&format!(
                "<th scope=\"col\" class=\"{}\"{rows}>{}</th>",
                class(column, begins(columns, at)),
                escape(&column.head)
            ));
            at += 1;
        } else {
            page.push_str(&format!(
                "<th scope=\"colgroup\" class=\"over begins\" colspan=\"{same}\">{}</th>",
                escape(&column.over)
            ));
            at += same;
        }
    }
    page.push_str("</tr>\n");
    if shared {
        page.push_str("<tr>");
        for (at, column) in columns.iter().enumerate().filter(|(_, column)| !column.over.is_empty()) {
            let class = class(column, begins(columns, at));
            page.push_str(&format!("<th scope=\"col\" class=\"{class}\">{}</th>", escape(&column.head)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</thead>\n");
}

/// Whether a line sets the column off from the one before.
fn begins(columns: &[Column], at: usize) -> bool {
    at > 0 && columns[at].over != columns[at - 1].over
}

fn class(column: &Column, begins: bool) -> &'static str {
    match (column.align, begins) {
        (Align::Left, false) => "words",
        (Align::Left, true) => "words begins",
        (Align::Right, false) => "figure",
        (Align::Right, true) => "figure begins",
    }
}

fn cell(entry: &Entry, column: &Column, at: usize, begins: bool) -> String {
    let mut text = escape(&entry.text);
    if entry.is_missing() {
        text = format!("<i>{text}</i>");
    }
    if entry.best {
        text = format!("<b>{text}</b>");
    }
    if let Some(spread) = &entry.spread {
        text.push_str(&format!("<small>±{}</small>", escape(spread)));
    }
    let class = class(column, begins);
    if at == 0 {
        format!("<th scope=\"row\" class=\"{class}\">{text}</th>")
    } else {
        format!("<td class=\"{class}\">{text}</td>")
    }
}
