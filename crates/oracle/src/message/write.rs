//! Questions, written into a buffer that is used again.

use std::io::Write as _;

use grease_graph::{Edge, Graph};
use serde::Serialize;

use crate::names::Names;
use crate::protocol::PROTOCOL;
use crate::question::{Change, Who};

/// The first question.
pub(crate) fn hello(id: u64, graph: &Graph) -> Vec<u8> {
    let (users, items, interactions) = (graph.users(), graph.items(), graph.len());
    let mut out = Vec::new();
    let _ = writeln!(
        out,
        r#"{{"grease":"{PROTOCOL}","id":{id},"hello":{{"users":{users},"items":{items},"interactions":{interactions}}}}}"#
    );
    out
}

/// For the scores of one person after some edits.
pub(crate) fn score(
    out: &mut Vec<u8>,
    id: u64,
    names: &Names,
    who: &Who,
    changes: &[&Change],
    top: Option<usize>,
) {
    out.clear();
    let _ = write!(out, r#"{{"id":{id},"score":{{"user":"#);
    put(out, &who.user.map(|user| names.users.id(user.0)));
    let _ = write!(out, r#","neutral":{},"edits":["#, who.neutral);
    for (at, change) in changes.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(br#"{"removed":["#);
        edges(out, names, &change.removed);
        out.extend_from_slice(br#"],"added":["#);
        edges(out, names, &change.added);
        out.push(b']');
        if who.user.is_none() {
            out.extend_from_slice(br#","history":["#);
            items(out, names, &change.history);
            out.push(b']');
        }
        out.push(b'}');
    }
    out.extend_from_slice(br#"],"top":"#);
    put(out, &top);
    out.extend_from_slice(br#","items":["#);
    items(out, names, &who.items);
    out.extend_from_slice(b"]}}\n");
}

/// For everybody's embeddings.
pub(crate) fn embeddings(id: u64, names: &Names) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = write!(out, r#"{{"id":{id},"embeddings":{{"users":["#);
    for row in 0..names.users.len() as u32 {
        if row > 0 {
            out.push(b',');
        }
        put(&mut out, names.users.id(row));
    }
    out.extend_from_slice(b"]}}\n");
    out
}

fn edges(out: &mut Vec<u8>, names: &Names, edges: &[Edge]) {
    for (at, edge) in edges.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        // The row after the last is somebody nobody knows.
        let user = (edge.user.row() < names.users.len()).then(|| names.users.id(edge.user.0));
        out.push(b'[');
        put(out, &user);
        out.push(b',');
        put(out, names.items.id(edge.item.0));
        out.push(b']');
    }
}

fn items(out: &mut Vec<u8>, names: &Names, rows: &[u32]) {
    for (at, &row) in rows.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        put(out, names.items.id(row));
    }
}

/// Numbers and texts can always be written to memory.
fn put<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use grease_graph::{CatalogueBuilder, UserId};

    use super::*;

    fn names() -> Names {
        let catalogue = |ids: &[&str]| {
            let mut builder = CatalogueBuilder::new();
            ids.iter().for_each(|id| {
                builder.intern(id);
            });
            builder.finish()
        };
        Names {
            users: catalogue(&["mira", "a \"b\""]),
            items: catalogue(&["tea", "oat", "x"]),
            order: vec![0, 1, 2],
        }
    }

    fn written(who: &Who, changes: &[&Change], top: Option<usize>) -> String {
        let mut out = b"what was there before".to_vec();
        score(&mut out, 1, &names(), who, changes, top);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn questions_are_as_the_page_says() {
        let graph = Graph::new(3, 4, &[Edge::new(0, 0)]).unwrap();
        assert_eq!(
            String::from_utf8(hello(0, &graph)).unwrap(),
            "{\"grease\":\"oracle/1\",\"id\":0,\"hello\":{\"users\":3,\"items\":4,\"interactions\":1}}\n"
        );
        let who = Who { user: Some(UserId(0)), neutral: false, items: Vec::new() };
        let swap =
            Change { removed: vec![Edge::new(0, 0)], added: vec![Edge::new(0, 1)], ..Change::default() };
        assert_eq!(
            written(&who, &[&swap, &Change::default()], None),
            "{\"id\":1,\"score\":{\"user\":\"mira\",\"neutral\":false,\"edits\":[{\"removed\":[[\"mira\",\"tea\"]],\
             \"added\":[[\"mira\",\"oat\"]]},{\"removed\":[],\"added\":[]}],\"top\":null,\"items\":[]}}\n"
        );
        let new = Who { user: None, neutral: true, items: vec![2] };
        let brought =
            Change { history: vec![0, 2], removed: vec![Edge::new(1, 0)], added: vec![Edge::new(2, 1)] };
        assert_eq!(
            written(&new, &[&brought], Some(7)),
            "{\"id\":1,\"score\":{\"user\":null,\"neutral\":true,\"edits\":[{\"removed\":[[\"a \\\"b\\\"\",\"tea\"]],\
             \"added\":[[null,\"oat\"]],\"history\":[\"tea\",\"x\"]}],\"top\":7,\"items\":[\"x\"]}}\n"
        );
        assert_eq!(
            String::from_utf8(embeddings(2, &names())).unwrap(),
            "{\"id\":2,\"embeddings\":{\"users\":[\"mira\",\"a \\\"b\\\"\"]}}\n"
        );
    }
}
