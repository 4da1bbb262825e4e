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
mod edit;
mod evicted;
mod outside;
mod panel;
mod sums;
mod tables;
mod walks;

use std::collections::HashMap;

use grease_graph::{
    Closely, Edge, Edit, EditError, Panel, Profile, RowHash, ScoreError, Sight, Sums, UserId, check_request,
};

pub(super) use self::tables::Tables;
pub(super) use self::walks::Spare;

use self::edit::{Room, Rows, Touched, TouchedEdge, TouchedItem, TouchedUser};
use self::evicted::{Evicted, Leaving, last_row};
use self::panel::Items;
use self::sums::Products;
use self::tables::GROUPS;
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
    bounds: Vec<f32>,
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
            bounds: Vec::new(),
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

    fn locally(&mut self, profile: Profile, edit: &Edit, is_evicted: bool, people: Vec<u32>) -> After {
        let mut edges: Vec<(Edge, f32)> = if is_evicted {
            // What they keep is added to the graph without them.
            let kept = self.own.iter().map(|&item| Edge::new(self.user, item));
            kept.filter(|edge| edit.removed().binary_search(edge).is_err()).map(|edge| (edge, 1.0)).collect()
        } else {
            edit.removed().iter().map(|&edge| (edge, -1.0)).collect()
        };
        edges.extend(edit.added().iter().map(|&edge| (edge, 1.0)));
        let mut items: Vec<u32> = edges.iter().map(|(edge, _)| edge.item.0).collect();
        items.sort_unstable();
        items.dedup();
        let items: Vec<(usize, u32)> = items.into_iter().map(|item| (self.place(item), item)).collect();
        if is_evicted {
            self.evict();
        }
        for &user in &people {
            let rows = || {
                summed_rows(
                    self.model,
                    self.tables,
                    self.model.adjacency.graph().by_user().row(user as usize),
                )
            };
            self.people.entry(user).or_insert_with(rows);
        }
        if items.len() > 1 && self.model.layers >= 2 {
            items.iter().for_each(|&(place, item)| self.fill_kappa(place, item));
        }
        let last: Vec<Option<Vec<f32>>> =
            items.iter().map(|&(_, item)| self.last_if_scored(item, is_evicted)).collect();
        let mut room = std::mem::take(&mut self.room);
        let nus: Vec<Vec<f32>> = match self.model.layers >= 3 {
            true => people.iter().map(|&v| self.walks.nu_of(v, &rows_of(&items))).collect(),
            false => vec![vec![0.0; items.len()]; people.len()],
        };
        let rows = self.touched(profile, &edges, &items, &people, &last, &nus, is_evicted).rows(&mut room);
        self.room = room;
        After { rows, is_evicted, items, people }
    }

    /// The place of a touchable item; a new one gets one.
    fn place(&mut self, item: u32) -> usize {
        if let Ok(own) = self.own.binary_search(&item) {
            return own;
        }
        let other = self.others.iter().position(|&other| other == item);
        let other = other.unwrap_or_else(|| {
            self.others.push(item);
            if let Some(mut evicted) = self.evicted.take() {
                self.leaving().extend(&mut evicted, item, None);
                self.evicted = Some(evicted);
            }
            self.others.len() - 1
        });
        self.own.len() + other
    }

    /// Knows `kappa` of a touchable item with all the others.
    fn fill_kappa(&mut self, place: usize, item: u32) {
        let many = self.own.len() + self.others.len();
        if self.kappa.get(&(place as u32)).is_none_or(|known| known.len() < many) {
            let mut kappa = vec![0f32; self.own.len()];
            self.walks.kappa_with_own(item, &mut kappa);
            kappa.extend(self.walks.kappa_with(item, &self.others));
            self.kappa.insert(place as u32, kappa);
        }
    }

    fn leaving(&self) -> Leaving<'_> {
        Leaving {
            model: self.model,
            tables: self.tables,
            walks: &self.walks,
            own: self.own,
            row: &self.row,
            layers: &self.layers,
        }
    }

    /// Works out the graph without the person.
    fn evict(&mut self) {
        if self.evicted.is_none() {
            let mut evicted = self.leaving().evict();
            for &item in &self.others {
                self.leaving().extend(&mut evicted, item, None);
            }
            self.evicted = Some(evicted);
        }
    }

    /// A touched item's row of layer L, where the item is in a panel.
    fn last_if_scored(&self, item: u32, is_evicted: bool) -> Option<Vec<f32>> {
        if !self.panels.iter().any(|panel| panel.places.contains_key(&item)) {
            return None;
        }
        if !is_evicted {
            return Some(last_row(self.model, self.tables, item));
        }
        let (leaving, evicted) = (self.leaving(), self.evicted.as_ref().expect("evicted before"));
        let (dim, depth) = (self.dim(), self.model.layers);
        let mut kappa = vec![0f32; self.own.len()];
        self.walks.kappa_with_own(item, &mut kappa);
        let mut last = vec![0f32; dim];
        leaving.output(evicted, item, &kappa, &mut last);
        last.iter_mut().for_each(|x| *x *= (depth + 1) as f32);
        let place = self.touchable(item).expect("touched items have a place");
        last.iter_mut().zip(row(self.model.weights.items(), dim, item)).for_each(|(x, e)| *x -= e);
        for layer in 1..depth {
            last.iter_mut().zip(evicted.row(layer, dim, place)).for_each(|(x, y)| *x -= y);
        }
        Some(last)
    }

    fn touchable(&self, item: u32) -> Option<usize> {
        let other = || self.others.iter().position(|&other| other == item).map(|at| self.own.len() + at);
        self.own.binary_search(&item).ok().or_else(other)
    }

    fn touched<'a>(
        &'a self,
        profile: Profile,
        edges: &[(Edge, f32)],
        items: &[(usize, u32)],
        people: &[u32],
        last: &'a [Option<Vec<f32>>],
        nus: &[Vec<f32>],
        is_evicted: bool,
    ) -> Touched<'a> {
        let (dim, depth) = (self.dim(), self.model.layers);
        let graph = self.model.adjacency.graph();
        let is_own = |place: usize| place < self.own.len();
        let change = |is_of: &dyn Fn(&Edge) -> bool| -> f32 {
            edges.iter().filter(|(edge, _)| is_of(edge)).map(|(_, sign)| sign).sum()
        };
        let here = if is_evicted { 0.0 } else { self.own.len() as f32 };
        let mut users = vec![TouchedUser {
            degree: here,
            after: here + change(&|edge| edge.user.0 == self.user),
            row: &self.row,
            is_neutral: profile == Profile::Neutral,
            layers: if is_evicted { &self.nothing } else { &self.layers },
        }];
        users.extend(people.iter().map(|&user| {
            let degree = graph.by_user().degree(user as usize) as f32;
            let after = degree + change(&|edge| edge.user.0 == user);
            let row = row(self.model.weights.users(), dim, user);
            TouchedUser { degree, after, row, is_neutral: false, layers: &self.people[&user] }
        }));
        let touched_items = items.iter().zip(last).map(|(&(place, item), last)| {
            let evicted = self.evicted.as_ref().filter(|_| is_evicted);
            let gone = if is_evicted && is_own(place) { 1.0 } else { 0.0 };
            let degree = graph.by_item().degree(item as usize) as f32 - gone;
            let mut layers = vec![row(self.model.weights.items(), dim, item)];
            layers.extend((1..depth).map(|layer| match evicted {
                Some(evicted) => evicted.row(layer, dim, place),
                None => self.tables.row(layer, dim, item),
            }));
            layers.extend(last.as_deref());
            TouchedItem { degree, after: degree + change(&|edge| edge.item.0 == item), layers }
        });
        let items_touched: Vec<TouchedItem<'a>> = touched_items.collect();
        let at_user = |user: u32| {
            if user == self.user { 0 } else { 1 + people.iter().position(|&p| p == user).expect("touched") }
        };
        let at_item = |item: u32| items.iter().position(|&(_, i)| i == item).expect("touched");
        Touched {
            dim,
            depth,
            beside: self.beside(items, people, is_evicted),
            nu: self.nu(items, nus, is_evicted),
            reach: self.reach(people, is_evicted),
            kappa: self.kappa(items, is_evicted),
            users,
            items: items_touched,
            edges: edges
                .iter()
                .map(|&(edge, sign)| TouchedEdge {
                    user: at_user(edge.user.0),
                    item: at_item(edge.item.0),
                    sign,
                })
                .collect(),
        }
    }

    /// `[users, items]`: which interactions are there before.
    fn beside(&self, items: &[(usize, u32)], people: &[u32], is_evicted: bool) -> Vec<f32> {
        let graph = self.model.adjacency.graph();
        let is_own = |&(place, _): &(usize, u32)| f32::from(u8::from(!is_evicted && place < self.own.len()));
        let mut beside: Vec<f32> = items.iter().map(is_own).collect();
        for &user in people {
            beside
                .extend(items.iter().map(|&(_, item)| f32::from(u8::from(graph.has(Edge::new(user, item))))));
        }
        beside
    }

    /// `[users, items]`.
    fn nu(&self, items: &[(usize, u32)], nus: &[Vec<f32>], is_evicted: bool) -> Vec<f32> {
        let is_wanted = !is_evicted && self.model.layers >= 3;
        let of_person = |&(_, item): &(usize, u32)| if is_wanted { self.walks.nu(item) } else { 0.0 };
        items.iter().map(of_person).chain(nus.iter().flatten().copied()).collect()
    }

    /// `[users, users]`.
    fn reach(&self, people: &[u32], is_evicted: bool) -> Vec<f32> {
        if is_evicted || people.is_empty() {
            return vec![if is_evicted { 0.0 } else { self.walks.beta }];
        }
        let all: Vec<u32> = std::iter::once(self.user).chain(people.iter().copied()).collect();
        let is_new = self.user == self.model.adjacency.graph().newcomer().0;
        let reach = |v: u32, w: u32| {
            let about_newcomer = is_new && (v == self.user || w == self.user);
            if about_newcomer { 0.0 } else { self.walks.reach(v, w) }
        };
        all.iter().flat_map(|&v| all.iter().map(move |&w| (v, w))).map(|(v, w)| reach(v, w)).collect()
    }

    /// `[items, items]`.
    fn kappa(&self, items: &[(usize, u32)], is_evicted: bool) -> Vec<f32> {
        let own = self.own.len();
        let through = if is_evicted || own == 0 { 0.0 } else { 1.0 / own as f32 };
        let mut kappa = Vec::with_capacity(items.len() * items.len());
        for &(a, item) in items {
            for &(b, _) in items {
                let person = if a < own && b < own { 1.0 / own as f32 } else { 0.0 };
                kappa.push(match a == b {
                    // Always from the same place: what was asked before must not change a bit.
                    true => self.tables.diagonal[item as usize] - if is_evicted { person } else { 0.0 },
                    false => {
                        let others = self.kappa.get(&(a as u32)).map_or(0.0, |row| row[b]);
                        others + if person > 0.0 { through } else { 0.0 }
                    }
                });
            }
        }
        kappa
    }

    /// The corrections of a panel's items after an edit, divided by their scales.
    fn corrections(&self, panel: Panel, after: &After) -> Vec<f32> {
        let (panel, own) = (&self.panels[panel], self.own.len());
        let mut sums = panel.corrections();
        let (near, far) = after.rows.of_users[0];
        if !after.is_evicted {
            panel.from_person_to_own(near, &mut sums);
            panel.from_person(far, &mut sums);
        }
        let mut through = 0f32;
        // In a model of one layer nothing reaches another item.
        let items = if self.model.layers >= 2 { &after.items[..] } else { &[] };
        for (&(place, item), &factor) in items.iter().zip(&after.rows.of_items) {
            if place < own {
                panel.from_own(place, factor, &mut sums);
                through += factor;
            } else {
                panel.from_item(item, factor, &mut sums);
            }
        }
        if !after.is_evicted && own > 0 {
            panel.from_person_to_own(through / own as f32, &mut sums);
        }
        for (&user, &factors) in after.people.iter().zip(&after.rows.of_users[1..]) {
            panel.from_user(user, factors, &mut sums);
        }
        sums
    }
}

