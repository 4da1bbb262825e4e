//! Scalars of short walks from one person: all the graph work there is, done once a person.
//!
//! With `d` degrees, `v` users and `i`, `j`, `t` items:
//!
//! ```text
//! kappa(i, t) = sum over v beside both of 1 / d_v
//! nu_u(i)     = sum over j of u's items of kappa(i, j) / d_j = sum over v beside i of reach_u(v) / d_v
//! reach_u(v)  = sum over j beside both u and v of 1 / d_j
//! ```
//!
//! A popular item is beside very many people, of whom few are beside an own item: a bit a user says who, and fits into a cache where four
//! bytes a user do not. What was walked once is kept, up to a cap.
//!
//! The person themselves is left out of every `kappa` here and added back where their interactions are there: the same numbers then
//! serve the graph with and without them. Sums go over ascending users, so a number does not depend on which end it was asked from.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use grease_graph::{Graph, RowHash};

use crate::lightgcn::LightGcn;

/// Numbers a user, all zero between two people.
#[derive(Debug, Clone, Default)]
struct Scratch {
    /// Where a user's list begins, plus one.
    starts: Vec<u32>,
    /// `reach_u`.
    reach: Vec<f32>,
    /// The column at work.
    column: Vec<f32>,
    /// A bit a user: whether a list begins.
    has_list: Vec<u64>,
}

impl Scratch {
    /// Where a user's list begins, plus one; 0 where there is none.
    fn list_of(&self, v: u32) -> usize {
        match self.has_list[v as usize / 64] >> (v % 64) & 1 {
            0 => 0,
            _ => self.starts[v as usize] as usize,
        }
    }
}

/// Numbers of rows of `kappa` that are kept for one person.
const KEPT: usize = 1 << 22;

/// How often an item is asked about before a row with all items is worth its price.
const OFTEN: u32 = 16;

/// Scratch nobody uses: making it costs more than preparing a person on a large graph.
#[derive(Debug, Default)]
pub(in crate::lightgcn) struct Spare(Mutex<Vec<Scratch>>);

/// A model's copy makes scratch of its own.
impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Walks of one person.
pub(super) struct Walks<'m> {
    model: &'m LightGcn,
    user: u32,
    scratch: Scratch,
    /// Users beside an own item, but the person.
    beside: Vec<u32>,
    /// For each of them: how many own items, and which (by place).
    lists: Vec<u32>,
    /// `reach_u(u)`.
    pub(super) beta: f32,
    /// `1 / degree` of each own item.
    shares_of_own: Vec<f32>,
    /// `kappa` with each own item, the person left out, of items that were asked for before.
    known: HashMap<u32, Box<[f32]>, RowHash>,
    /// How often `kappa` of an item with other people's was asked for, and rows with all items of those that are asked about often.
    asked: HashMap<u32, u32, RowHash>,
    rows: HashMap<u32, Box<[f32]>, RowHash>,
}

impl<'m> Walks<'m> {
    /// Of somebody with these items.
    pub(super) fn new(model: &'m LightGcn, user: u32, own: &[u32]) -> Self {
        let graph = model.adjacency.graph();
        let mut scratch =
            model.spare.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        scratch.starts.resize(graph.users(), 0);
        scratch.reach.resize(graph.users(), 0.0);
        scratch.column.resize(graph.users(), 0.0);
        scratch.has_list.resize(graph.users().div_ceil(64), 0);
        let (mut beside, mut entries) = (Vec::new(), 0);
        let inverse = &model.adjacency.squares().items;
        let mut beta = 0f64;
        for &item in own {
            let share = inverse[item as usize];
            beta += f64::from(share);
            for &v in graph.by_item().row(item as usize) {
                let v = v as usize;
                if scratch.starts[v] == 0 {
                    beside.push(v as u32);
                }
                scratch.starts[v] += 1;
                scratch.reach[v] += share;
                entries += 1;
            }
        }
        let mut lists = vec![0u32; 1 + entries + beside.len()];
        let mut at = 1;
        for &v in &beside {
            let many = std::mem::replace(&mut scratch.starts[v as usize], at);
            at += many + 1;
        }
        for (place, &item) in own.iter().enumerate() {
            for &v in graph.by_item().row(item as usize) {
                let start = scratch.starts[v as usize] as usize;
                lists[start] += 1;
                let many = lists[start] as usize;
                lists[start + many] = place as u32;
            }
        }
        for &v in beside.iter().filter(|&&v| v != user) {
            scratch.has_list[v as usize / 64] |= 1 << (v % 64);
        }
        let shares_of_own = own.iter().map(|&item| inverse[item as usize]).collect();
        Self {
            model,
            user,
            scratch,
            beside,
            lists,
            beta: beta as f32,
            shares_of_own,
            known: HashMap::default(),
            asked: HashMap::default(),
            rows: HashMap::default(),
        }
    }

