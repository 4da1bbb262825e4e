//! An explanation as a small picture: the person on the left, what is cited in the middle, the item on the right.
//!
//! One self-contained SVG, readable on light and dark, with its own ground so that it does not matter where it stands.
//! How a line was changed shows by its dashes and a mark as well as by its colour.

mod instead;
mod layout;
mod places;
pub(crate) mod style;

use grease_explain::{Change, Goal, Status, Weaker};
use grease_graph::Words;

use crate::Record;
use crate::escape::escape;
use crate::grammar::plural;
use crate::measure::{fitted, pixel_width, wrapped};
use crate::sentence;
use crate::sentence::{Voice, brief};
use layout::{CitedLine, Node, Plan};
use places::{Place, places};
use style::{BOLD, FONT, SMALL, STYLE, WIDTH};

/// The record as an SVG document, which can also stand inside an HTML page.
pub fn picture(record: &Record, words: &Words) -> String {
    let voice = Voice::new(record, words);
    let told = sentence(record, words);
    let note = Note::new(&brief(&voice));
    let places = places(&voice);
    let plan = Plan::new(&voice, note.height, places.len());
    let legend = legend(&voice, &plan);
    let above = voice.instead().map_or(0.0, |_| instead::ABOVE);
    let height = above + plan.height + 22.0 * legend.len() as f32 + 12.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"grease\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n<title>{}</title>\n<desc>{}</desc>\n{STYLE}\n",
        escape(&told),
        escape(&question(&voice)),
        escape(&told),
    );
    svg.push_str(&format!("<rect class=\"ground\" width=\"{WIDTH}\" height=\"{height}\" rx=\"12\"/>\n"));
    if let Some(told) = voice.instead() {
        instead::begin(&mut svg, &voice, told, height);
    }
    headings(&mut svg, &voice, &plan);
    if plan.items.is_empty() && plan.people.is_empty() {
        note.draw(&mut svg, &plan);
    }
    lines(&mut svg, &plan);
    nodes(&mut svg, &voice, &plan, &places);
    for (at, line) in legend.iter().enumerate() {
        svg.push_str(&line.drawn(plan.height + 22.0 * at as f32 + 14.0));
    }
    if voice.instead().is_some() {
        instead::end(&mut svg);
    }
    svg.push_str("</svg>\n");
    svg
}

/// What the picture answers.
fn question(voice: &Voice<'_>) -> String {
    let (target, list) = (voice.target(), voice.on_the_list());
    match voice.record.goal {
        Goal::WhyNot => format!("Why {target} is not {list}"),
        Goal::Factual | Goal::Counterfactual | Goal::Joint => format!("Why {target} is {list}"),
    }
}

/// Small words above the columns.
fn headings(svg: &mut String, voice: &Voice<'_>, plan: &Plan) {
    let mut heading = |x: f32, room: f32, words: &str| {
        let words = escape(&fitted(words, SMALL, room));
        svg.push_str(&format!("<text class=\"small\" x=\"{x}\" y=\"28\">{words}</text>\n"));
    };
    if !plan.items.is_empty() {
        heading(plan.items_x, plan.items_width, &voice.called.words.items);
    }
    if !plan.people.is_empty() {
        heading(plan.people_x, plan.people_width, &format!("other {}", plural(&voice.called.words.person)));
    }
    let target = match voice.record.goal {
        Goal::WhyNot => "not recommended",
        Goal::Factual | Goal::Counterfactual | Goal::Joint => "recommended",
    };
    heading(plan.target_x, plan.target_width, target);
}

/// Where there is no interaction to draw: what there is to say instead.
struct Note {
    lines: Vec<String>,
    height: f32,
}

impl Note {
    const WIDTH: f32 = 288.0;

    fn new(told: &str) -> Self {
        let lines = wrapped(told, &(Self::WIDTH - 28.0), |line| pixel_width(line, SMALL));
        let height = 18.0 * lines.len() as f32 + 22.0;
        Self { lines, height }
    }

    fn draw(&self, svg: &mut String, plan: &Plan) {
        let (x, top, height, middle) =
            (plan.items_x, plan.middle - self.height / 2.0, self.height, plan.middle);
        svg.push_str(&format!(
            "<path class=\"thin\" d=\"M {} {middle} H {}\"/>\n<rect class=\"note\" x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{height}\" rx=\"10\"/>\n",
            plan.person_edge, plan.target_x, Self::WIDTH
        ));
        for (at, line) in self.lines.iter().enumerate() {
            let (x, y) = (x + 14.0, top + 24.0 + 18.0 * at as f32);
            svg.push_str(&format!("<text class=\"told\" x=\"{x}\" y=\"{y}\">{}</text>\n", escape(line)));
        }
    }
}

fn lines(svg: &mut String, plan: &Plan) {
    // Thin ones first: what is cited lies on top.
    for line in &plan.thin {
        svg.push_str(&format!("<path class=\"thin\" d=\"{}\"/>\n", line.path()));
    }
    for CitedLine { change, line, .. } in &plan.cited {
        svg.push_str(&format!("<path class=\"{}\" d=\"{}\"/>\n", style::class(*change), line.path()));
    }
    for CitedLine { change, line, meets } in &plan.cited {
        let (x, y) = line.mark(*meets);
        svg.push_str(&style::mark(*change, x, y));
    }
}

