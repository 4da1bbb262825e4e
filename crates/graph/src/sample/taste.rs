//! What invented listeners like, and what they therefore play.
//!
//! Integers throughout: floating-point powers and logarithms differ between platforms, and one differing bit
//! would be another data set.

use rand_chacha::ChaCha8Rng;

use super::draw::{Taken, Weights};
use super::histories::Histories;
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

/// What a listener chooses from, and how.
pub(super) struct Scene {
    /// Each artist's genre, by row.
    pub(super) genre_of: Vec<u8>,
    /// All artists, by row.
    everything: Weights,
    genres: Vec<Genre>,
    /// Each genre's weight among the genres.
    genre_popularity: Vec<u64>,
    histories: Histories,
    /// How many in a thousand plays ignore the listener's tastes.
    noise_permille: u64,
}

/// The artists of a genre.
struct Genre {
    /// Ascending.
    rows: Vec<u32>,
    popularity: Weights,
}

impl Scene {
    /// Of artists, by row, with their genre and their weight.
    pub(super) fn new(
        artists: &[(u8, u64)],
        genre_popularity: Vec<u64>,
        histories: Histories,
        noise_permille: u32,
    ) -> Self {
        let genre = |genre: usize| {
            let members = || (0_u32..).zip(artists).filter(move |(_, artist)| usize::from(artist.0) == genre);
            Genre {
                rows: members().map(|(row, _)| row).collect(),
                popularity: Weights::new(members().map(|(_, artist)| artist.1)),
            }
        };
        Self {
            genre_of: artists.iter().map(|artist| artist.0).collect(),
            everything: Weights::new(artists.iter().map(|artist| artist.1)),
            genres: (0..genre_popularity.len()).map(genre).collect(),
            genre_popularity,
            histories,
            noise_permille: u64::from(noise_permille),
        }
    }

    /// How many genres there are.
    pub(super) fn genres(&self) -> usize {
        self.genres.len()
    }
}

/// One listener: what they like, and how many artists they want to play.
pub(super) struct Listener {
    pub(super) tastes: Vec<Taste>,
    wanted: usize,
}

impl Listener {
    /// The n-th, with what they played. A stream each: one listener more leaves the others as they were.
    pub(super) fn at(n: usize, scene: &Scene, seed: u64) -> (Self, Vec<u32>) {
        let mut rng = Self::stream(n, seed);
        let listener = Self::invent(scene, &mut rng);
        let played = listener.plays(scene, &mut rng);
        (listener, played)
    }

    /// What the n-th likes.
    pub(super) fn tastes_at(n: usize, scene: &Scene, seed: u64) -> Vec<Taste> {
        Self::invent(scene, &mut Self::stream(n, seed)).tastes
    }

    fn stream(n: usize, seed: u64) -> ChaCha8Rng {
        seed::rng_at(seed, "sample/listener", n as u64)
    }

    fn invent(scene: &Scene, rng: &mut ChaCha8Rng) -> Self {
        let wanted = scene.histories.draw(rng);
        let (tastes, on_taste) = tastes(scene, wanted, rng);
        // Three quarters at most: somebody who knows every artist of a genre has nothing left to be recommended.
        Self { tastes, wanted: wanted.min(on_taste * 3 / 4).max(1) }
    }

    /// What they play, as rows in order of playing; `rng` goes on from [`invent`](Self::invent).
    fn plays(&self, scene: &Scene, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut heard = Taken::default();
        let mut heard_of: Vec<Taken> = scene.genres.iter().map(|_| Taken::default()).collect();
        let mut played = Vec::with_capacity(self.wanted);
        while played.len() < self.wanted {
            let wanders = seed::below(rng, 1000) < scene.noise_permille;
            let artist = if wanders {
                heard.choose(&scene.everything, rng)
            } else {
                let genre = favourite(&self.tastes, rng);
                let Genre { rows, popularity } = &scene.genres[genre];
                heard_of[genre].choose(popularity, rng).map(|at| rows[at] as usize)
            };
            // Nothing left in this genre: the next draw may pick another.
            let Some(artist) = artist else { continue };
            heard.take(&scene.everything, artist);
            let genre = usize::from(scene.genre_of[artist]);
            let Genre { rows, popularity } = &scene.genres[genre];
            heard_of[genre].take(popularity, rows.partition_point(|&row| (row as usize) < artist));
            played.push(artist as u32);
        }
        played
    }
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
        let Some(genre) = Weights::new(weights).choose(rng) else { break };
        liked.push(genre as u8);
        artists += scene.genres[genre].rows.len();
    }
    let percents = PERCENTS[liked.len().max(1) - 1];
    let tastes = liked.iter().zip(percents).map(|(&genre, &percent)| Taste { genre, percent }).collect();
    (tastes, artists)
}

fn favourite(tastes: &[Taste], rng: &mut ChaCha8Rng) -> usize {
    let weights = Weights::new(tastes.iter().map(|taste| u64::from(taste.percent)));
    weights.choose(rng).map_or(0, |at| usize::from(tastes[at].genre))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_sum_to_the_whole() {
        assert!(PERCENTS.iter().all(|percents| percents.iter().sum::<u8>() == 100));
    }
}
