//! Would it also be so had the model been trained without?
//!
//! "Had you not listened to Y, X would not be on your list" is checked on the model as it is, with Y's edge taken out of its graph.
//! A sceptic asks about another model: one that never learned from Y. Training once for every explanation would take for ever,
//! so what the explanations of many people name is deleted at once, the model is trained again, and every verdict is compared. The
//! first training starts from the model's own seed; further ones from the seeds after it, so that what is chance in training is seen.
//!
//! Deleting changes the order of training too, and with it everybody's list a little. So people are dealt into three groups that are
//! chosen alike: for one what an explanation names is deleted, for one as much that it does not name, for one nothing. What happens to the
//! last is chance; what happens to the first beyond that is the explanation's doing.

mod calibrate;
mod figures;
mod judge;
mod plan;
mod retraining;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use grease::calibration::Calibration;
use grease::{CardError, Device, Opened, Refusal, Share, Subject, TrainingError, in_order};
use grease_explain::Method;
use grease_graph::{Edge, Graph, ItemId, Recommender, ScoreError};
use grease_models::Model;
use grease_models::folder::ModelFolder;
use grease_models::ranking::evaluate;
use grease_models::train::{Observer, WATCH_K};
use serde::{Deserialize, Serialize};

use judge::Judge;
use plan::{Case, Plan, deleted};
use retraining::{same_bits, train_without, unretrained};

pub use calibrate::FEWEST;
pub use figures::{Comparison, Figures};

/// Whom to ask about, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditOptions {
    /// People to sample; a third of those with a fitting explanation are in each group. Many make intervals narrow, but what they
    /// lose together is then a change of its own: [`Figures::jointly_edited`] says how much of one. Several trainings are better than many people.
    pub people: usize,
    /// Length of the lists.
    pub k: usize,
    /// Decides people, items, groups and what is deleted at random; training starts from the model's own seed.
    pub seed: u64,
    /// How often to train, each time from another seed and with other deletions.
    pub trainings: usize,
    /// How many places beyond the list explanations push the item, at least; each is asked for as often.
    pub firm: Vec<usize>,
    /// How explanations are searched for.
    pub method: Method,
    /// Whether to train once more with nothing deleted, to see that the same model comes of it.
    pub control: bool,
}

impl Default for AuditOptions {
    fn default() -> Self {
        let (method, control) = (Method::Grease, true);
        Self { people: 150, k: 10, seed: 1, trainings: 1, firm: vec![1], method, control }
    }
}

/// Why there is no audit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The observer asked to stop.
    #[error("the audit was cancelled")]
    Cancelled,
    /// The model's training never came to its end, so it cannot be repeated.
    #[error(
        "the model's training was interrupted, so the same training cannot be repeated; finish it with `resume`"
    )]
    Unfinished,
    /// Only models of ours can be trained again.
    #[error("only a model that `grease train` made can be trained again without what explanations name")]
    Foreign,
    /// Each group needs somebody.
    #[error(
        "only {fitting} of {asked} people have an explanation that names at most half of their history, too few for three groups; ask about more people"
    )]
    TooFew { asked: usize, fitting: usize },
    /// A list could not be explained.
    #[error(transparent)]
    Explain(#[from] Refusal),
    /// The model refused to score.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Training failed.
    #[error(transparent)]
    Train(#[from] TrainingError),
    /// The card that was asked for cannot be used.
    #[error(transparent)]
    Card(#[from] CardError),
}

/// What is deleted of somebody's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// What the explanation of the item names.
    Explained,
    /// As many interactions that it does not name.
    AtRandom,
    /// Nothing.
    Untouched,
}

/// One person, one item of their list, and where it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audited {
    pub user: String,
    /// The item asked about.
    pub item: String,
    /// What was deleted of their history, in a word.
    pub group: Group,
    /// The seed of the training.
    pub seed: u64,
    /// How firm an explanation was asked for.
    pub firm: usize,
    /// The items whose interactions were deleted.
    pub deleted: Vec<String>,
    /// Its rank on the list as it was.
    pub rank_before: usize,
    /// Its margin there; `None` where fewer than k others compete.
    pub margin_before: Option<f32>,
    /// Its rank when the model is asked about the graph without this person's deletions.
    pub rank_edited: usize,
    /// Its margin there.
    pub margin_edited: Option<f32>,
    /// Its rank when the model is asked about the graph without everybody's.
    pub rank_jointly_edited: usize,
    /// Its rank after training without everybody's.
    pub rank_retrained: usize,
    /// Share of the person's list that is still on it after training again.
    pub list_kept: f64,
}

/// What training again made of the verdicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// What was asked for.
    pub options: AuditOptions,
    /// The hash of the model audited.
    pub model: String,
    pub asked: usize,
    /// Those with a verified explanation that names at most half of their history; they are audited.
    pub fitting: usize,
    /// Each training, in turn.
    pub trainings: Vec<Training>,
    /// Whether training with nothing deleted gave the same weights to the last bit; `None` where it was not tried.
    pub reproduced: Option<bool>,
    /// Recall@20 of the model on its test part, where it has one.
    pub recall_before: Option<f64>,
    /// Those whose explanations were acted upon.
    pub explained: Figures,
    /// Those who lost as much, but other interactions.
    pub at_random: Figures,
    /// Those who lost nothing.
    pub untouched: Figures,
    /// All three groups together.
    pub overall: Figures,
    /// What it says of explanations to come; `None` where too few were acted upon ([`FEWEST`]).
    pub calibration: Option<Calibration>,
    /// Everybody, training by training and by user row.
    pub cases: Vec<Audited>,
}

