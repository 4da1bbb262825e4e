//! By likeness: interactions with the items most like the explained one, and of the people most like the person.

use grease_graph::{Edge, Embeddings, Graph, ItemId};
use grease_kernels::dense::dot;

use super::{Propose, by_score, once};
use crate::case::Case;
use crate::certify::{Proposal, Search, Stop};

pub(super) struct Cosine;

impl Propose for Cosine {
    fn propose(
        &self,
        case: &Case<'_, '_>,
        _: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop> {
        once(attempt, || likest_first(case, pool))
    }
}

/// Edges by how like the explained item their item is; those of the explained item by how like the person their user is.
pub(crate) fn likest_first(case: &Case<'_, '_>, pool: &[Edge]) -> Vec<Edge> {
    let (user, target) = (case.desk.user, case.item);
    match case.desk.recommender.embeddings() {
        Some(embeddings) => by_score(pool, |edge| {
            if edge.item == target {
                // A newcomer has no vector: their likeness to anybody is unknown.
                let known = user != case.desk.graph().newcomer();
                if known { between_users(&embeddings, user.row(), edge.user.row()) } else { 0.0 }
            } else {
                between_items(&embeddings, target.row(), edge.item.row())
            }
        }),
        None => by_score(pool, |edge| by_company(case.desk.graph(), target, edge.item)),
    }
}

fn between_items(embeddings: &Embeddings<'_>, a: usize, b: usize) -> f32 {
    cosine(row(embeddings.items, embeddings.width, a), row(embeddings.items, embeddings.width, b))
}

fn between_users(embeddings: &Embeddings<'_>, a: usize, b: usize) -> f32 {
    cosine(row(embeddings.users, embeddings.width, a), row(embeddings.users, embeddings.width, b))
}

fn row(table: &[f32], width: usize, at: usize) -> &[f32] {
    &table[at * width..][..width]
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if length > 0.0 { dot(a, b) / length } else { 0.0 }
}

/// Cosine of two items' sets of users, where no vectors are shown.
fn by_company(graph: &Graph, a: ItemId, b: ItemId) -> f32 {
    let (a, b) = (graph.users_of(a), graph.users_of(b));
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let both = short.iter().filter(|user| long.binary_search(user).is_ok()).count();
    let length = ((a.len() * b.len()) as f32).sqrt();
    if length > 0.0 { both as f32 / length } else { 0.0 }
}
