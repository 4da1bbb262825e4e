//! Sample data: a fictional music service, made from a seed, whose truth is known because it was planted.
//!
//! Listeners like one to three genres and mostly play artists of those, popular ones more often. A good
//! explanation of a recommended artist therefore names artists of the same genre, which nobody has to take on
//! trust: [`Sample::item_genre`] says so.

mod draw;
mod embeddings;
mod histories;
mod names;
mod stream;
mod taste;
mod words;

use std::collections::{BTreeSet, HashSet};

use crate::{Catalogue, CatalogueBuilder, Edge, Interactions, Words, seed};
use histories::Histories;
use taste::{Listener, Scene, zipf};
use words::GENRES;

pub use embeddings::write_sample_embeddings;
pub use stream::write_sample;
pub use taste::Taste;

/// How large a service to invent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleOptions {
    /// Listeners; at least 1. Default 600.
    pub users: usize,
    /// Artists; at least one a genre. Default 300.
    pub artists: usize,
    /// Genres, 1 to 12. Default 12.
    pub genres: usize,
    /// About how many interactions; how long histories are then follows a power law, whatever is said of the shortest
    /// and the longest. Default: as many as come of those two.
    pub interactions: Option<u64>,
    /// The fewest artists somebody played; at least 1. Default 8.
    pub shortest_history: usize,
    /// The most artists somebody played, fewer where their genres have no more. Default 60.
    pub longest_history: usize,
    /// How many in a thousand plays ignore the listener's tastes. Default 60.
    pub noise_permille: u32,
    /// Same seed and options, same bytes on every platform. Default 7.
    pub seed: u64,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self {
            users: 600,
            artists: 300,
            genres: GENRES.len(),
            interactions: None,
            shortest_history: 8,
            longest_history: 60,
            noise_permille: 60,
            seed: 7,
        }
    }
}

impl SampleOptions {
    /// The nearest options that describe a service at all.
    fn sensible(&self) -> Self {
        let genres = self.genres.clamp(1, GENRES.len());
        let shortest_history = self.shortest_history.max(1);
        Self {
            users: self.users.max(1),
            artists: self.artists.max(genres),
            genres,
            interactions: self.interactions,
            shortest_history,
            longest_history: self.longest_history.max(shortest_history),
            noise_permille: self.noise_permille.min(1000),
            seed: self.seed,
        }
    }
}

/// An invented service and the truth behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Who listened to whom. Every listener and every artist has at least one interaction.
    pub interactions: Interactions,
    /// "dream pop", "folk", …
    pub genre_names: Vec<String>,
    /// Each artist's genre, by row: an index into `genre_names`.
    pub item_genre: Vec<u8>,
    /// Each listener's tastes, by row, strongest first.
    pub user_tastes: Vec<Vec<Taste>>,
}

/// Invents a music service. Options out of range are brought to the nearest value that is not.
///
/// ```
/// use grease_graph::{SampleOptions, sample};
/// let service = sample(&SampleOptions::default());
/// assert!(service.interactions.users.row("mira").is_some());
/// ```
pub fn sample(options: &SampleOptions) -> Sample {
    let options = options.sensible();
    let Invented { scene, items } = Invented::of(&options);
    let mut users = CatalogueBuilder::new();
    let mut user_tastes = Vec::with_capacity(options.users);
    let mut edges = BTreeSet::new();
    for n in 0..options.users {
        users.intern(&names::listener(n));
        let (listener, played) = Listener::at(n, &scene, options.seed);
        edges.extend(played.into_iter().map(|artist| Edge::new(n as u32, artist)));
        user_tastes.push(listener.tastes);
    }
    let heard: HashSet<u32> = edges.iter().map(|edge| edge.item.0).collect();
    let tastes = |user: usize| user_tastes[user].clone();
    edges.extend(first_listeners(&scene, options.users, |artist| heard.contains(&artist), tastes));

    let edges = edges.into_iter().collect();
    Sample {
        interactions: Interactions { users: users.finish(), items, edges, given_test: None, words: words() },
        genre_names: GENRES[..options.genres].iter().map(|genre| genre.name.to_owned()).collect(),
        item_genre: scene.genre_of,
        user_tastes,
    }
}

