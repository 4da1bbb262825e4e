//! What is explained, and the door to it: a question by names goes in, records come out.
//!
//! ```text
//! Question -resolve-> Resolved -explanations-> Explanation -Record::new-> Record
//! ```
//!
//! Nothing else in the project asks an [`Explainer`]: the command line, HTTP, Python, batches and evaluations all come here.

pub(crate) mod calibrated;
mod imagining;
mod methods;
mod of_folder;
mod of_list;
mod on_device;
mod where_asked;

pub use of_list::HALF;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use grease_explain::{ExplainError, Explainer, Explanation, Goal, Items, Ordered, Task};
use grease_graph::{Candidates, Field, Interactions, ItemId, Recommender, UserId, Who, Words, recommend};
use grease_models::folder::{Dataset, ModelFolder, hash_of_lines};
use grease_oracle::Oracle;
use grease_tell::{NamedList, Names, Record};

use self::calibrated::Measured;
use self::methods::Explainers;
use self::of_folder::OfFolder;
use crate::lookup::{find_item, find_user};
use crate::question::Question;
use crate::refusal::Refusal;
use crate::verify::{Verdict, Verifier};

/// A recommender, wherever it runs, with the names behind its rows and the words to speak about them.
pub struct Subject {
    recommender: Arc<dyn Recommender>,
    source: Source,
    words: Words,
    kind: String,
    model_hash: String,
    data_hash: String,
    measured: Measured,
    explainers: Explainers,
}

/// Where the names come from.
#[derive(Clone)]
enum Source {
    /// A model of ours, as its folder has it.
    Folder(Arc<ModelFolder>),
    /// Whatever somebody else's recommender was given.
    Given(Arc<Dataset>),
}

impl From<ModelFolder> for Subject {
    fn from(folder: ModelFolder) -> Self {
        Arc::new(folder).into()
    }
}

impl From<Arc<ModelFolder>> for Subject {
    fn from(folder: Arc<ModelFolder>) -> Self {
        Self {
            recommender: Arc::new(OfFolder(Arc::clone(&folder))),
            words: folder.data.words.clone(),
            kind: folder.manifest.kind.to_string(),
            model_hash: folder.model_hash().to_owned(),
            data_hash: folder.data_hash(),
            source: Source::Folder(folder),
            measured: Measured::default(),
            explainers: Explainers::default(),
        }
    }
}

