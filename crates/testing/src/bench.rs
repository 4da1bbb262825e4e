//! What the bench programs share: arguments, data, the machine's memory.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use grease_graph::read::{ReadOptions, read};
use grease_graph::{Edge, Edit, Graph, Profile, Recommender, Split, UserId, seed};
use rayon::prelude::*;

/// The value after `--name`, or the default. `cargo bench` adds a `--bench` of its own, which nobody asks for.
pub fn argument<T: FromStr>(name: &str, default: T) -> T {
    let mut arguments = std::env::args().skip_while(|a| a != name).skip(1);
    match arguments.next() {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("{name} cannot be `{text}`")),
        None => default,
    }
}

/// The data folder named by `--data`.
pub fn data_folder() -> PathBuf {
    let path: String = argument("--data", String::new());
    assert!(!path.is_empty(), "--data FOLDER is needed");
    PathBuf::from(path)
}

/// The training graph (80/20 split, or the given one).
pub fn training_graph(folder: &Path) -> (Arc<Graph>, Vec<Edge>) {
    let (interactions, _) = read(folder, &ReadOptions::default()).expect("readable data");
    let split = Split::of(&interactions, 0.8, 1);
    let graph =
        Graph::new(interactions.users.len(), interactions.items.len(), &split.train).expect("sound data");
    (Arc::new(graph), split.test)
}

/// Uses as many threads as `--threads` says.
pub fn use_threads() {
    let threads = argument("--threads", 2);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("first use of the pool");
}

/// Seeded users with a history of usual length; `stream` names whose they are.
pub fn some_users(graph: &Graph, n: usize, stream: &str) -> Vec<UserId> {
    let mut rng = seed::rng(1, stream);
    let mut users: Vec<UserId> = (0..graph.users() as u32).map(UserId).collect();
    users.retain(|&u| (10..=200).contains(&graph.items_of(u).len()));
    seed::shuffle(&mut rng, &mut users);
    users.truncate(n);
    users
}

/// One edit for each of the user's interactions: the graph without it.
pub fn leave_one_out(graph: &Graph, user: UserId) -> Vec<Edit> {
    graph.items_of(user).iter().map(|&item| Edit::removing([Edge::new(user.0, item)])).collect()
}

/// The scores after each edit, asked for together.
pub fn scores_of_all(recommender: &dyn Recommender, user: UserId, edits: &[Edit]) -> Vec<f32> {
    let mut out = vec![0f32; edits.len() * recommender.graph().items()];
    recommender.score(user, Profile::Kept, edits, &mut out).expect("sound edits");
    out
}

/// The middle value.
pub fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

/// The value below which about this share of them lie; 1 gives the largest.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    assert!(!values.is_empty(), "something was measured");
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values[at.min(values.len() - 1)]
}

/// Seconds a call takes, and what it gave.
pub fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = call();
    (start.elapsed().as_secs_f64(), value)
}

/// The most memory the process ever held, in MB, where the system says.
pub fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}

/// Bytes a second all threads together read from memory, from a buffer no cache holds.
pub fn memory_bandwidth() -> f64 {
    let buffer = vec![1u64; 64 << 20];
    let runs = (0..5).map(|_| {
        let (seconds, sum) = timed(|| buffer.par_chunks(1 << 16).map(|c| c.iter().sum::<u64>()).sum::<u64>());
        assert_eq!(sum as usize, buffer.len());
        (buffer.len() * 8) as f64 / seconds
    });
    median(runs.collect())
}
