//! What methods learn once for a recommender: from other people, by the vectors it shows.

use std::sync::{Arc, Mutex, PoisonError};

use grease_graph::{Edge, Embeddings, Graph, ItemId, Recommender, UserId, Who, seed};
use grease_kernels::dense::dot;

use super::network::Network;
use crate::ask::{AnswerId, Change, Ledger, Person, Rules};
use crate::find::Stop;
use crate::task::{Goal, ProfileChoice, Task};

/// The seed of what is learned: it must not depend on who comes first.
const SEED: u64 = 1;
/// Length of the lists that are learned from.
const PLACES: usize = 10;
/// Interactions of a longer history that are learned from.
const MOST: usize = 100;

/// What methods learned for a recommender.
#[derive(Default)]
pub(crate) struct Learned {
    /// By what leaving out each interaction does.
    pub(super) by_leaving_out: Lessons,
    /// By masking histories.
    pub(super) by_masking: Lessons,
}

/// What was learned of what is needed, and of what is enough, once anybody wanted to know.
#[derive(Default)]
pub(super) struct Lessons([Mutex<Option<Arc<Network>>>; 2]);

/// What is learned: what taking away does, or what putting back does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lore {
    Needed,
    Enough,
}

impl Lore {
    /// What a search under these rules needs to know.
    pub(super) fn of(rules: &Rules<'_>) -> Self {
        if rules.change == Change::Removed { Lore::Needed } else { Lore::Enough }
    }

    pub(super) fn goal(self) -> Goal {
        match self {
            Lore::Needed => Goal::Counterfactual,
            Lore::Enough => Goal::Factual,
        }
    }
}

impl Lessons {
    /// What was learned, learned now if nobody did before; who comes meanwhile waits.
    pub(super) fn get(
        &self,
        lore: Lore,
        learn: impl FnOnce() -> Result<Network, Stop>,
    ) -> Result<Arc<Network>, Stop> {
        let mut known = self.0[lore as usize].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        Ok(Arc::clone(known.insert(Arc::new(learn()?))))
    }
}

/// Lists of some people to learn from, drawn by chance.
pub(super) fn others(recommender: &dyn Recommender, people: usize) -> Vec<Task> {
    let graph = recommender.graph();
    let has_some = |user: &UserId| graph.items_of(*user).len() > 1;
    let mut users: Vec<UserId> = (0..graph.users() as u32).map(UserId).filter(has_some).collect();
    seed::shuffle(&mut seed::rng(SEED, "people to learn from"), &mut users);
    let profile = match recommender.abilities().neutral {
        true => ProfileChoice::Auto,
        false => ProfileChoice::Kept,
    };
    let task = |user| Task { profile, seed: SEED, ..Task::new(Who::Known(user), PLACES) };
    users.into_iter().take(people).map(task).collect()
}

/// Hands over so many items of each of these lists, by their places among what is watched, once what single interactions do was asked.
pub(super) fn each_item<'a>(
    recommender: &'a dyn Recommender,
    tasks: &'a [Task],
    (lore, items): (Lore, usize),
    mut each: impl FnMut(&Person<'a>, &mut Ledger<'a>, &[AnswerId], usize) -> Result<(), Stop>,
) -> Result<(), Stop> {
    for task in tasks {
        let (mut person, mut ledger) = Person::ask_list(recommender, task)?;
        let list = ledger.answer(person.before).list.clone();
        ledger.watch(list.clone())?;
        person.keep_what_can_be_asked(&list, MOST);
        if !person.singles_fit() {
            person.choose_contenders(&mut ledger, &[person.before], &[]);
        }
        let singles = person.ask_singles(&mut ledger, lore.goal())?;
        if person.singles_fit() {
            person.choose_contenders(&mut ledger, &[person.before, singles[0]], &singles[1..]);
        }
        // Evenly through the list.
        let step = list.len().div_ceil(items).max(1);
        (0..list.len()).step_by(step).try_for_each(|at| each(&person, &mut ledger, &singles, at))?;
    }
    Ok(())
}

/// What an edge looks like beside an item that it may matter for.
pub(super) struct Looks<'a> {
    graph: &'a Graph,
    shown: Embeddings<'a>,
    /// Mean square of an item's vector.
    unit: f32,
}

/// Features beside one for each column of a vector.
const MORE: usize = 5;

impl<'a> Looks<'a> {
    /// As a recommender shows it; none where it shows nothing.
    pub(super) fn new(recommender: &'a dyn Recommender) -> Option<Self> {
        let shown = recommender.embeddings()?;
        let unit = dot(shown.items, shown.items) / recommender.graph().items().max(1) as f32;
        Some(Self { graph: recommender.graph(), shown, unit: if unit > 0.0 { unit } else { 1.0 } })
    }

    /// How many numbers an edge looks like.
    pub(super) fn width(&self) -> usize {
        self.shown.width + MORE
    }

    /// Of own interactions beside an item, against the rest of the list: `[edges, width]`.
    ///
    /// The vector of an interaction's item times how the explained item differs from the list; that summed, with the item by itself, as a cosine,
    /// and with less weight where many had the item; and how long the history is.
    pub(super) fn of(&self, listed: &[ItemId], history: usize, item: ItemId, pool: &[Edge]) -> Vec<f32> {
        let vector = |item: ItemId| &self.shown.items[item.row() * self.shown.width..][..self.shown.width];
        let mut apart = vector(item).to_vec();
        let others: Vec<&ItemId> = listed.iter().filter(|&&other| other != item).collect();
        for &&other in &others {
            let share = 1.0 / others.len() as f32;
            apart.iter_mut().zip(vector(other)).for_each(|(apart, other)| *apart -= share * other);
        }
        let length = |of: &[f32]| dot(of, of).sqrt().max(f32::MIN_POSITIVE);
        let mut looks = Vec::with_capacity(pool.len() * self.width());
        for edge in pool {
            let own = vector(edge.item);
            looks.extend(own.iter().zip(&apart).map(|(own, apart)| own * apart / self.unit));
            let (ahead, by_itself) = (dot(own, &apart) / self.unit, dot(own, vector(item)) / self.unit);
            let rare = 1.0 / (self.graph.users_of(edge.item).len().max(1) as f32).sqrt();
            let cosine = dot(own, vector(item)) / (length(own) * length(vector(item)));
            looks.extend([
                ahead,
                by_itself,
                cosine,
                4.0 * ahead * rare,
                1.0 / (history.max(1) as f32).sqrt(),
            ]);
        }
        looks
    }
}
