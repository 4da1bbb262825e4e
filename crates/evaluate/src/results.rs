//! What an evaluation found, as it is written to `results.json`: every figure of every table and chart, and all that is
//! needed to repeat it. No times: those stand in [`Times`], in a file of their own, as no two runs have the same.

use grease_explain::{Method, Scope};
use grease_graph::{Profile, Work};
use serde::{Deserialize, Serialize};

use crate::audit::Audit;
use crate::interval::Interval;
use crate::published::Published;
use crate::row::Row;
use crate::settings::Settings;

/// The version of the format.
pub const EVALUATION_SCHEMA: &str = "grease.evaluation/1";

/// Everything an evaluation found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`EVALUATION_SCHEMA`].
    pub schema: String,
    /// The version of GREASE that made it.
    pub grease: String,
    /// The command that repeats it.
    pub command: String,
    /// What was asked for.
    pub settings: Settings,
    /// One for each model evaluated, in the order named.
    pub models: Vec<ModelResults>,
}

/// What was found on one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelResults {
    pub model: Evaluated,
    /// One for each table, k, goal, method and rigour, in this order.
    pub cells: Vec<Cell>,
    /// How shares go with the edge budget, the item's rank and the person's number of interactions.
    pub curves: Vec<Curve>,
    /// Agreement of explanations across seeds.
    pub stability: Vec<Stability>,
    /// What each method leaves to the ceiling, on the ceiling's own pairs.
    pub gaps: Vec<Gap>,
    /// Whether a surrogate's fidelity tells which of its list's pairs end verified.
    pub fidelity: Vec<FidelityReport>,
    /// What lists as a whole rest on, for each k.
    #[serde(default)]
    pub lists: Vec<ListShares>,
    /// How personal lists are, for each k.
    #[serde(default)]
    pub personal: Vec<Personal>,
    /// What methods' orders of whole histories do to lists, for each k and method.
    #[serde(default)]
    pub importance: Vec<Importance>,
    /// Deleting and training again, where asked for.
    pub audit: Option<Audit>,
}

/// The model evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// What the data set is called.
    pub data: String,
    /// What sort of recommender: `lightgcn`, `ngcf`, or what somebody else's calls itself.
    pub kind: String,
    /// Hash of the model.
    pub model_hash: String,
    /// Hash of the data.
    pub data_hash: String,
    pub users: usize,
    /// Items.
    pub items: usize,
    pub interactions: usize,
    pub epochs: u64,
    /// Of the model on its test part.
    pub recall_at_20: Option<f64>,
    /// Of the model on its test part.
    pub ndcg_at_20: Option<f64>,
}

/// A figure over repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean over the repeats that have the figure.
    pub mean: f64,
    /// Sample standard deviation over them; 0 for a single one.
    pub sd: f64,
}

impl Spread {
    /// Mean and sample standard deviation; none of nothing.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        (!values.is_empty()).then_some(Self { mean, sd })
    }
}

/// One cell of the tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Which.
    #[serde(flatten)]
    pub row: Row,
    /// Which edges could be cited.
    pub scope: Scope,
    /// How learned profiles were read.
    pub profile: Profile,
    /// Repeats that tried it.
    pub repeats: usize,
    /// People's lists explained, over all repeats.
    pub lists: usize,
    /// Whether only some of each repeat's people were tried, as the method is slow.
    pub subsample: bool,
    /// What the paper says.
    pub published: Option<Published>,
    /// Pairs tried, over all repeats: the denominator of every share.
    pub attempted: usize,
    /// Pairs for which the method itself came to an answer: verified or refuted.
    pub found: usize,
    /// Pairs whose answer holds on the recommender.
    pub verified: usize,
    /// Pairs whose answer does not.
    pub refuted: usize,
    /// Factual pairs that hold with nothing put back; not in `verified`.
    pub trivial: usize,
    /// Why nothing was found: reason codes and how often, the most frequent first.
    pub reasons: Vec<(String, usize)>,
    /// PN or PS: verified over attempted.
    pub share: Spread,
    /// Mean edges of verified answers; none where no repeat has one.
    pub edges: Option<Spread>,
    /// Method `grease`, own interactions: pairs with an answer, or a checked one to a weaker question.
    #[serde(default)]
    pub answered: Option<Spread>,
    /// Method `paper`: the share its surrogate is satisfied with, of items it had on the list before any edit.
    pub judged: Option<Spread>,
    /// Method `paper`: mean edges of these answers.
    pub judged_edges: Option<Spread>,
    /// Method `paper`: what its surrogate claims beyond that.
    #[serde(default)]
    pub claims: Option<Claims>,
    /// Method `paper`: share of pairs that the surrogate has on the list before any edit, as the recommender has: the others
    /// cannot be explained by it.
    pub surrogate_agrees: Option<f64>,
    /// Questions an explanation, amortised over the list.
    pub queries: Spread,
    /// Mean fidelity of the surrogates, where there are any.
    pub surrogate_fidelity: Option<f64>,
    /// Share of verified answers known to be 1-minimal.
    pub minimal: Option<f64>,
    /// Against method `grease`, certified, in the same table, on the pairs both solve.
    pub against_grease: Option<BothSolve>,
    /// Beside method `grease`, certified, in the same table, on the pairs both tried.
    #[serde(default)]
    pub beside_grease: Option<BesideGrease>,
    /// How many of the verified answers are as short as can be.
    #[serde(default)]
    pub proved: Option<Proved>,
    /// What the explanations of a list name together, and the histories they leave.
    #[serde(default)]
    pub named: Option<Named>,
}

