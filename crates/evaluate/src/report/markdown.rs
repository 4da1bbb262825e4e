//! The report as Markdown, for a repository: the main tables first, everything else folded away. No links, no pictures.

use super::select::{View, ks, tables};
use super::sheet::{Align, Entry, Sheet};
use super::sheets::{areas, audit, behind, counts, main_table, models, overall};
use super::{about, findings, words};
use crate::{Results, Table};
use grease_tell::clean;
use grease_tell::escape;

/// The report as Markdown. The same results give the same bytes: there are no times in it.
pub fn markdown(results: &Results) -> String {
    let mut out = format!("# {}\n\n{}\n", safe(&words::title(results)), safe(&about::lead(results)));
    let found = findings(results);
    if !found.is_empty() {
        out.push_str("\n## Findings\n\n");
        for finding in found {
            out.push_str(&format!("- **{}.** {}\n", safe(&finding.about), safe(&finding.says.join(" "))));
        }
    }
    for table in tables(results) {
        section(&mut out, results, table);
    }
    for sheet in overall(results) {
        out.push_str(&format!("\n## {}\n", safe(&sheet.title)));
        under_heading(&mut out, &sheet);
    }
    for (at, sheet) in audit(results).iter().enumerate() {
        if at == 0 {
            out.push_str(&format!("\n## {}\n", safe(&sheet.title)));
            under_heading(&mut out, sheet);
        } else {
            folded(&mut out, sheet);
        }
    }
    out.push_str("\n## How to read it\n\n");
    for (term, meaning) in about::reading(results) {
        out.push_str(&format!("- **{}.** {}\n", safe(term), safe(&meaning)));
    }
    out.push_str("\n## What was done\n");
    if let Some(sheet) = models(results) {
        under_heading(&mut out, &sheet);
    }
    out.push_str(&format!("\n{}\n", safe(&about::settings(&results.settings).join(" "))));
    if let Some(command) = about::command(results) {
        let fence = fence(&command);
        out.push_str(&format!("\n{fence}console\n{command}\n{fence}\n"));
    }
    out.push_str(&format!("\n{}\n", safe(&about::versions(results))));
    out
}

/// One choice of edges: the shortest lists first, all else folded away.
fn section(out: &mut String, results: &Results, table: Table) {
    out.push_str(&format!("\n## {}\n", safe(&grease_tell::capitalised(words::table(table)))));
    let views: Vec<View> = ks(results, table).into_iter().map(|k| View { table, k }).collect();
    for (at, view) in views.iter().enumerate() {
        if let Some(sheet) = main_table(results, *view) {
            if at == 0 {
                out.push_str(&format!("\n### Top-{} recommendations\n", view.k));
                under_heading(out, &sheet);
            } else {
                folded(out, &sheet);
            }
        }
    }
    for sheet in views.iter().filter_map(|view| counts(results, *view, None)) {
        folded(out, &sheet);
    }
    for sheet in areas(results, table).into_iter().chain(views.iter().flat_map(|view| behind(results, *view)))
    {
        folded(out, &sheet);
    }
}

/// The table where a heading has already said what it is.
fn under_heading(out: &mut String, sheet: &Sheet) {
    grid(out, sheet);
    out.push_str(&format!("\n{}\n", safe(&sheet.note)));
}

fn folded(out: &mut String, sheet: &Sheet) {
    out.push_str(&format!("\n<details><summary>{}</summary>\n", escape(&sheet.title)));
    grid(out, sheet);
    out.push_str(&format!("\n{}\n\n</details>\n", safe(&sheet.note)));
}

/// A table alone, and how to read it.
pub(super) fn table(sheet: &Sheet) -> String {
    let mut out = String::new();
    under_heading(&mut out, sheet);
    out
}

fn grid(out: &mut String, sheet: &Sheet) {
    let heads: Vec<String> = sheet.columns.iter().map(|column| safe(&column.full())).collect();
    let lines = sheet.columns.iter().map(|column| match column.align {
        Align::Left => "---",
        Align::Right => "---:",
    });
    out.push_str(&format!("\n| {} |\n| {} |\n", heads.join(" | "), lines.collect::<Vec<_>>().join(" | ")));
    for group in &sheet.groups {
        let rest = " |".repeat(sheet.columns.len().saturating_sub(1));
        out.push_str(&format!("| **{}** |{rest}\n", safe(&group.label)));
        for row in &group.rows {
            out.push_str(&format!("| {} |\n", row.iter().map(written).collect::<Vec<_>>().join(" | ")));
        }
    }
}

fn written(entry: &Entry) -> String {
    let text = safe(&entry.plain());
    if entry.best { format!("**{text}**") } else { text }
}

/// Text that Markdown takes as text: nothing in it is a mark, an element, a cell's end or a link.
fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in clean(text).unwrap_or_default().chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '$' | '&') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe.replace("://", "\\://").replace("www.", "www\\.")
}

/// Longer than any run of backticks inside.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
