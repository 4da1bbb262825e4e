//! Where everything goes: one row for each item and for each other person, so that no two names can meet.

use grease_explain::{Change, Goal};

use super::style::WIDTH;
use crate::CitedEdge;
use crate::sentence::Voice;

/// Distance between rows.
const ROW: f32 = 42.0;
/// Middle of the first row.
const TOP: f32 = 60.0;
/// The most rows drawn; what a longer explanation adds is counted.
const ROWS: usize = 14;
/// The explained item with three lines beneath needs so much, and for each further one more.
const LEAST: f32 = 184.0;
const FURTHER: f32 = 38.0;
/// How far from its row a line ends that shares it with another.
const APART: f32 = 8.0;

/// A box in a column.
pub(super) struct Node {
    /// In full, on one line.
    pub(super) name: String,
    /// Its middle.
    pub(super) y: f32,
}

/// From the right side of something to the left side of something.
pub(super) struct Line {
    from: (f32, f32),
    to: (f32, f32),
    /// Where the bend begins and ends: before and after, the line keeps to a row.
    bend: (f32, f32),
}

impl Line {
    fn new(from: (f32, f32), to: (f32, f32)) -> Self {
        Self { from, to, bend: (from.0, to.0) }
    }

    pub(super) fn path(&self) -> String {
        let ((x1, y1), (x2, y2)) = (self.from, self.to);
        let (begin, end) = self.bend;
        let half = (begin + end) / 2.0;
        format!("M {x1} {y1} H {begin} C {half} {y1} {half} {y2} {end} {y2} H {x2}")
    }

    /// Where a mark meets no other line's: lines part from the person and come together at the explained item.
    pub(super) fn mark(&self, meets: Meets) -> (f32, f32) {
        let ((x1, y1), (x2, y2)) = (self.from, self.to);
        match meets {
            Meets::AtTheStart => (x2 - 14.0, y2),
            Meets::AtTheEnd => (x1 + 14.0, y1),
            Meets::Nowhere => ((x1 + x2) / 2.0, (y1 + y2) / 2.0),
        }
    }
}

/// Where a line meets the others of its column.
#[derive(Clone, Copy)]
pub(super) enum Meets {
    /// At the person.
    AtTheStart,
    /// At the explained item.
    AtTheEnd,
    /// Between an item and somebody else.
    Nowhere,
}

/// A changed line.
pub(super) struct CitedLine {
    pub(super) change: Change,
    pub(super) line: Line,
    pub(super) meets: Meets,
}

/// Places of everything, in pixels.
pub(super) struct Plan {
    pub(super) person_x: f32,
    pub(super) person_edge: f32,
    pub(super) items_x: f32,
    pub(super) items_width: f32,
    pub(super) people_x: f32,
    pub(super) people_width: f32,
    pub(super) target_x: f32,
    pub(super) target_width: f32,
    /// Where the person and the explained item are.
    pub(super) middle: f32,
    /// Of all but the legend.
    pub(super) height: f32,
    pub(super) items: Vec<Node>,
    pub(super) people: Vec<Node>,
    pub(super) cited: Vec<CitedLine>,
    /// What leads from the cited to the explained item.
    pub(super) thin: Vec<Line>,
    /// Where there were too many rows, and what to say about it.
    pub(super) left_out: Option<(f32, String)>,
}

impl Plan {
    /// Leaves `room` in the middle where there is nothing to draw, and enough for so many lines beneath the explained item.
    pub(super) fn new(voice: &Voice<'_>, room: f32, lines: usize) -> Self {
        let rows = Rows::new(voice);
        let mut plan = Self::columns(!rows.people.is_empty());
        let drawn = rows.count as f32;
        let least = LEAST + FURTHER * lines.saturating_sub(3) as f32;
        let least = if rows.count == 0 { least.max(TOP + room) } else { least };
        let below = if rows.left_out > 0 { 24.0 } else { 0.0 };
        plan.height = (TOP + drawn * ROW + below).max(least);
        // In the middle of the rows, or of the picture if that is larger.
        let top = TOP + ((plan.height - TOP - below - drawn * ROW) / 2.0 - 12.0).max(0.0);
        let y = |row: usize| top + row as f32 * ROW;
        plan.middle =
            if rows.count == 0 { (plan.height + 28.0) / 2.0 } else { y(0) + (drawn - 1.0) * ROW / 2.0 };
        plan.left_out = (rows.left_out > 0)
            .then(|| (y(rows.count) + 4.0, format!("and {} more, not drawn", rows.left_out)));

        let named = |edge: &CitedEdge| voice.plain_name(edge.title.as_deref(), &edge.item);
        plan.items = rows.items.iter().map(|&(row, edge)| Node { name: named(edge), y: y(row) }).collect();
        let person = |&(row, user): &(usize, &str)| Node { name: voice.person(user), y: y(row) };
        plan.people = rows.people.iter().map(person).collect();
        plan.draw(voice, &rows, y);
        plan
    }

