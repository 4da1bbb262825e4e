//! How method `paper` is run: what the paper sets, what it leaves open, and what had to be mended.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The most steps of one sort: a request from afar must not run for days.
const MOST_STEPS: usize = 100_000;
/// The widest hidden layer.
const WIDEST: usize = 1024;

/// How method `paper` is run. The defaults are the paper's figures wherever it prints one that moves anything.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PaperOptions {
    /// What one surrogate is fitted for.
    pub fit: PaperFit,
    /// Whether the surrogate's scores start from the recommender's and only their changes are its own; the paper's are all its own.
    pub anchored: bool,
    /// What the surrogate is given as the nodes' features.
    pub features: PaperFeatures,
    /// Whom the surrogate ranks the item among. An anchored surrogate ranks it among those whose real scores are known.
    pub rivals: PaperRivals,
    /// Which loss the edges follow.
    pub loss: PaperLoss,
    /// Width between the surrogate's layers; none: 32, or 64 from 500,000 interactions on.
    pub hidden: Option<usize>,
    /// Steps of Adam the surrogate is fitted by.
    pub fit_steps: usize,
    /// Adam's step size.
    pub fit_rate: f64,
    /// Iterations `M` of Algorithm 1.
    pub steps: usize,
    /// How far the mask moves in an iteration: with loss `margin` the strongest edge moves so far, with loss `printed` the gradient is
    /// multiplied with it. The paper prints 0.01, with which the strongest edge flips in the hundredth iteration.
    pub eta: f64,
    /// Trade-off between the explanation and its length: how strongly an edge that flipped is drawn back, beside the strongest
    /// slope (loss `margin`) or beside the gradient (loss `printed`).
    pub beta: f64,
    /// Width of the hinge: of the spread of the list's scores (loss `margin`), or as it is (loss `printed`).
    pub epsilon: f64,
}

impl Default for PaperOptions {
    fn default() -> Self {
        Self {
            fit: PaperFit::default(),
            anchored: false,
            features: PaperFeatures::default(),
            rivals: PaperRivals::default(),
            loss: PaperLoss::default(),
            hidden: None,
            fit_steps: 300,
            fit_rate: 0.01,
            steps: 200,
            // Of 0.05 to 1, tried on 32 LastFM pairs, the shorter ones found more factual sets; counterfactual ones did not tell them
            // apart.
            eta: 0.1,
            beta: 1.0 / 200.0,
            epsilon: 0.05,
        }
    }
}

impl PaperOptions {
    /// Refuses what cannot be run.
    pub fn check(&self) -> Result<(), UnfitPaperOption> {
        let counts = [
            ("width of the hidden layer", self.hidden.unwrap_or(1), WIDEST),
            ("number of fitting steps", self.fit_steps, MOST_STEPS),
            ("number of steps M", self.steps, MOST_STEPS),
        ];
        for (what, value, most) in counts {
            if !(1..=most).contains(&value) {
                return Err(UnfitPaperOption(format!("the {what} must be from 1 to {most}, and is {value}")));
            }
        }
        for (what, value) in [("fitting rate", self.fit_rate), ("step length eta", self.eta)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(UnfitPaperOption(format!("the {what} must be a number above 0, and is {value}")));
            }
        }
        for (what, value) in [("trade-off beta", self.beta), ("hinge width epsilon", self.epsilon)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(UnfitPaperOption(format!(
                    "the {what} must be a number of at least 0, and is {value}"
                )));
            }
        }
        Ok(())
    }
}

/// Why method `paper` cannot be run so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("method paper: {0}")]
pub struct UnfitPaperOption(String);

/// What one surrogate is fitted for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PaperFit {
    /// A person and an item, on the neighbourhood of the two, as the paper says.
    #[default]
    Pair,
    /// All items of a list, on the neighbourhood of the person and all of them.
    List,
}

/// What a surrogate is given as the nodes' features; the paper does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PaperFeatures {
    /// The recommender's output embeddings, else random vectors.
    #[default]
    Output,
    /// Its input vectors where it shows them, else as `output`.
    Input,
    /// Random vectors, whatever it shows.
    Random,
}

