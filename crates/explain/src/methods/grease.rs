//! The default: what single edges are known to do, followed and corrected by the recommender's answers. Beyond a person's own
//! interactions there are too many edges to ask about each: a surrogate says which are worth it.

use grease_graph::Edge;

use super::leave_one_out::LeaveOneOut;
use super::{Propose, likest_first, personal_rank};
use crate::Change;
use crate::case::Case;
use crate::certify::{Proposal, Search, Stop};
use crate::effects::Effects;
use crate::stand_in::{StandIn, contenders_with};

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

pub(super) struct Grease;

impl Propose for Grease {
    fn propose(
        &self,
        case: &Case<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop> {
        let evicts_the_item = search.rules.evicted.iter().any(|edge| edge.user != case.desk().user);
        if evicts_the_item && let Some(stand_in) = case.common.stand_in {
            return if attempt == 0 { by_steps(case, stand_in, search, pool).map(Some) } else { Ok(None) };
        }
        let own: Vec<Edge> = pool.iter().copied().filter(|edge| edge.user == case.desk().user).collect();
        match (attempt, case.common.stand_in) {
            (0, _) => {
                let effects = effects_of_own(case, search, &own)?;
                Ok(Some(guided(search, &effects)))
            }
            // Where sums came close and no further, the plain orders are tried.
            (1, _) if came_close(search)? => {
                Ok(Some(Proposal { order: strongest_first(case, search, &own)?, guide: None }))
            }
            (2, _) if came_close(search)? => {
                Ok(Some(Proposal { order: likest_first(case, &own, search.rules.cap), guide: None }))
            }
            // One order for the whole list, so its prefixes are asked once for all items.
            (3, _) if is_open(search) => {
                Ok(Some(Proposal { order: personal_rank::order(case, &own, search.rules.cap), guide: None }))
            }
            (1..=3, _) => Ok(Some(Proposal::default())),
            // Last, so that a wider scope never does worse than the person's own interactions.
            (4, Some(stand_in)) => {
                let effects = effects_of_own(case, search, &own)?;
                let wide: Vec<Edge> =
                    pool.iter().copied().filter(|edge| edge.user != case.desk().user).collect();
                let shortlist = shortlist(case, stand_in, search, &wide)?;
                let effects = effects.joined(&effects_of(search, &shortlist)?);
                Ok(Some(guided(search, &effects)))
            }
            _ => Ok(None),
        }
    }
}

/// Whether nothing was found so far. For what is taken away only: what is put back adds up well.
fn is_open(search: &Search<'_, '_>) -> bool {
    !search.rules.wanted_inside && search.best.is_none_or(|best| !search.reached(best))
}

/// Whether nothing was found so far, but half of the way was gone.
fn came_close(search: &mut Search<'_, '_>) -> Result<bool, Stop> {
    let start = search.ask(&[Vec::new()])?[0];
    let close = |best| search.gain(best) >= CLOSE * search.gain(start);
    Ok(is_open(search) && search.best.is_some_and(close))
}

/// By what each does alone, which is known.
fn strongest_first(
    case: &Case<'_, '_>,
    search: &mut Search<'_, '_>,
    own: &[Edge],
) -> Result<Vec<Edge>, Stop> {
    let proposal = LeaveOneOut.propose(case, search, own, 0)?;
    Ok(proposal.map_or_else(Vec::new, |proposal| proposal.order))
}

fn guided(search: &Search<'_, '_>, effects: &Effects) -> Proposal {
    let guide = match search.rules.wanted_inside {
        true => effects.clone(),
        false => effects.without_bystanders(search.contender(), search.rules.cap),
    };
    Proposal { order: Vec::new(), guide: Some(guide) }
}

/// What the person's own edges of the pool do: known for the whole list where they are taken away or put back, else asked.
fn effects_of_own(case: &Case<'_, '_>, search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Effects, Stop> {
    let own: Vec<Edge> = pool.iter().copied().filter(|edge| edge.user == case.desk().user).collect();
    match case.shared {
        Some(shared) if search.rules.change != Change::Added => Ok(shared.effects.only(&own)),
        _ => effects_of(search, &own),
    }
}

fn effects_of(search: &mut Search<'_, '_>, edges: &[Edge]) -> Result<Effects, Stop> {
    let start = search.ask(&[Vec::new()])?[0];
    let singles: Vec<Vec<Edge>> = edges.iter().map(|&edge| vec![edge]).collect();
    let answers = search.ask(&singles)?;
    let singles: Vec<_> = edges.iter().copied().zip(answers).collect();
    Ok(Effects::new(search.ledger, search.k(), start, &singles))
}

fn shortlist(
    case: &Case<'_, '_>,
    stand_in: &StandIn<'_>,
    search: &mut Search<'_, '_>,
    wide: &[Edge],
) -> Result<Vec<Edge>, Stop> {
    let start = search.ask(&[Vec::new()])?[0];
    let real = contenders_with(search.ledger, start);
    // The item's own edges and the bridges have their shares: slopes compare well within a kind, less between them.
    let (of_item, bridges): (Vec<Edge>, Vec<Edge>) = wide.iter().partition(|edge| edge.item == case.item);
    let best = |edges: &[Edge], most: usize| {
        if edges.len() <= most {
            return edges.to_vec();
        }
        stand_in.shortlist(&real, search.rules, case.item, search.k(), edges, most)
    };
    let mut chosen = best(&of_item, OF_THE_ITEM);
    chosen.extend(best(&bridges, BRIDGES));
    Ok(chosen)
}

/// From a graph where neither the person nor the item has an edge, single edges do nothing: paths need both ends. So at each step
/// the surrogate, anchored where the search has come to, proposes a few, and the recommender picks one.
fn by_steps(
    case: &Case<'_, '_>,
    stand_in: &StandIn<'_>,
    search: &mut Search<'_, '_>,
    pool: &[Edge],
) -> Result<Proposal, Stop> {
    let mut cited: Vec<Edge> = Vec::new();
    while cited.len() < search.rules.cap {
        let here = search.ask(std::slice::from_ref(&cited))?[0];
        if search.reached(here) {
            break;
        }
        let real = contenders_with(search.ledger, here);
        let mut rules = search.rules.clone();
        cited.iter().for_each(|edge| _ = rules.evicted.remove(edge));
        let left: Vec<Edge> = pool.iter().copied().filter(|edge| !cited.contains(edge)).collect();
        let choices = stand_in.shortlist(&real, &rules, case.item, search.k(), &left, STEP_CHOICES);
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
    Ok(Proposal { order: cited, guide: None })
}
