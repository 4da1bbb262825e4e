//! Choosing people to look at.

use grease_graph::{Graph, UserId, seed};

/// `count` different users with a history, in order of rows; all of them where there are no more.
///
/// A function of graph and seed alone.
pub fn sample_users(graph: &Graph, count: usize, seed: u64) -> Vec<UserId> {
    let mut users: Vec<UserId> =
        (0..graph.users() as u32).map(UserId).filter(|&user| !graph.items_of(user).is_empty()).collect();
    seed::shuffle(&mut seed::rng(seed, "sample of users"), &mut users);
    users.truncate(count);
    users.sort_unstable();
    users
}

#[cfg(test)]
mod tests {
    use grease_graph::Edge;

    use super::*;

    #[test]
    fn people_without_a_history_are_not_chosen() {
        let edges: Vec<Edge> = (0..50).filter(|user| user % 2 == 0).map(|user| Edge::new(user, 0)).collect();
        let graph = Graph::new(50, 1, &edges).unwrap();
        let some = sample_users(&graph, 5, 1);
        assert_eq!(some.len(), 5);
        assert!(some.is_sorted() && some.iter().all(|user| user.0 % 2 == 0));
        assert_eq!(some, sample_users(&graph, 5, 1));
        assert_ne!(some, sample_users(&graph, 5, 2));
        assert_eq!(sample_users(&graph, 99, 1).len(), 25);
    }
}