fn rows_of(items: &[(usize, u32)]) -> Vec<u32> {
    items.iter().map(|&(_, item)| item).collect()
}

/// `sqrt(d) X^k` of somebody with these items, layers 1 to L, in double precision: much is taken from it.
fn summed_rows(model: &LightGcn, tables: &Tables, own: &[u32]) -> Vec<f64> {
    let (dim, roots) = (model.dim(), &model.adjacency.roots().items);
    let mut sums = vec![0f64; model.layers * dim];
    for (layer, sums) in sums.chunks_exact_mut(dim).enumerate() {
        for &item in own {
            let x =
                if layer == 0 { row(model.weights.items(), dim, item) } else { tables.row(layer, dim, item) };
            let root = roots[item as usize];
            grease_kernels::vectorise(|| {
                sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += f64::from(root * x));
            });
        }
    }
    sums
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
        self.panels.push(Items::new(self.model, &self.walks, self.own, items));
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
            let mut items = std::mem::replace(&mut self.panels[panel], Items::default());
            items.evict(&self.leaving(), &evicted);
            self.panels[panel] = items;
            self.evicted = Some(evicted);
        }
        let items = &mut self.panels[panel];
        if self.model.layers >= 2 {
            let others = after.items.iter().filter(|&&(place, _)| place >= self.own.len());
            others.for_each(|&(_, item)| items.touch_item(&mut self.walks, item));
        }
        after.people.iter().for_each(|&user| items.touch_user(self.model, &mut self.walks, user));
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
