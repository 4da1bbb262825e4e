//! How sentences speak about the data.

use clap::Args;
use grease::graph::Words;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How sentences speak about it")]
pub(crate) struct WordArguments {
    /// What to call a user in sentences, such as 'listener'
    #[arg(long, hide_short_help = true, value_name = "WORD")]
    person: Option<String>,
    /// What a user did, in the past tense, such as 'listened to'
    #[arg(long, hide_short_help = true, value_name = "WORDS")]
    did: Option<String>,
    /// What to call an item, such as 'artist'
    #[arg(long, hide_short_help = true, value_name = "WORD")]
    item_word: Option<String>,
    /// What to call several, such as 'artists'
    #[arg(long, hide_short_help = true, value_name = "WORD")]
    items_word: Option<String>,
}

impl WordArguments {
    /// What is not said stays as suits the data.
    pub(crate) fn apply(&self, words: &mut Words) {
        let Words { person, did, item, items } = words;
        let said =
            [(person, &self.person), (did, &self.did), (item, &self.item_word), (items, &self.items_word)];
        for (word, said) in said {
            if let Some(said) = said {
                word.clone_from(said);
            }
        }
    }
}
