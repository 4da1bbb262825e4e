//! What asking through a process costs: an oracle whose answers are ready beforehand is asked through `Oracle`, and over bare
//! pipes without reading what it says. The difference is ours. Prints one JSON object on its last line.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark: it prints, and stops where it cannot go on"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

use grease_graph::{CatalogueBuilder, Edge, Edit, Interactions, Profile, Recommender as _, UserId, Words};
use grease_oracle::{Address, Oracle, OracleOptions};

const DOUBLE: &str = env!("CARGO_BIN_EXE_grease-oracle-double");
const USERS: u32 = 50;
/// At least as many as edits a request, so that no two are the same.
const HISTORY: u32 = 40;

fn main() {
    let mut rows = Vec::new();
    for items in [2_000, 20_000] {
        let data = data(items);
        for form in ["json", "f32"] {
            let command = format!("exec {DOUBLE} --users {USERS} --items {items} --constant {form}");
            for edits in [1, 32] {
                let rounds = if edits == 1 { 400 } else { 40 };
                let through = through_oracle(&command, &data, edits, rounds);
                let (bare, bytes) = over_pipes(&command, edits, rounds);
                rows.push(serde_json::json!({
                    "items": items,
                    "form": form,
                    "edits a request": edits,
                    "ms a query": through,
                    "bare pipe, ms a query": bare,
                    "ours, ms a query": through - bare,
                    "KB a query": bytes / 1e3,
                }));
            }
        }
    }
    println!("{}", serde_json::json!({ "rows": rows }));
}

/// People with a history of the first items each.
fn data(items: u32) -> Interactions {
    let catalogue = |letter: char, rows: u32| {
        let mut builder = CatalogueBuilder::new();
        (0..rows).for_each(|row| {
            builder.intern(&format!("{letter}{row}"));
        });
        builder.finish()
    };
    let edges = (0..USERS).flat_map(|user| (0..HISTORY).map(move |item| Edge::new(user, item))).collect();
    Interactions {
        users: catalogue('u', USERS),
        items: catalogue('i', items),
        edges,
        given_test: None,
        words: Words::default(),
    }
}

/// Milliseconds a query (one edit of one person), the median of all requests.
fn through_oracle(command: &str, data: &Interactions, edits: usize, rounds: usize) -> f64 {
    let options = OracleOptions { memory: 0, ..OracleOptions::default() };
    let oracle = Oracle::open(&Address::Command(command.to_owned()), data, options).unwrap();
    let mut out = vec![0f32; edits * oracle.graph().items()];
    let times = (0..rounds).map(|round| {
        let user = round as u32 % USERS;
        let asked: Vec<Edit> =
            (0..edits as u32).map(|item| Edit::removing([Edge::new(user, item)])).collect();
        let started = Instant::now();
        oracle.score(UserId(user), Profile::Kept, &asked, &mut out).unwrap();
        started.elapsed().as_secs_f64() * 1e3 / edits as f64
    });
    median(times.collect())
}

/// The same number of bytes there and back, and nothing done with them.
fn over_pipes(command: &str, edits: usize, rounds: usize) -> (f64, f64) {
    let mut shell = Command::new("sh");
    let mut child =
        shell.arg("-c").arg(command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) =
        (child.stdin.take().unwrap(), BufReader::with_capacity(1 << 16, child.stdout.take().unwrap()));
    let edit = r#"{"removed":[["u0","i0"]],"added":[]}"#;
    let list = vec![edit; edits].join(",");
    let request = format!(
        r#"{{"id":1,"score":{{"user":"u0","neutral":false,"edits":[{list}],"top":null,"items":[]}}}}"#
    ) + "\n";
    let mut line = Vec::new();
    let times = (0..rounds).map(|_| {
        let started = Instant::now();
        stdin.write_all(request.as_bytes()).unwrap();
        line.clear();
        stdout.read_until(b'\n', &mut line).unwrap();
        started.elapsed().as_secs_f64() * 1e3 / edits as f64
    });
    let middle = median(times.collect());
    drop(stdin);
    child.wait().unwrap();
    (middle, line.len() as f64 / edits as f64)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