impl Subject {
    /// Somebody else's recommender: another process, a service, a Python object. `identity` is what tells it from another,
    /// as far as anybody can know: its name, its version.
    pub fn foreign<'i>(
        data: Dataset,
        recommender: Arc<dyn Recommender>,
        kind: &'i str,
        identity: impl IntoIterator<Item = &'i str>,
    ) -> Self {
        Self {
            recommender,
            words: data.words.clone(),
            kind: kind.to_owned(),
            model_hash: hash_of_lines([kind].into_iter().chain(identity)),
            data_hash: data.hash(),
            source: Source::Given(Arc::new(data)),
            measured: Measured::default(),
            explainers: Explainers::default(),
        }
    }

    /// An oracle that was opened for these interactions; all of them are its graph, but for a part that came held out.
    pub fn oracle(oracle: Oracle, interactions: &Interactions) -> Self {
        let (users, items) = (oracle.users().clone(), oracle.items().clone());
        let data = Dataset { users, items, ..Dataset::from(interactions) };
        let hello = oracle.hello();
        let (name, version) = (hello.name.clone(), hello.version.clone().unwrap_or_default());
        Self::foreign(data, Arc::new(oracle), "oracle", [name.as_str(), version.as_str()])
    }

    /// The same, asked through another recommender, such as one that counts, remembers or gives up.
    pub fn asked_through(&self, recommender: Arc<dyn Recommender>) -> Self {
        Self {
            recommender,
            source: self.source.clone(),
            words: self.words.clone(),
            kind: self.kind.clone(),
            model_hash: self.model_hash.clone(),
            data_hash: self.data_hash.clone(),
            measured: self.measured.clone(),
            explainers: self.explainers.anew(),
        }
    }

    /// The black box.
    pub fn recommender(&self) -> &Arc<dyn Recommender> {
        &self.recommender
    }

    /// Whom and what it scores.
    pub fn data(&self) -> &Dataset {
        match &self.source {
            Source::Folder(folder) => &folder.data,
            Source::Given(data) => data,
        }
    }

    /// How to speak about it.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// The same, to say so.
    pub fn words_mut(&mut self) -> &mut Words {
        &mut self.words
    }

    /// The model folder, where it is a model of ours: only such a one can be trained again.
    pub fn folder(&self) -> Option<&ModelFolder> {
        match &self.source {
            Source::Folder(folder) => Some(folder),
            Source::Given(_) => None,
        }
    }

    /// What sort of recommender it is, in a word.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The hash explanations name the model by.
    pub fn model_hash(&self) -> &str {
        &self.model_hash
    }

    /// The hash explanations name the data by: that of the rows' names and the training interactions.
    pub fn data_hash(&self) -> &str {
        &self.data_hash
    }

    /// What tells it from another in a word: a hash of both.
    pub fn identity(&self) -> String {
        hash_of_lines([self.model_hash(), self.data_hash()])
    }

    /// The user with this id.
    pub fn user(&self, id: &str) -> Result<UserId, Refusal> {
        Ok(find_user(&self.data().users, id)?)
    }

    /// What a message calls them.
    fn called(&self, who: &Who) -> &str {
        match who {
            Who::Known(user) if user.row() < self.data().users.len() => self.data().users.id(user.0),
            _ => "somebody new",
        }
    }

    /// Items by id or title, for this field of a question.
    pub fn items(&self, names: &[String], field: Field) -> Result<Vec<ItemId>, Refusal> {
        let found = names.iter().map(|name| find_item(&self.data().items, name)).collect::<Result<_, _>>();
        found.map_err(|error| Refusal::from(error).about(field))
    }

    /// For whom: a user, or the history of somebody new.
    pub fn who(&self, question: &Question) -> Result<Who, Refusal> {
        match (&question.user, &question.history) {
            (Some(user), None) => Ok(Who::Known(self.user(user)?)),
            // Nothing is known of them, so every item would score the same: a list by row number.
            (None, Some(history)) if history.is_empty() => {
                Err(Refusal::usage(format_args!("{} names no item", Field::History))
                    .help("name at least one, by its id or title")
                    .about(Field::History))
            }
            (None, Some(history)) => Ok(Who::Newcomer(self.items(history, Field::History)?)),
            _ => {
                Err(Refusal::usage("say for whom: a user, or the history of somebody new").about(Field::User))
            }
        }
    }

    /// What may be listed, as a question has it.
    pub fn candidates(&self, question: &Question) -> Result<Candidates, Refusal> {
        let rows = |names, field| Ok::<_, Refusal>(BTreeSet::from_iter(self.items(names, field)?));
        Ok(Candidates {
            only: question.candidates.as_deref().map(|names| rows(names, Field::Candidates)).transpose()?,
            except: rows(&question.exclude, Field::Exclude)?,
        })
    }

    /// Somebody's list.
    pub fn list(&self, question: &Question) -> Result<NamedList, Refusal> {
        self.list_for(&self.who(question)?, question.k, &self.candidates(question)?)
    }

    /// The same, in rows.
    pub fn list_for(&self, who: &Who, k: usize, candidates: &Candidates) -> Result<NamedList, Refusal> {
        let listed = recommend(&self.recommender, who, k, candidates)?;
        let user = match who {
            Who::Known(user) => Some(self.data().users.id(user.0)),
            Who::Newcomer(_) => None,
        };
        Ok(NamedList::new(user, k, &listed, &self.data().items))
    }

    /// Explains somebody's list, or some items of it; each record is handed over as soon as it is found, until `take` breaks.
    /// What was handed over before a refusal is true all the same.
    pub fn explain(
        &self,
        question: &Question,
        take: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        let who = self.who(question)?;
        self.resolve(question)?.explain(&who, take)
    }

    /// The same, all of it at once.
    pub fn records(&self, question: &Question) -> Result<Vec<Record>, Refusal> {
        let who = self.who(question)?;
        self.resolve(question)?.records(&who)
    }

    /// Whether a stored explanation still holds. `candidates` are not part of a record: give those it was made with.
    pub fn verify(&self, record: &Record, candidates: &Candidates) -> Result<Verdict, Refusal> {
        let verifier = Verifier {
            recommender: &self.recommender,
            data: self.data(),
            candidates,
            words: &self.words,
            hashes: (self.model_hash(), self.data_hash()),
        };
        Ok(verifier.verify(record)?)
    }

    /// The question with rows instead of names, to be put about one person or about many. Refuses what can be asked of nobody.
    pub fn resolve(&self, question: &Question) -> Result<Resolved<'_>, Refusal> {
        let items = match &question.items {
            Some(names) => Items::These(self.items(names, Field::Items)?),
            None => Items::List,
        };
        let all = self.data().items.len();
        if question.k > all {
            return Err(Refusal::too_long(question.k, all, &self.words.items));
        }
        let task = Task {
            scope: question.scope,
            hops: question.hops,
            profile: question.profile,
            caps: question.caps(),
            firm: question.firm,
            instead: question.instead,
            beyond: question.reading.beyond,
            rigour: question.reading.rigour,
            queries: question.queries,
            prove: question.proving(),
            candidates: self.candidates(question)?,
            never_cite: self.items(&question.never_cite, Field::NeverCite)?.into_iter().collect(),
            alternatives: question.alternatives,
            paper: question.paper,
            seed: question.seed,
            ..Task::new(Who::Newcomer(Vec::new()), question.k)
        };
        let explainer = self.explainers.of(question.method, &self.recommender)?;
        explainer.check(&task, &items, &question.goals)?;
        let (goals, show_user_ids) = (question.goals.clone(), question.show_user_ids);
        Ok(Resolved { subject: self, explainer, task, items, goals, show_user_ids })
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("kind", &self.kind).field("model", &self.model_hash).finish()
    }
}

