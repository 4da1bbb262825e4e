//! How charts look: colours that the colour-blind tell apart (Okabe and Ito), and marks that grey print tells apart.

use grease_explain::{Method, Rigour};

/// Size of all letters but headings.
pub(super) const FONT: f32 = 12.5;
/// Size of headings.
pub(super) const HEADING: f32 = 14.0;
/// How much wider bold text runs.
pub(super) const BOLD: f32 = 1.18;

/// All rules begin with `.chart`, as a page holds many charts and rules of its own.
pub(super) const STYLE: &str = "<style>
.chart { --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --ground: #ffffff; --grease: #0072b2; --paper: #d55e00; --personalrank: #009e73; --random: #7a7f85; --cosine: #b85c92; --leave-one-out: #c98a00; --exact: #1f2328 }
@media (prefers-color-scheme: dark) { .chart { --text: #e6edf3; --soft: #9da7b1; --line: #3d444d; --ground: #0d1117; --grease: #56b4e9; --paper: #ff8a4c; --personalrank: #2fc99a; --random: #a4abb3; --cosine: #e39cc5; --leave-one-out: #f0b429; --exact: #e6edf3 } }
@media print { .chart { --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --ground: #ffffff; --grease: #0072b2; --paper: #d55e00; --personalrank: #009e73; --random: #7a7f85; --cosine: #b85c92; --leave-one-out: #c98a00; --exact: #1f2328 } }
.chart text { font: 12.5px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: var(--text) }
.chart .soft { fill: var(--soft) } .chart .heading { font-size: 14px; font-weight: 600 } .chart .strong { font-weight: 600 }
.chart .middle { text-anchor: middle } .chart .end { text-anchor: end } .chart .figure { font-variant-numeric: tabular-nums }
.chart .ground { fill: var(--ground) } .chart .grid { stroke: var(--line); stroke-width: 1 } .chart .base { stroke: var(--soft); stroke-width: 1 }
.chart .cap { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3 } .chart .whisker { stroke: var(--text); stroke-width: 1.2; fill: none }
.chart .curve { fill: none; stroke: var(--tint); stroke-width: 1.8; stroke-linejoin: round } .chart .thick { stroke-width: 2.6 }
.chart .in-order { stroke-dasharray: 5 4 } .chart .error { stroke: var(--tint); stroke-width: 1 } .chart .band { fill: var(--tint); fill-opacity: .13 }
.chart .bar { fill: var(--tint) } .chart .bar.in-order { fill-opacity: .22; stroke: var(--tint); stroke-width: 1.2; stroke-dasharray: none }
.chart .mark { fill: var(--tint); stroke: var(--ground); stroke-width: .8 } .chart .open { fill: none; stroke: var(--tint); stroke-width: 1.8 }
.chart .says { fill: var(--ground); stroke: var(--text); stroke-width: 1.5 } .chart .claim { fill: none; stroke: var(--text); stroke-width: 1.5 }
.chart .grease { --tint: var(--grease) } .chart .paper { --tint: var(--paper) } .chart .personalrank { --tint: var(--personalrank) } .chart .random { --tint: var(--random) }
.chart .cosine { --tint: var(--cosine) } .chart .leave-one-out { --tint: var(--leave-one-out) } .chart .exact { --tint: var(--exact) }
</style>";

/// Dashed or pale where a method runs in its own right.
pub(super) fn rigour(rigour: Rigour) -> &'static str {
    match rigour {
        Rigour::InOrder => " in-order",
        Rigour::Certified => "",
    }
}

/// The mark of a method's points.
pub(super) fn mark(method: Method, x: f32, y: f32) -> String {
    let path = |class: &str, path: &str| format!("<path class=\"{class}\" d=\"M {x:.1} {y:.1} {path}\"/>");
    match method {
        Method::Grease => format!("<circle class=\"mark\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
        Method::Paper => path("mark", "m 0 -5.2 l 5.2 5.2 l -5.2 5.2 l -5.2 -5.2 z"),
        Method::PersonalRank => path("mark", "m -3.8 -3.8 h 7.6 v 7.6 h -7.6 z"),
        Method::Random => path("open", "m -3.2 -3.2 l 6.4 6.4 m 0 -6.4 l -6.4 6.4"),
        Method::Cosine => path("mark", "m 0 -4.8 l 4.6 8 h -9.2 z"),
        Method::LeaveOneOut => path("mark", "m 0 4.8 l 4.6 -8 h -9.2 z"),
        Method::Exact => path("open", "m -4.4 0 h 8.8 m -4.4 -4.4 v 8.8"),
    }
}

/// What is drawn later lies on top: the ceiling below grease, baselines below both.
pub(super) fn layer(method: Method, rigour: Rigour) -> (usize, bool) {
    let order = [
        Method::Random,
        Method::Cosine,
        Method::LeaveOneOut,
        Method::PersonalRank,
        Method::Exact,
        Method::Paper,
        Method::Grease,
    ];
    let at = order.iter().position(|other| *other == method).unwrap_or(0);
    (at, rigour == Rigour::Certified)
}
