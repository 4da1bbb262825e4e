//! What a list rests on, as a small picture: what is left out above, the list as it is on the left, as it would be on the right.

use grease_graph::Words;

use super::{ListItem, ListRecord, called, list_sentence};
use crate::called::Called;
use crate::escape::escape;
use crate::measure::{fitted, pixel_width};
use crate::picture::style::{FONT, SMALL, STYLE, WIDTH};

const ROW: f32 = 30.0;
const COLUMN: f32 = 320.0;
const LEFT: f32 = 20.0;
const RIGHT: f32 = WIDTH - 20.0 - COLUMN;

/// The record as an SVG document, which can also stand inside an HTML page.
pub fn list_picture(record: &ListRecord, words: &Words) -> String {
    let called = called(record, words);
    let told = escape(&list_sentence(record, words));
    let rows = record.before.len().max(record.after.len()).max(1) as f32;
    let chips = chips(record, &called);
    let top = 44.0 + chips.height;
    let height = top + 24.0 + rows * ROW + 16.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"grease\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{told}\">\n<title>What the top {} rests on</title>\n<desc>{told}</desc>\n{STYLE}\n<rect class=\"ground\" width=\"{WIDTH}\" height=\"{height}\" rx=\"12\"/>\n",
        record.k
    );
    svg.push_str(&chips.svg);
    let heading = |x: f32, words: &str| {
        format!("<text class=\"small\" x=\"{x}\" y=\"{}\">{}</text>\n", top + 8.0, escape(words))
    };
    svg.push_str(&heading(LEFT, &format!("the top {} as it is", record.k)));
    if !record.after.is_empty() {
        svg.push_str(&heading(RIGHT, "without them"));
    }
    let middle = |at: usize| top + 24.0 + at as f32 * ROW + ROW / 2.0;
    for (from, item) in record.before.iter().enumerate() {
        if let Some(to) = record.after.iter().position(|other| other.item == item.item) {
            let (x, y) = (LEFT + COLUMN, middle(from));
            let bend = (x + RIGHT) / 2.0;
            let to = middle(to);
            svg.push_str(&format!(
                "<path class=\"thin\" d=\"M {x} {y} C {bend} {y} {bend} {to} {RIGHT} {to}\"/>\n"
            ));
        }
    }
    for (x, items, moved) in [(LEFT, &record.before, "removed"), (RIGHT, &record.after, "added")] {
        for (at, item) in items.iter().enumerate() {
            svg.push_str(&place(&called, item, at, (x, middle(at)), moved));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// One place of a list: what is on one list only is marked by its line as well as by its colour.
fn place(called: &Called, item: &ListItem, at: usize, (x, y): (f32, f32), moved: &str) -> String {
    let name = called.plain(item.title.as_deref(), &item.item);
    let name = escape(&fitted(&name, FONT, COLUMN - 60.0));
    let (class, strong) = if item.moved { (moved, " strong") } else { ("thin", "") };
    format!(
        "<path class=\"{class}\" d=\"M {x} {} h {COLUMN}\"/>\n<text class=\"small\" x=\"{}\" y=\"{}\">{}</text>\n<text class=\"name{strong}\" x=\"{}\" y=\"{}\">{name}</text>\n",
        y + ROW / 2.0 - 2.0,
        x + 2.0,
        y + 4.0,
        at + 1,
        x + 32.0,
        y + 4.0
    )
}

/// What is left out, name by name.
struct Chips {
    svg: String,
    height: f32,
}

fn chips(record: &ListRecord, called: &Called) -> Chips {
    let heading = if record.edges.is_empty() { "nothing was found" } else { "left out" };
    let mut svg = format!("<text class=\"small\" x=\"{LEFT}\" y=\"26\">{heading}</text>\n");
    let (mut x, mut y) = (LEFT, 36.0);
    for edge in &record.edges {
        let name = fitted(&called.plain(edge.title.as_deref(), &edge.item), SMALL, 300.0);
        let width = pixel_width(&name, SMALL) + 24.0;
        if x > LEFT && x + width > WIDTH - 20.0 {
            (x, y) = (LEFT, y + 34.0);
        }
        svg.push_str(&format!(
            "<rect class=\"item\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"26\" rx=\"8\"/>\n<path class=\"removed\" d=\"M {} {} h {}\"/>\n<text class=\"told\" x=\"{}\" y=\"{}\">{}</text>\n",
            x + 8.0,
            y + 23.0,
            width - 16.0,
            x + 12.0,
            y + 17.0,
            escape(&name)
        ));
        x += width + 10.0;
    }
    let height = if record.edges.is_empty() { 0.0 } else { y };
    Chips { svg, height }
}
