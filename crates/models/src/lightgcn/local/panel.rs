//! Some items, prepared to be scored together after many edits of one person.

use std::collections::HashMap;

use grease_graph::RowHash;
use grease_kernels::dense::matvec;
use grease_kernels::vectorise;

use super::columns::Columns;
use super::edit::root;
use super::evicted::{Evicted, Leaving};
use super::walks::Walks;
use crate::halves::row;
use crate::lightgcn::LightGcn;

/// The items of a panel and the walk scalars that lead to them.
#[derive(Default)]
pub(super) struct Items {
    pub(super) items: Vec<u32>,
    /// Their places.
    pub(super) places: HashMap<u32, usize, RowHash>,
    /// Output rows, as the graph is.
    output: Vec<f32>,
    /// Output rows without the person, once wanted.
    without: Option<Vec<f32>>,
    /// `1 / sqrt(degree) / (L + 1)`.
    scales: Vec<f32>,
    /// `kappa` with each own item, the person left out: `[own, items]`.
    kappa: Vec<f32>,
    nu: Vec<f32>,
    /// Places of those in the person's own history, with their scales without the person.
    own: Vec<(usize, f32)>,
    /// `kappa` with items that are not the person's own, by item.
    columns: HashMap<u32, Vec<f32>, RowHash>,
    /// What leads from somebody else, by user.
    people: HashMap<u32, Column, RowHash>,
    /// What leads from their items, once wanted.
    from_items: Option<Columns>,
}

/// What leads to a panel's items from somebody else.
struct Column {
    /// Places of their own items.
    own: Vec<usize>,
    nu: Vec<f32>,
}

impl Items {
    pub(super) fn new(model: &LightGcn, walks: &mut Walks<'_>, own: &[u32], items: &[u32]) -> Self {
        let (dim, graph, many) = (model.dim(), model.adjacency.graph(), items.len());
        let output = model.output().items;
        let mut kappa = vec![0f32; own.len() * many];
        let mut nu = vec![0f32; many];
        // In a model of one layer nothing reaches another item.
        if model.layers >= 2 {
            walks.know(items);
        }
        for (at, &item) in items.iter().enumerate().filter(|_| model.layers >= 2) {
            let of_item = walks.kappa_of(item).into_owned();
            of_item.iter().enumerate().for_each(|(place, &k)| kappa[place * many + at] = k);
            if model.layers >= 3 {
                nu[at] = walks.nu_from(&of_item, own.binary_search(&item).is_ok());
            }
        }
        let share = 1.0 / (model.layers + 1) as f32;
        let scale = |item: u32, gone: f32| root(graph.by_item().degree(item as usize) as f32 - gone) * share;
        Self {
            output: items.iter().flat_map(|&item| row(output, dim, item)).copied().collect(),
            without: None,
            scales: items.iter().map(|&item| scale(item, 0.0)).collect(),
            kappa,
            nu,
            own: (0..many)
                .filter(|&at| own.binary_search(&items[at]).is_ok())
                .map(|at| (at, scale(items[at], 1.0)))
                .collect(),
            columns: HashMap::default(),
            people: HashMap::default(),
            from_items: None,
            places: items.iter().copied().zip(0..).collect(),
            items: items.to_vec(),
        }
    }

    /// Output rows, as the graph is.
    pub(super) fn output(&self) -> &[f32] {
        &self.output
    }

    /// Whether some are in the person's own history.
    pub(super) fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// `1 / sqrt(degree) / (L + 1)` of each.
    pub(super) fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// `nu` of each.
    pub(super) fn nus(&self) -> &[f32] {
        &self.nu
    }

    /// `kappa` of each with an own item.
    pub(super) fn kappa_of(&self, place: usize) -> &[f32] {
        let many = self.items.len();
        &self.kappa[place * many..][..many]
    }

    /// Makes the rows without the person.
    pub(super) fn evict(&mut self, leaving: &Leaving<'_>, evicted: &Evicted) {
        if self.without.is_some() {
            return;
        }
        let (dim, many) = (leaving.model.dim(), self.items.len());
        let mut rows = vec![0f32; many * dim];
        let mut kappa = vec![0f32; leaving.own.len()];
        vectorise(|| {
            for (at, out) in rows.chunks_exact_mut(dim).enumerate() {
                kappa.iter_mut().enumerate().for_each(|(place, k)| *k = self.kappa[place * many + at]);
                leaving.output(evicted, self.items[at], &kappa, out);
            }
        });
        self.without = Some(rows);
    }

    /// Prepares what leads here from an item that is not the person's own.
    pub(super) fn touch_item(&mut self, walks: &mut Walks<'_>, item: u32) {
        if !self.columns.contains_key(&item) {
            self.columns.insert(item, walks.kappa_with(item, &self.items));
        }
    }

    /// Prepares what leads here from somebody else.
    pub(super) fn touch_user(&mut self, model: &LightGcn, user: u32) {
        if !self.people.contains_key(&user) {
            let own = model.adjacency.graph().by_user().row(user as usize);
            let own = own.iter().filter_map(|item| self.places.get(item).copied()).collect();
            let from_items = self.from_items.get_or_insert_with(|| Columns::of(model, &self.items));
            self.people.insert(user, Column { own, nu: from_items.nu_of(model, user) });
        }
    }

    /// Products with the person's row after an edit; corrections come on top.
    pub(super) fn products(&self, is_evicted: bool, person: &[f32], out: &mut [f32]) {
        let rows = self.without.as_ref().filter(|_| is_evicted).unwrap_or(&self.output);
        matvec(rows, person, out);
    }

    /// Room for the corrections of each item, divided by its scale.
    pub(super) fn corrections(&self) -> Vec<f32> {
        vec![0f32; self.items.len()]
    }

    /// What a touched own item brings to each.
    pub(super) fn add_own(&self, place: usize, factor: f32, sums: &mut [f32]) {
        let kappa = self.kappa_of(place);
        vectorise(|| sums.iter_mut().zip(kappa).for_each(|(sum, k)| *sum += factor * k));
    }

    /// What the person brings to those in their own history, beside everything else.
    pub(super) fn add_person_to_own(&self, factor: f32, sums: &mut [f32]) {
        self.own.iter().for_each(|&(at, _)| sums[at] += factor);
    }

    /// What the person's own row brings to each by walks of three steps.
    pub(super) fn add_person(&self, factor: f32, sums: &mut [f32]) {
        vectorise(|| sums.iter_mut().zip(&self.nu).for_each(|(sum, nu)| *sum += factor * nu));
    }

    /// What another touched item brings to each.
    pub(super) fn add_item(&self, item: u32, factor: f32, sums: &mut [f32]) {
        sums.iter_mut().zip(&self.columns[&item]).for_each(|(sum, k)| *sum += factor * k);
    }

    /// What another touched user brings to each.
    pub(super) fn add_user(&self, user: u32, (near, far): (f32, f32), sums: &mut [f32]) {
        let column = &self.people[&user];
        column.own.iter().for_each(|&at| sums[at] += near);
        sums.iter_mut().zip(&column.nu).for_each(|(sum, nu)| *sum += far * nu);
    }

    /// Adds the corrections to the products.
    pub(super) fn correct(&self, is_evicted: bool, sums: &[f32], out: &mut [f32]) {
        if is_evicted {
            // Only these have lost somebody.
            self.own.iter().for_each(|&(at, scale)| out[at] += (scale - self.scales[at]) * sums[at]);
        }
        vectorise(|| {
            out.iter_mut().zip(sums).zip(&self.scales).for_each(|((out, sum), scale)| *out += scale * sum);
        });
    }
}
