//! Counting: from the units done to every figure of the report, one unit in memory at a time.

use std::collections::{BTreeMap, HashMap};

use grease_explain::{Goal, Method, Rigour, Status};

use crate::agreement::Agreement;
use crate::fidelity::Fidelities;
use crate::lists::Lists;
use crate::published::published;
use crate::results::{
    Axis, BothSolve, Cell, Claims, Curve, Evaluated, Gap, ModelResults, Point, RowTime, Spread,
};
use crate::row::Row;
use crate::settings::Settings;
use crate::table::Table;
use crate::unit::{Answer, Call, Done, Purpose};

/// Everything counted about one model.
pub(crate) struct Tally<'a> {
    settings: &'a Settings,
    /// People of a repeat's whole sample.
    people: usize,
    rows: BTreeMap<Row, Counts>,
    lists: Lists,
    agreement: Agreement,
}

/// Everything counted about one row.
#[derive(Default)]
struct Counts {
    /// By repeat.
    repeats: BTreeMap<usize, Repeat>,
    reasons: BTreeMap<String, usize>,
    fidelities: Fidelities,
    against_grease: Both,
    against_exact: Both,
    /// Of the pairs the ceiling was computed for: how many, verified here, verified there.
    ceiling: (usize, usize, usize),
    /// Of the pairs both this and the ceiling solve: as short as it.
    as_short: usize,
    ms: f64,
    explained: usize,
    /// The longest history seen.
    longest: usize,
}

/// One repeat of one row.
#[derive(Default)]
struct Repeat {
    lists: usize,
    attempted: usize,
    verified: usize,
    refuted: usize,
    trivial: usize,
    /// With an answer, or one to a weaker question.
    answered: usize,
    minimal: usize,
    edges: usize,
    judged: usize,
    judged_edges: usize,
    /// Claims about items off the list before any edit, and their edges.
    off_list: (usize, usize),
    /// Claims that nothing is needed.
    of_nothing: usize,
    /// Pairs with a surrogate, and those it has on the list before any edit.
    imitated: (usize, usize),
    queries: f64,
    /// Verified by number of edges; what was found beyond the caps stands beyond them.
    by_edges: BTreeMap<usize, usize>,
    /// Pairs and verified by rank.
    by_rank: BTreeMap<usize, (usize, usize)>,
    /// Pairs and verified by band of interactions.
    by_degree: BTreeMap<usize, (usize, usize)>,
}

impl Repeat {
    /// What the surrogate of method `paper` thinks of its own answer.
    fn add_judged(&mut self, answer: &Answer, k: usize) {
        self.imitated.0 += 1;
        let Some(view) = answer.surrogate else { return };
        let (is_on, edges) = (view.rank_before <= k, answer.edges.len());
        self.imitated.1 += usize::from(is_on);
        // Where the recommender itself needs nothing, the surrogate's answer was not looked at.
        let needs_nothing = answer.status == Status::NotFound && view.rank_after.is_some();
        match (answer.is_found(), is_on) {
            (true, true) => {
                self.judged += 1;
                self.judged_edges += edges;
            }
            (true, false) => self.off_list = (self.off_list.0 + 1, self.off_list.1 + edges),
            (false, false) if needs_nothing || answer.goal == Goal::Counterfactual => self.off_list.0 += 1,
            (false, _) => self.of_nothing += usize::from(needs_nothing),
        }
    }

    fn claimed(&self) -> usize {
        self.judged + self.off_list.0 + self.of_nothing
    }
}

/// Edges on pairs two methods solve.
#[derive(Debug, Clone, Copy, Default)]
struct Both {
    pairs: usize,
    here: usize,
    there: usize,
}

impl Both {
    fn add(&mut self, here: usize, there: usize) {
        self.pairs += 1;
        self.here += here;
        self.there += there;
    }

    fn finish(self) -> Option<BothSolve> {
        (self.pairs > 0).then(|| BothSolve {
            pairs: self.pairs,
            edges: self.here as f64 / self.pairs as f64,
            other_edges: self.there as f64 / self.pairs as f64,
        })
    }
}

/// Numbers of edges verified answers of one person have, by list and item; none: not verified.
type Lengths = HashMap<(Row, u32), Option<usize>>;

