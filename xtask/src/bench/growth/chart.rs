//! The chart: what a question takes against how much data there is, both by powers of ten.

use std::fmt::Write as _;

use serde_json::Value;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
/// Room for the axes and for the names at the ends of lines.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 56.0;

/// What is drawn: a name, where its figure is, and how its line is dashed: lines are told apart without colour.
const LINES: [(&str, &str, &str); 5] = [
    ("a list", "/list/median_ms", "1 0"),
    ("a what-if", "/what_if/median_ms", "8 4"),
    ("a list explained, median", "/own/median_ms", "1 0"),
    ("a list explained, p95", "/own/p95_ms", "2 4"),
    ("a search by name", "/search/median_ms", "10 3 2 3"),
];

const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#333}.grid{stroke:#ddd}.line{fill:none;stroke-width:2}.ground{fill:#fff}\
.l0{stroke:#1b6ca8}.l1{stroke:#b4530a}.l2{stroke:#2e7d32}.l3{stroke:#2e7d32}.l4{stroke:#7b1fa2}\
@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.ground{fill:#1b1b1d}\
.l0{stroke:#64b5f6}.l1{stroke:#ffb74d}.l2{stroke:#81c784}.l3{stroke:#81c784}.l4{stroke:#ce93d8}}";

/// Draws it.
pub(super) fn chart(rows: &[Value]) -> String {
    let mut rows: Vec<&Value> = rows.iter().filter(|row| row["millions"].as_f64().is_some()).collect();
    let millions = |row: &Value| row["millions"].as_f64().unwrap_or_default();
    rows.sort_by(|a, b| millions(a).total_cmp(&millions(b)));
    let of = |row: &Value, place: &str| row.pointer(place).and_then(Value::as_f64).filter(|ms| *ms > 0.0);
    let all: Vec<f64> = rows.iter().flat_map(|row| LINES.iter().filter_map(|line| of(row, line.1))).collect();
    let sizes: Vec<f64> = rows.iter().map(|row| millions(row) * 1e6).collect();
    let across = Axis::around(&sizes, LEFT, WIDTH - RIGHT);
    let up = Axis::around(&all, HEIGHT - BOTTOM, TOP);
    let mut body = String::new();
    grid(&mut body, &across, &up);
    let mut ends: Vec<(f64, &str)> = Vec::new();
    for (at, (name, place, dashes)) in LINES.into_iter().enumerate() {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter_map(|row| Some((across.at(millions(row) * 1e6), up.at(of(row, place)?))))
            .collect();
        let Some(&(_, end)) = points.last() else { continue };
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(
            body,
            "<path class=\"line l{at}\" stroke-dasharray=\"{dashes}\" d=\"M {}\"><title>{name}</title></path>",
            path.join(" L ")
        );
        ends.push((end, name));
    }
    // Names do not lie on one another.
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lowest = f64::NEG_INFINITY;
    for (end, name) in ends {
        lowest = (end + 4.0).max(lowest + 16.0);
        let _ = writeln!(body, "<text x=\"{:.1}\" y=\"{lowest:.1}\">{name}</text>", WIDTH - RIGHT + 8.0);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"What a question takes as data \
         grows\">\n<title>What a question takes as data grows</title>\n<style>{STYLE}</style>\n<rect class=\"ground\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\"/>\n{body}</svg>\n"
    )
}

fn grid(body: &mut String, across: &Axis, up: &Axis) {
    for power in up.powers() {
        let y = up.at(10f64.powi(power));
        let _ = writeln!(body, "<path class=\"grid\" d=\"M {LEFT} {y:.1} H {}\"/>", WIDTH - RIGHT);
        let _ = writeln!(
            body,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            y + 4.0,
            if power >= 3 { format!("{} s", plain(power - 3)) } else { format!("{} ms", plain(power)) }
        );
    }
    for power in across.powers() {
        let x = across.at(10f64.powi(power));
        let _ = writeln!(body, "<path class=\"grid\" d=\"M {x:.1} {TOP} V {}\"/>", HEIGHT - BOTTOM);
        let name = if power >= 5 { format!("{} M", plain(power - 6)) } else { plain(power) };
        let _ = writeln!(
            body,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{name}</text>",
            HEIGHT - BOTTOM + 20.0
        );
    }
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    let _ = writeln!(
        body,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">interactions</text>",
        HEIGHT - 12.0
    );
}

/// A power of ten in digits.
fn plain(power: i32) -> String {
    format!("{}", 10f64.powi(power))
}

/// An axis by powers of ten.
struct Axis {
    lowest: i32,
    highest: i32,
    from: f64,
    to: f64,
}

impl Axis {
    /// From the power below all values to the one above.
    fn around(values: &[f64], from: f64, to: f64) -> Self {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (least, most) = if least.is_finite() { (least, most) } else { (1.0, 10.0) };
        let lowest = least.log10().floor() as i32;
        Self { lowest, highest: (most.log10().ceil() as i32).max(lowest + 1), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - f64::from(self.lowest)) / f64::from(self.highest - self.lowest);
        self.from + share * (self.to - self.from)
    }

    fn powers(&self) -> impl Iterator<Item = i32> + use<> {
        self.lowest..=self.highest
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_figure_is_a_point_and_what_is_missing_none() {
        let rows = [
            json!({ "millions": 10.0, "list": { "median_ms": 10.0 }, "own": { "median_ms": 100.0 } }),
            json!({ "millions": 1.0, "list": { "median_ms": 1.0 } }),
        ];
        let svg = chart(&rows);
        assert!(svg.contains("<title>a list</title>") && !svg.contains("<title>a what-if</title>"), "{svg}");
        // From the lower left to the middle of the upper right.
        let (x, y) = ((WIDTH - RIGHT), f64::midpoint(TOP, HEIGHT - BOTTOM));
        assert!(svg.contains(&format!("d=\"M {LEFT:.1} {:.1} L {x:.1} {y:.1}\"", HEIGHT - BOTTOM)), "{svg}");
        assert!(svg.contains(">1 M<") && svg.contains(">10 M<") && svg.contains(">100 ms<"), "{svg}");
    }

    #[test]
    fn nothing_measured_is_an_empty_chart() {
        assert!(chart(&[]).ends_with("</svg>\n"));
    }
}
