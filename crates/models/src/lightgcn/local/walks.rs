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
//! The person themselves is left out of every `kappa` here and added back where their interactions are there: the same numbers then
//! serve the graph with and without them. Sums go over ascending users, so a number does not depend on which end it was asked from.

use std::sync::{Mutex, PoisonError};

use grease_graph::Graph;

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
}

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
        // The person's own list would be everything.
        if let Some(start) = scratch.starts.get_mut(user as usize) {
            *start = 0;
        }
        Self { model, user, scratch, beside, lists, beta: beta as f32 }
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
            let start = self.scratch.starts[v as usize] as usize;
            if start != 0 {
                let many = self.lists[start] as usize;
                let share = shares[v as usize];
                for &place in &self.lists[start + 1..][..many] {
                    row[place as usize] += share;
                }
            }
        }
    }

    /// `nu_u` of an item.
    pub(super) fn nu(&self, item: u32) -> f32 {
        let shares = self.shares();
        let beside = self.graph().by_item().row(item as usize).iter();
        beside.map(|&v| self.scratch.reach[v as usize] * shares[v as usize]).sum()
    }

    /// `kappa` of one item with each of some others, the person left out.
    pub(super) fn kappa_with(&mut self, item: u32, others: &[u32]) -> Vec<f32> {
        let (shares, user) = (self.shares(), self.user);
        let users = self.graph().by_item().row(item as usize);
        users
            .iter()
            .filter(|&&v| v != user)
            .for_each(|&v| self.scratch.column[v as usize] = shares[v as usize]);
        let sums = self.column_sums(others, |column, _| column);
        users.iter().for_each(|&v| self.scratch.column[v as usize] = 0.0);
        sums
    }

    /// `nu_v` of each of some items, for somebody else `v`.
    pub(super) fn nu_of(&mut self, v: u32, items: &[u32]) -> Vec<f32> {
        let inverse = &self.model.adjacency.squares().items;
        let own = self.graph().by_user().row(v as usize);
        for &item in own {
            for &w in self.graph().by_item().row(item as usize) {
                self.scratch.column[w as usize] += inverse[item as usize];
            }
        }
        let sums = self.column_sums(items, |column, share| column * share);
        for &item in own {
            for &w in self.graph().by_item().row(item as usize) {
                self.scratch.column[w as usize] = 0.0;
            }
        }
        sums
    }

    fn column_sums(&self, items: &[u32], value: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        let (column, shares) = (&self.scratch.column, self.shares());
        let sum = |&item: &u32| {
            let users = self.graph().by_item().row(item as usize).iter();
            users.map(|&v| value(column[v as usize], shares[v as usize])).sum()
        };
        items.iter().map(sum).collect()
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
        }
        self.model.spare.0.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}
