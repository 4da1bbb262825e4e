//! Scores of some items after edits of one person, exactly, without the rest of the graph.
//!
//! ```text
//! Walks: scalars of short walks, once a person -> Touched: the rows an edit touches -> Items: scores of a panel
//!                                                                                   -> outside: bounds for all other items
//! ```
//!
//! The cost of an edit does not depend on the size of the graph. For up to three layers; deeper models need walks of four steps between
//! items, which are not local, and are asked in the usual way.

mod axes;
mod boxes;
mod columns;
mod edit;
mod evicted;
mod outside;
mod panel;
mod sums;
mod tables;
mod touching;
mod walks;
mod weighed;

use std::collections::HashMap;

use grease_graph::{
    Closely, Edge, Edit, EditError, Panel, Profile, RowHash, ScoreError, Sight, Sums, UserId, check_request,
};

pub(super) use self::tables::Tables;
pub(super) use self::walks::Spare;
pub(super) use self::weighed::ByOwn;

use self::edit::{Room, Rows};
use self::evicted::Evicted;
use self::panel::Items;
use self::sums::Products;
use self::tables::GROUPS;
use self::touching::summed_rows;
use self::walks::Walks;
use crate::halves::row;
use crate::lightgcn::LightGcn;

/// The deepest model whose answers are local.
pub(super) const DEEPEST: usize = 3;

/// Other people an edit may touch and still be answered locally: each costs a walk of its own.
const MOST_OTHERS: usize = 64;

/// One person, prepared.
pub(super) struct Local<'m> {
    model: &'m LightGcn,
    tables: &'m Tables,
    user: u32,
    candidates: Vec<bool>,
    walks: Walks<'m>,
    /// Their items.
    own: &'m [u32],
    /// The input row; zeros for a newcomer.
    row: Vec<f32>,
    /// `sqrt(d) X^k` of layers 1 to L.
    layers: Vec<f64>,
    /// Touchable items that are not the person's own; they come after those.
    others: Vec<u32>,
    /// `kappa` of touchable items with all touchable ones, once wanted, the person left out.
    kappa: HashMap<u32, Vec<f32>, RowHash>,
    /// Rows of other people who were touched.
    people: HashMap<u32, Vec<f64>, RowHash>,
    evicted: Option<Evicted>,
    panels: Vec<Items>,
    /// The best score of an outsider, by panel and group.
    groups: HashMap<Panel, [f32; GROUPS], RowHash>,
    /// What sums are made of, for the panel they were last asked about.
    own_products: Option<(Products, Panel)>,
    room: Room,
    last: Option<(Profile, Edit, Answer)>,
    /// Products of every item with the person's row after the last edit, where they were wanted.
    products: Vec<f32>,
    products_are_last: bool,
    /// The same as things are.
    scores: Vec<f32>,
    /// Rows of somebody without any interaction.
    nothing: Vec<f64>,
}

/// What is known after an edit.
#[derive(Clone)]
enum Answer {
    /// Everything it touches.
    Local(After),
    /// All scores, by the whole graph.
    Whole(Vec<f32>),
}

/// Everything an edit touches, with its products.
#[derive(Clone)]
struct After {
    rows: Rows,
    /// Which base it is from: the graph as it is, or without the person.
    is_evicted: bool,
    /// Touched items: place among the touchable, and row number.
    items: Vec<(usize, u32)>,
    /// Touched people but the person.
    people: Vec<u32>,
}

impl<'m> Local<'m> {
    /// Prepares somebody.
    pub(super) fn new(model: &'m LightGcn, user: UserId, candidates: &[bool]) -> Self {
        let (graph, dim) = (model.adjacency.graph(), model.dim());
        let own = graph.items_of(user);
        let row = match user == graph.newcomer() {
            true => vec![0.0; dim],
            false => row(model.weights.users(), dim, user.0).to_vec(),
        };
        let tables = model.tables();
        Self {
            model,
            tables,
            user: user.0,
            candidates: candidates.to_vec(),
            walks: Walks::new(model, user.0, own),
            own,
            row,
            layers: summed_rows(model, tables, own),
            others: Vec::new(),
            kappa: HashMap::default(),
            people: HashMap::default(),
            evicted: None,
            panels: Vec::new(),
            groups: HashMap::default(),
            own_products: None,
            room: Room::default(),
            last: None,
            products: Vec::new(),
            products_are_last: false,
            scores: Vec::new(),
            nothing: vec![0.0; model.layers * dim],
        }
    }

    fn dim(&self) -> usize {
        self.model.dim()
    }

    /// Makes `last` the answer to this question.
    fn answer(&mut self, profile: Profile, edit: &Edit) -> Result<(), ScoreError> {
        if self.last.as_ref().is_some_and(|(p, e, _)| *p == profile && e == edit) {
            return Ok(());
        }
        self.products_are_last = false;
        let user = UserId(self.user);
        let graph = self.model.adjacency.graph();
        let others = |edge: &&Edge| edge.user.0 != self.user;
        let mut people: Vec<u32> =
            edit.removed().iter().chain(edit.added()).filter(others).map(|e| e.user.0).collect();
        people.sort_unstable();
        people.dedup();
        let kept = self.own.len() - edit.removed().iter().filter(|edge| edge.user.0 == self.user).count();
        let is_evicted = 2 * kept < self.own.len();
        let is_local = people.is_empty()
            || (!is_evicted && people.len() <= MOST_OTHERS && !people.contains(&graph.newcomer().0));
        let answer = if is_local {
            edit.check(graph)?;
            self.model.work.local(1);
            Answer::Local(self.locally(profile, edit, is_evicted, people))
        } else {
            let mut all = vec![0f32; graph.items()];
            check_request(graph, user, std::slice::from_ref(edit), &all)?;
            self.model.rescore_whole(user, profile, std::slice::from_ref(edit), &mut all);
            Answer::Whole(all)
        };
        self.last = Some((profile, edit.clone(), answer));
        Ok(())
    }

