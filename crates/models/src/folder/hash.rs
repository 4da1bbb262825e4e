//! SHA-256, as hexadecimal text.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes, as hexadecimal text.
pub fn of(bytes: &[u8]) -> String {
    text(Sha256::digest(bytes).as_slice())
}

/// The hash of a file, which is not held in memory.
pub fn hash_of_file(path: &Path) -> io::Result<String> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut sum = Sha256::new();
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        sum.update(bytes);
        let read = bytes.len();
        file.consume(read);
    }
    Ok(text(sum.finalize().as_slice()))
}

/// One hash of several parts, in order.
pub(super) fn of_all<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut sum = Sha256::new();
    parts.into_iter().for_each(|part| sum.update(part));
    text(sum.finalize().as_slice())
}

/// One hash of several lines, in order: of other hashes, of ids.
pub fn hash_of_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut sum = Sha256::new();
    for line in lines {
        sum.update(line.as_bytes());
        sum.update(b"\n");
    }
    text(sum.finalize().as_slice())
}

pub(crate) fn text(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_file_is_as_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (path, bytes) = (folder.path().join("a"), vec![7; 200_000]);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(super::hash_of_file(&path).unwrap(), super::of(&bytes));
    }

    #[test]
    fn is_sha_256() {
        assert_eq!(super::of(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
