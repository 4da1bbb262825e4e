//! Charts are well-formed, hold the figures they are drawn from, and keep every label inside.

use grease_explain::Goal;
use roxmltree::{Document, Node};

use super::fixtures::{small, whole};
use crate::report::charts;
use crate::{Results, Table};
use grease_tell::measure::pixel_width;

fn number(node: Node<'_, '_>, name: &str) -> f32 {
    node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name}: {node:?}"))
}

fn has(node: Node<'_, '_>, class: &str) -> bool {
    node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
}

/// Where a text begins, ends and stands.
fn extent(node: Node<'_, '_>) -> (f32, f32, f32) {
    let (size, wider) = if has(node, "heading") { (14.0, 1.1) } else { (12.5, 1.0) };
    let width = pixel_width(node.text().unwrap_or_default(), size) * wider;
    let x = number(node, "x");
    let left = if has(node, "middle") {
        x - width / 2.0
    } else if has(node, "end") {
        x - width
    } else {
        x
    };
    (left, left + width, number(node, "y"))
}

fn hard() -> Results {
    let mut hard = whole();
    hard.models[0].model.data = "A data set with a name much longer than anybody would give one ".repeat(4);
    hard.settings.max_add = 1;
    hard.settings.max_remove = 20;
    hard
}

#[test]
fn labels_stay_inside_and_apart() {
    for chart in [charts(&whole()), charts(&small()), charts(&hard())].concat() {
        let tree = Document::parse(&chart.svg).unwrap();
        let root = tree.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        let (width, height) = (number(root, "width"), number(root, "height"));
        let upright =
            |node: &Node<'_, '_>| node.has_tag_name("text") && node.attribute("transform").is_none();
        let texts: Vec<_> = root.descendants().filter(upright).map(|node| (extent(node), node)).collect();
        for (nth, ((left, right, y), node)) in texts.iter().enumerate() {
            assert!(*left >= 0.0 && *right <= width && *y > 8.0 && *y < height, "{}: {node:?}", chart.title);
            for ((other_left, other_right, other_y), other) in &texts[nth + 1..] {
                let apart = left >= other_right || other_left >= right || (y - other_y).abs() >= 11.0;
                assert!(apart, "{}: {:?} on {:?}", chart.title, node.text(), other.text());
            }
        }
    }
}

#[test]
fn bars_are_as_long_as_their_shares() {
    let whole = whole();
    let chart =
        charts(&whole).into_iter().find(|chart| chart.title.starts_with("PN and PS by method")).unwrap();
    let tree = Document::parse(&chart.svg).unwrap();
    let bars: Vec<(String, f32)> = tree
        .descendants()
        .filter(|node| node.has_tag_name("rect") && has(*node, "bar"))
        .filter_map(|bar| {
            let named = bar.parent()?.children().find(|node| node.has_tag_name("title"))?;
            Some((named.text()?.to_owned(), number(bar, "width")))
        })
        .collect();
    let here = |row: &crate::Row| row.table == Table::Paper && row.k == 10;
    let cells: Vec<_> = whole.models.iter().flat_map(|model| &model.cells).filter(|c| here(&c.row)).collect();
    assert_eq!(bars.len(), cells.len());
    for cell in cells {
        let goal = if cell.row.goal == Goal::Factual { "PS" } else { "PN" };
        let says = format!("{goal} {:.3}, {} of {} pairs", cell.share.mean, cell.verified, cell.attempted);
        // The axis goes to 1 over 304 pixels, as the paper's figures do not fit on less.
        let long = |width: f32| (width - 304.0 * cell.share.mean as f32).abs() < 0.06;
        assert!(bars.iter().any(|(named, width)| named.contains(&says) && long(*width)), "{says}");
    }
}

#[test]
fn every_curve_is_drawn_once() {
    let whole = whole();
    for chart in charts(&whole).into_iter().filter(|chart| chart.title.contains("edges an explanation")) {
        let tree = Document::parse(&chart.svg).unwrap();
        let curves = tree.descendants().filter(|node| {
            has(*node, "curve")
                && node.parent().is_some_and(|group| group.children().any(|node| node.has_tag_name("title")))
        });
        let k: usize = chart
            .title
            .split("top-")
            .nth(1)
            .and_then(|rest| rest.split(',').next())
            .unwrap()
            .parse()
            .unwrap();
        let table = if chart.title.contains("own") { Table::Own } else { Table::Paper };
        let drawn = whole.models.iter().flat_map(|model| &model.curves).filter(|curve| {
            curve.over == crate::Axis::Budget && curve.row.k == k && curve.row.table == table
        });
        assert_eq!(curves.count(), drawn.count(), "{}", chart.title);
    }
}