/// A question with rows instead of names. Whom it is about is said each time.
pub struct Resolved<'s> {
    subject: &'s Subject,
    explainer: &'s Explainer,
    task: Task,
    items: Items,
    goals: Vec<Goal>,
    show_user_ids: bool,
}

impl Resolved<'_> {
    /// What may be listed.
    pub fn candidates(&self) -> &Candidates {
        &self.task.candidates
    }

    /// What may not be named.
    pub fn never_cite(&self) -> &BTreeSet<ItemId> {
        &self.task.never_cite
    }

    /// The same about some items of the list. Refuses what can be asked of nobody.
    pub fn about(&self, items: Vec<ItemId>) -> Result<Self, Refusal> {
        let items = Items::These(items);
        self.explainer.check(&self.task, &items, &self.goals)?;
        Ok(Self { items, task: self.task.clone(), goals: self.goals.clone(), ..*self })
    }

    fn task_of(&self, who: &Who) -> Task {
        Task { who: who.clone(), ..self.task.clone() }
    }

    /// Explains in rows, item by item, until `take` breaks.
    pub fn explanations(
        &self,
        who: &Who,
        take: &mut dyn FnMut(Vec<Explanation>) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        self.explainer.explain_each(&self.task_of(who), &self.items, &self.goals, take).map_err(|error| {
            match error {
                ExplainError::NotACandidate(item) => Refusal::usage(format_args!(
                    "{} is never recommended to {}: it is in their history, or excluded",
                    self.subject.data().items.name(item.0),
                    self.subject.called(who)
                ))
                .about(Field::Items),
                error => error.into(),
            }
        })
    }

    /// Whole histories in the method's order, for each item.
    pub fn orders(&self, who: &Who) -> Result<Vec<Ordered>, Refusal> {
        Ok(self.explainer.orders(&self.task_of(who), &self.items)?)
    }

    /// Explains, and hands each record over as soon as it is found, until `take` breaks. An item that was named and does not
    /// stand where the goal wants it is refused.
    pub fn explain(&self, who: &Who, take: &mut dyn FnMut(Record) -> ControlFlow<()>) -> Result<(), Refusal> {
        let names = self.names(who);
        let mut elsewhere = None;
        self.explanations(who, &mut |found| {
            elsewhere = found.iter().find_map(|explanation| self.stands_elsewhere(explanation));
            if elsewhere.is_some() {
                return ControlFlow::Break(());
            }
            found.iter().map(|explanation| self.record(explanation, &names)).try_for_each(&mut *take)
        })?;
        elsewhere.map_or(Ok(()), Err)
    }

    /// The same, all of it at once.
    pub fn records(&self, who: &Who) -> Result<Vec<Record>, Refusal> {
        let mut records = Vec::new();
        self.explain(who, &mut |record| {
            records.push(record);
            ControlFlow::Continue(())
        })?;
        Ok(records)
    }

    /// The same, of items wherever they stand: where several people are asked about one item, it is on the lists of some.
    pub fn records_wherever(&self, who: &Who) -> Result<Vec<Record>, Refusal> {
        let names = self.names(who);
        let mut records = Vec::new();
        self.explanations(who, &mut |found| {
            records.extend(found.iter().map(|explanation| self.record(explanation, &names)));
            ControlFlow::Continue(())
        })?;
        Ok(records)
    }

    fn names(&self, who: &Who) -> Names<'_> {
        let (subject, data) = (self.subject, self.subject.data());
        Names {
            users: &data.users,
            items: &data.items,
            words: &subject.words,
            model: subject.model_hash.clone(),
            data: subject.data_hash.clone(),
            newcomer: match who {
                Who::Known(_) => None,
                Who::Newcomer(items) => Some(items.clone()),
            },
            never_name: &self.task.never_cite,
        }
    }

    /// An item that was named does not stand where the goal wants it.
    fn stands_elsewhere(&self, explanation: &Explanation) -> Option<Refusal> {
        let (rank, k) = (explanation.rank_before, self.task.k);
        let is_listed = rank <= k;
        if self.items == Items::List || is_listed != (explanation.goal == Goal::WhyNot) {
            return None;
        }
        let item = self.subject.data().items.name(explanation.item.0);
        let refusal = if is_listed {
            Refusal::usage(format_args!("{item} is in the top {k} already: it has rank {rank}")).help(
                format_args!("ask why it is there ({}), or for a shorter list ({})", Field::Items, Field::K),
            )
        } else {
            Refusal::usage(format_args!("{item} is not in the top {k}: it has rank {rank}")).help(
                format_args!("ask why it is not ({}), or for a longer list ({})", Field::WhyNot, Field::K),
            )
        };
        Some(refusal.about(Field::Items))
    }
}

#[cfg(test)]
pub(crate) mod tests;
