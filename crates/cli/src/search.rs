//! What is explained and how it is searched for: the arguments of every verb that explains.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use grease::explain::{Goal, Method, ProfileChoice, Scope};
use grease::{Question, Subject};

use crate::failure::Failure;
use crate::items::{CandidateArguments, items_in};
use crate::numbers::at_least_one;
use crate::output::Output;
use crate::paper::PaperArguments;
use crate::words::WordArguments;

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// factual, counterfactual, both, joint (interactions that are enough and needed at once) or all three
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "What is explained"
    )]
    goal: Goals,
    /// Interactions that may be named: own, target (also the item's) or hops (the whole neighbourhood)
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "What is explained"
    )]
    scope: WhichScope,
    /// What the model has learned about the person is kept or neutral (set aside); auto: set aside for factual with scope own
    #[arg(
        long,
        hide_short_help = true,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "What is explained"
    )]
    profile: WhichProfile,
    /// Name no items of this file as causes or replacements
    #[arg(long, hide_short_help = true, value_name = "FILE", help_heading = "What is explained")]
    never_cite: Option<PathBuf>,
    /// Show the ids of other people instead of pseudonyms
    #[arg(long, hide_short_help = true, help_heading = "What is explained")]
    show_user_ids: bool,
    #[arg(long, hide_short_help = true, default_value_t, help = search_methods(), help_heading = "The search")]
    method: Method,
    /// The most interactions an explanation may name, or all; larger sets are tried too, as some of them need not be whole [default: 6
    /// for factual, 10 for others]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = max_edges, help_heading = "The search")]
    max_edges: Option<usize>,
    /// How firmly it has to hold: what leaves the list falls to place k + N or below, what gets in comes to place k + 1 - N or above
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, value_parser = at_least_one, help_heading = "The search")]
    firm: usize,
    /// Say only that nothing was found, where nothing was: do not look for the nearest weaker answer
    #[arg(long, hide_short_help = true, help_heading = "The search")]
    no_instead: bool,
    /// The most questions asked of the model for one explanation; method exact asks without limit
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 200, value_parser = at_least_one, help_heading = "The search")]
    queries: usize,
    /// Edits tried for a list to prove that nothing smaller does it, where asking costs next to nothing: LightGCN of up to three layers
    /// [default: 40000 for explain, 0 for batch]
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = "The search")]
    prove: Option<usize>,
    /// How far the neighbourhood of --scope hops reaches
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 2, value_parser = at_least_one, help_heading = "The search")]
    hops: usize,
    /// Look for this many further explanations of each item, with nothing in common
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0, help_heading = "The search")]
    alternatives: usize,
    /// Decides everything random
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, help_heading = "The search")]
    pub(crate) seed: u64,
    #[command(flatten)]
    paper: PaperArguments,
    #[command(flatten, next_help_heading = "What may be listed")]
    candidates: CandidateArguments,
    #[command(flatten)]
    pub(crate) words: WordArguments,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Goals {
    #[default]
    Both,
    Factual,
    Counterfactual,
    Joint,
    All,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum WhichScope {
    #[default]
    Own,
    Target,
    Hops,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum WhichProfile {
    #[default]
    Auto,
    Kept,
    Neutral,
}

fn search_methods() -> String {
    format!("How to search: {}", Method::ALL.iter().map(Method::name).collect::<Vec<_>>().join(", "))
}

fn max_edges(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        number => at_least_one(number).map_err(|error| format!("{error}, or all")),
    }
}

impl SearchArguments {
    /// What to explain of every item.
    fn goals(&self) -> Vec<Goal> {
        match self.goal {
            Goals::Both => vec![Goal::Factual, Goal::Counterfactual],
            Goals::Factual => vec![Goal::Factual],
            Goals::Counterfactual => vec![Goal::Counterfactual],
            Goals::Joint => vec![Goal::Joint],
            Goals::All => vec![Goal::Joint, Goal::Factual, Goal::Counterfactual],
        }
    }

    /// The question, but for whom. Reads the files that are named.
    pub(crate) fn question(&self, k: usize, subject: &Subject, output: &Output) -> Result<Question, Failure> {
        let items = &subject.data().items;
        let mut question = Question {
            method: self.method,
            k,
            goals: self.goals(),
            scope: self.scope.into(),
            profile: self.profile.into(),
            hops: self.hops,
            max_edges: self.max_edges,
            firm: self.firm,
            instead: !self.no_instead,
            queries: self.queries,
            prove: self.prove,
            alternatives: self.alternatives,
            paper: self.paper.options(),
            seed: self.seed,
            show_user_ids: self.show_user_ids,
            ..Question::default()
        };
        self.candidates.fill(&mut question, items, output)?;
        if let Some(file) = &self.never_cite {
            question.never_cite = items_in(file, items, output)?;
        }
        Ok(question)
    }
}

impl From<WhichScope> for Scope {
    fn from(scope: WhichScope) -> Self {
        match scope {
            WhichScope::Own => Scope::Own,
            WhichScope::Target => Scope::Target,
            WhichScope::Hops => Scope::Hops,
        }
    }
}

impl From<WhichProfile> for ProfileChoice {
    fn from(profile: WhichProfile) -> Self {
        match profile {
            WhichProfile::Auto => ProfileChoice::Auto,
            WhichProfile::Kept => ProfileChoice::Kept,
            WhichProfile::Neutral => ProfileChoice::Neutral,
        }
    }
}
