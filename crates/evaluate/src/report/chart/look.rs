//! How charts look: colours that the colour-blind tell apart (Okabe and Ito), and marks that grey print tells apart.

use std::collections::BTreeSet;

use grease_explain::{Method, Rigour};
use grease_graph::seed;

/// What the classes of methods from outside begin with: none of them is a class of a chart's own.
const GIVEN: &str = "given-";

/// Size of all letters but headings.
pub(super) const FONT: f32 = 12.5;
/// Size of headings.
pub(super) const HEADING: f32 = 14.0;
/// How much wider bold text runs.
pub(super) const BOLD: f32 = 1.18;

/// All rules begin with `.chart`, as a page holds many charts and rules of its own.
const STYLE: &str = ".chart text { font: 12.5px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: var(--text) }
.chart .soft { fill: var(--soft) } .chart .heading { font-size: 14px; font-weight: 600 } .chart .strong { font-weight: 600 }
.chart .middle { text-anchor: middle } .chart .end { text-anchor: end } .chart .figure { font-variant-numeric: tabular-nums }
.chart .ground { fill: var(--ground) } .chart .grid { stroke: var(--line); stroke-width: 1 } .chart .base { stroke: var(--soft); stroke-width: 1 }
.chart .cap { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3 } .chart .whisker { stroke: var(--text); stroke-width: 1.2; fill: none }
.chart .curve { fill: none; stroke: var(--tint); stroke-width: 1.8; stroke-linejoin: round } .chart .thick { stroke-width: 2.6 }
.chart .in-order { stroke-dasharray: 5 4 } .chart .error { stroke: var(--tint); stroke-width: 1 } .chart .band { fill: var(--tint); fill-opacity: .13 }
.chart .bar { fill: var(--tint) } .chart .bar.in-order { fill-opacity: .22; stroke: var(--tint); stroke-width: 1.2; stroke-dasharray: none }
.chart .mark { fill: var(--tint); stroke: var(--ground); stroke-width: .8 } .chart .open { fill: none; stroke: var(--tint); stroke-width: 1.8 }
.chart .says { fill: var(--ground); stroke: var(--text); stroke-width: 1.5 } .chart .claim { fill: none; stroke: var(--text); stroke-width: 1.5 }
";

/// Text, soft text, lines and ground, and after them a colour for each method, by its place in the list of all: on white, and on black.
const LIGHT: [&str; 4] = ["#1f2328", "#59636e", "#d1d9e0", "#ffffff"];
const DARK: [&str; 4] = ["#e6edf3", "#9da7b1", "#3d444d", "#0d1117"];
const GROUNDS: [&str; 4] = ["text", "soft", "line", "ground"];

/// A method's colours on white and on black, and its mark: a class, and a path around the point. Where there are more methods than looks they
/// share them.
const LOOKS: [(&str, &str, &str, &str); 13] = [
    ("#0072b2", "#56b4e9", "mark", "m -4 0 a 4 4 0 1 0 8 0 a 4 4 0 1 0 -8 0"),
    ("#d55e00", "#ff8a4c", "mark", "m 0 -5.2 l 5.2 5.2 l -5.2 5.2 l -5.2 -5.2 z"),
    ("#7a7f85", "#a4abb3", "open", "m -3.2 -3.2 l 6.4 6.4 m 0 -6.4 l -6.4 6.4"),
    ("#009e73", "#2fc99a", "mark", "m -3.8 -3.8 h 7.6 v 7.6 h -7.6 z"),
    ("#b85c92", "#e39cc5", "mark", "m 0 -4.8 l 4.6 8 h -9.2 z"),
    ("#c98a00", "#f0b429", "mark", "m 0 4.8 l 4.6 -8 h -9.2 z"),
    ("#6a51a3", "#b3a2e0", "open", "m 0 -5.2 l 5.2 5.2 l -5.2 5.2 l -5.2 -5.2 z"),
    ("#00727a", "#4cc9d3", "open", "m -3.8 -3.8 h 7.6 v 7.6 h -7.6 z"),
    ("#8c510a", "#d8a15c", "open", "m 0 -4.8 l 4.6 8 h -9.2 z"),
    ("#5b7a00", "#a8c84a", "open", "m 0 4.8 l 4.6 -8 h -9.2 z"),
    ("#c51b7d", "#ff85c0", "open", "m -4 0 a 4 4 0 1 0 8 0 a 4 4 0 1 0 -8 0"),
    ("#a50f15", "#ff8f8f", "mark", "m -4.8 -1.6 h 9.6 v 3.2 h -9.6 z"),
    ("#1f2328", "#e6edf3", "open", "m -4.4 0 h 8.8 m -4.4 -4.4 v 8.8"),
];

