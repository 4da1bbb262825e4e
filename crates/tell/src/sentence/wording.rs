//! Whether a stored sentence says what its record says: the same, in other words, or something else.

use std::collections::BTreeSet;

use grease_graph::Words;

use super::sentence;
use crate::Record;
use crate::grammar::number;
use crate::title::{clean, shortened, without_double_quotes};

/// A stored sentence beside its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// As it would be told now.
    Same,
    /// The same items and numbers in other words: of another version, or for other people.
    Other,
    /// It names other items or numbers.
    OtherFacts,
}

impl Record {
    /// What its stored sentence is beside what its fields say.
    pub fn wording(&self, words: &Words) -> Wording {
        let told = sentence(self, words);
        if told == self.sentence {
            return Wording::Same;
        }
        // The longest first: one name may be part of another.
        let mut names: Vec<String> = self.names().into_iter().filter(|name| told.contains(name)).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        if !names.iter().all(|name| self.sentence.contains(name)) {
            return Wording::OtherFacts;
        }
        let [stored, told] = [&self.sentence, &told].map(|said| Rest::of(said, &names));
        let nothing_new = !stored.quotes && stored.named.is_subset(&told.named);
        if nothing_new && stored.numbers == told.numbers { Wording::Other } else { Wording::OtherFacts }
    }

    /// What the items it speaks of are called: by title, or else by id.
    fn names(&self) -> BTreeSet<String> {
        let name = |title: Option<&str>, id: &str| {
            title.and_then(clean).or_else(|| clean(id)).map(|name| without_double_quotes(&shortened(&name)))
        };
        let target = name(self.item_title.as_deref(), &self.item);
        let replacement =
            self.replaced_by.as_deref().and_then(|id| name(self.replaced_by_title.as_deref(), id));
        let instead = self.instead.iter().flat_map(|instead| &instead.edges);
        let cited =
            self.edges.iter().chain(instead).filter_map(|edge| name(edge.title.as_deref(), &edge.item));
        target.into_iter().chain(replacement).chain(cited).collect()
    }
}

/// What a sentence says beside the names that are expected.
struct Rest {
    /// Whether it still has something in quotation marks.
    quotes: bool,
    /// Words with a capital that do not begin a sentence.
    named: BTreeSet<String>,
    /// All numbers, in digits or words, sorted.
    numbers: Vec<String>,
}

impl Rest {
    fn of(said: &str, names: &[String]) -> Self {
        let mut rest = said.to_owned();
        for name in names {
            rest = rest.replace(&format!("“{name}”"), " _ ").replace(name.as_str(), " _ ");
        }
        let (mut named, mut numbers) = (BTreeSet::new(), Vec::new());
        let mut begins = true;
        for word in rest.split_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let digits: String = bare.chars().filter(char::is_ascii_digit).collect();
            if !digits.is_empty() {
                numbers.push(digits);
            } else if let Some(n) = (1..=10).find(|&n| number(n) == bare) {
                numbers.push(n.to_string());
            } else if !begins && bare.starts_with(char::is_uppercase) {
                named.insert(bare.to_owned());
            }
            begins = word.ends_with(['.', ':']);
        }
        numbers.sort_unstable();
        Self { quotes: rest.contains(['“', '”']), named, numbers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixtures::{all, counterfactual, listeners, own, proved};
    use crate::tests::weaker::{history_alone, many, parts};
    use grease_explain::{Change, Goal};

    fn said(record: &Record, sentence: &str) -> Wording {
        Record { sentence: sentence.to_owned(), ..record.clone() }.wording(&listeners())
    }

    #[test]
    fn every_sentence_says_what_its_record_says() {
        for (case, words, record) in all() {
            assert_eq!(record.wording(&words), Wording::Same, "{case}");
            assert_ne!(record.wording(&Words::default()), Wording::OtherFacts, "{case}: for other people");
        }
    }

    #[test]
    fn other_words_are_told_from_other_facts() {
        let two = counterfactual(&[own(0), own(1)]);
        let without_quotes = "Had you listened to neither Aurora Migration nor Lichen Horizon Study, Fjord Weather Station would not be in your top 10: Nachtzug would be there instead. Leaving out just one of them is not enough.";
        assert_eq!(said(&two, without_quotes), Wording::Other, "as the version before told it");
        for (from, to) in [
            ("Aurora Migration", "Autumn Migration"),
            ("top 10", "top 5"),
            ("just one", "just two"),
            ("nor Lichen Horizon Study", "nor Lichen Horizon Study nor Foo Fighters"),
            ("Nachtzug would", "“Tagzug” and Nachtzug would"),
        ] {
            let other = without_quotes.replace(from, to);
            assert_ne!(other, without_quotes);
            assert_eq!(said(&two, &other), Wording::OtherFacts, "{other}");
        }
        assert_eq!(said(&two, ""), Wording::OtherFacts);
        let two = proved(two);
        let less = sentence(&two, &listeners()).replace("only one artist", "only three artists");
        assert_eq!(said(&two, &less), Wording::OtherFacts, "{less}");
    }

    #[test]
    fn what_is_told_instead_is_held_to_its_facts() {
        let twelve: Vec<_> = (0..12).map(own).collect();
        for (record, from, to) in [
            (history_alone("carried_by_profile: …", &[own(0)]), "Aurora", "Autumn"),
            (many(Goal::Counterfactual, Change::Removed, &twelve), "12 of your", "11 of your"),
            (parts(&[own(0), own(1)], &[own(0), own(2)]), "only “Nocturnal Estuary”", "only “Foo Fighters”"),
        ] {
            let told = sentence(&record, &listeners());
            assert_eq!(
                said(&record, &told.replacen("Nothing", "Nothing at all", 1)),
                Wording::Other,
                "{told}"
            );
            let other = told.replace(from, to);
            assert_ne!(other, told);
            assert_eq!(said(&record, &other), Wording::OtherFacts, "{other}");
        }
    }
}