/// A method beside `grease`, on the pairs both tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BesideGrease {
    pub pairs: usize,
    /// Of them verified by the method.
    pub verified: usize,
    /// Of them verified by `grease`.
    pub grease: usize,
    /// How much greater the share is that `grease` verifies: 95 % interval, people's lists being what is drawn; none of a single list.
    pub ahead: Option<Interval>,
}

/// How many verified answers are as short as can be. The fewest edges of a pair are the fewest that any method verified, or that were
/// found while its minimum was proved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Proved {
    /// Verified answers of which it is proved that fewer edges do not do it.
    pub minimum: usize,
    /// Those where fewer edges are known to do it.
    pub longer: usize,
    /// `minimum` over verified.
    pub share: f64,
}

/// What the verified explanations of a list name together, and the histories they leave.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// Lists with two verified explanations or more, over all repeats.
    pub lists: usize,
    /// Mean number of different edges that the explanations of such a list name.
    pub distinct: Option<Spread>,
    /// Mean share of such a list's verified explanations that name the edge most of them name.
    pub most_named: Option<Spread>,
    /// Mean over verified explanations of the largest overlap of the history they leave with that of one of 1,000 people drawn.
    pub plausibility: Option<Spread>,
    /// The same of the history as it is, over the same explanations.
    pub plausibility_before: Option<Spread>,
}

/// How personal lists of one length are, whatever the method: the overlap of two lists is what they share over what is on either.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Personal {
    pub k: usize,
    /// Lists, over all repeats.
    pub people: usize,
    /// Mean overlap with the lists of 100 others of the repeat, or of all of them; none where there is nobody else.
    pub others: Option<Spread>,
    /// Mean overlap with the k most popular items that the person does not have.
    pub popular: Option<Spread>,
}

/// All that a surrogate claims, to the letter of Algorithm 1: also what says nothing about the recommender.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    /// Claims about items that the surrogate had off the list before any edit, counterfactual ones with no edge at all.
    pub off_list: usize,
    /// Claims that nothing need be put back, about items it had on the list.
    pub of_nothing: usize,
    /// The share it claims with both counted.
    pub share: Spread,
    /// Mean edges with both counted.
    pub edges: Option<Spread>,
    /// What it is satisfied with as a share of the items it had on the list itself, as if only those were to be explained.
    pub of_listed: Option<Spread>,
}

/// What lists of one length rest on: the fewest interactions found without which half of a list is another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ListShares {
    pub k: usize,
    pub people: usize,
    /// People with such interactions within the cap.
    pub found: usize,
    /// Mean interactions of theirs.
    pub edges: Option<f64>,
    /// PN-S: mean share of the list that is new, over all people; nothing found changes nothing.
    pub changed: f64,
    /// PN-R: the same weighted by place.
    pub changed_by_rank: f64,
}

/// What a method's order of whole histories does to lists of one length: ten growing tenths of the history are taken away, the most important
/// interactions first, or the least.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    pub k: usize,
    pub method: Method,
    /// Lists, over all repeats.
    pub people: usize,
    /// Their items.
    pub pairs: usize,
    /// POS-P: mean share, over the tenths, of items still on the list.
    pub most_first: Option<Spread>,
    /// NEG-P: the same.
    pub least_first: Option<Spread>,
    /// The share at each tenth, over all repeats.
    pub listed_most_first: Vec<f64>,
    pub listed_least_first: Vec<f64>,
}

