//! Why there is no answer, in one form for every surface.

use std::fmt;

use grease_graph::Field;

/// What sort of refusal, by what each surface makes of it: an exit code, a status, an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// It cannot be asked for.
    Usage,
    /// Data is missing or makes no sense.
    Data,
    /// A model or its folder is missing or damaged.
    Model,
    /// Nobody and nothing has this name.
    Unknown,
    /// Several have this name.
    Ambiguous,
    /// The recommender is well, but will not answer this: one person's answer, not everybody's.
    Declined,
    /// The recommender failed: nobody's answer.
    Recommender,
    /// A method of somebody's own failed, or proposed what cannot be: nobody's answer.
    Method,
    /// Somebody wanted it to end, or nobody waits any more.
    Cancelled,
    /// Anything else, such as a full disk.
    Unexpected,
}

impl RefusalKind {
    /// Whether it is nobody's answer: a run ends with it. All else is what one person is told.
    pub fn is_nobodys_answer(self) -> bool {
        matches!(self, Self::Recommender | Self::Method | Self::Cancelled)
    }
}

/// Why there is no answer: what is wrong, what to do about it, and what was perhaps meant.
///
/// Messages name fields in backticks; [`Refusal::rendered`] writes them as a surface does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What each surface makes of it.
    pub kind: RefusalKind,
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Names that were perhaps meant, the nearest first.
    pub near: Vec<String>,
    /// What was asked for wrongly.
    pub field: Option<Field>,
}

impl Refusal {
    /// Of this kind, about no field in particular.
    pub fn new(kind: RefusalKind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string(), help: None, near: Vec::new(), field: None }
    }

    /// Something that cannot be asked for.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(RefusalKind::Usage, message)
    }

    /// With a word on what to do.
    pub fn help(self, advice: impl fmt::Display) -> Self {
        Self { help: Some(advice.to_string()), ..self }
    }

    /// Where it was asked for wrongly.
    pub fn about(self, field: Field) -> Self {
        Self { field: Some(field), ..self }
    }

    /// A list so long that nothing can be missing from it.
    pub fn too_long(k: usize, items: usize, called: &str) -> Self {
        let message = format!(
            "a list of {k} has room for all {items} {called}, so nothing could ever be missing from it"
        );
        Self::usage(message).help(format_args!("ask for a shorter list by {}", Field::K)).about(Field::K)
    }

    /// What is wrong, with what was perhaps meant.
    pub fn said(&self) -> String {
        let quoted: Vec<String> = self.near.iter().map(|name| format!("'{name}'")).collect();
        match &quoted[..] {
            [] => self.message.clone(),
            [one] => format!("{}; did you mean {one}?", self.message),
            [most @ .., last] => format!("{}; did you mean {} or {last}?", self.message, most.join(", ")),
        }
    }

    /// What is wrong and what to do about it, with fields as `write` writes them.
    pub fn rendered(&self, write: impl Fn(Field) -> String) -> (String, Option<String>) {
        let help = self.help.as_deref().map(|help| Field::rendered(help, &write));
        (Field::rendered(&self.said(), &write), help)
    }
}

/// All of it in one line.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said())?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

/// Turns errors of the library into a surface's own failure, which knows a [`Refusal`].
///
/// ```
/// # use grease::{JournalError, Refusal, TrainingError, failures};
/// struct Failure(String);
///
/// impl From<Refusal> for Failure {
///     fn from(refusal: Refusal) -> Self {
///         Self(refusal.to_string())
///     }
/// }
///
/// failures!(Failure: JournalError, TrainingError);
/// ```
#[macro_export]
macro_rules! failures {
    ($failure:ty: $($error:ty),* $(,)?) => {
        $(impl From<$error> for $failure {
            fn from(error: $error) -> Self {
                $crate::Refusal::from(error).into()
            }
        })*
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_in_one_line_or_in_two() {
        let refusal = Refusal::too_long(99, 60, "artists");
        let flags = |field: Field| format!("-{}", field.name());
        let (message, help) = refusal.rendered(flags);
        assert!(message.ends_with("nothing could ever be missing from it"), "{message}");
        assert_eq!(help.as_deref(), Some("ask for a shorter list by -k"));
        assert!(refusal.to_string().ends_with("from it; ask for a shorter list by `k`"), "{refusal}");
        let near = ["mira", "mirna", "miro"].map(str::to_owned).to_vec();
        let unknown = Refusal { near, ..Refusal::new(RefusalKind::Unknown, "unknown user 'mir'") };
        assert_eq!(unknown.said(), "unknown user 'mir'; did you mean 'mira', 'mirna' or 'miro'?");
    }
}
