//! From questions to requests, and from replies to answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use grease_graph::Recommender as _;
use serde_json::value::RawValue;

use crate::error::OracleError;
use crate::memory::Answer;
use crate::message::{self, Expected, Fault};
use crate::oracle::Oracle;
use crate::question::Question;
use crate::ranked;
use crate::transport::{Request, longest_of};

/// What came of one request.
type Answered = Result<Vec<Answer>, OracleError>;

impl Oracle {
    /// Asks these, in requests as large as the oracle takes and as many at a time as there are free workers.
    pub(crate) fn ask_all(&self, questions: &[Question]) -> Vec<Result<Answer, OracleError>> {
        let chunks: Vec<&[Question]> = questions
            .chunk_by(|a, b| a.who == b.who)
            .flat_map(|alike| {
                // Of equal size: the last request is not much shorter than the others.
                let requests = alike.len().div_ceil(self.hello().batch);
                alike.chunks(alike.len().div_ceil(requests))
            })
            .collect();
        let helpers = chunks.len().min(self.transport.free()).saturating_sub(1);
        let next = AtomicUsize::new(0);
        let slots: Vec<Mutex<Option<Answered>>> = chunks.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&at| at < chunks.len()) {
                let result = self.ask_chunk(chunks[at]);
                if result.is_err() {
                    // What follows a failure is not asked for any more.
                    next.store(chunks.len(), Ordering::Relaxed);
                }
                *slots[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(work);
            }
            work();
        });
        let taken: Vec<Option<Answered>> =
            slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        let failed = taken.iter().flatten().find_map(|result| result.as_ref().err()).cloned();
        let unasked = || failed.clone().unwrap_or_else(|| OracleError::Hello("it was not asked".into()));
        taken
            .into_iter()
            .zip(&chunks)
            .flat_map(|(result, chunk)| each(result.unwrap_or_else(|| Err(unasked())), chunk.len()))
            .collect()
    }

    /// One request.
    fn ask_chunk(&self, questions: &[Question]) -> Result<Vec<Answer>, OracleError> {
        let Some(first) = questions.first() else { return Ok(Vec::new()) };
        let who = &first.who;
        let user = who.user.map(|user| self.names.users.id(user.0).to_owned());
        let asked = Expected::Score { user, edits: questions.len() };
        let (id, changes) =
            (self.id(), questions.iter().map(|question| &question.change).collect::<Vec<_>>());
        let mut body = Vec::new();
        message::score(&mut body, id, &self.names, who, &changes, self.hello().top);
        let items = self.graph().items();
        // Names stand in ranked answers; those are short.
        let numbers =
            if self.hello().top.is_some() { 64 * items } else { items }.saturating_mul(questions.len());
        let request = Request { body: &body, asked: &asked, longest: longest_of(numbers) };
        let mut scores = vec![0f32; items * questions.len()];
        self.transport
            .ask(&request, &mut |line| self.read_scores(line, id, &asked, questions, &mut scores))?;
        if items == 0 {
            return Ok(questions.iter().map(|_| Answer::from([])).collect());
        }
        Ok(scores.chunks_exact(items).map(Answer::from).collect())
    }

    fn read_scores(
        &self,
        line: &[u8],
        id: u64,
        asked: &Expected,
        questions: &[Question],
        out: &mut [f32],
    ) -> Result<(), Fault> {
        let reply = message::scores(line, id, asked)?;
        let name = |place: usize| match self.hello().items.get(place) {
            Some(item) => format!("`{item}`"),
            None => "an item".into(),
        };
        let order = &self.names.order[..];
        let read = match (self.hello().top, reply.scores, reply.scores_f32, reply.ranked) {
            (None, _, Some(texts), _) => message::decode_rows(texts, order, out, name),
            (None, Some(rows), None, _) => message::read_rows(rows, order, out, name),
            (None, ..) => Err("it has neither `scores` nor `scores_f32`".into()),
            (Some(top), .., Some(json)) => self.read_ranked(json, top, asked, questions, out)?,
            (Some(top), ..) => {
                Err(format!("it has no `ranked`, which an oracle with \"top\": {top} answers with"))
            }
        };
        read.map_err(|reason| Fault::reply(asked, reason))
    }

    fn read_ranked(
        &self,
        json: &RawValue,
        top: usize,
        asked: &Expected,
        questions: &[Question],
        out: &mut [f32],
    ) -> Result<Result<(), String>, Fault> {
        let rows = ranked::parse(json, asked)?;
        if rows.len() != questions.len() {
            return Ok(Err(format!("it has {} lists for {} edits", rows.len(), questions.len())));
        }
        let items = self.graph().items();
        for ((row, question), out) in rows.iter().zip(questions).zip(out.chunks_exact_mut(items.max(1))) {
            let Question { who, change } = question;
            // Some leave out what the person knows already.
            let own = who.user.map_or(change.history.len(), |user| {
                let gained = change.added.iter().filter(|edge| edge.user == user).count();
                self.graph().items_of(user).len() + gained
            });
            let bounds = (top.min(items.saturating_sub(own)), top);
            if let Err(reason) = row.spread(&self.names, &who.items, bounds, out) {
                return Ok(Err(reason));
            }
        }
        Ok(Ok(()))
    }

    /// A raw question of the checks: about a user the oracle cannot know.
    pub(crate) fn ask_about_nobody(&self, user: &str) -> Result<(), OracleError> {
        let id = self.id();
        let user_text = serde_json::to_string(user).unwrap_or_default();
        let top = self.hello().top.map_or("null".to_owned(), |top| top.to_string());
        let body = format!(
            "{{\"id\":{id},\"score\":{{\"user\":{user_text},\"neutral\":false,\"edits\":[{{\"removed\":[],\"added\":[]}}],\
             \"top\":{top},\"items\":[]}}}}\n"
        );
        let asked = Expected::Score { user: Some(user.to_owned()), edits: 1 };
        let longest = longest_of(64 * self.graph().items());
        let request = Request { body: body.as_bytes(), asked: &asked, longest };
        self.transport.ask(&request, &mut |line| message::envelope(line, id, &asked))
    }
}

/// A chunk's result, once for each question of it.
fn each(result: Answered, questions: usize) -> Vec<Result<Answer, OracleError>> {
    match result {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error); questions],
    }
}
