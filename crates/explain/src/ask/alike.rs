//! Of a popular item's people, those who are most like somebody: there are too many to ask about each.

use grease_graph::{Edge, Graph, ItemId};

/// People of an item that are asked about: of more, those who share most with the person.
pub(crate) const MOST_PEOPLE: usize = 1000;

/// The people of an item, ascending: those a walk of three steps from an own item most likely comes by, where there are more than `most`.
pub(crate) fn people_of(graph: &Graph, own: &[Edge], item: ItemId, most: usize) -> Vec<u32> {
    let people = graph.users_of(item);
    if people.len() <= most {
        return people.to_vec();
    }
    let mut shared = vec![0f32; graph.users()];
    for edge in own {
        let beside = graph.users_of(edge.item);
        let share = 1.0 / beside.len().max(1) as f32;
        beside.iter().for_each(|&user| shared[user as usize] += share);
    }
    let likely = |user: u32| shared[user as usize] / graph.by_user().degree(user as usize) as f32;
    let mut ranked: Vec<(f32, u32)> = people.iter().map(|&user| (likely(user), user)).collect();
    if most < ranked.len() {
        ranked.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    let mut kept: Vec<u32> = ranked.into_iter().take(most).map(|(_, user)| user).collect();
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_share_rare_items_come_first() {
        // Item 9 is everybody's; the person, 0, has items 0 and 1, and item 1 is rare.
        let mut pairs: Vec<(u32, u32)> = (1..7).map(|user| (user, 9)).collect();
        pairs.extend([(0, 0), (0, 1), (1, 0), (2, 0), (3, 0), (4, 1), (3, 5)]);
        let edges: Vec<Edge> = pairs.into_iter().map(|(user, item)| Edge::new(user, item)).collect();
        let graph = Graph::new(7, 10, &edges).unwrap();
        let own = [Edge::new(0, 0), Edge::new(0, 1)];
        let people = |most| people_of(&graph, &own, ItemId(9), most);
        assert_eq!(people(6), [1, 2, 3, 4, 5, 6]);
        assert_eq!(people(1), [4]);
        // 3 shares as much as 1 and 2, and has more besides.
        assert_eq!(people(3), [1, 2, 4]);
        assert!(people(0).is_empty());
    }
}
