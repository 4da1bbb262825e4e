//! The default: what single edges are known to do, followed and corrected by the recommender's answers. Beyond a person's own
//! interactions there are too many edges to ask about each: a surrogate says which are worth it.

use grease_graph::{Edge, Edit, Profile};

use super::way::{Looks, Needs, Way};
use super::{Attempt, Context, by_score};
use crate::ask::{AnswerId, Change, Rules};
use crate::find::{Effects, Proposal, Search, Stop, margin_among};
use crate::surrogate::LocalSurrogate;
use crate::task::{Direction, Goal, Scope};

pub(super) const WAY: Way = Way {
    name: "grease",
    looks: Looks::Variously(|context, rules, _| attempts(context, rules)),
    asks_singles: true,
    // Every interaction of an item can be asked about, but nothing shows by itself where all of them are evicted.
    wants_surrogate: |scope, goals, is_close| match scope {
        Scope::Own => false,
        Scope::Target if is_close => goals.contains(&Goal::Factual),
        Scope::Target | Scope::Hops => true,
    },
    follows_gradients: false,
    is_rival: false,
    needs: Needs::Answers,
};

/// Edges of others that a search goes on with once every one of them was asked about.
const STRONGEST: usize = 40;
/// Edges of the explained item that are asked about.
const OF_THE_ITEM: usize = 20;
/// Edges between others that are asked about.
const BRIDGES: usize = 10;
/// Edges asked about at each step of a factual search from nothing. On 120 LastFM pairs 10, 20 and 30 found 13, 15 and 17; six steps
/// of 30 are what the usual budget of 200 questions allows.
const STEP_CHOICES: usize = 30;

/// Share of the way to the edge of the list that may be left where it is worth trying other orders. On the sample service, where sums are
/// least to be trusted, it finds 240 of 300 counterfactual explanations instead of 228; without any limit, 242. On 600 LastFM
/// pairs it finds one more, at 10 questions instead of 7, and without a limit 14.
const CLOSE: f32 = 0.5;

/// From own interactions by sums; where these came close and no further, by plain orders. What is beyond them comes last, so that a
/// wider scope never does worse than the person's own interactions.
pub(super) fn attempts(context: &Context<'_, '_>, rules: &Rules<'_>) -> Vec<Attempt> {
    if context.is_hasty {
        return vec![Attempt::Hasty];
    }
    if context.both.is_some() {
        return vec![Attempt::Together];
    }
    let evicts_the_item = rules.evicted.iter().any(|edge| edge.user != context.person.user);
    if evicts_the_item && context.surrogate.is_some() {
        return vec![Attempt::Steps, Attempt::Known];
    }
    let mut attempts = vec![Attempt::Sums, Attempt::Strongest, Attempt::Likest, Attempt::MostVisited];
    if context.is_estimate {
        attempts.push(Attempt::Grown);
    }
    if context.person.task.scope == Scope::Target && context.is_close {
        attempts.push(Attempt::Every);
    } else {
        attempts.extend(context.surrogate.map(|_| Attempt::Wide));
    }
    attempts
}

/// The person's own edges, guided by sums of what they do.
pub(super) fn sums(
    context: &Context<'_, '_>,
    search: &mut Search<'_, '_>,
    own: &[Edge],
) -> Result<Proposal, Stop> {
    if search.has_sums() {
        return Ok(Proposal::Sizes(own.to_vec()));
    }
    let effects = effects_of_own(context, search, own)?;
    Ok(guided(search, &effects))
}

/// The same with edges of others that the surrogate thinks worth a question.
pub(super) fn wide(
    context: &Context<'_, '_>,
    surrogate: &LocalSurrogate<'_>,
    search: &mut Search<'_, '_>,
    pool: &[Edge],
) -> Result<Proposal, Stop> {
    let (own, others): (Vec<Edge>, Vec<Edge>) =
        pool.iter().partition(|edge| edge.user == context.person.user);
    let effects = effects_of_own(context, search, &own)?;
    let shortlist = shortlist(context, surrogate, search, &others)?;
    let effects = effects.joined(&effects_of(search, &shortlist)?);
    Ok(guided(search, &effects))
}

/// Whether nothing was found so far. For what is taken away only: what is put back adds up well. Sums that are nearly exact leave nothing
/// for plain orders to find.
pub(super) fn is_open(search: &Search<'_, '_>) -> bool {
    search.rules.direction == Direction::Out && search.is_open() && !search.has_sums()
}

/// Whether nothing was found so far, but half of the way was gone.
pub(super) fn came_close(search: &mut Search<'_, '_>) -> Result<bool, Stop> {
    let start = search.ask(&[Vec::new()])?[0];
    let close = |best| search.gain(best) >= CLOSE * search.gain(start);
    Ok(is_open(search) && search.best.is_some_and(close))
}

fn guided(search: &Search<'_, '_>, effects: &Effects) -> Proposal {
    let guide = match search.rules.direction {
        Direction::In => effects.clone(),
        Direction::Out => effects.without_bystanders(search.contender()),
    };
    Proposal::Effects(guide)
}

