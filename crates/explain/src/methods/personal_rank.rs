//! PersonalRank: personalised PageRank with restart at the person, on the bipartite graph. The edges of the nodes it
//! visits most come first.

use grease_graph::{Edge, Graph, Who};

use super::way::Way;
use super::{Context, by_score};
use crate::find::{Search, Stop};

pub(super) const WAY: Way = Way::in_order("personalrank", order);

/// How often a walk goes back to the person.
const RESTART: f32 = 0.15;
/// Steps after which nothing that matters moves: what is not yet settled is (1 - RESTART)^STEPS, under 2 %.
const STEPS: usize = 25;

/// The most visited first.
///
/// Edges by their node other than the person and the explained item; a bridge between two others by the more visited.
pub(super) fn order(
    context: &Context<'_, '_>,
    _: &mut Search<'_, '_>,
    pool: &[Edge],
    most: usize,
) -> Result<Vec<Edge>, Stop> {
    let person = context.person;
    // The walk begins at the person: one serves the whole list.
    let visits = context.visits.get_or_init(|| Visits::from(person.graph(), &person.task.who));
    Ok(by_score(pool, most, |edge| {
        let (user, item) = (visits.users[edge.user.row()], visits.items[edge.item.row()]);
        match (edge.user == person.user, edge.item == context.item) {
            (true, _) => item,
            (_, true) => user,
            _ => user.max(item),
        }
    }))
}

/// How often a walk is where.
pub(crate) struct Visits {
    users: Vec<f32>,
    items: Vec<f32>,
}

impl Visits {
    /// Power iteration: `p = RESTART e_person + (1 - RESTART) p T`, O(steps x interactions).
    fn from(graph: &Graph, who: &Who) -> Self {
        let person = who.row(graph);
        let history = who.history(graph);
        let newcomer = person == graph.newcomer();
        let mut users = vec![0f32; graph.users() + 1];
        let mut items = vec![0f32; graph.items()];
        users[person.row()] = 1.0;
        for _ in 0..STEPS {
            let mut to_items = vec![0f32; items.len()];
            for (user, &here) in users.iter().enumerate().filter(|&(_, &here)| here > 0.0) {
                let touched = if user == graph.users() { &history[..] } else { graph.by_user().row(user) };
                let each = (1.0 - RESTART) * here / touched.len().max(1) as f32;
                touched.iter().for_each(|&item| to_items[item as usize] += each);
            }
            let mut to_users = vec![0f32; users.len()];
            for (item, &here) in items.iter().enumerate().filter(|&(_, &here)| here > 0.0) {
                let by = graph.by_item().row(item);
                // A newcomer is not in the graph: their items have one neighbour more.
                let visits_newcomer = newcomer && history.binary_search(&(item as u32)).is_ok();
                let each = (1.0 - RESTART) * here / (by.len() + usize::from(visits_newcomer)).max(1) as f32;
                by.iter().for_each(|&user| to_users[user as usize] += each);
                if visits_newcomer {
                    to_users[person.row()] += each;
                }
            }
            to_users[person.row()] += RESTART;
            (users, items) = (to_users, to_items);
        }
        Self { users, items }
    }
}
