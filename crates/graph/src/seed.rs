//! Named random streams: every use of chance asks for its own, so none of them disturbs another.
//!
//! A stream is a function of the seed and the name (and, for [`rng_at`], an index) and of nothing else: the
//! same seed and name give the same numbers on any platform, with any number of threads, in any order of
//! asking. Results that must not change with a release of `rand` draw with [`below`] and [`shuffle`], because
//! `rand` promises stable generators but not stable distributions.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The stream called `name` of this seed.
///
/// ```
/// use grease_graph::seed;
/// let first = seed::below(&mut seed::rng(42, "initial embeddings"), 1_000_000);
/// let again = seed::below(&mut seed::rng(42, "initial embeddings"), 1_000_000);
/// assert_eq!(first, again);
/// ```
pub fn rng(seed: u64, name: &str) -> ChaCha8Rng {
    keyed(seed, name, 0, 0)
}

/// The stream called `name` of this seed for one epoch, user or other numbered thing.
/// Different from [`rng`] of the same name for every index.
pub fn rng_at(seed: u64, name: &str, index: u64) -> ChaCha8Rng {
    keyed(seed, name, index, 1)
}

/// ChaCha is made to turn unequal keys into unrelated streams, so the parts need no mixing of our own.
fn keyed(seed: u64, name: &str, index: u64, kind: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(8).zip([seed, hash(name), index, kind]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// A number in `0..bound`; 0 when `bound` is 0. Uniform up to a bias of `bound / 2^64`.
pub fn below(rng: &mut impl Rng, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// Puts the values into a random order (Fisher-Yates).
pub fn shuffle<T>(rng: &mut impl Rng, values: &mut [T]) {
    for last in (1..values.len()).rev() {
        values.swap(last, below(rng, last as u64 + 1) as usize);
    }
}

/// FNV-1a of a text. Stable for ever, unlike the standard library's hashers; not for hostile input.
pub fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Joins two hashes (or a seed and a hash) into one in which every bit depends on every bit of both.
/// Not symmetric: `mix(a, b)` and `mix(b, a)` differ.
pub fn mix(a: u64, b: u64) -> u64 {
    avalanche(avalanche(a).wrapping_add(b))
}

/// The finishing step of `SplitMix64`.
fn avalanche(a: u64) -> u64 {
    let a = a.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let a = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let a = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    a ^ (a >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_what_they_were_when_this_was_written() {
        // Computed by a second implementation of ChaCha8, in another language.
        let start = |mut rng: ChaCha8Rng| [rng.next_u64(), rng.next_u64()];
        assert_eq!(start(rng(0, "")), [0x12ea_6867_b29d_78ad, 0xc7b7_d866_0be5_daff]);
        assert_eq!(start(rng(7, "split")), [0x221f_6fb5_713f_ff3a, 0x9148_5888_bffd_ae24]);
        assert_eq!(start(rng_at(7, "split", 0)), [0x246c_80f1_a348_bce3, 0xbd69_b211_dcc5_e2cb]);
        assert_eq!(start(rng_at(7, "split", 1)), [0x14cf_c62b_dad5_7d47, 0x7d79_fd90_99d2_ede3]);
    }

    #[test]
    fn every_part_of_the_name_counts() {
        let mut firsts: Vec<u64> =
            [rng(1, "a"), rng(2, "a"), rng(1, "b"), rng_at(1, "a", 0), rng_at(1, "a", 1)]
                .map(|mut rng| rng.next_u64())
                .into();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 5);
    }

    #[test]
    fn hashes_are_the_published_ones() {
        // From the FNV reference and from SplitMix64 seeded with 0.
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(avalanche(0), 0xe220_a839_7b1d_cdaf);
        assert_ne!(mix(1, 2), mix(2, 1));
    }

    #[test]
    fn below_covers_its_range_and_shuffle_keeps_every_value() {
        let mut rng = rng(3, "test");
        let mut seen = [0_u32; 6];
        for _ in 0..6_000 {
            seen[below(&mut rng, 6) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        assert_eq!(below(&mut rng, 0), 0);

        let mut values: Vec<u32> = (0..50).collect();
        shuffle(&mut rng, &mut values);
        assert_ne!(values, (0..50).collect::<Vec<_>>());
        values.sort_unstable();
        assert_eq!(values, (0..50).collect::<Vec<_>>());
    }
}