    fn columns(with_people: bool) -> Self {
        let (items_x, items_width, people_x, people_width, target_x) =
            if with_people { (124.0, 184.0, 366.0, 144.0, 584.0) } else { (196.0, 288.0, 0.0, 0.0, 572.0) };
        Self {
            person_x: 52.0,
            person_edge: 80.0,
            items_x,
            items_width,
            people_x,
            people_width,
            target_x,
            target_width: WIDTH - 24.0 - target_x,
            middle: 0.0,
            height: 0.0,
            items: Vec::new(),
            people: Vec::new(),
            cited: Vec::new(),
            thin: Vec::new(),
            left_out: None,
        }
    }

    fn draw(&mut self, voice: &Voice<'_>, rows: &Rows<'_>, y: impl Fn(usize) -> f32) {
        let (me, target) = ((self.person_edge, self.middle), (self.target_x, self.middle));
        let item_right = self.items_x + self.items_width;
        let people_right = self.people_x + self.people_width;
        // Past the people's column before it bends, so that it runs behind nobody's name.
        let past = people_right.max(item_right);
        let onward = |from: (f32, f32)| Line { from, to: target, bend: (past, target.0) };
        let cited = drawn(voice);
        for &(change, edge) in &cited {
            // Both kept and removed: two lines, side by side.
            let is_shared = cited.iter().any(|(other, known)| *other != change && known.item == edge.item);
            let apart = match change {
                _ if !is_shared || edge.user != voice.record.user => 0.0,
                Change::Kept => -APART,
                Change::Removed | Change::Added => APART,
            };
            let item = rows.item(&edge.item).map(|row| y(row) + apart);
            let person = rows.person(&edge.user).map(&y);
            let (line, meets) = match (edge.user == voice.record.user, item, person) {
                (true, Some(item), _) => (Line::new(me, (self.items_x, item)), Meets::AtTheStart),
                (false, Some(item), Some(person)) => {
                    (Line::new((item_right, item), (self.people_x, person)), Meets::Nowhere)
                }
                (false, None, Some(person)) if edge.item == voice.record.item => {
                    let bend = (people_right + 26.0, target.0);
                    (Line { from: (people_right, person), to: target, bend }, Meets::AtTheEnd)
                }
                // Not drawn: too many rows.
                _ => continue,
            };
            self.cited.push(CitedLine { change, line, meets });
        }
        for &(row, edge) in &rows.items {
            let owned = voice.edges().any(|cited| cited.item == edge.item && cited.user == voice.record.user);
            let bridged =
                voice.edges().any(|cited| cited.item == edge.item && cited.user != voice.record.user);
            if owned && !bridged {
                self.thin.push(onward((item_right, y(row))));
            }
            if !owned {
                self.thin.push(Line::new(me, (self.items_x, y(row))));
            }
        }
        for &(row, user) in &rows.people {
            let cited = voice.edges().any(|edge| edge.user == user && edge.item == voice.record.item);
            if !cited {
                self.thin.push(onward((people_right, y(row))));
            }
            let bridge = voice.edges().any(|edge| edge.user == user && edge.item != voice.record.item);
            if !bridge {
                // Their row has no item, so the line runs on to them.
                let bend = (me.0, self.items_x);
                self.thin.push(Line { from: me, to: (self.people_x, y(row)), bend });
            }
        }
    }
}

/// What is drawn of each interaction: what is both enough and needed is kept as well as removed.
fn drawn<'a>(voice: &Voice<'a>) -> Vec<(Change, &'a CitedEdge)> {
    let is_both = voice.record.goal == Goal::Joint && voice.instead().is_none();
    let lines = |edge: &'a CitedEdge| match is_both {
        true => vec![(Change::Kept, edge), (Change::Removed, edge)],
        false => vec![(edge.change, edge)],
    };
    voice.edges().flat_map(lines).collect()
}

/// Which item and which other person is on which row.
struct Rows<'a> {
    items: Vec<(usize, &'a CitedEdge)>,
    people: Vec<(usize, &'a str)>,
    count: usize,
    left_out: usize,
}

impl<'a> Rows<'a> {
    fn new(voice: &Voice<'a>) -> Self {
        let mut rows = Self { items: Vec::new(), people: Vec::new(), count: 0, left_out: 0 };
        for edge in voice.edges() {
            let mut wanted: Option<usize> = None;
            if edge.item != voice.record.item {
                wanted = rows.item(&edge.item);
                if wanted.is_none() {
                    let Some(row) = rows.next() else { continue };
                    rows.items.push((row, edge));
                    wanted = Some(row);
                }
            }
            if edge.user != voice.record.user && rows.person(&edge.user).is_none() {
                // Beside their item if nobody is there yet and its own line does not pass.
                let free = wanted.filter(|row| rows.people.iter().all(|(taken, _)| taken != row));
                let Some(row) = free.or_else(|| rows.next()) else { continue };
                rows.people.push((row, &edge.user));
            }
        }
        rows
    }

    /// A new row, while there is room.
    fn next(&mut self) -> Option<usize> {
        if self.count == ROWS {
            self.left_out += 1;
            return None;
        }
        self.count += 1;
        Some(self.count - 1)
    }

    fn item(&self, id: &str) -> Option<usize> {
        self.items.iter().find(|(_, edge)| edge.item == id).map(|(row, _)| *row)
    }

    fn person(&self, user: &str) -> Option<usize> {
        self.people.iter().find(|(_, known)| *known == user).map(|(row, _)| *row)
    }
}