/// Two methods on the pairs both solve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BothSolve {
    pub pairs: usize,
    /// Mean edges of the method.
    pub edges: f64,
    /// Mean edges of the other.
    pub other_edges: f64,
    /// How many more edges the method needs than `grease`, for whom alone it is known: 95 % interval, people's lists being what is drawn.
    #[serde(default)]
    pub longer: Option<Interval>,
}

/// What a curve goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The most edges an explanation may have, 1 to 20. What is found only beyond the caps counts from there on.
    Budget,
    /// The item's rank in the list.
    Rank,
    /// The person's interactions, in bands.
    Degree,
}

/// How the share of verified pairs goes with something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Whose.
    #[serde(flatten)]
    pub row: Row,
    pub over: Axis,
    /// In ascending order.
    pub points: Vec<Point>,
    /// Area under a budget curve that goes all the way: the mean of its shares, 0 to 1.
    pub area: Option<f64>,
}

/// One point of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Where the band begins: the budget, the rank, or the fewest interactions.
    pub from: usize,
    /// Where it ends, included; as `from` for single values.
    pub to: usize,
    pub pairs: usize,
    /// Their share verified, over repeats that have such pairs.
    pub share: Spread,
}

/// Whether other seeds give the same explanations of the same pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// Of what.
    #[serde(flatten)]
    pub row: Row,
    /// Seeds compared, each with each.
    pub seeds: usize,
    /// People whose lists were explained with every seed.
    pub people: usize,
    /// Pairs of a person and an item.
    pub pairs: usize,
    /// Share of comparisons that agree whether there is a verified explanation.
    pub same_verdict: f64,
    /// Of comparisons where both are verified: mean Jaccard overlap of their edges; none where there are none.
    pub overlap: Option<f64>,
    /// Of the same: share with exactly the same edges.
    pub same_edges: Option<f64>,
}

/// A method beside the ceiling, on the pairs the ceiling was computed for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// Of what.
    #[serde(flatten)]
    pub row: Row,
    /// Pairs the ceiling was computed for.
    pub pairs: usize,
    /// Of them verified by the method.
    pub verified: usize,
    /// Of them verified by `exact`.
    pub ceiling: usize,
    /// Edges on the pairs both solve; `other` is `exact`.
    pub both: Option<BothSolve>,
    /// Of the pairs both solve: share where the method needs no more edges than `exact`.
    pub as_short: Option<f64>,
}

/// Verified shares by how faithful the list's surrogate is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FidelityReport {
    /// Of what.
    #[serde(flatten)]
    pub row: Row,
    /// Pairs with a surrogate whose fidelity is known.
    pub pairs: usize,
    /// Quarters of the pairs, by fidelity ascending.
    pub quarters: Vec<Quarter>,
    /// Probability that a verified pair's surrogate is more faithful than that of a pair not verified (0.5: says nothing);
    /// none where all or none are verified.
    pub auc: Option<f64>,
    /// The same among the pairs for which the method itself came to an answer (`paper`: verified against refuted).
    pub auc_of_found: Option<f64>,
}

/// A quarter of the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quarter {
    /// Least fidelity in it.
    pub from: f64,
    pub to: f64,
    pub pairs: usize,
    /// Share of them verified.
    pub share: f64,
}

/// What each row took; never beside figures that promise to be the same in every run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// How the times are to be read.
    pub about: String,
    /// Seconds of one thread that all units took together, each question asked once for a person.
    pub seconds: f64,
    /// One for each model, in order.
    pub models: Vec<Vec<RowTime>>,
    /// How each model came by its answers, where it counts them; a run that was resumed has only what it did since.
    #[serde(default)]
    pub answers: Vec<Option<Answers>>,
}

/// Edits a model answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// About some items, without the rest of the graph.
    pub local: u64,
    /// About every item of the catalogue, by one product.
    pub products: u64,
    /// By propagating over the whole graph.
    pub whole: u64,
}

impl From<Work> for Answers {
    fn from(Work { local, products, whole, .. }: Work) -> Self {
        Self { local, products, whole }
    }
}

/// What an explanation of one row took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RowTime {
    /// Of what.
    #[serde(flatten)]
    pub row: Row,
    /// Milliseconds an explanation, one thread: its own computing and what each answer it used took when it was first
    /// asked for.
    pub ms: f64,
}