fn nodes(svg: &mut String, voice: &Voice<'_>, plan: &Plan, places: &[Place]) {
    svg.push_str(&format!(
        "<circle class=\"person\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/><text class=\"name middle\" x=\"{x}\" y=\"{}\">you</text>\n",
        plan.middle + 5.0,
        x = plan.person_x,
        y = plan.middle,
        r = plan.person_edge - plan.person_x,
    ));
    for item in &plan.items {
        boxed(svg, "item", plan.items_x, plan.items_width, item, 8.0);
    }
    for person in &plan.people {
        boxed(svg, "person", plan.people_x, plan.people_width, person, 16.0);
    }
    if let Some((y, words)) = &plan.left_out {
        svg.push_str(&format!(
            "<text class=\"small\" x=\"{}\" y=\"{y}\">{}</text>\n",
            plan.items_x,
            escape(words)
        ));
    }
    target(svg, voice, plan, places);
}

/// A box with one line, and the whole name for whoever points at it.
fn boxed(svg: &mut String, class: &str, x: f32, width: f32, node: &Node, round: f32) {
    svg.push_str(&format!(
        "<g><title>{}</title><rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"32\" rx=\"{round}\"/><text class=\"name\" x=\"{}\" y=\"{}\">{}</text></g>\n",
        escape(&node.name),
        node.y - 16.0,
        x + 12.0,
        node.y + 5.0,
        escape(&fitted(&node.name, FONT, width - 24.0)),
    ));
}

/// The explained item, where it stands, and where it would.
fn target(svg: &mut String, voice: &Voice<'_>, plan: &Plan, places: &[Place]) {
    let (x, width, room) = (plan.target_x, plan.target_width, plan.target_width - 28.0);
    let name = voice.plain_name(voice.record.item_title.as_deref(), &voice.record.item);
    let mut lines = wrapped(&name, &room, |line| pixel_width(line, FONT * BOLD));
    if lines.len() > 2 {
        let rest = lines[1..].join(" ");
        lines = vec![lines[0].clone(), fitted(&rest, FONT * BOLD, room)];
    }
    let height = 20.0 * lines.len() as f32 + 22.0;
    let top = plan.middle - height / 2.0;
    svg.push_str(&format!(
        "<g><title>{}</title><rect class=\"target\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"10\"/>",
        escape(&name)
    ));
    for (at, line) in lines.iter().enumerate() {
        let (x, y) = (x + 14.0, top + 26.0 + 20.0 * at as f32);
        svg.push_str(&format!("<text class=\"name strong\" x=\"{x}\" y=\"{y}\">{}</text>", escape(line)));
    }
    svg.push_str("</g>\n");
    for (at, (class, line)) in places.iter().enumerate() {
        let (y, line) = (top + height + 22.0 + 19.0 * at as f32, escape(&fitted(line, SMALL * BOLD, width)));
        svg.push_str(&format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{line}</text>\n"));
    }
}

/// A line of the legend: a sample of a line, or none, and words.
struct Explained {
    sample: Option<Change>,
    words: String,
}

fn legend(voice: &Voice<'_>, plan: &Plan) -> Vec<Explained> {
    let sample = |change: &Change| plan.cited.iter().any(|cited| cited.change == *change);
    let changes = [Change::Kept, Change::Removed, Change::Added].into_iter().filter(sample);
    let mut lines: Vec<Explained> = changes
        .map(|change| Explained { sample: Some(change), words: meaning(voice, change).to_owned() })
        .collect();
    let checked = match voice.record.status {
        Status::Verified | Status::Trivial => "Checked with the recommender itself.",
        Status::Refuted => "Checked with the recommender itself: this guess is wrong.",
        Status::Unverified => "A guess: the recommender could not be asked.",
        Status::NotFound if voice.instead().is_some() => {
            "Checked with the recommender itself, but not what was asked."
        }
        // The picture itself says so.
        Status::NotFound => return lines,
    };
    lines.push(Explained { sample: None, words: checked.to_owned() });
    lines
}

/// What a line stands for.
fn meaning(voice: &Voice<'_>, change: Change) -> &'static str {
    let record = voice.record;
    let holds = record.status == Status::Verified && record.goal == Goal::Joint;
    let holds = holds || voice.instead().is_some_and(|told| told.question == Weaker::Parts);
    match change {
        Change::Kept if holds => "enough: with these alone it would be there",
        Change::Removed if holds => "needed: without these it would not be there",
        Change::Removed => "imagined not to have happened",
        Change::Kept => "all that is kept",
        Change::Added => "imagined to have happened",
    }
}

impl Explained {
    fn drawn(&self, y: f32) -> String {
        let words = escape(&self.words);
        let Some(change) = self.sample else {
            return format!("<text class=\"small strong\" x=\"24\" y=\"{y}\">{words}</text>\n");
        };
        let line = y - 4.0;
        format!(
            "<path class=\"{}\" d=\"M 24 {line} H 70\"/>{}<text class=\"small\" x=\"82\" y=\"{y}\">{words}</text>\n",
            style::class(change),
            style::mark(change, 60.0, line)
        )
    }
}