/// One training without what was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Training {
    pub seed: u64,
    /// Interactions deleted in all.
    pub deleted: usize,
    /// Items that lost every interaction they had.
    pub items_without_interactions: usize,
    /// Recall@20 after training; what was deleted is not listed again.
    pub recall: Option<f64>,
    /// How many items leave the list of those whose explanations were acted upon.
    pub explained: Share,
    /// How many leave that of those who lost nothing.
    pub untouched: Share,
}

/// Deletes what explanations name, trains again, and compares. The observer sees the batches of all trainings, the
/// control first, and is asked between people too whether to stop. Whichever device trains, verdicts are the processor's.
pub fn retrain(
    subject: &Subject,
    options: &AuditOptions,
    device: Device,
    observer: &mut dyn Observer,
) -> Result<Audit, AuditError> {
    let folder = subject.folder().ok_or(AuditError::Foreign)?;
    if folder.manifest.train_options().is_none() {
        return Err(AuditError::Foreign);
    }
    if !folder.manifest.finished {
        return Err(AuditError::Unfinished);
    }
    let model = &folder.model;
    let device = Opened::to_train(device, folder.manifest.kind)?;
    let plan = Plan::make(subject, options, observer)?;
    let reproduced = match options.control {
        true => Some(same_bits(train_without(folder, &[], 0, &device, observer)?.weights(), model.weights())),
        false => None,
    };
    let (mut trainings, mut cases) = (Vec::new(), Vec::new());
    for number in 0..options.trainings {
        let (training, audited) =
            train(folder, options.k, &plan.cases(model.graph(), number), (number as u64, &device), observer)?;
        trainings.push(training);
        cases.extend(audited);
    }
    let of = |group: Group| Figures::of(cases.iter().filter(|case| case.group == group), options.k);
    Ok(Audit {
        options: options.clone(),
        model: folder.model_hash().to_owned(),
        asked: plan.asked,
        fitting: plan.fitting(),
        trainings,
        reproduced,
        recall_before: recall(folder, model),
        explained: of(Group::Explained),
        at_random: of(Group::AtRandom),
        untouched: of(Group::Untouched),
        overall: Figures::of(cases.iter(), options.k),
        calibration: calibrate::calibrate(options, (folder.model_hash(), &folder.data_hash()), &cases),
        cases,
    })
}

/// One training, from the seed `later` after the model's own, and where it puts the items of everybody it was done to.
fn train(
    folder: &ModelFolder,
    k: usize,
    cases: &[Case],
    (later, device): (u64, &Opened),
    observer: &mut dyn Observer,
) -> Result<(Training, Vec<Audited>), AuditError> {
    let (model, deleted) = (&folder.model, deleted(cases));
    let retrained = train_without(folder, &deleted, later, device, observer)?;
    let judge = Judge { k, model, edited: unretrained(model, &deleted)?, retrained };
    let seed = folder.manifest.seed.unwrap_or_default().wrapping_add(later);
    let mut judged = Vec::with_capacity(cases.len());
    in_order(
        cases,
        |case| audited(folder, &judge, case, seed),
        |case| {
            if observer.cancelled() {
                return Err(AuditError::Cancelled);
            }
            judged.push(case?);
            Ok(())
        },
    )?;
    let leave = |group: Group| {
        let of = judged.iter().filter(|case| case.group == group);
        Share::new(of.clone().filter(|case| case.rank_retrained > k).count(), of.count())
    };
    let training = Training {
        seed,
        deleted: deleted.len(),
        items_without_interactions: bare_items(model.graph(), &deleted),
        recall: recall(folder, &judge.retrained),
        explained: leave(Group::Explained),
        untouched: leave(Group::Untouched),
    };
    Ok((training, judged))
}

/// Recall@20 on the folder's test part, where it has one.
fn recall(folder: &ModelFolder, trained: &Model) -> Option<f64> {
    let test = &folder.data.test;
    (!test.is_empty()).then(|| evaluate(trained.output(), folder.model.graph(), test, &[WATCH_K])[0].recall)
}

fn audited(folder: &ModelFolder, judge: &Judge<'_>, case: &Case, seed: u64) -> Result<Audited, ScoreError> {
    let (users, items) = (&folder.data.users, &folder.data.items);
    let id = |item: ItemId| items.id(item.0).to_owned();
    let finite = |margin: f32| Some(margin).filter(|margin| margin.is_finite());
    let standings = judge.standings(case)?;
    Ok(Audited {
        user: users.id(case.user.0).to_owned(),
        item: id(case.item),
        group: case.group,
        seed,
        firm: case.firm,
        deleted: case.deleted.iter().map(|edge| id(edge.item)).collect(),
        rank_before: standings.before.rank,
        margin_before: finite(standings.before.margin),
        rank_edited: standings.edited.rank,
        margin_edited: finite(standings.edited.margin),
        rank_jointly_edited: standings.jointly_edited.rank,
        rank_retrained: standings.retrained.rank,
        list_kept: judge.list_kept(case)?,
    })
}

/// How many items lose every interaction they have.
fn bare_items(graph: &Graph, deleted: &[Edge]) -> usize {
    let mut lost: BTreeMap<ItemId, usize> = BTreeMap::new();
    deleted.iter().for_each(|edge| *lost.entry(edge.item).or_default() += 1);
    lost.into_iter().filter(|&(item, count)| count == graph.users_of(item).len()).count()
}
