//! The paper charts are drawn on: elements one after another, every string escaped.

use super::look;
use grease_tell::escape;

/// Width of every chart, in pixels.
pub(super) const WIDTH: f32 = 980.0;

/// A chart being drawn.
#[derive(Debug, Default)]
pub(super) struct Svg {
    body: String,
}

impl Svg {
    /// An element that holds nothing from the data.
    pub(super) fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    pub(super) fn text(&mut self, x: f32, y: f32, class: &str, text: &str) {
        self.push(&format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text)));
    }

    pub(super) fn line(&mut self, class: &str, [x1, y1, x2, y2]: [f32; 4]) {
        self.push(&format!("<path class=\"{class}\" d=\"M {x1:.1} {y1:.1} L {x2:.1} {y2:.1}\"/>"));
    }

    /// Elements of one thing, named for whoever points at it or cannot see it.
    pub(super) fn group(&mut self, class: &str, named: &str, inside: impl FnOnce(&mut Self)) {
        self.push(&format!("<g class=\"{class}\"><title>{}</title>", escape(named)));
        inside(self);
        self.push("</g>");
    }

    /// The whole picture.
    pub(super) fn finish(self, title: &str, told: &str, height: f32) -> String {
        let (title, told) = (escape(title), escape(told));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<desc>{told}</desc>\n{}\n<rect class=\"ground\" x=\"0\" y=\"0\" width=\"{WIDTH}\" height=\"{height:.0}\"/>\n{}</svg>\n",
            look::style(&self.body),
            self.body
        )
    }
}
