//! What callers can set, by name. Messages name a field in backticks; every surface writes it its own way.

use std::fmt;

macro_rules! fields {
    ($($variant:ident => $name:literal),* $(,)?) => {
        /// Something a caller can set: an argument in Python, a field in HTTP, an option on the command line.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Field {
            $($variant),*
        }

        impl Field {
            /// All of them.
            pub const ALL: &'static [Field] = &[$(Field::$variant),*];

            /// As Python and HTTP write it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Field::$variant => $name),*
                }
            }
        }
    };
}

fields! {
    Add => "add",
    AllowAbsent => "allow_absent",
    Batch => "batch",
    Candidates => "candidates",
    Dim => "dim",
    Dropout => "dropout",
    EarlyStopping => "early_stopping",
    Epochs => "epochs",
    EvaluateEvery => "evaluate_every",
    Exclude => "exclude",
    Firm => "firm",
    Force => "force",
    Goals => "goals",
    History => "history",
    InputFormat => "input_format",
    Interactions => "interactions",
    ItemColumn => "item_column",
    ItemIds => "item_ids",
    Items => "items",
    K => "k",
    KCore => "k_core",
    Kind => "kind",
    L2 => "l2",
    Layers => "layers",
    LearningRate => "learning_rate",
    Loss => "loss",
    MinRating => "min_rating",
    NeverCite => "never_cite",
    OracleTimeout => "oracle_timeout",
    Out => "out",
    Profile => "profile",
    RatingColumn => "rating_column",
    Remove => "remove",
    Resume => "resume",
    Scope => "scope",
    Seed => "seed",
    Shard => "shard",
    Share => "share",
    ShowUserIds => "show_user_ids",
    TitleColumn => "title_column",
    User => "user",
    UserColumn => "user_column",
    UserIds => "user_ids",
    Users => "users",
    WhyNot => "why_not",
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name())
    }
}

impl Field {
    /// The fields a message names, in the order they appear.
    pub fn named_in(text: &str) -> Vec<Field> {
        let quoted = text.split('`').skip(1).step_by(2);
        // A column of data is called `user`, too, and no message speaks of the field.
        let named = quoted.filter(|name| *name != Self::User.name());
        named.filter_map(|name| Self::ALL.iter().copied().find(|field| field.name() == name)).collect()
    }

    /// A message with its fields written as a surface writes them.
    pub fn rendered(text: &str, write: impl Fn(Field) -> String) -> String {
        Self::named_in(text)
            .into_iter()
            .fold(text.to_owned(), |text, field| text.replace(&field.to_string(), &write(field)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_writes_fields_its_own_way_and_leaves_all_else() {
        let said =
            format!("{} needs ratings; name them with `rating_column`, or run `gzip -t`", Field::MinRating);
        let flags = Field::rendered(&said, |field| format!("--{}", field.name().replace('_', "-")));
        assert_eq!(flags, "--min-rating needs ratings; name them with --rating-column, or run `gzip -t`");
        assert_eq!(Field::named_in(&said), [Field::MinRating, Field::RatingColumn]);
        for other in ["nothing `", "the columns `user` and `item`"] {
            assert_eq!(Field::rendered(other, |_| String::new()), other);
        }
    }
}
