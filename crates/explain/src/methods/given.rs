//! A method given from outside: it says where to look, and what comes of it is certified as everybody's.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use grease_graph::{Edge, Graph, ItemId, ScoreError, UserId, Who, seed};
use rand::Rng as _;

use super::Context;
use super::name::MethodName;
use super::way::Way;
use crate::ask::Change;
use crate::find::{Search, Stop};
use crate::task::{Goal, Scope};

pub(super) const WAY: Way = Way::in_order("given", order);

/// A method given from outside. It puts edges in an order; what of it holds is found and certified as for every other method, within the
/// same budget of questions.
///
/// It is called by several threads at once, for one person and item more than once, and has to say the same each time.
pub trait GivenMethod: Send + Sync {
    /// What it is called in explanations and results.
    fn name(&self) -> MethodName;

    /// What tells it from others of that name, where a long run is resumed.
    fn version(&self) -> &str {
        ""
    }

    /// Whether it wants to know what each of the person's interactions does by itself. That is then asked once for the whole list, which
    /// shares the questions, and asking it again costs nothing.
    fn asks_singles(&self) -> bool {
        false
    }

    /// Edges to cite, the most promising first: each of those that may be cited once at most. None of them where it sees no way.
    fn propose(&self, about: &About<'_>, ask: &mut dyn Ask) -> Result<Vec<Edge>, Unproposed>;
}

/// What is to be explained.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The recommender's graph.
    pub graph: &'a Graph,
    /// Whose list it is.
    pub who: &'a Who,
    /// Their row; of a newcomer the one behind all others.
    pub user: UserId,
    /// The item to explain.
    pub item: ItemId,
    /// Length of the list.
    pub k: usize,
    pub goal: Goal,
    pub scope: Scope,
    /// What is done to the edges that are cited.
    pub change: Change,
    /// What may be cited.
    pub edges: &'a [Edge],
    /// The most edges an explanation may have. Longer orders are of use: some edges may be spared.
    pub max_edges: usize,
    /// For whatever is random: the same whenever this person and item are asked about with the same seed.
    pub seed: u64,
}

/// Asks the recommender what if.
pub trait Ask {
    /// Where the item stands with each of these sets of edges cited. A set that was asked about before is free; those that were not need
    /// as many questions as there are, or none is asked.
    fn ask(&mut self, sets: &[Vec<Edge>]) -> Result<Vec<ItemStanding>, Unproposed>;

    /// Questions left.
    fn left(&self) -> usize;
}

/// Where an item stands with some edges cited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ItemStanding {
    pub score: f32,
    /// Its place, from 1; none where ties decide.
    pub rank: Option<usize>,
    /// Its score minus the k-th best of the other candidates: positive on the list, infinite where fewer than k compete.
    pub margin: f32,
    /// How far it is beyond the edge of the list on the side where the goal wants it, in scores: negative where it is not there yet. It is
    /// what to sort by, whatever the goal.
    pub gain: f32,
    /// Whether it is where the goal wants it, beyond rounding.
    pub holds: bool,
}

/// Why a method from outside has no order.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unproposed {
    /// It asked for more than is left; nothing of it was asked.
    #[error("these are more questions than may still be asked: {left} are left")]
    OutOfBudget { left: usize },
    /// The recommender failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// It failed itself, or asked for something that cannot be.
    #[error("{0}")]
    Failed(String),
}

/// What went wrong with a method from outside: nobody's answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("method {method} {said}")]
pub struct MethodError {
    pub method: MethodName,
    /// Such as "failed: division by zero".
    pub said: String,
}

/// A method from outside at work on somebody's list.
pub(crate) struct Given<'c> {
    method: &'c dyn GivenMethod,
    broken: OnceCell<MethodError>,
}

impl<'c> Given<'c> {
    pub(crate) fn new(method: &'c dyn GivenMethod) -> Self {
        Self { method, broken: OnceCell::new() }
    }

    /// What went wrong with it: it then ended its search as a recommender does that gives up.
    pub(crate) fn broken(&self) -> Option<&MethodError> {
        self.broken.get()
    }
}

