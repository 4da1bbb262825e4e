//! An oracle as a recommender.

mod vectors;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use grease_graph::{
    Abilities, Catalogue, Edit, Embeddings, Graph, Interactions, ItemId, Profile, Recommender, ScoreError,
    UserId, check_abilities, check_request,
};

use crate::address::Address;
use crate::error::OracleError;
use crate::hello::Hello;
use crate::http::Service;
use crate::memory::{Answer, Memory};
use crate::message;
use crate::meter::{Meter, OracleReport};
use crate::names::Names;
use crate::options::{MOST_WORKERS, OracleOptions};
use crate::process::Processes;
use crate::question::{Change, Guise, Question, Who};
use crate::transport::Transport;
use vectors::OwnVectors;

/// Remembered first items of people, in rows; beyond that all are forgotten and asked for anew.
const MOST_FIRST_ITEMS: usize = 16 << 20;

/// Somebody else's recommender, asked by messages.
///
/// Dropping it ends every process it started.
pub struct Oracle {
    pub(crate) transport: Box<dyn Transport>,
    hello: Hello,
    pub(crate) names: Names,
    graph: Graph,
    abilities: Abilities,
    options: OracleOptions,
    memory: Memory,
    meter: Arc<Meter>,
    next_id: AtomicU64,
    /// For each person who was asked about, the items they are asked about ever after, where the oracle answers only its first.
    first_items: Mutex<HashMap<u32, Arc<Who>>>,
    vectors: OnceLock<Option<OwnVectors>>,
}

impl std::fmt::Debug for Oracle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Oracle")
            .field("name", &self.hello.name)
            .field("items", &self.names.items.len())
            .finish()
    }
}

impl Oracle {
    /// Asks the oracle at `address` to introduce itself, as a recommender for these people and items. Items only the oracle
    /// knows become further items, without interactions.
    pub fn open(
        address: &Address,
        interactions: &Interactions,
        options: OracleOptions,
    ) -> Result<Self, OracleError> {
        if options.workers > MOST_WORKERS {
            return Err(OracleError::Workers(options.workers));
        }
        let (users, items) = (interactions.users.len(), interactions.items.len());
        let greeting = message::hello(0, &Graph::new(users, items, &interactions.edges)?);
        let meter = Arc::new(Meter::new());
        let transport: Box<dyn Transport> = match address {
            Address::Command(command) => {
                Box::new(Processes::new(command, greeting, &options, Arc::clone(&meter)))
            }
            Address::Url { url, token } => {
                let limits = (options.workers, options.timeout, options.backoff);
                Box::new(Service::new(url, token.clone(), greeting, limits, Arc::clone(&meter))?)
            }
        };
        Self::over(transport, interactions, options, meter)
    }

    /// Asks by this way.
    pub(crate) fn over(
        transport: Box<dyn Transport>,
        interactions: &Interactions,
        options: OracleOptions,
        meter: Arc<Meter>,
    ) -> Result<Self, OracleError> {
        let hello = transport.hello()?;
        let names = Names::new(interactions, &hello.items)?;
        meter.introduce(&hello.name, hello.version.as_deref());
        let graph = Graph::new(interactions.users.len(), names.items.len(), &interactions.edges)?;
        let said = hello.abilities;
        let abilities = Abilities { neutral: said.neutral || (said.newcomers && said.others), ..said };
        Ok(Self {
            transport,
            names,
            graph,
            abilities,
            memory: Memory::new(options.memory),
            meter,
            next_id: AtomicU64::new(1),
            first_items: Mutex::default(),
            vectors: OnceLock::new(),
            hello,
            options,
        })
    }

    /// What it said about itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Whom it scores for.
    pub fn users(&self) -> &Catalogue {
        &self.names.users
    }

    /// What it scores: the items of the interactions in their rows, then those only the oracle knows.
    pub fn items(&self) -> &Catalogue {
        &self.names.items
    }

    /// What asking it took so far.
    pub fn report(&self) -> OracleReport {
        self.meter.report()
    }

