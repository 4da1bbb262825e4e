//! Shares of all methods, a bar each: who verifies how much, beside what the paper prints and what surrogates claim.

use grease_explain::Method;

use super::super::figures::share;
use super::super::select::{GOALS, View, cell, lines, models};
use super::super::words;
use super::Chart;
use super::look;
use super::scale::Scale;
use super::svg::Svg;
use crate::{Cell, ModelResults, Results};
use grease_tell::measure::fitted;

/// Where method names begin, and how far they may go.
const NAMES: [f32; 2] = [16.0, 226.0];
/// Where the bars of each goal begin and end.
const PLOTS: [[f32; 2]; 2] = [[236.0, 540.0], [620.0, 924.0]];
/// Where the figure beside the bars ends.
const FIGURE: f32 = 44.0;
const ROW: f32 = 20.0;
const BAR: f32 = 12.0;

/// A chart of one view.
pub(super) fn bars(results: &Results, view: View) -> Option<Chart> {
    let blocks: Vec<(&ModelResults, Vec<_>)> = models(results)
        .into_iter()
        .map(|(_, model)| (model, lines(model, view)))
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    if blocks.is_empty() {
        return None;
    }
    let all = || blocks.iter().flat_map(|(model, _)| &model.cells).filter(|cell| view.holds(&cell.row));
    let reach = |cell: &Cell| {
        let says = cell.published.map_or(0.0, |says| says.share);
        (cell.share.mean + cell.share.sd).max(says).max(cell.judged.map_or(0.0, |judged| judged.mean))
    };
    let scale = Scale::for_all(all().map(reach));
    let mut svg = Svg::default();
    let mut y =
        legend(&mut svg, all().any(|cell| cell.published.is_some()), all().any(|cell| cell.judged.is_some()));
    for (model, lines) in &blocks {
        svg.text(
            NAMES[0],
            y + 16.0,
            "heading",
            &fitted(&words::model(&model.model), look::HEADING * look::BOLD, 210.0),
        );
        for (goal, plot) in GOALS.into_iter().zip(PLOTS) {
            svg.text(plot[0], y + 16.0, "strong", &format!("{}, {}", words::share(goal), words::goal(goal)));
        }
        y += 26.0;
        let bottom = y + ROW * lines.len() as f32;
        for plot in PLOTS {
            axis(&mut svg, scale.between(plot[0], plot[1]), y, bottom);
        }
        for (method, rigour) in lines {
            let name = words::method(*method, *rigour);
            svg.text(NAMES[0], y + ROW / 2.0 + 4.5, "", &fitted(&name, look::FONT, NAMES[1] - NAMES[0]));
            for (goal, plot) in GOALS.into_iter().zip(PLOTS) {
                match cell(model, view.row(goal, *method, *rigour)).filter(|cell| cell.attempted > 0) {
                    Some(cell) => bar(&mut svg, cell, scale.between(plot[0], plot[1]), y + ROW / 2.0),
                    None => svg.text(plot[1] + FIGURE, y + ROW / 2.0 + 4.5, "soft end", "–"),
                }
            }
            y += ROW;
        }
        y += 36.0;
    }
    for plot in PLOTS {
        svg.text((plot[0] + plot[1]) / 2.0, y, "soft middle", "share of pairs");
    }
    let title = format!("PN and PS by method, top-{}, {}", view.k, words::table(view.table));
    let told = "Bars are shares of pairs verified on the recommender, whiskers the standard deviation over repeats; the tables hold the same figures.";
    Some(Chart { svg: svg.finish(&title, told, y + 12.0), title })
}

fn axis(svg: &mut Svg, scale: Scale, top: f32, bottom: f32) {
    for (at, (text, x)) in scale.ticks().into_iter().enumerate() {
        svg.line(if at == 0 { "base" } else { "grid" }, [x, top - 2.0, x, bottom + 2.0]);
        svg.text(x, bottom + 17.0, "soft middle", &text);
    }
}