impl<'a> Tally<'a> {
    pub(crate) fn new(settings: &'a Settings, people: usize) -> Self {
        Self {
            settings,
            people,
            rows: BTreeMap::new(),
            lists: Lists::default(),
            agreement: Agreement::default(),
        }
    }

    /// Counts one unit.
    pub(crate) fn add(&mut self, done: &Done) {
        if done.unit.purpose == Purpose::Stability {
            self.agreement.add(done);
            return;
        }
        self.lists.add(&done.lists);
        let reference = |method: Method| {
            let mut lengths = Lengths::new();
            for call in done.calls.iter().filter(|call| call.method == method) {
                for answer in call.answers.iter().filter(|answer| !answer.beyond) {
                    lengths.insert((call.row(answer.goal), answer.item), verified_edges(answer));
                }
            }
            lengths
        };
        let (grease, exact) = (reference(Method::Grease), reference(Method::Exact));
        for call in &done.calls {
            for goal in call.goals() {
                let counts = self.rows.entry(call.row(goal)).or_default();
                let answers = call.answers.iter().filter(|answer| answer.goal == goal);
                // Goals explained together share the time by their number of pairs.
                let pairs =
                    |answers: &mut dyn Iterator<Item = &Answer>| answers.filter(|a| !a.beyond).count() as f64;
                counts.ms += call.ms * pairs(&mut answers.clone()) / pairs(&mut call.answers.iter()).max(1.0);
                let repeat = counts.repeats.entry(done.unit.repeat).or_default();
                repeat.lists += 1;
                for answer in answers {
                    counts.add(self.settings, done, call, answer, &grease, &exact);
                }
            }
        }
    }

    /// All figures.
    pub(crate) fn finish(self, model: Evaluated) -> (ModelResults, Vec<RowTime>) {
        let settings = self.settings;
        let times = self
            .rows
            .iter()
            .map(|(&row, counts)| RowTime { row, ms: counts.ms / counts.explained.max(1) as f64 })
            .collect();
        let mut results = ModelResults {
            cells: Vec::new(),
            curves: Vec::new(),
            stability: self.agreement.finish(settings.repeats),
            gaps: Vec::new(),
            fidelity: Vec::new(),
            lists: self.lists.finish(),
            audit: None,
            model,
        };
        for (&row, counts) in &self.rows {
            results.cells.push(counts.cell(settings, self.people, &results.model, row));
            results.curves.extend(counts.curves(settings, row));
            results.gaps.extend(counts.gap(row));
        }
        for (row, counts) in self.rows {
            results.fidelity.extend(counts.fidelities.finish(row));
        }
        (results, times)
    }
}

impl Call {
    /// The row it belongs to.
    pub(crate) fn row(&self, goal: Goal) -> Row {
        Row { table: self.table, k: self.k, goal, method: self.method, rigour: self.rigour }
    }

    /// Goals it has answers for.
    pub(crate) fn goals(&self) -> Vec<Goal> {
        let mut goals: Vec<Goal> = self.answers.iter().map(|answer| answer.goal).collect();
        goals.sort_unstable();
        goals.dedup();
        goals
    }
}

fn verified_edges(answer: &Answer) -> Option<usize> {
    (answer.status == Status::Verified).then_some(answer.edges.len())
}

/// The row of another method's answers to the same question.
fn same_of(row: Row, method: Method) -> Row {
    Row { method, rigour: Rigour::Certified, ..row }
}