/// The questions of a method, about the edges it may cite.
struct Asking<'q, 's, 'a> {
    search: &'q mut Search<'s, 'a>,
    citable: BTreeSet<Edge>,
    /// A recommender that failed is nobody's answer, whatever is made of it.
    failed: Option<ScoreError>,
}

impl Ask for Asking<'_, '_, '_> {
    fn ask(&mut self, sets: &[Vec<Edge>]) -> Result<Vec<ItemStanding>, Unproposed> {
        if let Some(edge) = sets.iter().flatten().find(|edge| !self.citable.contains(edge)) {
            return Err(Unproposed::Failed(format!("asked about {}", uncitable(edge))));
        }
        let sets: Vec<Vec<Edge>> =
            sets.iter().map(|set| BTreeSet::from_iter(set.iter().copied()).into_iter().collect()).collect();
        self.standings(&sets).map_err(|stop| match stop {
            Stop::Score(error) => {
                self.failed = Some(error.clone());
                error.into()
            }
            Stop::OutOfBudget => Unproposed::OutOfBudget { left: self.search.budget },
        })
    }

    fn left(&self) -> usize {
        self.search.budget
    }
}

impl Asking<'_, '_, '_> {
    fn standings(&mut self, sets: &[Vec<Edge>]) -> Result<Vec<ItemStanding>, Stop> {
        let answers = self.search.ask(sets)?;
        let mut standings = Vec::with_capacity(answers.len());
        for answer in answers {
            // Whoever else could be ahead is looked at: what a method hears is so.
            self.search.ledger.settle(answer, Some(self.search.watched))?;
            let holds = self.search.reached(answer)?;
            let standing = self.search.ledger.answer(answer).standings[self.search.watched];
            standings.push(ItemStanding {
                score: standing.score,
                rank: standing.placed(),
                margin: standing.margin,
                gain: self.search.gain(answer),
                holds,
            });
        }
        Ok(standings)
    }
}

/// What the method that was given proposes.
fn order(
    context: &Context<'_, '_>,
    search: &mut Search<'_, '_>,
    pool: &[Edge],
    _: usize,
) -> Result<Vec<Edge>, Stop> {
    let given = context.given.expect("a method without its code is refused before anybody asks");
    let about = About::of(context, search, pool);
    let mut asking = Asking { search, citable: pool.iter().copied().collect(), failed: None };
    let proposed = given.method.propose(&about, &mut asking);
    let Asking { citable, failed, .. } = asking;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let said = match proposed {
        Ok(order) => match wrong(&order, citable) {
            None => return Ok(order),
            Some(said) => said,
        },
        Err(Unproposed::OutOfBudget { .. }) => return Err(Stop::OutOfBudget),
        Err(Unproposed::Score(error)) => return Err(error.into()),
        Err(Unproposed::Failed(said)) => said,
    };
    given.broken.get_or_init(|| MethodError { method: given.method.name(), said });
    Err(ScoreError::Cancelled.into())
}

impl<'a> About<'a> {
    fn of(context: &Context<'a, '_>, search: &Search<'_, '_>, pool: &'a [Edge]) -> Self {
        let Context { person, item, goal, .. } = *context;
        let pair = (u64::from(person.user.0) << 32) | u64::from(item.0);
        Self {
            graph: person.graph(),
            who: &person.task.who,
            user: person.user,
            item,
            k: person.task.k,
            goal,
            scope: person.task.scope,
            change: search.rules.change,
            edges: pool,
            max_edges: search.rules.cap,
            seed: seed::rng_at(person.task.seed, "method from outside", pair).next_u64(),
        }
    }
}

/// What is wrong with an order of edges of which each may be cited once.
fn wrong(order: &[Edge], mut citable: BTreeSet<Edge>) -> Option<String> {
    let left_over = order.iter().position(|edge| !citable.remove(edge))?;
    let edge = &order[left_over];
    Some(match order[..left_over].contains(edge) {
        true => format!("proposed {} twice", called(edge)),
        false => format!("proposed {}", uncitable(edge)),
    })
}

fn called(edge: &Edge) -> String {
    format!("the interaction of user row {} with item row {}", edge.user.0, edge.item.0)
}

fn uncitable(edge: &Edge) -> String {
    format!("{}, which may not be cited here: `edges` has what may be", called(edge))
}
