//! How method `paper` is run: the arguments of every verb that may run it.

use clap::Args;
use grease::explain::{PaperFeatures, PaperFit, PaperLoss, PaperOptions, PaperRivals};

const HEADING: &str = "Method paper";

#[derive(Debug, Args)]
pub(crate) struct PaperArguments {
    /// What one surrogate is fitted for: pair (a person and an item) or list
    #[arg(long, hide_short_help = true, value_name = "WHAT", default_value_t, help_heading = HEADING)]
    paper_fit: PaperFit,
    /// Start from the model's own scores, so that only changes of them are the surrogate's
    #[arg(long, hide_short_help = true, help_heading = HEADING)]
    paper_anchored: bool,
    /// What the surrogate knows of people and items: the model's output vectors, its input vectors, or random ones
    #[arg(long, hide_short_help = true, value_name = "WHICH", default_value_t, help_heading = HEADING)]
    paper_features: PaperFeatures,
    /// Whom the surrogate ranks an item among: near (candidates in the neighbourhood) or all
    #[arg(long, hide_short_help = true, value_name = "WHO", default_value_t, help_heading = HEADING)]
    paper_rivals: PaperRivals,
    /// What the edges follow: margin, or the loss and its plain gradient as printed
    #[arg(long, hide_short_help = true, value_name = "LOSS", default_value_t, help_heading = HEADING)]
    paper_loss: PaperLoss,
    /// Width of the surrogate's hidden layer [default: 32, or 64 from 500,000 interactions on]
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = HEADING)]
    paper_hidden: Option<usize>,
    /// Steps by which the surrogate is fitted
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = PaperOptions::default().fit_steps, help_heading = HEADING)]
    paper_fit_steps: usize,
    /// Step size of fitting it
    #[arg(long, hide_short_help = true, value_name = "RATE", default_value_t = PaperOptions::default().fit_rate, help_heading = HEADING)]
    paper_fit_rate: f64,
    /// Iterations M of Algorithm 1
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = PaperOptions::default().steps, help_heading = HEADING)]
    paper_steps: usize,
    /// How far edges move in an iteration
    #[arg(long, hide_short_help = true, value_name = "ETA", default_value_t = PaperOptions::default().eta, help_heading = HEADING)]
    paper_eta: f64,
    /// How strongly edges that moved are drawn back
    #[arg(long, hide_short_help = true, value_name = "BETA", default_value_t = PaperOptions::default().beta, help_heading = HEADING)]
    paper_beta: f64,
    /// Width of the hinge
    #[arg(long, hide_short_help = true, value_name = "EPSILON", default_value_t = PaperOptions::default().epsilon, help_heading = HEADING)]
    paper_epsilon: f64,
}

impl PaperArguments {
    pub(crate) fn options(&self) -> PaperOptions {
        PaperOptions {
            fit: self.paper_fit,
            anchored: self.paper_anchored,
            features: self.paper_features,
            rivals: self.paper_rivals,
            loss: self.paper_loss,
            hidden: self.paper_hidden,
            fit_steps: self.paper_fit_steps,
            fit_rate: self.paper_fit_rate,
            steps: self.paper_steps,
            eta: self.paper_eta,
            beta: self.paper_beta,
            epsilon: self.paper_epsilon,
        }
    }
}

/// What to type for these options: what is as usual is left out.
pub(crate) fn typed(options: &PaperOptions) -> Vec<String> {
    let usual = PaperOptions::default();
    let values = |options: &PaperOptions| {
        [
            ("--paper-fit", options.fit.to_string()),
            ("--paper-features", options.features.to_string()),
            ("--paper-rivals", options.rivals.to_string()),
            ("--paper-loss", options.loss.to_string()),
            ("--paper-hidden", options.hidden.map_or_else(String::new, |hidden| hidden.to_string())),
            ("--paper-fit-steps", options.fit_steps.to_string()),
            ("--paper-fit-rate", options.fit_rate.to_string()),
            ("--paper-steps", options.steps.to_string()),
            ("--paper-eta", options.eta.to_string()),
            ("--paper-beta", options.beta.to_string()),
            ("--paper-epsilon", options.epsilon.to_string()),
        ]
    };
    let mut words: Vec<String> = Vec::new();
    for ((flag, value), (_, usual)) in values(options).into_iter().zip(values(&usual)) {
        if value != usual {
            words.extend([flag.to_owned(), value]);
        }
    }
    if options.anchored {
        words.push("--paper-anchored".to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        paper: PaperArguments,
    }

    fn parsed(words: &[String]) -> PaperOptions {
        let line = std::iter::once("grease".to_owned()).chain(words.iter().cloned());
        Alone::try_parse_from(line).unwrap().paper.options()
    }

    #[test]
    fn what_is_typed_is_what_is_run() {
        assert_eq!(parsed(&[]), PaperOptions::default());
        assert!(typed(&PaperOptions::default()).is_empty());
        let all = PaperOptions {
            fit: PaperFit::List,
            anchored: true,
            features: PaperFeatures::Random,
            rivals: PaperRivals::All,
            loss: PaperLoss::Printed,
            hidden: Some(7),
            fit_steps: 8,
            fit_rate: 0.5,
            steps: 9,
            eta: 0.01,
            beta: 0.0,
            epsilon: 1e-3,
        };
        assert_eq!(parsed(&typed(&all)), all);
    }
}
