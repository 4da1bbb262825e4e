//! What every target does: read the bytes, and hold the result to what the readers promise.

use grease_graph::read::{InputFormat, ReadOptions, parse_bytes};

/// Reads `bytes` as `format`, plainly and with every filter on.
pub fn read_both_ways(format: InputFormat, bytes: &[u8]) {
    let strict = ReadOptions { min_rating: Some(2.0), k_core: Some(2), ..ReadOptions::default() };
    for options in [ReadOptions::default(), strict] {
        match parse_bytes(format, bytes, &options) {
            Ok((data, report)) => {
                assert!(!data.edges.is_empty());
                assert!(data.edges.is_sorted_by(|a, b| a < b));
                assert!(
                    data.edges
                        .iter()
                        .all(|e| e.user.row() < data.users.len() && e.item.row() < data.items.len())
                );
                assert!(!report.to_string().is_empty());
            }
            Err(error) => assert!(error.to_string().len() < 4096),
        }
    }
}
