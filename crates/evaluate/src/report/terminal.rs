//! A sheet for a terminal: plain columns, thin rules, nothing wrapped.

use super::sheet::{Align, Column, Entry, Sheet};
use grease_tell::clean;
use grease_tell::measure::{terminal_width, wrapped};

/// Between two columns.
const GAP: usize = 2;
/// The first column is not cut to less than this.
const NARROWEST: usize = 12;

/// What a terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    pub width: usize,
    /// Whether it shows more than ASCII: rules, dashes, plus-minus.
    pub unicode: bool,
    /// Whether it shows bold and faint text; without, a star marks the best.
    pub colour: bool,
}

/// The sheet in lines of at most the terminal's width, as far as names and figures allow. Where there is no room the
/// least important columns are left out, and a line says which.
pub fn terminal(sheet: &Sheet, screen: Terminal) -> String {
    let (sheet, left_out) = fitted(sheet, screen);
    let mut widths = widths(&sheet, screen);
    let room = screen.width.saturating_sub(total(&widths) - widths.first().copied().unwrap_or(0));
    if let Some(first) = widths.first_mut() {
        *first = (*first).min(room.max(NARROWEST));
    }
    let page = Page { screen, widths };
    let room = screen.width.max(NARROWEST);
    let mut out = String::new();
    for line in wrapped(&page.said(&sheet.title), &room, terminal_width) {
        page.line(&mut out, &page.bold(&line));
    }
    let mut notes = page.said(&sheet.note);
    let best = sheet.groups.iter().flat_map(|group| group.rows.iter().flatten()).any(|entry| entry.best);
    if best && !screen.colour {
        notes.push_str(" A star marks the best of each group, the ceiling aside.");
    }
    if !left_out.is_empty() {
        notes.push(' ');
        notes.push_str(&page.said(&format!("Left out for want of room: {}.", left_out.join(", "))));
    }
    for line in wrapped(&notes, &room, terminal_width) {
        page.line(&mut out, &page.faint(&line));
    }
    out.push('\n');
    if sheet.columns.iter().any(|column| !column.over.is_empty()) {
        page.line(&mut out, &page.overs(&sheet.columns));
    }
    let heads = sheet.columns.iter().map(|column| page.said(&column.head));
    page.line(&mut out, &page.cells(&sheet.columns, heads.collect(), &[]));
    for group in &sheet.groups {
        page.rule(&mut out);
        page.line(&mut out, &page.bold(&cut(page.said(&group.label), room, screen)));
        for row in &group.rows {
            let best: Vec<bool> = row.iter().map(|entry| entry.best).collect();
            let row = row.iter().map(|entry| page.entry(entry));
            page.line(&mut out, &page.cells(&sheet.columns, row.collect(), &best));
        }
    }
    out
}

struct Page {
    screen: Terminal,
    widths: Vec<usize>,
}

impl Page {
    /// One line of what the terminal can show.
    fn said(&self, text: &str) -> String {
        said(text, self.screen)
    }

    fn entry(&self, entry: &Entry) -> String {
        shown(entry, self.screen)
    }

