//! How things look: one style sheet, and the marks that tell changed lines apart without colour.

use grease_explain::Change;

/// Width of every picture, in pixels.
pub(crate) const WIDTH: f32 = 800.0;
/// Size of names.
pub(crate) const FONT: f32 = 14.0;
/// Size of everything else.
pub(crate) const SMALL: f32 = 13.0;
/// How much wider bold text runs, in the widest of the usual faces.
pub(crate) const BOLD: f32 = 1.18;

/// All rules begin with `.grease`, as a page may hold many pictures and rules of its own.
pub(crate) const STYLE: &str = "<style>
.grease text { font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
.grease .ground { fill: #ffffff }
.grease .name { font-size: 14px } .grease .told { font-size: 13px } .grease .small { font-size: 13px; fill: #59636e }
.grease .strong { font-weight: 600 } .grease .middle { text-anchor: middle; font-weight: 600 }
.grease path { fill: none; stroke-linecap: round }
.grease .thin { stroke: #c3c9d0; stroke-width: 1.2 }
.grease .removed { stroke: #c2410c; stroke-width: 2.2; stroke-dasharray: 7 6 }
.grease .kept { stroke: #1d5fbf; stroke-width: 2.6 }
.grease .added { stroke: #1a7f4b; stroke-width: 2.8; stroke-dasharray: 0.1 6 }
.grease .mark { fill: #ffffff; stroke-width: 1.6; stroke-dasharray: none } .grease .sign { stroke-width: 1.8; stroke-dasharray: none }
.grease .item { fill: #f3f5f7; stroke: #8c959f } .grease .person { fill: #f6f0fb; stroke: #8b6bb1; stroke-width: 1.4 }
.grease .target { fill: #e8f1ff; stroke: #1d5fbf; stroke-width: 2 } .grease .note { fill: #f3f5f7; stroke: #8c959f }
.grease .frame { fill: none; stroke: #8c959f; stroke-width: 1.4; stroke-dasharray: 3 5 }
@media (prefers-color-scheme: dark) {
.grease text { fill: #e6edf3 } .grease .ground { fill: #0d1117 } .grease .small { fill: #9da7b1 }
.grease .thin { stroke: #3d444d } .grease .removed { stroke: #fb923c } .grease .kept { stroke: #6ea8ff } .grease .added { stroke: #4ac98b }
.grease .mark { fill: #0d1117 } .grease .item, .grease .note { fill: #1a2028; stroke: #6e7681 } .grease .person { fill: #241b30; stroke: #b294d6 }
.grease .target { fill: #10233f; stroke: #6ea8ff }
}
</style>";

/// The class of a changed line.
pub(super) fn class(change: Change) -> &'static str {
    match change {
        Change::Removed => "removed",
        Change::Kept => "kept",
        Change::Added => "added",
    }
}

/// A cross on what is taken away, a plus on what is added; what is kept is whole and needs none.
pub(super) fn mark(change: Change, x: f32, y: f32) -> String {
    let sign = match change {
        Change::Removed => "m -3.2 -3.2 l 6.4 6.4 m 0 -6.4 l -6.4 6.4",
        Change::Added => "m -4 0 h 8 m -4 -4 v 8",
        Change::Kept => return String::new(),
    };
    let class = class(change);
    format!(
        "<circle class=\"{class} mark\" cx=\"{x}\" cy=\"{y}\" r=\"7.5\"/><path class=\"{class} sign\" d=\"M {x} {y} {sign}\"/>\n"
    )
}