/// The person's own edges by what each does alone. Where they are taken away from somebody known by their history only, that is by how
/// well each by itself carries the item: what is left in the end then carries it least, and those answers are there anyway.
pub(super) fn hasty(
    context: &Context<'_, '_>,
    search: &mut Search<'_, '_>,
    own: &[Edge],
) -> Result<Vec<Edge>, Stop> {
    let rules = search.rules;
    let carries = rules.change == Change::Removed && rules.profile == Profile::Neutral;
    let alone = Rules { profile: Profile::Neutral, ..context.person.rules(Goal::Factual, context.item) };
    let single = if carries { &alone } else { rules };
    let edits: Vec<Edit> = own.iter().map(|&edge| single.edit(&[edge])).collect();
    let answers = search.ask_edits(single.profile, &edits)?;
    let (k, contender) = (search.k(), search.contender());
    if search.is_strict {
        for &at in &answers {
            search.ledger.settle(at, Some(search.watched))?;
        }
    }
    // Among contenders only where others are not looked at: whether they were depends on what else was asked.
    let margin = |&at: &AnswerId| match search.is_strict {
        true => search.ledger.answer(at).standings[search.watched].margin,
        false => margin_among(&search.ledger.answer(at).scores, contender, k),
    };
    let gain = |at: &AnswerId| if carries { margin(at) } else { rules.direction.gain(margin(at)) };
    let mut gains = answers.iter().map(gain);
    let mut order = by_score(own, own.len(), |_| gains.next().expect("one for each edge"));
    // Of somebody without any history nothing is known: there is no list to be off.
    if carries {
        order.pop();
    }
    Ok(order)
}

/// What the person's own edges do: known for the whole list where they are taken away or put back, else asked.
fn effects_of_own(
    context: &Context<'_, '_>,
    search: &mut Search<'_, '_>,
    own: &[Edge],
) -> Result<Effects, Stop> {
    match context.effects {
        Some(known) if search.rules.change != Change::Added => Ok(known.only(own)),
        _ => effects_of(search, own),
    }
}

fn effects_of(search: &mut Search<'_, '_>, edges: &[Edge]) -> Result<Effects, Stop> {
    let start = search.ask(&[Vec::new()])?[0];
    let singles: Vec<Vec<Edge>> = edges.iter().map(|&edge| vec![edge]).collect();
    let answers = search.ask(&singles)?;
    let singles: Vec<_> = edges.iter().copied().zip(answers).collect();
    Ok(Effects::new(search.ledger, search.k(), start, &singles))
}

/// The person's own edges and those of others that do most by themselves: every one of them is asked about.
pub(super) fn every(
    context: &Context<'_, '_>,
    search: &mut Search<'_, '_>,
    pool: &[Edge],
) -> Result<Proposal, Stop> {
    let (own, others): (Vec<Edge>, Vec<Edge>) =
        pool.iter().partition(|edge| edge.user == context.person.user);
    let effects = effects_of_own(context, search, &own)?;
    let singles: Vec<Vec<Edge>> = others.iter().map(|&edge| vec![edge]).collect();
    let answers = search.ask(&singles)?;
    let mut gains = answers.iter().map(|&answer| search.gain(answer));
    let strongest = by_score(&others, STRONGEST, |_| gains.next().expect("one for each edge"));
    let effects = effects.joined(&effects_of(search, &strongest)?);
    Ok(guided(search, &effects))
}

fn shortlist(
    context: &Context<'_, '_>,
    surrogate: &LocalSurrogate<'_>,
    search: &mut Search<'_, '_>,
    wide: &[Edge],
) -> Result<Vec<Edge>, Stop> {
    let start = search.ask(&[Vec::new()])?[0];
    let real = search.ledger.contenders_with(start);
    // The item's own edges and the bridges have their shares: slopes compare well within a kind, less between them.
    let (of_item, bridges): (Vec<Edge>, Vec<Edge>) = wide.iter().partition(|edge| edge.item == context.item);
    let best = |edges: &[Edge], most: usize| {
        if edges.len() <= most {
            return edges.to_vec();
        }
        surrogate.shortlist(&real, search.rules, context.item, search.k(), edges, most)
    };
    let mut chosen = best(&of_item, OF_THE_ITEM);
    chosen.extend(best(&bridges, BRIDGES));
    Ok(chosen)
}

/// From a graph where neither the person nor the item has an edge, single edges do nothing: paths need both ends. So at each step
/// the surrogate, anchored where the search has come to, proposes a few, and the recommender picks one.
pub(super) fn steps(
    context: &Context<'_, '_>,
    surrogate: &LocalSurrogate<'_>,
    search: &mut Search<'_, '_>,
    pool: &[Edge],
) -> Result<Vec<Edge>, Stop> {
    let mut cited: Vec<Edge> = Vec::new();
    while cited.len() < search.rules.cap {
        let here = search.ask(std::slice::from_ref(&cited))?[0];
        if search.reached(here)? {
            break;
        }
        let real = search.ledger.contenders_with(here);
        let mut rules = search.rules.clone();
        cited.iter().for_each(|edge| _ = rules.evicted.remove(edge));
        let left: Vec<Edge> = pool.iter().copied().filter(|edge| !cited.contains(edge)).collect();
        let choices = surrogate.shortlist(&real, &rules, context.item, search.k(), &left, STEP_CHOICES);
        if choices.is_empty() {
            break;
        }
        let grown: Vec<Vec<Edge>> =
            choices.iter().map(|&edge| cited.iter().copied().chain([edge]).collect()).collect();
        let answers = search.ask(&grown)?;
        let best = (0..answers.len())
            .reduce(|a, b| if search.gain(answers[b]) > search.gain(answers[a]) { b } else { a });
        cited = grown[best.expect("there are choices")].clone();
    }
    Ok(cited)
}
