//! What leads from any item to all items of a panel: `kappa` with each of them, kept as long as there is room.
//!
//! Whoever else is touched leads to a panel by their items, and popular items are in nearly every history: their columns are worked out
//! once.

use std::borrow::Cow;
use std::collections::HashMap;

use grease_graph::RowHash;

use crate::lightgcn::LightGcn;

/// Numbers of columns that are kept.
const KEPT: usize = 1 << 22;

/// Which users are beside a panel's items, and columns known so far.
pub(super) struct Columns {
    many: usize,
    /// Where each user's places begin, and where the last ones end.
    starts: Vec<u32>,
    /// Places in the panel.
    places: Vec<u32>,
    known: HashMap<u32, Box<[f32]>, RowHash>,
}

impl Columns {
    /// Of some items.
    pub(super) fn of(model: &LightGcn, items: &[u32]) -> Self {
        let graph = model.adjacency.graph();
        let users = |item: u32| graph.by_item().row(item as usize);
        let mut starts = vec![0u32; graph.users() + 2];
        for &item in items {
            users(item).iter().for_each(|&user| starts[user as usize + 2] += 1);
        }
        for user in 2..starts.len() {
            starts[user] += starts[user - 1];
        }
        let mut places = vec![0u32; starts[starts.len() - 1] as usize];
        for (place, &item) in items.iter().enumerate() {
            for &user in users(item) {
                let at = &mut starts[user as usize + 1];
                places[*at as usize] = place as u32;
                *at += 1;
            }
        }
        starts.pop();
        Self { many: items.len(), starts, places, known: HashMap::default() }
    }

    /// `kappa` of an item with each of the panel's, nobody left out. The bits are the same, kept or not.
    fn of_item(&mut self, model: &LightGcn, item: u32) -> Cow<'_, [f32]> {
        if !self.known.contains_key(&item) {
            let shares = &model.adjacency.squares().users;
            let mut column = vec![0f32; self.many];
            for &user in model.adjacency.graph().by_item().row(item as usize) {
                let places = self.starts[user as usize] as usize..self.starts[user as usize + 1] as usize;
                let share = shares[user as usize];
                self.places[places].iter().for_each(|&place| column[place as usize] += share);
            }
            if (self.known.len() + 1) * self.many > KEPT {
                return Cow::Owned(column);
            }
            self.known.insert(item, column.into_boxed_slice());
        }
        Cow::Borrowed(&self.known[&item])
    }

    /// `nu_v` of each of the panel's items.
    pub(super) fn nu_of(&mut self, model: &LightGcn, user: u32) -> Vec<f32> {
        let mut nu = vec![0f32; self.many];
        for &item in model.adjacency.graph().by_user().row(user as usize) {
            let share = model.adjacency.squares().items[item as usize];
            let column = self.of_item(model, item);
            nu.iter_mut().zip(&*column).for_each(|(nu, kappa)| *nu += share * kappa);
        }
        nu
    }
}
