//! SHA-256, as hexadecimal text.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The hash of some bytes.
pub(crate) fn of(bytes: &[u8]) -> String {
    text(Sha256::digest(bytes).as_slice())
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
    fn is_sha_256() {
        assert_eq!(super::of(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
