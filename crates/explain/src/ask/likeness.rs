//! How like two items or two people are.

use grease_graph::{Embeddings, Graph, ItemId, Recommender, UserId};
use grease_kernels::dense::dot;

/// By the vectors a recommender shows, or else by the company they keep.
pub(crate) struct Likeness<'a> {
    graph: &'a Graph,
    shown: Option<Embeddings<'a>>,
}

impl<'a> Likeness<'a> {
    /// As this recommender sees it.
    pub(crate) fn new(recommender: &'a dyn Recommender) -> Self {
        Self { graph: recommender.graph(), shown: recommender.embeddings() }
    }

    /// Of two items: -1 to 1.
    pub(crate) fn of_items(&self, a: ItemId, b: ItemId) -> f32 {
        match self.shown {
            Some(shown) => {
                cosine(row(shown.items, shown.width, a.row()), row(shown.items, shown.width, b.row()))
            }
            None => overlap(self.graph.users_of(a), self.graph.users_of(b)),
        }
    }

    /// Of two people: -1 to 1; 0 where one of them is new.
    pub(crate) fn of_users(&self, a: UserId, b: UserId) -> f32 {
        let new = self.graph.newcomer();
        match self.shown {
            _ if a == new || b == new => 0.0,
            Some(shown) => {
                cosine(row(shown.users, shown.width, a.row()), row(shown.users, shown.width, b.row()))
            }
            None => overlap(self.graph.items_of(a), self.graph.items_of(b)),
        }
    }
}

fn row(table: &[f32], width: usize, at: usize) -> &[f32] {
    &table[at * width..][..width]
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if length > 0.0 { dot(a, b) / length } else { 0.0 }
}

/// Cosine of two sets of rows, ascending.
fn overlap(a: &[u32], b: &[u32]) -> f32 {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let both = short.iter().filter(|row| long.binary_search(row).is_ok()).count();
    let length = (a.len() as f32 * b.len() as f32).sqrt();
    if length > 0.0 { both as f32 / length } else { 0.0 }
}