    /// The corrections of a panel's items after an edit, divided by their scales.
    fn corrections(&self, panel: Panel, after: &After) -> Vec<f32> {
        let (panel, own) = (&self.panels[panel], self.own.len());
        let mut sums = panel.corrections();
        let (near, far) = after.rows.of_users[0];
        if !after.is_evicted {
            panel.add_person_to_own(near, &mut sums);
            panel.add_person(far, &mut sums);
        }
        let mut through = 0f32;
        // In a model of one layer nothing reaches another item.
        let items = if self.model.layers >= 2 { &after.items[..] } else { &[] };
        for (&(place, item), &factor) in items.iter().zip(&after.rows.of_items) {
            if place < own {
                panel.add_own(place, factor, &mut sums);
                through += factor;
            } else {
                panel.add_item(item, factor, &mut sums);
            }
        }
        if !after.is_evicted && own > 0 {
            panel.add_person_to_own(through / own as f32, &mut sums);
        }
        for (&user, &factors) in after.people.iter().zip(&after.rows.of_users[1..]) {
            panel.add_user(user, factors, &mut sums);
        }
        sums
    }
}

impl Closely for Local<'_> {
    fn sight(&self) -> Sight {
        Sight::Exact
    }

    fn choose(&mut self, items: &[u32]) -> Result<Panel, ScoreError> {
        let most = self.model.adjacency.graph().items();
        if let Some(&row) = items.iter().find(|&&item| item as usize >= most) {
            return Err(ScoreError::UnknownItem { row, items: most });
        }
        self.panels.push(Items::new(self.model, &mut self.walks, self.own, items));
        Ok(self.panels.len() - 1)
    }

    fn score(
        &mut self,
        profile: Profile,
        edit: &Edit,
        panel: Panel,
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        let expected = self.panels[panel].items.len();
        if out.len() != expected {
            return Err(ScoreError::Room { got: out.len(), expected });
        }
        self.answer(profile, edit)?;
        if self.lacks_scores(panel) {
            self.last = None;
            self.answer(profile, edit)?;
        }
        let (profile, edit, answer) = self.last.take().expect("answered above");
        match &answer {
            Answer::Whole(all) => {
                let items = &self.panels[panel].items;
                out.iter_mut().zip(items).for_each(|(out, &item)| *out = all[item as usize]);
            }
            Answer::Local(after) => self.score_panel(panel, after, out),
        }
        self.last = Some((profile, edit, answer));
        Ok(())
    }

    fn best(&mut self, profile: Profile, edit: &Edit, count: usize) -> Result<Vec<u32>, ScoreError> {
        self.best_of_all(profile, edit, count)
    }

    fn above(
        &mut self,
        profile: Profile,
        edit: &Edit,
        panel: Panel,
        threshold: f32,
    ) -> Result<Vec<u32>, ScoreError> {
        self.all_above(profile, edit, panel, threshold)
    }

    fn forget(&mut self, panel: Panel) {
        self.panels.truncate(panel);
        self.groups.retain(|known, _| *known < panel);
        self.own_products.take_if(|(_, known)| *known >= panel);
    }

    fn sums(
        &mut self,
        items: &[u32],
        size: usize,
        panel: Panel,
        proven: bool,
    ) -> Result<Option<Sums>, ScoreError> {
        match items.iter().find(|item| self.own.binary_search(item).is_err()) {
            Some(&item) => Err(EditError::NotThere(Edge::new(self.user, item)).into()),
            None => Ok(self.sums_of(items, size, panel, proven)),
        }
    }
}

impl Local<'_> {
    /// Whether a panel has touched items whose own scores were not worked out, as it was chosen later.
    fn lacks_scores(&self, panel: Panel) -> bool {
        let Some((_, _, Answer::Local(after))) = &self.last else { return false };
        let places = &self.panels[panel].places;
        let mut touched = after.items.iter().zip(&after.rows.scores);
        touched.any(|((_, item), score)| score.is_none() && places.contains_key(item))
    }

    fn score_panel(&mut self, panel: Panel, after: &After, out: &mut [f32]) {
        if after.is_evicted
            && let Some(evicted) = self.evicted.take()
        {
            let mut items = std::mem::take(&mut self.panels[panel]);
            items.evict(&self.leaving(), &evicted);
            self.panels[panel] = items;
            self.evicted = Some(evicted);
        }
        let items = &mut self.panels[panel];
        if self.model.layers >= 2 {
            let others = after.items.iter().filter(|&&(place, _)| place >= self.own.len());
            others.for_each(|&(_, item)| items.touch_item(&mut self.walks, item));
        }
        after.people.iter().for_each(|&user| items.touch_user(self.model, user));
        let items = &self.panels[panel];
        items.products(after.is_evicted, &after.rows.person, out);
        let sums = self.corrections(panel, after);
        items.correct(after.is_evicted, &sums, out);
        for (&(_, item), score) in after.items.iter().zip(&after.rows.scores) {
            if let (Some(&at), Some(score)) = (items.places.get(&item), score) {
                out[at] = *score;
            }
        }
    }
}
