//! What was asked before, and what is being asked just now: the same question reaches the oracle once.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use grease_graph::ScoreError;

use crate::question::Question;

/// All scores of one question.
pub(crate) type Answer = Arc<[f32]>;

/// Remembers answers, up to a number of bytes, for all threads.
///
/// There are two generations: what is asked for moves to the younger one; when that holds half of the bytes the older one
/// is forgotten and the younger becomes the older. So what was used lately is kept, and forgetting costs nothing.
pub(crate) struct Memory {
    room: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    young: HashMap<Question, Answer>,
    old: HashMap<Question, Answer>,
    /// Bytes of the young ones.
    weight: usize,
    under_way: HashMap<Question, Arc<Flight>>,
}

/// A question somebody is asking just now.
#[derive(Default)]
pub(crate) struct Flight {
    landed: Mutex<Option<Result<Answer, ScoreError>>>,
    signal: Condvar,
}

impl Flight {
    fn land(&self, answer: Result<Answer, ScoreError>) {
        *self.landed.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        self.signal.notify_all();
    }

    /// Waits for whoever asks.
    fn wait(&self) -> Result<Answer, ScoreError> {
        let mut landed = self.landed.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*landed {
                Some(answer) => return answer.clone(),
                None => landed = self.signal.wait(landed).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Where the answer to a question comes from.
enum Source {
    Known(Answer),
    /// It is asked by somebody, perhaps by this claim.
    Awaited(Arc<Flight>),
}

/// The questions of one call: some are answered, some awaited, and some are this claim's to ask.
///
/// Whatever happens to it, nobody waits in vain: what was not answered has failed when it is dropped. A claim asks its own
/// questions before it waits for others', so no two can wait for each other.
pub(crate) struct Claim<'m> {
    memory: &'m Memory,
    sources: Vec<Source>,
    /// To be asked by this claim.
    pub(crate) mine: Vec<Question>,
    /// How many of `mine` are settled, from the front or not at all.
    settled: Vec<bool>,
}

impl Memory {
    pub(crate) fn new(room: usize) -> Self {
        Self { room, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks all of them up.
    pub(crate) fn claim(&self, questions: Vec<Question>) -> Claim<'_> {
        let mut state = self.state();
        let mut claim = Claim {
            memory: self,
            sources: Vec::with_capacity(questions.len()),
            mine: Vec::new(),
            settled: Vec::new(),
        };
        for question in questions {
            let source = if let Some(answer) = state.find(&question, self.room) {
                Source::Known(answer)
            } else if let Some(flight) = state.under_way.get(&question) {
                Source::Awaited(Arc::clone(flight))
            } else {
                let flight = Arc::new(Flight::default());
                state.under_way.insert(question.clone(), Arc::clone(&flight));
                claim.mine.push(question);
                Source::Awaited(flight)
            };
            claim.sources.push(source);
        }
        claim.settled = vec![false; claim.mine.len()];
        claim
    }

    fn settle(&self, question: &Question, answer: Result<Answer, ScoreError>) {
        let mut state = self.state();
        let flight = state.under_way.remove(question);
        if let Ok(answer) = &answer {
            state.keep(question.clone(), Arc::clone(answer), self.room);
        }
        drop(state);
        if let Some(flight) = flight {
            flight.land(answer);
        }
    }
}

impl State {
    fn find(&mut self, question: &Question, room: usize) -> Option<Answer> {
        if let Some(answer) = self.young.get(question) {
            return Some(Arc::clone(answer));
        }
        let (question, answer) = self.old.remove_entry(question)?;
        self.keep(question, Arc::clone(&answer), room);
        Some(answer)
    }

    fn keep(&mut self, question: Question, answer: Answer, room: usize) {
        let weight = question.weight() + size_of_val(&*answer);
        if weight > room / 2 {
            return;
        }
        if self.weight + weight > room / 2 {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight += weight;
        self.young.insert(question, answer);
    }
}

impl Claim<'_> {
    /// The answer to one of `mine`.
    pub(crate) fn answer(&mut self, at: usize, answer: Answer) {
        self.settled[at] = true;
        self.memory.settle(&self.mine[at], Ok(answer));
    }

    /// All answers in the order of the questions, waiting for those that others ask. What this claim did not answer has
    /// failed with `error`.
    pub(crate) fn finish(mut self, error: Option<ScoreError>) -> Result<Vec<Answer>, ScoreError> {
        if let Some(error) = error {
            self.fail(&error);
            return Err(error);
        }
        self.sources
            .iter()
            .map(|source| match source {
                Source::Known(answer) => Ok(Arc::clone(answer)),
                Source::Awaited(flight) => flight.wait(),
            })
            .collect()
    }

    fn fail(&mut self, error: &ScoreError) {
        for (question, settled) in self.mine.iter().zip(&mut self.settled) {
            if !std::mem::replace(settled, true) {
                self.memory.settle(question, Err(error.clone()));
            }
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.fail(&ScoreError::Failed("whoever asked the oracle gave up".into()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use grease_graph::UserId;

    use super::*;
    use crate::question::{Change, Who};

    fn question(number: u32) -> Question {
        let who = Who { user: Some(UserId(number)), neutral: false, items: Vec::new() };
        Question { who: Arc::new(who), change: Change::default() }
    }

    /// Claims and answers what is not known; says how many were.
    fn ask(memory: &Memory, numbers: &[u32]) -> usize {
        let mut claim = memory.claim(numbers.iter().map(|&n| question(n)).collect());
        let asked = claim.mine.len();
        for at in 0..asked {
            let number = claim.mine[at].who.user.unwrap().0;
            claim.answer(at, Arc::from([number as f32]));
        }
        let answers = claim.finish(None).unwrap();
        assert!(answers.iter().zip(numbers).all(|(answer, &n)| answer[..] == [n as f32]));
        asked
    }

    #[test]
    fn the_same_is_asked_once_also_within_one_call() {
        let memory = Memory::new(1 << 20);
        assert_eq!(ask(&memory, &[1, 2, 1, 1]), 2);
        assert_eq!(ask(&memory, &[2, 3, 1]), 1);
    }

    #[test]
    fn bytes_are_bounded_and_what_is_used_stays() {
        let each = question(0).weight() + 4;
        let memory = Memory::new(20 * each);
        for number in 1..200 {
            ask(&memory, &[0, number]);
            let state = memory.state();
            assert!(state.young.len() + state.old.len() <= 20, "at {number}");
        }
        assert_eq!(ask(&memory, &[0]), 0, "asked for all the time");
        assert_eq!(ask(&memory, &[1]), 1, "long forgotten");
        let none = Memory::new(0);
        assert_eq!((ask(&none, &[1]), ask(&none, &[1])), (1, 1));
    }

    #[test]
    fn a_second_asker_waits_for_the_first() {
        let memory = Memory::new(1 << 20);
        let mut first = memory.claim(vec![question(1)]);
        std::thread::scope(|scope| {
            let (ready, waiting) = mpsc::channel();
            let memory = &memory;
            let second = scope.spawn(move || {
                let claim = memory.claim(vec![question(1)]);
                ready.send(claim.mine.len()).unwrap();
                claim.finish(None)
            });
            assert_eq!(waiting.recv().unwrap(), 0, "the second has nothing to ask");
            first.answer(0, Arc::from([7.0]));
            assert_eq!(second.join().unwrap().unwrap()[0][..], [7.0]);
        });
    }

    #[test]
    fn who_waits_for_a_failure_is_told_and_may_ask_anew() {
        let memory = Memory::new(1 << 20);
        let first = memory.claim(vec![question(1)]);
        let second = memory.claim(vec![question(1)]);
        let error = ScoreError::Failed("no".into());
        assert_eq!(first.finish(Some(error.clone())).unwrap_err(), error);
        assert_eq!(second.finish(None).unwrap_err(), error);
        let dropped = memory.claim(vec![question(1)]);
        let waiting = memory.claim(vec![question(1)]);
        assert_eq!(dropped.mine.len(), 1, "a failure is not remembered");
        drop(dropped);
        assert!(waiting.finish(None).unwrap_err().to_string().contains("gave up"));
    }
}