    /// The counts behind [`report`](Self::report), for those who give the oracle away.
    pub fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.meter)
    }

    /// Also wants the scores of these items in every answer of an oracle that answers only its first.
    pub fn always_ask(&mut self, items: impl IntoIterator<Item = ItemId>) {
        self.options.always.extend(items);
    }

    pub(crate) fn id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The items everybody is asked about.
    fn always(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = self.options.always.iter().map(|item| item.0).collect();
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|&row| (row as usize) < self.graph.items());
        rows
    }

    /// The questions behind some edits.
    fn questions(&self, guise: Guise, edits: &[Edit]) -> Result<Vec<Question>, ScoreError> {
        let changes: Vec<Change> = edits.iter().map(|edit| guise.change(&self.graph, edit)).collect();
        let Some(top) = self.hello.top else {
            let who = Arc::new(guise.who(Vec::new()));
            let question = |change| Question { who: Arc::clone(&who), change };
            return Ok(changes.into_iter().map(question).collect());
        };
        let (list, items) = (self.options.list, self.graph.items());
        for change in &changes {
            let history = guise.history(&self.graph, change);
            if list > 0 && top < items && top < list + history {
                return Err(OracleError::TooFew { top, list, history }.into());
            }
        }
        // The unedited answer says which items to ask about from then on, so it is asked without them.
        let bare = Arc::new(guise.who(self.always()));
        let unedited =
            |change: &Change| matches!(guise, Guise::Known { neutral: false, .. }) && change.is_empty();
        let known = match guise {
            Guise::Known { user, .. } | Guise::Replaced(user) => Some(user),
            Guise::Newcomer => None,
        };
        let later = match known {
            Some(user) if !changes.iter().all(unedited) => self.with_first_items(user, guise, top)?,
            _ => Arc::clone(&bare),
        };
        let question = |change: Change| {
            let who = Arc::clone(if unedited(&change) { &bare } else { &later });
            Question { who, change }
        };
        Ok(changes.into_iter().map(question).collect())
    }

    /// Whom to ask about, with the first items of their unedited answer.
    fn with_first_items(&self, user: UserId, guise: Guise, top: usize) -> Result<Arc<Who>, ScoreError> {
        let lock = || self.first_items.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&user.0).cloned();
        let first = match known {
            Some(known) => known,
            None => {
                let as_known = Guise::Known { user, neutral: false };
                let who = Arc::new(as_known.who(self.always()));
                let answers = self.answers(vec![Question { who, change: Change::default() }])?;
                let scores = &answers[0];
                let mut rows: Vec<u32> = (0..scores.len() as u32).collect();
                let higher =
                    |a: &u32, b: &u32| scores[*b as usize].total_cmp(&scores[*a as usize]).then(a.cmp(b));
                rows.sort_unstable_by(higher);
                rows.truncate(top);
                rows.extend(self.always());
                rows.sort_unstable();
                rows.dedup();
                let first = Arc::new(as_known.who(rows));
                let mut map = lock();
                if map.len().saturating_mul(top) > MOST_FIRST_ITEMS {
                    map.clear();
                }
                map.insert(user.0, Arc::clone(&first));
                first
            }
        };
        Ok(Arc::new(guise.who(first.items.clone())))
    }

    /// Scores by the answers to the questions that edits come to.
    fn score_by(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
        answers: impl FnOnce(Vec<Question>) -> Result<Vec<Answer>, ScoreError>,
    ) -> Result<(), ScoreError> {
        check_request(&self.graph, user, edits, out)?;
        check_abilities(self.abilities, &self.graph, user, profile, edits)?;
        if edits.is_empty() || self.graph.items() == 0 {
            return Ok(());
        }
        let guise = Guise::of(&self.graph, user, profile, self.hello.abilities);
        let answers = answers(self.questions(guise, edits)?)?;
        for (answer, out) in answers.iter().zip(out.chunks_exact_mut(self.graph.items())) {
            out.copy_from_slice(answer);
        }
        Ok(())
    }

    /// The answers to some questions, whatever is remembered.
    fn fresh_answers(&self, questions: &[Question]) -> Result<Vec<Answer>, ScoreError> {
        self.meter.asked(questions.len(), questions.len());
        Ok(self.ask_all(questions).into_iter().collect::<Result<_, _>>()?)
    }

    /// The answers to some questions: remembered, awaited or asked for.
    fn answers(&self, questions: Vec<Question>) -> Result<Vec<Answer>, ScoreError> {
        let asked = questions.len();
        let mut claim = self.memory.claim(questions);
        self.meter.asked(asked, claim.mine.len());
        let mut failed = None;
        if !claim.mine.is_empty() {
            let results = self.ask_all(&claim.mine);
            for (at, result) in results.into_iter().enumerate() {
                match result {
                    Ok(answer) => claim.answer(at, answer),
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
        }
        claim.finish(failed.map(ScoreError::from))
    }
}

impl Recommender for Oracle {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.score_by(user, profile, edits, out, |questions| self.answers(questions))
    }

    fn score_anew(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.score_by(user, profile, edits, out, |questions| self.fresh_answers(&questions))
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        if !self.hello.embeddings {
            return None;
        }
        let asked = || match self.ask_vectors() {
            Ok(vectors) => Some(vectors),
            Err(error) => {
                self.options.voice.say(&format!("its embeddings are not used: {error}"));
                None
            }
        };
        let OwnVectors { users, items, width } = self.vectors.get_or_init(asked).as_ref()?;
        Some(Embeddings { users, items, width: *width })
    }
}
