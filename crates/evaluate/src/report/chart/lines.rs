//! Shares that go with something, a line for each method: panels side by side for both goals, one pair for each model.

use grease_explain::{Method, Rigour};

use super::super::words;
use super::Chart;
use super::look;
use super::scale::Scale;
use super::svg::{Svg, WIDTH};
use crate::Spread;
use grease_tell::measure::{fitted, pixel_width};

/// Where the panels of both goals begin and end.
const PLOTS: [[f32; 2]; 2] = [[64.0, 470.0], [560.0, 966.0]];
/// Height of a panel.
const HEIGHT: f32 = 222.0;

/// A whole chart.
pub(super) struct Panels {
    /// What it shows.
    pub(super) title: String,
    /// What is along the axis.
    pub(super) across: String,
    /// How deviations are drawn: as a band, or as bars at each point, lines then standing beside each other.
    pub(super) bands: bool,
    /// Models, each with a panel for each goal.
    pub(super) models: Vec<(String, Vec<Panel>)>,
}

/// One plot.
pub(super) struct Panel {
    /// Of what.
    pub(super) title: String,
    /// What is written below each place along the axis, in one or two lines; an empty text writes nothing.
    pub(super) places: Vec<[String; 2]>,
    /// Where the tables' cap lies, in places.
    pub(super) cap: Option<(usize, String)>,
    /// In drawing order, the last on top.
    pub(super) lines: Vec<Line>,
}

/// One method.
pub(super) struct Line {
    pub(super) method: Method,
    pub(super) rigour: Rigour,
    /// Place along the axis, and the figure there.
    pub(super) points: Vec<(usize, Spread)>,
}

/// The chart, unless there is nothing to draw.
pub(super) fn lines(panels: Panels) -> Option<Chart> {
    let all = || panels.models.iter().flat_map(|(_, panels)| panels).flat_map(|panel| &panel.lines);
    if all().all(|line| line.points.is_empty()) {
        return None;
    }
    // PN and PS often live in different parts of the axis; models of one goal are to be compared.
    let scale = |goal: usize| {
        let panels = panels.models.iter().filter_map(|(_, panels)| panels.get(goal));
        let points = panels.flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
        Scale::for_all(points.map(|(_, share)| share.mean + share.sd))
    };
    let mut svg = Svg::default();
    let mut y = legend(&mut svg, all());
    for (model, of_model) in &panels.models {
        if of_model.iter().all(|panel| panel.lines.is_empty()) {
            continue;
        }
        svg.text(16.0, y + 16.0, "heading", &fitted(model, look::HEADING * look::BOLD, WIDTH - 32.0));
        y += 32.0;
        for (goal, (panel, plot)) in of_model.iter().zip(PLOTS).enumerate() {
            if !panel.lines.is_empty() {
                draw(&mut svg, panel, plot, scale(goal).between(y + HEIGHT, y + 34.0), y, &panels);
            }
        }
        y += HEIGHT + 66.0;
    }
    let told = "Lines are shares of pairs verified on the recommender; solid where answers are certified, dashed where a method runs in its own right.";
    Some(Chart { svg: svg.finish(&panels.title, told, y), title: panels.title })
}