/// Whom the surrogate ranks an item among.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PaperRivals {
    /// The candidates in the neighbourhood: those it has embeddings of.
    #[default]
    Near,
    /// All candidates; those outside the neighbourhood with the recommender's own embeddings, where it shows them.
    All,
}

/// Which loss the edges follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PaperLoss {
    /// The distance to the k-th best of the others, its gradient divided by its largest entry: edges flip one after another.
    #[default]
    Margin,
    /// As printed: the score times its lead over the last of the list, with its plain gradient.
    Printed,
}

/// Writes and reads a choice by name.
macro_rules! by_name {
    ($choice:ident: $($variant:ident => $name:literal),*) => {
        impl fmt::Display for $choice {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $($choice::$variant => $name),*
                })
            }
        }

        impl FromStr for $choice {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($name => Ok($choice::$variant),)*
                    _ => Err(format!("`{text}` is none of {}", [$($name),*].join(", "))),
                }
            }
        }
    };
}

by_name! { PaperFit: Pair => "pair", List => "list" }
by_name! { PaperFeatures: Output => "output", Input => "input", Random => "random" }
by_name! { PaperRivals: Near => "near", All => "all" }
by_name! { PaperLoss: Margin => "margin", Printed => "printed" }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_papers_where_it_says_something() {
        let usual = PaperOptions::default();
        assert_eq!((usual.fit, usual.anchored, usual.steps), (PaperFit::Pair, false, 200));
        assert_eq!((usual.beta, usual.epsilon, usual.hidden), (1.0 / 200.0, 0.05, None));
        assert_eq!(usual.check(), Ok(()));
    }

    #[test]
    fn what_cannot_be_run_is_refused_in_a_sentence() {
        let usual = PaperOptions::default();
        let refused = |options: PaperOptions| options.check().unwrap_err().to_string();
        for (options, said) in [
            (
                PaperOptions { steps: 0, ..usual },
                "method paper: the number of steps M must be from 1 to 100000, and is 0",
            ),
            (
                PaperOptions { fit_steps: usize::MAX, ..usual },
                "method paper: the number of fitting steps must be from 1 to 100000, and is 18446744073709551615",
            ),
            (
                PaperOptions { hidden: Some(0), ..usual },
                "method paper: the width of the hidden layer must be from 1 to 1024, and is 0",
            ),
            (
                PaperOptions { eta: f64::NAN, ..usual },
                "method paper: the step length eta must be a number above 0, and is NaN",
            ),
            (
                PaperOptions { fit_rate: -0.1, ..usual },
                "method paper: the fitting rate must be a number above 0, and is -0.1",
            ),
            (
                PaperOptions { beta: f64::INFINITY, ..usual },
                "method paper: the trade-off beta must be a number of at least 0, and is inf",
            ),
            (
                PaperOptions { epsilon: -1.0, ..usual },
                "method paper: the hinge width epsilon must be a number of at least 0, and is -1",
            ),
        ] {
            assert_eq!(refused(options), said);
        }
    }

    #[test]
    fn choices_are_read_as_they_are_written() {
        for features in [PaperFeatures::Output, PaperFeatures::Input, PaperFeatures::Random] {
            assert_eq!(features.to_string().parse(), Ok(features));
            assert_eq!(serde_json::to_value(features).unwrap(), features.to_string());
        }
        let unknown = "user".parse::<PaperFit>().unwrap_err();
        assert_eq!(unknown, "`user` is none of pair, list");
        let some: PaperOptions = serde_json::from_str(r#"{"fit": "list", "loss": "printed"}"#).unwrap();
        let usual = PaperOptions::default();
        assert_eq!(some, PaperOptions { fit: PaperFit::List, loss: PaperLoss::Printed, ..usual });
        assert!(serde_json::from_str::<PaperOptions>(r#"{"stepz": 3}"#).is_err());
    }
}
