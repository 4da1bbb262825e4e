//! How often explanations hold for a model trained again, as it was measured on this very model.
//!
//! "Had you not listened to Y, X would not be on your list" is checked on the model as it is. Trained again without Y it mostly agrees, and the more
//! surely the farther the item falls. An audit (`grease-evaluate`) trains again and again, and fits the share that holds; here that is kept beside the model,
//! read once, and told of each explanation.

mod file;
use grease_explain::{Goal, Scope, Status};
use grease_graph::Profile;
use grease_tell::{Record, Retrained};
use serde::{Deserialize, Serialize};

use crate::share::{Share, Z};

pub use file::{CALIBRATION, CalibrationError};

/// The version of the format.
pub const CALIBRATION_SCHEMA: &str = "grease.calibration/1";

/// What decides how often an explanation holds: a constant, how many places the item falls beyond the list, and how many interactions it takes.
pub const FEATURES: usize = 3;

/// Nobody asks for more, whatever a file says was seen.
const FIRMEST: usize = 1000;

/// What training again found out about a model's explanations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// [`CALIBRATION_SCHEMA`].
    pub schema: String,
    /// The version of GREASE that made it.
    pub grease: String,
    /// Hash of the model, as explanations have it.
    pub model: String,
    /// Hash of the data.
    pub data: String,
    /// Length of the lists; nothing is said of others.
    pub k: usize,
    /// Who found the explanations.
    pub method: String,
    /// The seed of each training.
    pub seeds: Vec<u64>,
    /// How many places beyond the list explanations were asked for, at least.
    pub firm: Vec<usize>,
    /// People whose explanations were acted upon.
    pub people: usize,
    /// How many explanations held, of all.
    pub held: Share,
    /// How many items left the list of people who lost nothing: what training again changes by itself.
    pub untouched: Share,
    /// What is told of each explanation.
    pub fit: Fit,
    /// The shares as they were counted.
    pub curve: Vec<Band>,
    /// How well the fit foretells people it was not fitted on.
    pub held_out: HeldOut,
}

/// The log-odds that an explanation holds, as a sum over features.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Of the constant, of the logarithm of the places beyond the list, and of that of the interactions cited; but for the first never below 0.
    pub coefficients: [f64; FEATURES],
    /// How unsure they are, and together.
    pub covariance: [[f64; FEATURES]; FEATURES],
    /// The most places beyond the list that were seen; who falls farther is promised no more.
    pub deepest: usize,
    /// The most interactions cited that were seen.
    pub most_cited: usize,
    /// The logarithm of the interactions it usually takes: a constant, and a multiple of that of the places.
    pub usual_cited: [f64; 2],
}

/// A part of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// The first rank.
    pub from: usize,
    /// The last; none where there is no end.
    pub to: Option<usize>,
    /// How many held.
    #[serde(flatten)]
    pub held: Share,
    /// How many should have, by the fit.
    pub fitted: f64,
}

/// The fit, put to the test on people it did not see.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// In how many parts people were divided, each foretold by the others.
    pub folds: usize,
    /// Mean distance of the foretold share from the share that held, over five groups by what was foretold.
    pub error: f64,
    /// What that would be by chance, were the fit right.
    pub by_chance: f64,
    /// Mean squared distance of what was foretold from what came (Brier).
    pub brier: f64,
    /// The same, had everybody been told the same share.
    pub brier_of_one_share: f64,
}

/// From log-odds.
pub fn probability(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// The sum of products.
pub fn dot(a: &[f64; FEATURES], b: &[f64; FEATURES]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// At least one, and no more than were seen.
fn within(many: usize, seen: usize) -> f64 {
    many.clamp(1, seen.max(1)) as f64
}

impl Fit {
    /// What decides about an explanation of so many interactions that puts an item so many places beyond the list.
    pub fn features(&self, places: usize, cited: usize) -> [f64; FEATURES] {
        [1.0, within(places, self.deepest).ln(), within(cited, self.most_cited).ln()]
    }

    /// How often it holds.
    pub fn promise(&self, places: usize, cited: usize) -> Retrained {
        self.at(self.features(places, cited))
    }

    /// The same for as many interactions as it usually takes.
    pub fn usual_promise(&self, places: usize) -> Retrained {
        let places = within(places, self.deepest).ln();
        let cited = self.usual_cited[0] + self.usual_cited[1] * places;
        self.at([1.0, places, cited.clamp(0.0, within(self.most_cited, self.most_cited).ln())])
    }

    fn at(&self, features: [f64; FEATURES]) -> Retrained {
        let logit = dot(&features, &self.coefficients);
        let variance = dot(&self.covariance.map(|row| dot(&row, &features)), &features);
        let reach = Z * variance.max(0.0).sqrt();
        let [low, share, high] = [logit - reach, logit, logit + reach].map(|logit| probability(logit) as f32);
        Retrained { share, low, high }
    }
}

impl Calibration {
    /// How often such an explanation holds for a model trained again. Only for what was audited: verified counterfactual explanations by own
    /// interactions, of somebody the model has learned from, on lists of the same length.
    pub fn promise(&self, record: &Record) -> Option<Retrained> {
        let is_audited = record.status == Status::Verified
            && record.goal == Goal::Counterfactual
            && record.scope == Scope::Own
            && record.profile == Profile::Kept
            && record.history.is_none()
            && record.k == self.k
            && record.model == self.model;
        let places = record.rank_after?.checked_sub(self.k).filter(|&places| places > 0 && is_audited)?;
        Some(self.fit.promise(places, record.edges.len()))
    }

    /// How firm explanations must be asked for so that they hold this often: the fewest places beyond the list. None where nothing
    /// that was seen does.
    pub fn firm_for(&self, share: f64) -> Option<usize> {
        (1..=self.fit.deepest.min(FIRMEST))
            .find(|&places| f64::from(self.fit.usual_promise(places).share) >= share)
    }
}