impl Counts {
    fn add(
        &mut self,
        settings: &Settings,
        done: &Done,
        call: &Call,
        answer: &Answer,
        grease: &Lengths,
        exact: &Lengths,
    ) {
        let repeat = self.repeats.entry(done.unit.repeat).or_default();
        let (verified, cap) = (verified_edges(answer), settings.cap(answer.goal));
        if answer.beyond {
            if let Some(edges) = verified {
                *repeat.by_edges.entry(edges.max(cap + 1)).or_default() += 1;
            }
            return;
        }
        self.explained += 1;
        self.longest = self.longest.max(done.degree);
        repeat.attempted += 1;
        repeat.queries += f64::from(answer.queries);
        let bands =
            [(&mut repeat.by_rank, answer.rank_before), (&mut repeat.by_degree, band_of(done.degree))];
        for (counts, at) in bands {
            let entry = counts.entry(at).or_default();
            entry.0 += 1;
            entry.1 += usize::from(verified.is_some());
        }
        if let Some(edges) = verified {
            repeat.verified += 1;
            repeat.edges += edges;
            repeat.minimal += usize::from(answer.minimal == Some(true));
            *repeat.by_edges.entry(edges).or_default() += 1;
        }
        repeat.refuted += usize::from(answer.status == Status::Refuted);
        repeat.trivial += usize::from(answer.status == Status::Trivial);
        let is_told = matches!(answer.status, Status::Verified | Status::Trivial) || answer.instead.is_some();
        repeat.answered += usize::from(is_told);
        if call.method == Method::Paper {
            repeat.add_judged(answer, call.k);
        }
        if let Some(reason) = answer.reason {
            *self.reasons.entry(reason.to_string()).or_default() += 1;
        }
        if let Some(fidelity) = answer.surrogate.and_then(|view| view.fidelity) {
            self.fidelities.add(fidelity, verified.is_some(), answer.is_found());
        }
        self.compare(call.row(answer.goal), answer.item, verified, grease, exact);
    }

    /// How long it is beside what others found for the same pair.
    fn compare(&mut self, row: Row, item: u32, verified: Option<usize>, grease: &Lengths, exact: &Lengths) {
        let of = |lengths: &Lengths, method| lengths.get(&(same_of(row, method), item)).copied();
        if let (Some(here), Some(Some(there))) = (verified, of(grease, Method::Grease)) {
            self.against_grease.add(here, there);
        }
        if let Some(ceiling) = of(exact, Method::Exact) {
            self.ceiling.0 += 1;
            self.ceiling.1 += usize::from(verified.is_some());
            self.ceiling.2 += usize::from(ceiling.is_some());
            if let (Some(here), Some(there)) = (verified, ceiling) {
                self.against_exact.add(here, there);
                self.as_short += usize::from(here <= there);
            }
        }
    }

    fn sum(&self, of: impl Fn(&Repeat) -> usize) -> usize {
        self.repeats.values().map(of).sum()
    }

    /// Over repeats: a quotient of each, where it has one.
    fn over(&self, of: impl Fn(&Repeat) -> (f64, usize)) -> Option<Spread> {
        let each = self.repeats.values().map(of).filter(|(_, by)| *by > 0);
        Spread::of(&each.map(|(sum, by)| sum / by as f64).collect::<Vec<f64>>())
    }

    fn cell(&self, settings: &Settings, people: usize, model: &Evaluated, row: Row) -> Cell {
        let (attempted, verified) = (self.sum(|r| r.attempted), self.sum(|r| r.verified));
        let refuted = self.sum(|r| r.refuted);
        let (imitated, agrees) = (self.sum(|r| r.imitated.0), self.sum(|r| r.imitated.1));
        let mut reasons: Vec<(String, usize)> = self.reasons.clone().into_iter().collect();
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let nothing = Spread { mean: 0.0, sd: 0.0 };
        let paper = row.method == Method::Paper;
        Cell {
            row,
            scope: row.table.scope(row.goal),
            profile: Answer::profile(row.table, row.goal),
            repeats: self.repeats.len(),
            lists: self.sum(|r| r.lists),
            subsample: settings.people_of(row.table, row.method).is_some_and(|fewer| fewer < people),
            published: published(&model.data, &model.kind, row.method, row.k, row.goal),
            attempted,
            found: verified + refuted,
            verified,
            refuted,
            trivial: self.sum(|r| r.trivial),
            reasons,
            share: self.over(|r| (r.verified as f64, r.attempted)).unwrap_or(nothing),
            edges: self.over(|r| (r.edges as f64, r.verified)),
            answered: self
                .over(|r| (r.answered as f64, r.attempted))
                .filter(|_| row.method == Method::Grease && row.table == Table::Own),
            judged: self.over(|r| (r.judged as f64, r.attempted)).filter(|_| paper),
            judged_edges: self.over(|r| (r.judged_edges as f64, r.judged)).filter(|_| paper),
            claims: paper.then(|| self.claims()),
            surrogate_agrees: (imitated > 0).then(|| agrees as f64 / imitated as f64),
            queries: self.over(|r| (r.queries, r.attempted)).unwrap_or(nothing),
            surrogate_fidelity: self.fidelities.mean(),
            minimal: (verified > 0).then(|| self.sum(|r| r.minimal) as f64 / verified as f64),
            against_grease: self.against_grease.finish().filter(|_| row.method != Method::Grease),
        }
    }

