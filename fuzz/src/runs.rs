//! What long runs keep, and what they leave: journals, stored explanations, tables of them.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use grease::graph::Candidates;
use grease::{Record, TableFormat, fuzzing, merge, read_records};

use crate::subject::subject;

/// Reads the lines of a batch.
pub fn journal(bytes: &[u8]) -> bool {
    fuzzing::rows_of_journal(bytes).is_ok_and(|rows| !rows.is_empty())
}

/// Reads explanations as JSON, and checks each on a recommender.
pub fn explanations(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    match fuzzing::parse_records(text) {
        Ok(records) => verify(&records),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Reads a table of explanations, checks each, and merges it with itself for want of others.
pub fn table(bytes: &[u8]) -> bool {
    // The readers want a name; a file that has none is not left behind.
    static FILE: OnceLock<Mutex<File>> = OnceLock::new();
    let file = FILE.get_or_init(|| Mutex::new(tempfile::tempfile().expect("a file")));
    let mut file = file.lock().expect("one at a time");
    file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(bytes)).expect("room");
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let merged = merge(std::slice::from_ref(&path), "/dev/null".as_ref(), TableFormat::Parquet).is_ok();
    read_records(&path).is_ok_and(|records| verify(&records)) && merged
}

fn verify(records: &[Record]) -> bool {
    // Who checks more than a few learns nothing new.
    for record in records.iter().take(4) {
        let _ = subject().verify(record, &Candidates::default());
    }
    true
}
