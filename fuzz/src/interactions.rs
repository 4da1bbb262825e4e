//! Interaction data.

use grease_graph::read::{InputFormat, ReadOptions, parse_bytes};

/// Reads `bytes` as `format`, plainly and with every filter on.
pub fn read_both_ways(format: InputFormat, bytes: &[u8]) -> bool {
    let strict = ReadOptions { min_rating: Some(2.0), k_core: Some(2), ..ReadOptions::default() };
    let read = |options: &ReadOptions| match parse_bytes(format, bytes, options) {
        Ok((data, report)) => {
            assert!(!data.edges.is_empty());
            assert!(data.edges.is_sorted_by(|a, b| a < b));
            let (users, items) = (data.users.len(), data.items.len());
            assert!(data.edges.iter().all(|edge| edge.user.row() < users && edge.item.row() < items));
            assert!(!report.to_string().is_empty());
            true
        }
        Err(error) => {
            assert!(error.to_string().len() < 4096);
            false
        }
    };
    read(&strict);
    read(&ReadOptions::default())
}
