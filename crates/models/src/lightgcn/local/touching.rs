//! From an edit to everything it touches, with the walk scalars between: what [`Touched`] is computed from.

use grease_graph::{Edge, Edit, Profile};

use super::edit::{Touched, TouchedEdge, TouchedItem, TouchedUser};
use super::evicted::{Leaving, last_row};
use super::tables::Tables;
use super::{After, Local};
use crate::halves::row;
use crate::lightgcn::LightGcn;

/// An edit, seen from its base.
struct Scene {
    profile: Profile,
    /// What comes (1) and what goes (-1).
    edges: Vec<(Edge, f32)>,
    /// Touched items: place among the touchable, and row number.
    items: Vec<(usize, u32)>,
    /// Touched people but the person.
    people: Vec<u32>,
    /// Rows of layer L of items that are scored themselves.
    last: Vec<Option<Vec<f32>>>,
    /// `nu` of the touched items, by touched person.
    nus: Vec<Vec<f32>>,
    is_evicted: bool,
}

impl Local<'_> {
    pub(super) fn locally(
        &mut self,
        profile: Profile,
        edit: &Edit,
        is_evicted: bool,
        people: Vec<u32>,
    ) -> After {
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
        let depth = self.model.layers;
        if items.len() > 1 && depth >= 2 {
            self.walks.know(&rows_of(&items));
        }
        if is_evicted {
            self.evict();
        } else if depth >= 3 {
            items.iter().for_each(|&(_, item)| self.walks.know_nu(item));
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
        if items.len() > 1 && depth >= 2 {
            items.iter().for_each(|&(place, item)| self.fill_kappa(place, item));
        }
        let last: Vec<Option<Vec<f32>>> =
            items.iter().map(|&(_, item)| self.last_if_scored(item, is_evicted)).collect();
        let nus: Vec<Vec<f32>> = match depth >= 3 {
            true => people.iter().map(|&v| self.walks.nu_of(v, &rows_of(&items))).collect(),
            false => vec![vec![0.0; items.len()]; people.len()],
        };
        let scene = Scene { profile, edges, items, people, last, nus, is_evicted };
        let mut room = std::mem::take(&mut self.room);
        let rows = self.touched(&scene).rows(&mut room);
        self.room = room;
        After { rows, is_evicted, items: scene.items, people: scene.people }
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

    pub(super) fn leaving(&self) -> Leaving<'_> {
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
            if self.model.layers >= 3 {
                self.walks.know(self.own);
            }
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

    fn touched<'a>(&'a self, scene: &'a Scene) -> Touched<'a> {
        let Scene { edges, items, people, is_evicted, .. } = scene;
        let is_evicted = *is_evicted;
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
            is_neutral: scene.profile == Profile::Neutral,
            layers: if is_evicted { &self.nothing } else { &self.layers },
        }];
        users.extend(people.iter().map(|&user| {
            let degree = graph.by_user().degree(user as usize) as f32;
            let after = degree + change(&|edge| edge.user.0 == user);
            let row = row(self.model.weights.users(), dim, user);
            TouchedUser { degree, after, row, is_neutral: false, layers: &self.people[&user] }
        }));
        let touched_items = items.iter().zip(&scene.last).map(|(&(place, item), last)| {
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
            nu: self.nu(items, &scene.nus, is_evicted),
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
}

fn rows_of(items: &[(usize, u32)]) -> Vec<u32> {
    items.iter().map(|&(_, item)| item).collect()
}

/// `sqrt(d) X^k` of somebody with these items, layers 1 to L, in double precision: much is taken from it.
pub(super) fn summed_rows(model: &LightGcn, tables: &Tables, own: &[u32]) -> Vec<f64> {
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
