//! Counting: from the units done to every figure of the report, one unit in memory at a time.

use std::collections::BTreeMap;

use grease_explain::{Method, Status};
use grease_graph::Graph;

use crate::agreement::Agreement;
use crate::beside::{Beside, References};
use crate::fidelity::Fidelities;
use crate::importance::Importances;
use crate::lists::Lists;
use crate::personal::Personality;
use crate::published::published;
use crate::repeat::Repeat;
use crate::results::{Axis, Cell, Claims, Curve, Evaluated, ModelResults, Named, Point, RowTime, Spread};
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
    personality: Personality,
    importances: Importances,
    agreement: Agreement,
}

/// Everything counted about one row.
#[derive(Default)]
struct Counts {
    /// By repeat.
    repeats: BTreeMap<usize, Repeat>,
    reasons: BTreeMap<String, usize>,
    fidelities: Fidelities,
    beside: Beside,
    ms: f64,
    explained: usize,
    /// The longest history seen.
    longest: usize,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(settings: &'a Settings, people: usize) -> Self {
        Self {
            settings,
            people,
            rows: BTreeMap::new(),
            lists: Lists::default(),
            personality: Personality::default(),
            importances: Importances::default(),
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
        self.personality.add(done);
        self.importances.add(done.unit.repeat, &done.removals);
        let references = References::of(done);
        for call in &done.calls {
            for goal in call.goals() {
                let counts = self.rows.entry(call.row(goal)).or_default();
                let answers = call.answers.iter().filter(|answer| answer.goal == goal);
                // Goals explained together share the time by their number of pairs.
                let pairs =
                    |answers: &mut dyn Iterator<Item = &Answer>| answers.filter(|a| !a.beyond).count() as f64;
                counts.ms += call.ms * pairs(&mut answers.clone()) / pairs(&mut call.answers.iter()).max(1.0);
                counts.beside.add(call.row(goal), answers.clone(), &references);
                let repeat = counts.repeats.entry(done.unit.repeat).or_default();
                repeat.lists += 1;
                repeat.named.add(answers.clone(), done.plausibility);
                for answer in answers {
                    counts.add(self.settings, done, call, answer);
                }
            }
        }
    }

    /// All figures.
    pub(crate) fn finish(self, model: Evaluated, graph: &Graph) -> (ModelResults, Vec<RowTime>) {
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
            personal: self.personality.finish(graph, settings.seed),
            importance: self.importances.finish(),
            audit: None,
            model,
        };
        for (&row, counts) in &self.rows {
            results.cells.push(counts.cell(settings, self.people, &results.model, row));
            results.curves.extend(counts.curves(settings, row));
            results.gaps.extend(counts.beside.gap(row));
        }
        for (row, counts) in self.rows {
            results.fidelity.extend(counts.fidelities.finish(row));
        }
        (results, times)
    }
}

impl Counts {
    fn add(&mut self, settings: &Settings, done: &Done, call: &Call, answer: &Answer) {
        let repeat = self.repeats.entry(done.unit.repeat).or_default();
        let (verified, cap) = (answer.verified_edges(), settings.cap(answer.goal));
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
            against_grease: self.beside.both_solve().filter(|_| row.method != Method::Grease),
            beside_grease: self.beside.grease().filter(|_| row.method != Method::Grease),
            proved: self.beside.proved(),
            named: self.named(),
        }
    }

    fn named(&self) -> Option<Named> {
        let edited = |sum: fn(&Repeat) -> f64| self.over(|r| (sum(r), r.named.edited));
        let lists = self.sum(|r| r.named.lists);
        let plausibility = edited(|r| r.named.plausibility);
        (lists > 0 || plausibility.is_some()).then(|| Named {
            lists,
            distinct: self.over(|r| (r.named.distinct as f64, r.named.lists)),
            most_named: self.over(|r| (r.named.most_named, r.named.lists)),
            plausibility,
            plausibility_before: edited(|r| r.named.before),
        })
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