/// The same for methods from outside, by their names.
const LOOKS_OF_GIVEN: [(&str, &str, &str, &str); 4] = [
    ("#b3006b", "#ff7ac8", "mark", "m -4.8 0 l 4.8 -4.8 l 4.8 4.8 h -3 v 4.4 h -3.6 v -4.4 z"),
    ("#3d5a00", "#9ccc3c", "mark", "m -4.8 0 l 4.8 4.8 l 4.8 -4.8 h -3 v -4.4 h -3.6 v 4.4 z"),
    ("#7a3e00", "#e8a35c", "mark", "m 0 -4.8 l 4.8 4.8 l -4.8 4.8 v -3 h -4.4 v -3.6 h 4.4 z"),
    ("#26408b", "#93aef5", "mark", "m 0 -4.8 l -4.8 4.8 l 4.8 4.8 v -3 h 4.4 v -3.6 h -4.4 z"),
];

/// The ceiling has the last one, whatever there is before it.
fn look(method: Method) -> (&'static str, &'static str, &'static str, &'static str) {
    if let Method::Given(name) = method {
        return LOOKS_OF_GIVEN[(seed::hash(name.as_str()) % LOOKS_OF_GIVEN.len() as u64) as usize];
    }
    let (ceiling, others) = LOOKS.split_last().expect("there are looks");
    let at = Method::ALL.iter().position(|&other| other == method).unwrap_or_default();
    if method == Method::Exact { *ceiling } else { others[at % others.len()] }
}

/// What a method's part of a drawing is marked by.
pub(super) fn class(method: Method) -> String {
    if method.is_given() { format!("{GIVEN}{method}") } else { method.to_string() }
}

/// The methods from outside that are in a drawing.
fn given_in(body: &str) -> BTreeSet<Method> {
    let begins = format!("<g class=\"{GIVEN}");
    let name = |rest: &str| rest.split(['"', ' ']).next()?.parse().ok().map(Method::Given);
    body.split(&begins).skip(1).filter_map(name).collect()
}

/// The rules for a drawing: as many colours as it has methods.
pub(super) fn style(body: &str) -> String {
    let is_drawn = |method: &Method| {
        let class = format!("<g class=\"{method}");
        body.match_indices(&class).any(|(at, _)| body[at + class.len()..].starts_with(['"', ' ']))
    };
    let drawn: Vec<Method> = Method::ALL.into_iter().filter(is_drawn).chain(given_in(body)).collect();
    let colours = |grounds: [&str; 4], tint: fn(Method) -> &'static str| {
        let grounds = GROUNDS.iter().zip(grounds).map(|(name, colour)| format!("--{name}: {colour}"));
        let tints = drawn.iter().map(|&method| format!("--{}: {}", class(method), tint(method)));
        format!(".chart {{ {} }}", grounds.chain(tints).collect::<Vec<_>>().join("; "))
    };
    let (light, dark) = (colours(LIGHT, |method| look(method).0), colours(DARK, |method| look(method).1));
    let tints: Vec<String> = drawn
        .iter()
        .map(|&method| format!(".chart .{0} {{ --tint: var(--{0}) }}\n", class(method)))
        .collect();
    format!(
        "<style>\n{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n@media print {{ {light} }}\n{STYLE}{}</style>",
        tints.concat()
    )
}

/// Dashed or pale where a method runs in its own right.
pub(super) fn rigour(rigour: Rigour) -> &'static str {
    match rigour {
        Rigour::InOrder => " in-order",
        Rigour::Certified => "",
    }
}

/// The mark of a method's points.
pub(super) fn mark(method: Method, x: f32, y: f32) -> String {
    let (_, _, class, path) = look(method);
    format!("<path class=\"{class}\" d=\"M {x:.1} {y:.1} {path}\"/>")
}

/// What is drawn later lies on top: the ceiling below grease, all others below both.
pub(super) fn layer(method: Method, rigour: Rigour) -> (usize, usize, bool) {
    let on_top = [Method::Exact, Method::Paper, Method::Grease];
    let at = on_top.iter().position(|other| *other == method).map_or(0, |at| at + 1);
    let among = Method::ALL.iter().position(|other| *other == method).unwrap_or_default();
    (at, among, rigour == Rigour::Certified)
}