fn words() -> Words {
    Words {
        person: "listener".into(),
        did: "listened to".into(),
        item: "artist".into(),
        items: "artists".into(),
    }
}

/// What there is before anybody listens.
struct Invented {
    scene: Scene,
    items: Catalogue,
}

impl Invented {
    /// Names the artists and gives them a genre and a popularity, in an order that betrays neither.
    fn of(options: &SampleOptions) -> Self {
        let genre_popularity: Vec<u64> = (0..options.genres).map(|genre| zipf(genre, 4)).collect();
        // Well loved genres have more artists, but not in proportion: theirs are played more each.
        let genre_sizes: Vec<u64> = (0..options.genres).map(|genre| zipf(genre, 12)).collect();
        let mut taken = HashSet::new();
        let mut artists = Vec::with_capacity(options.artists);
        for (genre, count) in sizes(options.artists, &genre_sizes).into_iter().enumerate() {
            let mut rng = seed::rng_at(options.seed, "sample/artists", genre as u64);
            let named = names::artists(&GENRES[genre], count, &mut taken, &mut rng);
            artists.extend(
                named.into_iter().enumerate().map(|(rank, artist)| (artist, genre as u8, zipf(rank, 1))),
            );
        }
        seed::shuffle(&mut seed::rng(options.seed, "sample/rows"), &mut artists);

        let mut items = CatalogueBuilder::new();
        let mut weighed = Vec::with_capacity(artists.len());
        for (artist, genre, popularity) in artists {
            if let Some(row) = items.intern(&artist.id) {
                items.set_title(row, &artist.title);
                weighed.push((genre, popularity));
            }
        }
        let scene = Scene::new(&weighed, genre_popularity, Histories::of(options), options.noise_permille);
        Self { scene, items: items.finish() }
    }
}

/// Shares `total` out in proportion to the weights, at least one each.
fn sizes(total: usize, weights: &[u64]) -> Vec<usize> {
    let spare = (total - weights.len()) as u64;
    let whole: u64 = weights.iter().sum();
    let mut sum = 0;
    let mut given = 0;
    let share = |weight: &u64| {
        sum += weight;
        let until_here = spare * sum / whole;
        let size = 1 + until_here - given;
        given = until_here;
        size as usize
    };
    weights.iter().map(share).collect()
}

