//! Names for invented artists and listeners. All made up: any likeness is an accident.

use std::collections::HashSet;

use rand_chacha::ChaCha8Rng;

use super::words::{Genre, LISTENERS};
use crate::seed;

/// An artist as the catalogue knows one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Artist {
    /// "velvet-harbour"
    pub(super) id: String,
    /// "Velvet Harbour"
    pub(super) title: String,
}

/// Names `count` artists of a genre; no name that is in `taken` already is given out again.
///
/// Words are dealt like cards, so none comes back before every other had its turn.
pub(super) fn artists(
    genre: &Genre,
    count: usize,
    taken: &mut HashSet<String>,
    rng: &mut ChaCha8Rng,
) -> Vec<Artist> {
    let (mut first, mut second) = (Deck::new(&genre.first), Deck::new(&genre.second));
    let mut artists = Vec::with_capacity(count);
    let mut misses = 0;
    while artists.len() < count {
        let (a, b) = (first.deal(rng), second.deal(rng));
        // A catalogue larger than the vocabulary has bands that share a name, as real ones do.
        let number = if misses > 100 { format!(" {}", misses - 99) } else { String::new() };
        // Judged without its form: "Polite Orchard" beside "The Polite Orchard" would only confuse.
        if taken.insert(slug(&format!("{a} {b}{number}"))) {
            let form = genre.forms[artists.len() % genre.forms.len()];
            let title = form.replace("{a}", a).replace("{b}", b) + &number;
            artists.push(Artist { id: slug(&title), title });
        } else {
            misses += 1;
        }
    }
    artists
}

/// The handle of the `n`-th listener, the same for every seed: `mira`, later `mira-2`, `mira-3`.
pub(super) fn listener(n: usize) -> String {
    let name = LISTENERS[n % LISTENERS.len()];
    match n / LISTENERS.len() {
        0 => name.to_owned(),
        round => format!("{name}-{}", round + 1),
    }
}

/// Lower-case letters and digits, everything else a single hyphen.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

struct Deck {
    cards: Vec<&'static str>,
    dealt: usize,
}

impl Deck {
    fn new(cards: &[&'static str]) -> Self {
        Self { cards: cards.to_vec(), dealt: cards.len() }
    }

    fn deal(&mut self, rng: &mut ChaCha8Rng) -> &'static str {
        if self.dealt == self.cards.len() {
            seed::shuffle(rng, &mut self.cards);
            self.dealt = 0;
        }
        self.dealt += 1;
        self.cards[self.dealt - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::GENRES;
    use super::*;

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("Wren & the Ferrymen"), "wren-the-ferrymen");
        assert_eq!(slug("Chrome Romance Dept."), "chrome-romance-dept");
    }

    #[test]
    fn names_stay_unique_past_the_vocabulary() {
        let mut taken = HashSet::new();
        let artists = artists(&GENRES[0], 2_000, &mut taken, &mut seed::rng(1, "test"));
        assert_eq!(artists.len(), 2_000);
        assert_eq!(artists.iter().map(|artist| &artist.id).collect::<HashSet<_>>().len(), 2_000);
    }

    #[test]
    fn words_are_distinct_and_ascii() {
        for genre in &GENRES {
            for words in [&genre.first, &genre.second] {
                assert!(words.iter().all(|word| word.is_ascii()), "{}", genre.name);
                assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len(), "{}", genre.name);
            }
        }
        assert_eq!(LISTENERS.iter().collect::<HashSet<_>>().len(), LISTENERS.len());
    }

    #[test]
    fn listeners_are_numbered_from_the_second_round_on() {
        assert_eq!(
            (listener(0), listener(200), listener(401)),
            ("mira".into(), "mira-2".into(), "ada-3".into())
        );
    }
}
