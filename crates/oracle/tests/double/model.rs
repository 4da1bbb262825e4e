//! What the double knows: an item's score is the number of paths user - item - other user - item.

use std::collections::HashMap;

use grease_graph::doubles::CoNeighbours;
use grease_graph::{Edge, Graph, Recommender as _, UserId};
use serde_json::{Value, json};

/// A graph whose users are u0, u1, … and whose items are i0, i1, …
pub(crate) struct Model {
    pub(crate) users: usize,
    pub(crate) items: Vec<String>,
    rows: HashMap<String, u32>,
    edges: Vec<Edge>,
}

impl Model {
    /// `items` in the order of the scores.
    pub(crate) fn new(users: usize, items: Vec<String>, edges: Vec<Edge>) -> Self {
        let rows = items.iter().map(|id| (id.clone(), row_of(id, 'i').unwrap_or(0))).collect();
        Self { users, items, rows, edges }
    }

    fn user(&self, value: &Value, unknown: u32) -> Result<u32, String> {
        let Some(id) = value.as_str() else { return Ok(unknown) };
        let row = row_of(id, 'u').filter(|&row| (row as usize) < self.users);
        row.ok_or_else(|| format!("unknown user {id}"))
    }

    fn item(&self, value: &Value) -> Result<u32, String> {
        let id = value.as_str().unwrap_or_default();
        self.rows.get(id).copied().ok_or_else(|| format!("unknown item {id}"))
    }

    /// All scores, in the order of the items, for each edit of a `score` request.
    pub(crate) fn scores(&self, score: &Value) -> Result<Vec<Vec<f32>>, String> {
        let newcomer = self.users as u32;
        let (user, bystander) = match &score["user"] {
            Value::Null => (newcomer, newcomer + 1),
            named => (self.user(named, newcomer)?, newcomer),
        };
        let edge = |pair: &Value| Ok(Edge::new(self.user(&pair[0], bystander)?, self.item(&pair[1])?));
        let edges = |list: &Value| -> Result<Vec<Edge>, String> {
            list.as_array().into_iter().flatten().map(edge).collect()
        };
        let mut rows = Vec::new();
        for edit in score["edits"].as_array().into_iter().flatten() {
            let (removed, mut added) = (edges(&edit["removed"])?, edges(&edit["added"])?);
            for item in edit["history"].as_array().into_iter().flatten() {
                added.push(Edge::new(user, self.item(item)?));
            }
            let kept = self.edges.iter().copied().filter(|edge| !removed.contains(edge));
            let edges: Vec<Edge> = kept.chain(added).collect();
            let most = self.rows.values().max().map_or(0, |row| *row as usize + 1);
            let graph = Graph::new(self.users + 2, most, &edges).map_err(|error| error.to_string())?;
            let scores = CoNeighbours::new(graph).scores(UserId(user)).map_err(|error| error.to_string())?;
            rows.push(self.items.iter().map(|id| scores[self.rows[id] as usize]).collect());
        }
        Ok(rows)
    }

    /// The answer of an oracle that says only what its first items are.
    pub(crate) fn ranked(&self, score: &Value) -> Result<Value, String> {
        let top = score["top"].as_u64().unwrap_or(0) as usize;
        let lists = self.scores(score)?.into_iter().map(|scores| {
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
            let first: Vec<Value> =
                order.iter().take(top).map(|&at| json!([self.items[at], scores[at]])).collect();
            let asked = score["items"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let place = |id: &str| self.items.iter().position(|item| item == id);
            let items: serde_json::Map<String, Value> =
                asked.filter_map(|id| Some((id.to_owned(), json!(scores[place(id)?])))).collect();
            json!({ "top": first, "items": items })
        });
        Ok(lists.collect())
    }
}

/// `u7` is 7.
pub(crate) fn row_of(id: &str, letter: char) -> Option<u32> {
    id.strip_prefix(letter)?.parse().ok()
}
