//! A recommender whose scores are sums anybody can check, for tests.

use crate::{Edge, Edit, Graph, Profile, Recommender, ScoreError, UserId, check_request};

/// Scores an item by what it shares with the user's history: `likes[history item][item]`, summed.
pub(crate) struct Likes {
    graph: Graph,
    likes: Vec<Vec<f32>>,
}

impl Likes {
    pub(crate) fn example() -> Self {
        let edges = [(0, 0), (0, 1), (1, 2), (1, 3), (2, 4)].map(|(u, i)| Edge::new(u, i));
        let likes = vec![
            vec![0.0, 0.0, 5.0, 1.0, 1.0],
            vec![0.0, 0.0, 1.0, 3.0, 2.0],
            vec![0.0; 5],
            vec![0.0; 5],
            vec![1.0; 5],
        ];
        Self { graph: Graph::new(3, 5, &edges).unwrap(), likes }
    }
}

impl Recommender for Likes {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn score(&self, user: UserId, _: Profile, edits: &[Edit], out: &mut [f32]) -> Result<(), ScoreError> {
        check_request(&self.graph, user, edits, out)?;
        for (edit, out) in edits.iter().zip(out.chunks_exact_mut(self.graph.items())) {
            let edited = self.graph.rebuilt(edit).unwrap();
            let history = if user.row() < edited.users() { edited.items_of(user) } else { &[] };
            for (item, out) in out.iter_mut().enumerate() {
                *out = history.iter().map(|&h| self.likes[h as usize][item]).sum();
            }
        }
        Ok(())
    }
}
