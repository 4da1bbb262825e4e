//! A list with its explanations, for a terminal.

use grease_graph::Words;

use crate::Record;
use crate::measure::{terminal_width, wrapped};
use crate::sentence::{Voice, counted};
use crate::{certificate, sentence};

/// The narrowest column of words still worth reading.
const NARROWEST: usize = 20;

/// Rank, title, and for each record of an item its sentence and certificate, in lines of at most `width` cells.
///
/// Items come in the order of their first record; every line ends without spaces, the last with a line break.
pub fn text(records: &[Record], words: &Words, width: usize) -> String {
    let items = by_item(records);
    let digits = items.iter().map(|item| item[0].rank_before.to_string().len()).max().unwrap_or(1);
    let indent = digits + 3;
    let room = width.saturating_sub(indent).max(NARROWEST);
    let mut out = String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let title = heading(item[0], words);
        for (line, words) in wrapped(&title, &room, terminal_width).iter().enumerate() {
            let rank = if line == 0 { item[0].rank_before.to_string() } else { String::new() };
            out.push_str(&format!("{rank:>width$}  {words}\n", width = digits + 1));
        }
        for record in item {
            for line in wrapped(&sentence(record, words), &room, terminal_width) {
                out.push_str(&format!("{:indent$}{line}\n", ""));
            }
            for (name, number) in counted(record, words).iter().zip(1usize..) {
                for line in wrapped(&format!("{number:>2}. {name}"), &room.saturating_sub(2), terminal_width)
                {
                    out.push_str(&format!("{:indent$}{line}\n", "", indent = indent + 2));
                }
            }
            for line in wrapped(&certificate(record), &room.saturating_sub(2), terminal_width) {
                out.push_str(&format!("{:indent$}{line}\n", "", indent = indent + 2));
            }
        }
    }
    out
}

/// What the records of an item stand under.
pub(crate) fn heading(record: &Record, words: &Words) -> String {
    Voice::new(record, words).plain_name(record.item_title.as_deref(), &record.item)
}

/// Records of the same item and person together, in order of first appearance.
pub(crate) fn by_item(records: &[Record]) -> Vec<Vec<&Record>> {
    let mut items: Vec<Vec<&Record>> = Vec::new();
    for record in records {
        match items.iter_mut().find(|item| item[0].item == record.item && item[0].user == record.user) {
            Some(item) => item.push(record),
            None => items.push(vec![record]),
        }
    }
    items
}