    fn graph(&self) -> &'m Graph {
        self.model.adjacency.graph()
    }

    /// `1 / d_v` of users.
    fn shares(&self) -> &'m [f32] {
        &self.model.adjacency.squares().users
    }

    /// `kappa` of an item with every own item, the person left out: added to `row`.
    pub(super) fn kappa_with_own(&self, item: u32, row: &mut [f32]) {
        let shares = self.shares();
        for &v in self.graph().by_item().row(item as usize) {
            let start = self.scratch.list_of(v);
            // The person's own list would be everything: there is none.
            if start != 0 {
                let many = self.lists[start] as usize;
                let share = shares[v as usize];
                for &place in &self.lists[start + 1..][..many] {
                    row[place as usize] += share;
                }
            }
        }
    }

    /// The same, kept for whoever asks again. The bits are the same, kept or not.
    pub(super) fn kappa_of(&mut self, item: u32) -> Cow<'_, [f32]> {
        if !self.known.contains_key(&item) {
            let mut row = vec![0f32; self.shares_of_own.len()];
            self.kappa_with_own(item, &mut row);
            if (self.known.len() + 1) * row.len() > KEPT {
                return Cow::Owned(row);
            }
            self.known.insert(item, row.into_boxed_slice());
        }
        Cow::Borrowed(&self.known[&item])
    }

    /// `nu_u` of an item from its `kappa` with each own item: no walk of its own.
    pub(super) fn nu_from(&self, kappa: &[f32], is_own: bool) -> f32 {
        let others: f32 = kappa.iter().zip(&self.shares_of_own).map(|(kappa, share)| kappa * share).sum();
        // The person is beside their own items.
        others + if is_own { self.beta / self.shares_of_own.len() as f32 } else { 0.0 }
    }

    /// `nu_u` of an item.
    pub(super) fn nu(&self, item: u32) -> f32 {
        let shares = self.shares();
        let beside = self.graph().by_item().row(item as usize).iter();
        beside.map(|&v| self.scratch.reach[v as usize] * shares[v as usize]).sum()
    }

    /// `kappa` of one item with each of some others, the person left out.
    pub(super) fn kappa_with(&mut self, item: u32, others: &[u32]) -> Vec<f32> {
        self.column_sums(item, others, Some(self.user))
    }

    /// `nu_v` of each of some items, for somebody else `v`: the sum over `v`'s items of `kappa / degree`.
    pub(super) fn nu_of(&mut self, v: u32, items: &[u32]) -> Vec<f32> {
        let inverse = &self.model.adjacency.squares().items;
        let own = self.graph().by_user().row(v as usize);
        let nu = |&item: &u32| {
            let kappa = self.kappa_of_all(item, own);
            kappa.iter().zip(own).map(|(kappa, &other)| kappa * inverse[other as usize]).sum()
        };
        items.iter().map(nu).collect()
    }

    /// `kappa` of one item with each of some others, nobody left out. Who is asked about often has a row with all items. Sums go over
    /// ascending users either way, so the bits are the same.
    fn kappa_of_all(&mut self, item: u32, others: &[u32]) -> Vec<f32> {
        let graph = self.graph();
        if !self.rows.contains_key(&item) {
            let asked = self.asked.entry(item).or_default();
            *asked += 1;
            if *asked <= OFTEN || (self.rows.len() + 1) * graph.items() > KEPT {
                return self.column_sums(item, others, None);
            }
            let mut row = vec![0f32; graph.items()];
            for &v in graph.by_item().row(item as usize) {
                let share = self.shares()[v as usize];
                graph.by_user().row(v as usize).iter().for_each(|&other| row[other as usize] += share);
            }
            self.rows.insert(item, row.into_boxed_slice());
        }
        let row = &self.rows[&item];
        others.iter().map(|&other| row[other as usize]).collect()
    }

    /// By a column of users: those of one item, then added up beside each other one.
    fn column_sums(&mut self, item: u32, others: &[u32], but: Option<u32>) -> Vec<f32> {
        let (graph, shares) = (self.graph(), self.shares());
        let users = graph.by_item().row(item as usize);
        let column = &mut self.scratch.column;
        users.iter().filter(|&&v| Some(v) != but).for_each(|&v| column[v as usize] = shares[v as usize]);
        let sum =
            |&other: &u32| graph.by_item().row(other as usize).iter().map(|&v| column[v as usize]).sum();
        let sums = others.iter().map(sum).collect();
        users.iter().for_each(|&v| column[v as usize] = 0.0);
        sums
    }

    /// `reach_v(w)` of two people.
    pub(super) fn reach(&self, v: u32, w: u32) -> f32 {
        let items = |user: u32| self.graph().by_user().row(user as usize);
        let inverse = &self.model.adjacency.squares().items;
        let (a, b) = (items(v), items(w));
        let both = a.iter().filter(|item| v == w || b.binary_search(item).is_ok());
        both.map(|&item| inverse[item as usize]).sum()
    }
}

impl Drop for Walks<'_> {
    fn drop(&mut self) {
        let mut scratch = std::mem::take(&mut self.scratch);
        for &v in &self.beside {
            scratch.starts[v as usize] = 0;
            scratch.reach[v as usize] = 0.0;
            scratch.has_list[v as usize / 64] = 0;
        }
        self.model.spare.0.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}