fn draw(svg: &mut Svg, panel: &Panel, [left, right]: [f32; 2], scale: Scale, top: f32, panels: &Panels) {
    let bottom = scale.at(0.0);
    svg.text(left, top + 8.0, "strong", &fitted(&panel.title, look::FONT * look::BOLD, right - left));
    for (at, (text, y)) in scale.ticks().into_iter().enumerate() {
        svg.line(if at == 0 { "base" } else { "grid" }, [left, y, right, y]);
        svg.text(left - 8.0, y + 4.5, "soft end", &text);
    }
    let middle = (bottom + scale.at(f64::MAX)) / 2.0;
    let x = left - 48.0;
    svg.push(&format!(
        "<text class=\"soft middle\" x=\"{x:.1}\" y=\"{middle:.1}\" transform=\"rotate(-90 {x:.1} {middle:.1})\">share verified</text>"
    ));
    let step = (right - left) / panel.places.len().max(1) as f32;
    let place = |at: usize| left + step * (at as f32 + 0.5);
    let labelled = panel.places.iter().filter(|text| !text[0].is_empty()).count().max(1);
    let room = (right - left) / labelled as f32 - 6.0;
    for (at, texts) in panel.places.iter().enumerate().filter(|(_, texts)| !texts[0].is_empty()) {
        svg.line("base", [place(at), bottom, place(at), bottom + 4.0]);
        for (line, text) in texts.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            let class = if line == 0 { "middle" } else { "soft middle" };
            svg.text(place(at), bottom + 18.0 + 14.0 * line as f32, class, &fitted(text, look::FONT, room));
        }
    }
    let lower = if panel.places.iter().any(|texts| !texts[1].is_empty()) { 50.0 } else { 36.0 };
    svg.text((left + right) / 2.0, bottom + lower, "soft middle", &panels.across);
    if let Some((at, text)) = &panel.cap {
        let x = place(*at);
        svg.line("cap", [x, scale.at(f64::MAX) - 4.0, x, bottom]);
        svg.text(x, scale.at(f64::MAX) - 8.0, "soft middle", text);
    }
    let count = panel.lines.len();
    for (nth, line) in panel.lines.iter().enumerate() {
        // Deviations as bars need lines that stand beside each other.
        let aside = if panels.bands {
            0.0
        } else {
            (nth as f32 - (count as f32 - 1.0) / 2.0) * (step * 0.4 / count as f32).min(5.0)
        };
        let points: Vec<(f32, Spread)> =
            line.points.iter().map(|(at, share)| (place(*at) + aside, *share)).collect();
        curve(svg, line, &points, scale, panels.bands, nth);
    }
}

fn curve(svg: &mut Svg, line: &Line, points: &[(f32, Spread)], scale: Scale, bands: bool, nth: usize) {
    let name = words::method(line.method, line.rigour);
    svg.group(&look::class(line.method), &name, |svg| {
        let edge = |side: f64| {
            points
                .iter()
                .map(move |(x, share)| format!("{x:.1} {:.1}", scale.at(share.mean + side * share.sd)))
        };
        let spreads = points.iter().any(|(_, share)| share.sd > 0.0);
        if bands && spreads && line.rigour == Rigour::Certified {
            let mut outline: Vec<String> = edge(1.0).collect();
            outline.extend(edge(-1.0).collect::<Vec<_>>().into_iter().rev());
            svg.push(&format!("<path class=\"band\" d=\"M {} z\"/>", outline.join(" L ")));
        }
        let path: Vec<String> = edge(0.0).collect();
        let thick = if line.method == Method::Grease { " thick" } else { "" };
        let class = format!("curve{thick}{}", look::rigour(line.rigour));
        svg.push(&format!("<path class=\"{class}\" d=\"M {}\"/>", path.join(" L ")));
        for (at, (x, share)) in points.iter().enumerate() {
            if !bands && share.sd > 0.0 {
                let [low, high] = [-1.0, 1.0].map(|side| scale.at(share.mean + side * share.sd));
                svg.line("error", [*x, low, *x, high]);
            }
            // On long curves marks at every point would hide the lines; each method has its own places.
            if points.len() <= 10 || at % 4 == nth % 4 {
                svg.push(&look::mark(line.method, *x, scale.at(share.mean)));
            }
        }
    });
}

/// Which line is whose, in as many rows as are needed; where the rest begins.
fn legend<'a>(svg: &mut Svg, lines: impl Iterator<Item = &'a Line>) -> f32 {
    let mut all: Vec<(Method, Rigour)> = Vec::new();
    for line in lines {
        if !all.contains(&(line.method, line.rigour)) {
            all.push((line.method, line.rigour));
        }
    }
    // Lines are drawn the most important last, and named first.
    all.sort_by_key(|(method, rigour)| std::cmp::Reverse(look::layer(*method, *rigour)));
    let (mut x, mut y) = (16.0, 20.0);
    for (method, rigour) in all {
        let name = words::method(method, rigour);
        let width = 40.0 + pixel_width(&name, look::FONT) + 14.0;
        if x + width > WIDTH && x > 16.0 {
            (x, y) = (16.0, y + 20.0);
        }
        let thick = if method == Method::Grease { " thick" } else { "" };
        svg.push(&format!(
            "<g class=\"{}\"><path class=\"curve{thick}{}\" d=\"M {x:.1} {y:.1} h 32\"/>{}</g>",
            look::class(method),
            look::rigour(rigour),
            look::mark(method, x + 16.0, y)
        ));
        svg.text(x + 40.0, y + 4.5, "", &name);
        x += width;
    }
    y + 20.0
}
