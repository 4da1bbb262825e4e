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
//! bytes a user do not. What is known of those few lies close together, in the order in which it is read. What was walked once is kept, up
//! to a cap.
//!
//! The person themselves is left out of every `kappa` here and added back where their interactions are there: the same numbers then
//! serve the graph with and without them. Sums go over ascending users, so a number does not depend on which end it was asked from.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use grease_graph::{Graph, RowHash};
use grease_kernels::vectorise;
use rayon::prelude::*;

use crate::lightgcn::LightGcn;

/// Who is beside a person's items, and room for a column of users; all zero between two people.
#[derive(Debug, Clone, Default)]
struct Scratch {
    /// A bit a user.
    is_beside: Vec<u64>,
    /// How many are beside before each 64 of them.
    before: Vec<u32>,
    /// The column at work, once there is one.
    column: Vec<f32>,
}

impl Scratch {
    /// A user's place among those beside, who are in ascending order.
    #[inline(always)]
    fn place(&self, v: u32) -> Option<usize> {
        let (word, bit) = (v as usize / 64, 1u64 << (v % 64));
        let beside = self.is_beside[word];
        (beside & bit != 0).then(|| (self.before[word] + (beside & (bit - 1)).count_ones()) as usize)
    }
}

/// Somebody beside a person's items.
#[derive(Debug, Clone, Copy, Default)]
struct Beside {
    /// `1 / d_v`.
    share: f32,
    /// `reach_u(v)`.
    reach: f32,
    /// Where the list of the items that lead there begins.
    list: u32,
}

/// Numbers of rows of `kappa` that are kept for one person.
const KEPT: usize = 1 << 22;

/// Steps of walks before it is worth waking other threads for them.
const MUCH: usize = 1 << 18;

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
    /// Users beside an own item, ascending, and one more for where the last list ends.
    beside: Vec<Beside>,
    /// Which own items lead to each of them, by place; to the person none, as it would be all of them.
    lists: Vec<u32>,
    /// `reach_u(u)`.
    pub(super) beta: f32,
    /// `1 / degree` of each own item.
    shares_of_own: Vec<f32>,
    /// `kappa` with each own item, the person left out, of items that were asked for before.
    known: HashMap<u32, Box<[f32]>, RowHash>,
    /// `nu_u` of items that were asked for before.
    nus: HashMap<u32, f32, RowHash>,
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
        let squares = model.adjacency.squares();
        let (shares, inverse) = (&squares.users, &squares.items);
        let beta: f64 = own.iter().map(|&item| f64::from(inverse[item as usize])).sum();
        let words = graph.users().div_ceil(64);
        scratch.is_beside.resize(words, 0);
        scratch.before.resize(words, 0);
        let users = |item: u32| graph.by_item().row(item as usize);
        for &v in own.iter().flat_map(|&item| users(item)) {
            scratch.is_beside[v as usize / 64] |= 1 << (v % 64);
        }
        let (beside, lists) = vectorise(
            #[inline(always)]
            || {
                let mut many = 0;
                for (before, beside) in scratch.before.iter_mut().zip(&scratch.is_beside) {
                    *before = many;
                    many += beside.count_ones();
                }
                let mut beside = vec![Beside::default(); many as usize + 1];
                for &item in own {
                    let share = inverse[item as usize];
                    for &v in users(item) {
                        let beside = &mut beside[scratch.place(v).expect("marked above")];
                        beside.reach += share;
                        beside.share = shares[v as usize];
                        beside.list += u32::from(v != user);
                    }
                }
                // From how many to where each list ends, and backwards to where it begins.
                let mut end = 0;
                for beside in &mut beside {
                    end += beside.list;
                    beside.list = end;
                }
                let mut lists = vec![0u32; end as usize];
                for (place, &item) in own.iter().enumerate().rev() {
                    for &v in users(item).iter().filter(|&&v| v != user) {
                        let at = &mut beside[scratch.place(v).expect("marked above")].list;
                        *at -= 1;
                        lists[*at as usize] = place as u32;
                    }
                }
                (beside, lists)
            },
        );
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
            nus: HashMap::default(),
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

    /// `kappa` of an item with every own item, the person left out: into `row`, which is all zeros.
    pub(super) fn kappa_with_own(&self, item: u32, row: &mut [f32]) {
        if let Some(known) = self.known.get(&item) {
            return row.copy_from_slice(known);
        }
        let users = self.graph().by_item().row(item as usize);
        let Self { scratch, beside, lists, .. } = self;
        vectorise(
            #[inline(always)]
            || {
                for place in users.iter().filter_map(|&v| scratch.place(v)) {
                    let [Beside { share, list, .. }, next] = [beside[place], beside[place + 1]];
                    for &place in &lists[list as usize..next.list as usize] {
                        row[place as usize] += share;
                    }
                }
            },
        );
    }

    /// Works out what will be asked of some items: side by side, where that is much.
    pub(super) fn know(&mut self, items: &[u32]) {
        let by_item = self.graph().by_item();
        let steps: usize = items.iter().map(|&item| by_item.degree(item as usize)).sum();
        if steps < MUCH {
            return;
        }
        let own = self.shares_of_own.len();
        let room = (KEPT / own.max(1)).saturating_sub(self.known.len());
        let new: Vec<u32> =
            items.iter().copied().filter(|item| !self.known.contains_key(item)).take(room).collect();
        let row = |item: u32| {
            let mut row = vec![0f32; own];
            self.kappa_with_own(item, &mut row);
            (item, row.into_boxed_slice())
        };
        let rows: Vec<_> = new.into_par_iter().map(row).collect();
        self.known.extend(rows);
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

    /// Keeps `nu_u` of an item for whoever asks again.
    pub(super) fn know_nu(&mut self, item: u32) {
        if !self.nus.contains_key(&item) {
            self.nus.insert(item, self.nu(item));
        }
    }

    /// `nu_u` of an item.
    pub(super) fn nu(&self, item: u32) -> f32 {
        if let Some(&known) = self.nus.get(&item) {
            return known;
        }
        let users = self.graph().by_item().row(item as usize);
        vectorise(
            #[inline(always)]
            || {
                let beside =
                    users.iter().filter_map(|&v| self.scratch.place(v)).map(|place| self.beside[place]);
                beside.fold(0.0, |nu, beside| nu + beside.reach * beside.share)
            },
        )
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
        column.resize(graph.users(), 0.0);
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
        scratch.is_beside.fill(0);
        self.model.spare.0.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}