    fn bold(&self, text: &str) -> String {
        if self.screen.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn faint(&self, text: &str) -> String {
        if self.screen.colour { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn line(&self, out: &mut String, text: &str) {
        out.push_str(text.trim_end());
        out.push('\n');
    }

    fn rule(&self, out: &mut String) {
        let line = if self.screen.unicode { "─" } else { "-" };
        self.line(out, &self.faint(&line.repeat(total(&self.widths))));
    }

    fn cells(&self, columns: &[Column], texts: Vec<String>, best: &[bool]) -> String {
        let mut line = String::new();
        for (at, (text, column)) in texts.into_iter().zip(columns).enumerate() {
            let text = cut(text, self.widths[at], self.screen);
            let space = " ".repeat(self.widths[at].saturating_sub(terminal_width(&text)));
            let gap = " ".repeat(if at == 0 { 0 } else { GAP });
            let strong = best.get(at).is_some_and(|best| *best);
            let (before, after) = match column.align {
                Align::Left => (gap, space),
                Align::Right => (format!("{gap}{space}"), String::new()),
            };
            match before.strip_suffix(' ') {
                // A star takes a place that would be empty, so that no column is wider for it.
                Some(before) if strong && !self.screen.colour => line.push_str(&format!("{before}*{text}")),
                _ if strong => line.push_str(&format!("{before}{}", self.bold(&text))),
                _ => line.push_str(&format!("{before}{text}")),
            }
            line.push_str(&after);
        }
        line
    }

    /// What neighbouring columns share, over the last of them.
    fn overs(&self, columns: &[Column]) -> String {
        let (mut line, mut at) = (String::new(), 0);
        while at < columns.len() {
            let same = columns[at..].iter().take_while(|column| column.over == columns[at].over).count();
            let span = &self.widths[at..at + same];
            let text = self.said(&columns[at].over);
            let width = span.iter().sum::<usize>() + GAP * (same - 1);
            line.push_str(&" ".repeat(width.saturating_sub(terminal_width(&text))));
            line.push_str(&text);
            line.push_str(&" ".repeat(GAP));
            at += same;
        }
        line
    }
}

/// Without the columns there is no room for, and what those are called.
fn fitted(sheet: &Sheet, screen: Terminal) -> (Sheet, Vec<String>) {
    let mut sheet = sheet.clone();
    let mut left_out = Vec::new();
    loop {
        let least = sheet.columns.iter().map(|column| column.rank).max().unwrap_or(0);
        if least == 0 || total(&widths(&sheet, screen)) <= screen.width {
            return (sheet, left_out);
        }
        let kept: Vec<bool> = sheet.columns.iter().map(|column| column.rank < least).collect();
        for column in sheet.columns.iter().filter(|column| column.rank == least) {
            let name = column.full();
            if !left_out.contains(&name) {
                left_out.push(name);
            }
        }
        sheet.keep(&kept);
    }
}

/// As wide as the widest entry; the last column of a shared head takes what that head needs.
fn widths(sheet: &Sheet, screen: Terminal) -> Vec<usize> {
    let rows = || sheet.groups.iter().flat_map(|group| &group.rows);
    let mut widths: Vec<usize> = (0..sheet.columns.len())
        .map(|at| {
            let entries =
                rows().filter_map(|row| row.get(at)).map(|entry| terminal_width(&shown(entry, screen)));
            entries.max().unwrap_or(0).max(terminal_width(&said(&sheet.columns[at].head, screen)))
        })
        .collect();
    let mut at = 0;
    while at < sheet.columns.len() {
        let over = &sheet.columns[at].over;
        let same = sheet.columns[at..].iter().take_while(|column| column.over == *over).count();
        let have = widths[at..at + same].iter().sum::<usize>() + GAP * (same - 1);
        widths[at + same - 1] += terminal_width(&said(over, screen)).saturating_sub(have);
        at += same;
    }
    widths
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

fn shown(entry: &Entry, screen: Terminal) -> String {
    said(&entry.plain(), screen)
}

/// One line of visible text, our own signs in ASCII where nothing else is shown.
fn said(text: &str, screen: Terminal) -> String {
    let text = clean(text).unwrap_or_default();
    if screen.unicode {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '±' => plain.push_str("+-"),
            '–' => plain.push('-'),
            '·' => plain.push('/'),
            '’' => plain.push('\''),
            '…' => plain.push_str("..."),
            '†' => plain.push('+'),
            c => plain.push(c),
        }
    }
    plain
}

fn cut(text: String, room: usize, screen: Terminal) -> String {
    if terminal_width(&text) <= room {
        return text;
    }
    let end = if screen.unicode { "…" } else { "." };
    let mut start = String::new();
    for c in text.chars() {
        start.push(c);
        if terminal_width(&start) + 1 > room {
            start.pop();
            break;
        }
    }
    format!("{}{end}", start.trim_end())
}