fn bar(svg: &mut Svg, cell: &Cell, scale: Scale, middle: f32) {
    let (zero, end) = (scale.at(0.0), scale.at(cell.share.mean));
    svg.group(&look::class(cell.row.method), &named(cell), |svg| {
        svg.push(&format!(
            "<rect class=\"bar{}\" x=\"{zero:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\"/>",
            look::rigour(cell.row.rigour),
            middle - BAR / 2.0,
            end - zero
        ));
        if cell.repeats > 1 && cell.share.sd > 0.0 {
            let [low, high] = [-1.0, 1.0].map(|side| scale.at(cell.share.mean + side * cell.share.sd));
            svg.push(&format!(
                "<path class=\"whisker\" d=\"M {low:.1} {middle:.1} H {high:.1} M {low:.1} {0:.1} v 6 M {high:.1} {0:.1} v 6\"/>",
                middle - 3.0
            ));
        }
        if let Some(judged) = cell.judged {
            claim(svg, scale.at(judged.mean), middle);
        }
        if let Some(published) = cell.published {
            says(svg, scale.at(published.share), middle);
        }
    });
    let strong = if cell.row.method == Method::Grease { " strong" } else { "" };
    svg.text(
        scale.at(f64::MAX) + FIGURE,
        middle + 4.5,
        &format!("figure end{strong}"),
        &share(cell.share.mean),
    );
}

fn named(cell: &Cell) -> String {
    let goal = words::share(cell.row.goal);
    let mut named = format!(
        "{}: {goal} {}, {} of {} pairs",
        words::method(cell.row.method, cell.row.rigour),
        share(cell.share.mean),
        cell.verified,
        cell.attempted
    );
    if let Some(judged) = cell.judged {
        named.push_str(&format!("; judged by its surrogate {}", share(judged.mean)));
    }
    if let Some(says) = cell.published {
        named.push_str(&format!("; published {:.2}", says.share));
    }
    named
}

/// What the paper prints.
fn says(svg: &mut Svg, x: f32, y: f32) {
    svg.push(&format!(
        "<path class=\"says\" d=\"M {x:.1} {y:.1} m 0 -5.5 l 5.5 5.5 l -5.5 5.5 l -5.5 -5.5 z\"/>"
    ));
}

/// What the surrogate claims.
fn claim(svg: &mut Svg, x: f32, y: f32) {
    svg.push(&format!("<circle class=\"claim\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"));
}

/// What the marks mean; where the rest begins.
fn legend(svg: &mut Svg, published: bool, judged: bool) -> f32 {
    let y = 20.0;
    let mut x = NAMES[0];
    let mut entry = |svg: &mut Svg, text: &str, draw: &dyn Fn(&mut Svg, f32)| {
        draw(svg, x);
        svg.text(x + 30.0, y + 4.5, "soft", text);
        x += 30.0 + grease_tell::measure::pixel_width(text, look::FONT) + 14.0;
    };
    let sample = |class: &'static str| {
        move |svg: &mut Svg, x: f32| {
            svg.push(&format!("<g class=\"random\"><rect class=\"bar{class}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"24\" height=\"{BAR}\"/></g>", y - BAR / 2.0));
        }
    };
    entry(svg, "verified (certified)", &sample(""));
    entry(svg, "verified, in its own right", &sample(" in-order"));
    entry(svg, "± sd over repeats", &|svg, x| {
        svg.push(&format!(
            "<path class=\"whisker\" d=\"M {x:.1} {y} h 24 m 0 -3 v 6 M {x:.1} {:.1} v 6\"/>",
            y - 3.0
        ));
    });
    if published {
        entry(svg, "published", &|svg, x| says(svg, x + 16.0, y));
    }
    if judged {
        entry(svg, "claimed by the surrogate", &|svg, x| claim(svg, x + 16.0, y));
    }
    y + 22.0
}
