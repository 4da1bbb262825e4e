//! What the bench programs share: arguments, data, the machine's memory.
#![allow(dead_code, reason = "each bench program uses its part")]

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use grease_graph::read::{ReadOptions, read};
use grease_graph::{Edge, Graph, Split};
use rayon::prelude::*;

/// The value after `--name`, or the default. `cargo bench` adds a `--bench` of its own, which nobody asks for.
pub(crate) fn argument<T: FromStr>(name: &str, default: T) -> T {
    let mut arguments = std::env::args().skip_while(|a| a != name).skip(1);
    match arguments.next() {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("{name} cannot be `{text}`")),
        None => default,
    }
}

/// The data folder named by `--data`.
pub(crate) fn data_folder() -> PathBuf {
    let path: String = argument("--data", String::new());
    assert!(!path.is_empty(), "--data FOLDER is needed");
    PathBuf::from(path)
}

/// The training graph (80/20 split, or the given one).
pub(crate) fn training_graph(folder: &Path) -> (Arc<Graph>, Vec<Edge>) {
    let (interactions, _) = read(folder, &ReadOptions::default()).expect("readable data");
    let split = Split::of(&interactions, 0.8, 1);
    let graph =
        Graph::new(interactions.users.len(), interactions.items.len(), &split.train).expect("sound data");
    (Arc::new(graph), split.test)
}

/// Uses as many threads as `--threads` says.
pub(crate) fn use_threads() {
    let threads = argument("--threads", 2);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("first use of the pool");
}

/// The middle value.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "something was measured");
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Seconds a call takes, and what it gave.
pub(crate) fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = call();
    (start.elapsed().as_secs_f64(), value)
}

/// The most memory the process ever held, in MB, where the system says.
pub(crate) fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}

/// Bytes a second all threads together read from memory, from a buffer no cache holds.
pub(crate) fn memory_bandwidth() -> f64 {
    let buffer = vec![1u64; 64 << 20];
    let runs = (0..5).map(|_| {
        let (seconds, sum) = timed(|| buffer.par_chunks(1 << 16).map(|c| c.iter().sum::<u64>()).sum::<u64>());
        assert_eq!(sum as usize, buffer.len());
        (buffer.len() * 8) as f64 / seconds
    });
    median(runs.collect())
}
