//! What invented listeners like, and what they therefore play.
//!
//! Integers throughout: floating-point powers and logarithms differ between platforms, and one differing bit
//! would be another data set.

use rand_chacha::ChaCha8Rng;

use super::SampleOptions;
use crate::seed;

/// A genre somebody likes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taste {
    /// Index into [`Sample::genre_names`](super::Sample::genre_names).
    pub genre: u8,
    /// How much of their on-taste listening goes there, before the genre runs out of artists. Sums to 100.
    pub percent: u8,
}

/// How much each of one, two or three tastes counts.
const PERCENTS: [&[u8]; 3] = [&[100], &[65, 35], &[55, 30, 15]];

/// The rank-th most popular thing is chosen in proportion to `1 / (rank + softness)`: Zipf's law with a blunted
/// head, so that the first does not drown the rest.
pub(super) fn zipf(rank: usize, softness: u64) -> u64 {
    1_000_000_000 / (rank as u64 + softness)
}

/// The artists on offer, by row: what a listener chooses from.
pub(super) struct Scene {
    /// Each artist's genre.
    pub(super) genre_of: Vec<u8>,
    /// Each artist's weight among the artists of the same genre.
    pub(super) popularity: Vec<u64>,
    /// Each genre's weight among the genres.
    pub(super) genre_popularity: Vec<u64>,
}

/// One listener: what they like and what they played, as rows in order of playing.
pub(super) struct Listener {
    pub(super) tastes: Vec<Taste>,
    pub(super) played: Vec<usize>,
}

impl Listener {
    pub(super) fn invent(scene: &Scene, options: &SampleOptions, rng: &mut ChaCha8Rng) -> Self {
        let wanted = history_length(options, rng);
        let (tastes, on_taste) = tastes(scene, wanted, rng);
        // Three quarters at most: somebody who knows every artist of a genre has nothing left to be recommended.
        let wanted = wanted.min(on_taste * 3 / 4).max(1);

        let mut heard = vec![false; scene.genre_of.len()];
        let mut played = Vec::with_capacity(wanted);
        while played.len() < wanted {
            let wanders = seed::below(rng, 1000) < u64::from(options.noise_permille);
            let genre = if wanders { None } else { Some(favourite(&tastes, rng)) };
            let weights = (0..heard.len()).map(|artist| {
                let fits = genre.is_none_or(|genre| genre == scene.genre_of[artist]);
                if fits && !heard[artist] { scene.popularity[artist] } else { 0 }
            });
            // Nothing left in this genre: the next draw may pick another.
            if let Some(artist) = choose(weights, rng) {
                heard[artist] = true;
                played.push(artist);
            }
        }
        Self { tastes, played }
    }
}

/// Many short histories, few long ones: the product of two draws leans to the low end.
fn history_length(options: &SampleOptions, rng: &mut ChaCha8Rng) -> usize {
    let span = options.longest_history.saturating_sub(options.shortest_history) as u64;
    let draw = seed::below(rng, 1 << 16) * seed::below(rng, 1 << 16);
    options.shortest_history + (((span + 1) * draw) >> 32) as usize
}

/// One to three tastes, more where a long history needs more artists; and how many artists they span.
fn tastes(scene: &Scene, wanted: usize, rng: &mut ChaCha8Rng) -> (Vec<Taste>, usize) {
    let at_least = match seed::below(rng, 100) {
        0..30 => 1,
        30..75 => 2,
        _ => 3,
    };
    let mut liked: Vec<u8> = Vec::new();
    let mut artists = 0;
    while liked.len() < PERCENTS.len() && (liked.len() < at_least || artists < 2 * wanted) {
        let weights = (0_u8..).zip(&scene.genre_popularity);
        let weights = weights.map(|(genre, &weight)| if liked.contains(&genre) { 0 } else { weight });
        let Some(genre) = choose(weights, rng) else { break };
        let genre = genre as u8;
        liked.push(genre);
        artists += scene.genre_of.iter().filter(|&&of| of == genre).count();
    }
    let percents = PERCENTS[liked.len().max(1) - 1];
    let tastes = liked.iter().zip(percents).map(|(&genre, &percent)| Taste { genre, percent }).collect();
    (tastes, artists)
}

fn favourite(tastes: &[Taste], rng: &mut ChaCha8Rng) -> u8 {
    let weights = tastes.iter().map(|taste| u64::from(taste.percent));
    choose(weights, rng).map_or(0, |at| tastes[at].genre)
}

/// An index in proportion to its weight; `None` if nothing weighs anything.
fn choose(weights: impl Iterator<Item = u64> + Clone, rng: &mut ChaCha8Rng) -> Option<usize> {
    let total = weights.clone().sum();
    let mut left = seed::below(rng, total);
    for (at, weight) in weights.enumerate() {
        if left < weight {
            return Some(at);
        }
        left -= weight;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_follow_the_weights() {
        let mut rng = seed::rng(1, "test");
        let mut chosen = [0_u32; 4];
        for _ in 0..10_000 {
            chosen[choose([1, 0, 3, 6].into_iter(), &mut rng).unwrap()] += 1;
        }
        assert_eq!(chosen[1], 0);
        assert!((900..1_100).contains(&chosen[0]) && (5_800..6_200).contains(&chosen[3]), "{chosen:?}");
        assert_eq!(choose([0, 0].into_iter(), &mut rng), None);
    }

    #[test]
    fn percents_sum_to_the_whole() {
        assert!(PERCENTS.iter().all(|percents| percents.iter().sum::<u8>() == 100));
    }
}
