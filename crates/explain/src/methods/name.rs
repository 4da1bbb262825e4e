//! What a method that was given from outside is called.

use std::fmt;
use std::str::FromStr;

use super::Method;

/// The most letters of a name.
const MOST: usize = 32;

/// The name of a method that was given from outside: up to 32 letters, digits, `-` and `_`, the first of them a letter. What is built
/// in keeps its names.
///
/// ```
/// use grease_explain::MethodName;
///
/// assert_eq!("most-recent".parse::<MethodName>().unwrap().as_str(), "most-recent");
/// assert!("cosine".parse::<MethodName>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodName {
    /// Zeros behind its end, so that shorter names come first.
    text: [u8; MOST],
    length: u8,
}

impl MethodName {
    /// As it is written.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[..usize::from(self.length)]).expect("letters, digits and a few signs")
    }
}

/// Nothing can be called that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnfitName {
    /// Not a name.
    #[error(
        "a method cannot be called `{0}`: a name is up to {MOST} letters, digits, `-` and `_`, the first of them a letter"
    )]
    Misspelt(String),
    /// Another's name.
    #[error("a method cannot be called `{0}`: that is a method of GREASE; give it a name of its own")]
    Taken(String),
}

impl FromStr for MethodName {
    type Err = UnfitName;

    fn from_str(name: &str) -> Result<Self, UnfitName> {
        if Method::ALL.iter().any(|method| method.name().eq_ignore_ascii_case(name)) {
            return Err(UnfitName::Taken(name.to_owned()));
        }
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let begins = name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
        if !(begins && name.len() <= MOST && name.bytes().all(is_fit)) {
            return Err(UnfitName::Misspelt(name.to_owned()));
        }
        let mut text = [0; MOST];
        text[..name.len()].copy_from_slice(name.as_bytes());
        Ok(Self { text, length: name.len() as u8 })
    }
}

impl fmt::Debug for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_built_in_keeps_its_names() {
        for method in Method::ALL {
            assert!(matches!(method.name().parse::<MethodName>(), Err(UnfitName::Taken(_))), "{method}");
        }
        assert!(matches!("GREASE".parse::<MethodName>(), Err(UnfitName::Taken(_))));
    }

    #[test]
    fn what_could_be_mistaken_for_something_else_is_no_name() {
        let long = "a".repeat(MOST + 1);
        for wrong in ["", "1st", "-a", "a b", "a=3", "a.b", "a@own", "a\"b", "naïve", &long] {
            assert!(matches!(wrong.parse::<MethodName>(), Err(UnfitName::Misspelt(_))), "{wrong}");
        }
        assert!("a".repeat(MOST).parse::<MethodName>().is_ok());
    }

    proptest! {
        #[test]
        fn names_are_kept_and_ordered_as_text(a in "[a-zA-Z][a-zA-Z0-9_-]{0,31}", b in "[a-zA-Z][a-zA-Z0-9_-]{0,31}") {
            let (Ok(one), Ok(other)) = (a.parse::<MethodName>(), b.parse::<MethodName>()) else { return Ok(()) };
            prop_assert_eq!(one.as_str(), &a);
            prop_assert_eq!(one.cmp(&other), a.cmp(&b));
        }
    }
}
