//! The command line, one argument at a time.

use std::collections::VecDeque;
use std::str::FromStr;

use crate::failure::Failure;

/// One argument: an option (`--seconds`, `-h`) or a plain word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    Flag(String),
    Word(String),
}

/// The arguments not yet looked at. `--flag=value` reads like `--flag value`.
#[derive(Debug)]
pub(crate) struct Args {
    rest: VecDeque<String>,
    /// The value of a `--flag=value` whose flag was handed out last.
    attached: Option<String>,
}

impl Args {
    pub(crate) fn from_env() -> Self {
        Self::new(std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()))
    }

    pub(crate) fn new(args: impl IntoIterator<Item = String>) -> Self {
        Self { rest: args.into_iter().collect(), attached: None }
    }

    pub(crate) fn asks_help(flag: &str) -> bool {
        matches!(flag, "--help" | "-h")
    }

    /// The next argument. A value attached to the last flag that nobody asked for comes back as a word, so it is not lost.
    pub(crate) fn next(&mut self) -> Option<Arg> {
        if let Some(value) = self.attached.take() {
            return Some(Arg::Word(value));
        }
        let arg = self.rest.pop_front()?;
        if !arg.starts_with('-') || arg == "-" {
            return Some(Arg::Word(arg));
        }
        match arg.split_once('=') {
            Some((flag, value)) => {
                self.attached = Some(value.to_owned());
                Some(Arg::Flag(flag.to_owned()))
            }
            None => Some(Arg::Flag(arg)),
        }
    }

    /// The value of the flag just handed out.
    pub(crate) fn value(&mut self, flag: &str) -> Result<String, Failure> {
        self.attached
            .take()
            .or_else(|| self.rest.pop_front_if(|next| !next.starts_with("--")))
            .ok_or_else(|| Failure::usage(format!("`{flag}` needs a value")))
    }

    /// The value of the flag just handed out, a whole number of at least 1.
    pub(crate) fn count(&mut self, flag: &str) -> Result<u32, Failure> {
        let value = self.value(flag)?;
        match u32::from_str(&value) {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(Failure::usage(format!("`{flag}` needs a whole number of at least 1, not `{value}`"))),
        }
    }

    /// The value of the flag just handed out: one of `choices`, or `all` for every one of them.
    pub(crate) fn choice<T: Copy>(&mut self, flag: &str, choices: &[(&str, T)]) -> Result<Vec<T>, Failure> {
        let value = self.value(flag)?;
        if value == "all" {
            return Ok(choices.iter().map(|&(_, choice)| choice).collect());
        }
        match choices.iter().find(|(name, _)| *name == value) {
            Some(&(_, choice)) => Ok(vec![choice]),
            None => {
                let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
                Err(Failure::usage(format!("`{flag}` is one of {} or all, not `{value}`", names.join(", "))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_value_may_be_attached_or_follow() {
        for line in ["--seconds 5 table", "--seconds=5 table"] {
            let mut args = args(line);
            assert_eq!(args.next(), Some(Arg::Flag("--seconds".into())));
            assert_eq!(args.count("--seconds"), Ok(5));
            assert_eq!(args.next(), Some(Arg::Word("table".into())));
            assert_eq!(args.next(), None);
        }
    }

    #[test]
    fn a_value_nobody_asked_for_is_not_lost() {
        let mut args = args("--all=yes");
        assert_eq!(args.next(), Some(Arg::Flag("--all".into())));
        assert_eq!(args.next(), Some(Arg::Word("yes".into())));
    }

    #[test]
    fn a_flag_is_no_value() {
        let mut args = args("--seconds --help");
        args.next();
        assert!(
            matches!(args.value("--seconds"), Err(Failure::Usage(message)) if message.contains("needs a value"))
        );
    }

    #[test]
    fn counts_start_at_one() {
        for line in ["--seconds 0", "--seconds -3", "--seconds two"] {
            let mut args = args(line);
            args.next();
            assert!(matches!(args.count("--seconds"), Err(Failure::Usage(_))), "{line}");
        }
    }

    #[test]
    fn all_means_every_choice_and_an_unknown_one_names_them() {
        let choices = [("lastfm", 1), ("yelp2018", 2)];
        let choose = |line| {
            let mut args = args(line);
            args.next();
            args.choice("--data", &choices)
        };
        assert_eq!(choose("--data all"), Ok(vec![1, 2]));
        assert_eq!(choose("--data yelp2018"), Ok(vec![2]));
        assert!(
            matches!(choose("--data x"), Err(Failure::Usage(message)) if message.contains("lastfm, yelp2018 or all"))
        );
    }
}