    fn claims(&self) -> Claims {
        let share = self.over(|r| (r.claimed() as f64, r.attempted));
        Claims {
            off_list: self.sum(|r| r.off_list.0),
            of_nothing: self.sum(|r| r.of_nothing),
            share: share.unwrap_or(Spread { mean: 0.0, sd: 0.0 }),
            edges: self.over(|r| ((r.judged_edges + r.off_list.1) as f64, r.claimed())),
            of_listed: self.over(|r| (r.judged as f64, r.imitated.1)),
        }
    }

    fn curves(&self, settings: &Settings, row: Row) -> Vec<Curve> {
        let budget: Vec<Point> = (1..=settings.looks_up_to(row))
            .map(|budget| {
                let within = |r: &Repeat| r.by_edges.range(..=budget).map(|(_, count)| count).sum::<usize>();
                let share = self.over(|r| (within(r) as f64, r.attempted));
                point(budget, budget, self.sum(|r| r.attempted), share)
            })
            .collect();
        let area = (budget.len() == settings.budget)
            .then(|| budget.iter().map(|point| point.share.mean).sum::<f64>() / budget.len() as f64);
        let banded = |bands: fn(&Repeat) -> &BTreeMap<usize, (usize, usize)>,
                      end: &dyn Fn(usize) -> usize| {
            let mut from: Vec<usize> = self.repeats.values().flat_map(|r| bands(r).keys().copied()).collect();
            from.sort_unstable();
            from.dedup();
            from.into_iter()
                .map(|from| {
                    let at = |r: &Repeat| bands(r).get(&from).copied().unwrap_or_default();
                    let share = self.over(|r| (at(r).1 as f64, at(r).0));
                    point(from, end(from), self.sum(|r| at(r).0), share)
                })
                .collect::<Vec<Point>>()
        };
        vec![
            Curve { row, over: Axis::Budget, points: budget, area },
            Curve { row, over: Axis::Rank, points: banded(|r| &r.by_rank, &|rank| rank), area: None },
            Curve {
                row,
                over: Axis::Degree,
                points: banded(|r| &r.by_degree, &|from| band_end(from).min(self.longest)),
                area: None,
            },
        ]
    }

    fn gap(&self, row: Row) -> Option<Gap> {
        let (pairs, verified, ceiling) = self.ceiling;
        (pairs > 0 && row.method != Method::Exact).then(|| Gap {
            row,
            pairs,
            verified,
            ceiling,
            both: self.against_exact.finish(),
            as_short: (self.against_exact.pairs > 0)
                .then(|| self.as_short as f64 / self.against_exact.pairs as f64),
        })
    }
}

/// A point of a curve; a share of nothing is nothing.
fn point(from: usize, to: usize, pairs: usize, share: Option<Spread>) -> Point {
    Point { from, to, pairs, share: share.unwrap_or(Spread { mean: 0.0, sd: 0.0 }) }
}

/// Where the bands of interactions begin: each is twice as wide as the one before.
const BANDS: [usize; 8] = [0, 6, 11, 21, 41, 81, 161, 321];

fn band_of(degree: usize) -> usize {
    BANDS.into_iter().rfind(|&from| from <= degree).unwrap_or(0)
}

fn band_end(from: usize) -> usize {
    BANDS.into_iter().find(|&next| next > from).map_or(usize::MAX, |next| next - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_the_textbook() {
        let spread = Spread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!(spread.mean, 5.0);
        assert!((spread.sd - (32f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[3.0]), Some(Spread { mean: 3.0, sd: 0.0 }));
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn bands_leave_no_gaps() {
        for degree in 0..1000 {
            let from = band_of(degree);
            assert!((from..=band_end(from)).contains(&degree));
        }
        assert_eq!((band_of(40), band_end(21)), (21, 40));
    }
}