/// An artist nobody played gets one listener, somebody who likes the genre where there is one.
fn first_listeners(
    scene: &Scene,
    users: usize,
    heard: impl Fn(u32) -> bool,
    tastes: impl Fn(usize) -> Vec<Taste>,
) -> impl Iterator<Item = Edge> {
    let unheard = (0_u32..).zip(&scene.genre_of).filter(move |&(artist, _)| !heard(artist));
    unheard.map(move |(artist, &genre)| {
        // Start at another listener for each artist, or one would discover them all.
        let first = artist as usize;
        let likes = |user: &usize| tastes(*user).iter().any(|taste| taste.genre == genre);
        let user = (0..users).map(|n| (first + n) % users).find(likes).unwrap_or(first % users);
        Edge::new(user as u32, artist)
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn degrees(sample: &Sample) -> (Vec<usize>, Vec<usize>) {
        let data = &sample.interactions;
        let (mut users, mut items) = (vec![0; data.users.len()], vec![0; data.items.len()]);
        for edge in &data.edges {
            users[edge.user.row()] += 1;
            items[edge.item.row()] += 1;
        }
        (users, items)
    }

    /// Everything a reader of the files would see, and the planted truth.
    fn digest(sample: &Sample) -> u64 {
        let data = &sample.interactions;
        let mut text = String::new();
        for row in 0..data.items.len() as u32 {
            let (id, title, genre) =
                (data.items.id(row), data.items.name(row), sample.item_genre[row as usize]);
            writeln!(text, "{id}\t{title}\t{genre}").unwrap();
        }
        for (row, tastes) in sample.user_tastes.iter().enumerate() {
            writeln!(text, "{}\t{tastes:?}", data.users.id(row as u32)).unwrap();
        }
        for edge in &data.edges {
            writeln!(text, "{}\t{}", edge.user.0, edge.item.0).unwrap();
        }
        seed::hash(&text)
    }

    #[test]
    fn same_seed_same_bytes_for_ever() {
        let default = sample(&SampleOptions::default());
        assert_eq!(digest(&default), 0x4e66_aa69_b4fc_b675, "the sample changed: {:#018x}", digest(&default));
        assert_ne!(digest(&sample(&SampleOptions { seed: 8, ..SampleOptions::default() })), digest(&default));
    }

    #[test]
    fn default_sizes() {
        let service = sample(&SampleOptions::default());
        let data = &service.interactions;
        assert_eq!((data.users.len(), data.items.len(), data.items.titled()), (600, 300, 300));
        assert_eq!((service.genre_names.len(), service.item_genre.len()), (12, 300));
        assert_eq!(service.user_tastes.len(), 600);
        assert!(data.edges.is_sorted_by(|a, b| a < b));

        let (mut users, items) = degrees(&service);
        users.sort_unstable();
        assert!(users[0] >= 8 && users[599] <= 61 && users[599] >= 45, "{} to {}", users[0], users[599]);
        assert!((16..=22).contains(&users[300]), "median {}", users[300]);
        assert!(items.iter().all(|&plays| plays > 0));
    }

    #[test]
    fn few_artists_have_most_of_the_plays() {
        let (_, mut items) = degrees(&sample(&SampleOptions::default()));
        items.sort_unstable_by(|a, b| b.cmp(a));
        let share = items[..30].iter().sum::<usize>() as f64 / items.iter().sum::<usize>() as f64;
        assert!((0.25..0.5).contains(&share), "top tenth holds {share}");
    }

    #[test]
    fn listeners_mostly_play_what_they_like() {
        let service = sample(&SampleOptions::default());
        let on_taste = |edge: &&Edge| {
            let genre = service.item_genre[edge.item.row()];
            service.user_tastes[edge.user.row()].iter().any(|taste| taste.genre == genre)
        };
        for history in service.interactions.edges.chunk_by(|a, b| a.user == b.user) {
            let liked = history.iter().filter(on_taste).count();
            assert!(liked * 2 > history.len(), "{liked} of {}", history.len());
        }
        let edges = &service.interactions.edges;
        let share = edges.iter().filter(on_taste).count() as f64 / edges.len() as f64;
        assert!((0.9..0.99).contains(&share), "{share}");
    }

    #[test]
    fn names_and_ids_are_unique_and_plain() {
        let Interactions { users, items, .. } = sample(&SampleOptions::default()).interactions;
        let titles: HashSet<&str> = (0..300).map(|row| items.name(row)).collect();
        assert_eq!(titles.len(), 300);
        let plain = |id: &str| id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!((0..300).all(|row| plain(items.id(row))));
        assert!((0..600).all(|row| plain(users.id(row))));
    }

    #[test]
    fn one_listener_more_leaves_the_others_as_they_were() {
        let options = SampleOptions { users: 100, ..SampleOptions::default() };
        let (few, many) = (sample(&options), sample(&SampleOptions { users: 101, ..options }));
        assert_eq!(few.user_tastes[..], many.user_tastes[..100]);
        assert_eq!(few.interactions.items, many.interactions.items);
    }

    #[test]
    fn odd_options_still_make_a_service() {
        for (users, artists, genres, longest) in
            [(0, 0, 0, 0), (1, 1, 1, 500), (3, 40, 99, 9), (2, 5_000, 12, 20)]
        {
            let options = SampleOptions {
                users,
                artists,
                genres,
                interactions: None,
                shortest_history: 0,
                longest_history: longest,
                noise_permille: 5_000,
                seed: 1,
            };
            let service = sample(&options);
            let (users, items) = degrees(&service);
            assert!(users.into_iter().chain(items).all(|n| n > 0), "{options:?}");
        }
    }
}
