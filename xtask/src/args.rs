//! Values of the command line that several verbs take.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};

/// Some of all there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen<T>(pub(crate) Vec<T>);

/// Reads the name of one, or `all` for every one of them.
pub(crate) fn one_or_all<T: ValueEnum + Send + Sync>() -> impl TypedValueParser<Value = Chosen<T>> {
    let names = T::value_variants().iter().filter_map(T::to_possible_value);
    let names = names.chain([PossibleValue::new("all")]);
    PossibleValuesParser::new(names).map(|name| {
        Chosen(T::from_str(&name, false).map_or_else(|_| T::value_variants().into(), |one| vec![one]))
    })
}

/// Reads a whole number of at least 1.
pub(crate) fn count() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(1..)
}

/// The options of one verb from a line of words.
#[cfg(test)]
pub(crate) fn parsed<T: clap::Args>(line: &str) -> Result<T, clap::Error> {
    let command = T::augment_args(clap::Command::new("verb").no_binary_name(true));
    T::from_arg_matches(&command.try_get_matches_from(line.split_whitespace())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, clap::Args)]
    struct Options {
        #[arg(long, value_parser = one_or_all::<Size>())]
        size: Chosen<Size>,
        #[arg(long, default_value_t = 1, value_parser = count())]
        times: u32,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
    enum Size {
        Small,
        Large,
    }

    #[test]
    fn all_means_every_choice_and_an_unknown_one_names_them() {
        let size = |line| parsed::<Options>(line).map(|options| options.size.0);
        assert_eq!(size("--size all").unwrap(), [Size::Small, Size::Large]);
        assert_eq!(size("--size=large").unwrap(), [Size::Large]);
        let error = size("--size huge").unwrap_err().to_string();
        assert!(error.contains("small, large, all"), "{error}");
    }

    #[test]
    fn counts_start_at_one() {
        assert_eq!(parsed::<Options>("--size all --times 7").unwrap().times, 7);
        for times in ["0", "-3", "two"] {
            assert!(parsed::<Options>(&format!("--size all --times {times}")).is_err(), "{times}");
        }
    }
}
