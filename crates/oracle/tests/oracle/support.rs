//! Small data, and oracles for it.

use std::path::PathBuf;
use std::time::Duration;

use grease_graph::{CatalogueBuilder, Edge, Graph, Interactions, Words};
use grease_oracle::{Address, Oracle, OracleError, OracleOptions};
use tempfile::TempDir;

/// Everybody is able to do everything.
pub(crate) const ALL: &str = "--abilities neutral,newcomers,others";

/// Four people who share tastes, so that lists can be explained.
pub(crate) fn small() -> Graph {
    let edges = [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (1, 2),
        (1, 5),
        (2, 1),
        (2, 3),
        (2, 5),
        (3, 0),
        (3, 4),
        (3, 5),
        (4, 2),
        (4, 4),
    ];
    Graph::new(5, 6, &edges.map(|(u, i)| Edge::new(u, i))).unwrap()
}

/// The data of a graph: users u0, u1, …, items i0, i1, …
pub(crate) fn data(graph: &Graph) -> Interactions {
    let catalogue = |letter: char, rows: usize| {
        let mut builder = CatalogueBuilder::new();
        (0..rows).for_each(|row| {
            builder.intern(&format!("{letter}{row}"));
        });
        builder.finish()
    };
    Interactions {
        users: catalogue('u', graph.users()),
        items: catalogue('i', graph.items()),
        edges: graph.edges().collect(),
        given_test: None,
        words: Words::default(),
    }
}

/// A folder with a graph in it, and the command of an oracle that serves it.
pub(crate) struct Served {
    folder: TempDir,
    graph: Graph,
}

impl Served {
    pub(crate) fn new(graph: &Graph) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lines: String = graph.edges().map(|e| format!("u{}\ti{}\n", e.user.0, e.item.0)).collect();
        std::fs::write(folder.path().join("graph.tsv"), lines).unwrap();
        Self { folder, graph: graph.clone() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn address(&self, options: &str) -> Address {
        let program = env!("CARGO_BIN_EXE_grease-oracle-double");
        let (users, items, at) = (self.graph.users(), self.graph.items(), self.path("graph.tsv"));
        let folder = self.folder.path().display();
        let options = options.replace("[DIR]", &folder.to_string());
        Address::Command(format!(
            "exec {program} --graph {} --users {users} --items {items} --log {folder}/log {options}",
            at.display()
        ))
    }

    pub(crate) fn try_open(&self, options: &str, how: OracleOptions) -> Result<Oracle, OracleError> {
        Oracle::open(&self.address(options), &data(&self.graph), how)
    }

    pub(crate) fn open(&self, options: &str) -> Oracle {
        self.try_open(options, OracleOptions::default()).unwrap()
    }

    /// Of each request for scores: the process, the number of edits, and what was asked.
    pub(crate) fn log(&self) -> Vec<(u32, usize, String)> {
        let text = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        let line = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let mut next = || parts.next().unwrap().to_owned();
            (next().parse().unwrap(), next().parse().unwrap(), next())
        };
        text.lines().map(line).filter(|(_, edits, _)| *edits > 0).collect()
    }

    /// Edits that reached the oracle.
    pub(crate) fn edits_asked(&self) -> usize {
        self.log().iter().map(|(_, edits, _)| edits).sum()
    }
}

/// Answers within two seconds.
pub(crate) fn hasty() -> OracleOptions {
    OracleOptions { timeout: Duration::from_secs(2), ..OracleOptions::default() }
}
