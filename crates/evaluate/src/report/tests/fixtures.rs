//! Results made up by rule, with everything in them that a run can leave: gaps, nothing verified, one repeat, bad names.

use grease::Share;
use grease::calibration::{Band, CALIBRATION_SCHEMA, Calibration, Fit, HeldOut};
use grease_explain::{Goal, Method, Rigour};
use grease_graph::Profile;

use crate::{
    Audit, AuditOptions, Axis, BesideGrease, BothSolve, Cell, Claims, Comparison, Curve, EVALUATION_SCHEMA,
    Evaluated, FidelityReport, Figures, Gap, Importance, Interval, ModelResults, Named, Personal, Point,
    Proved, Quarter, Results, Row, RowTime, Sample, Settings, Spread, Stability, Table, Times, Training,
    published,
};

/// All models, tables, lengths, methods.
pub(in crate::report) fn whole() -> Results {
    let settings = Settings::default();
    let kinds = [("LastFM", "lightgcn"), ("LastFM", "ngcf"), ("Yelp", "lightgcn")];
    let models = kinds.into_iter().map(|(data, kind)| model(&settings, data, kind)).collect();
    results(settings, models)
}

/// One model, one length, few methods, a single repeat: fits a screen.
pub(super) fn small() -> Results {
    let settings = Settings {
        ks: vec![10],
        methods: vec![Method::Paper, Method::Grease, Method::Random, Method::Exact],
        sample: Sample::People(12),
        repeats: 1,
        tables: vec![Table::Own],
        ..Settings::default()
    };
    let model = model(&settings, "LastFM", "lightgcn");
    results(settings, vec![model])
}

/// Nothing at all.
pub(super) fn empty() -> Results {
    results(Settings::default(), Vec::new())
}

/// What it took.
pub(in crate::report) fn times(results: &Results) -> Times {
    let of_model = |model: &ModelResults| {
        let times = model.cells.iter().map(|cell| RowTime { row: cell.row, ms: cell.queries.mean / 8.0 });
        times.collect()
    };
    let models = results.models.iter().map(of_model).collect();
    Times {
        about: "milliseconds an explanation, one thread".into(),
        seconds: 61.5,
        models,
        answers: Vec::new(),
    }
}

fn results(settings: Settings, models: Vec<ModelResults>) -> Results {
    Results {
        schema: EVALUATION_SCHEMA.into(),
        grease: "0.1.0".into(),
        command: "grease evaluate lastfm-lightgcn --repeats 5 --seed 1".into(),
        settings,
        models,
    }
}

/// How strong a method is made to be, and how far above its length the shortest is.
fn strength(method: Method) -> (f64, f64) {
    match method {
        Method::Exact => (0.57, 0.0),
        Method::Grease => (0.548, 0.1),
        Method::LeaveOneOut => (0.5, 0.6),
        Method::Cosine => (0.36, 1.1),
        Method::PersonalRank => (0.3, 1.3),
        Method::Paper => (0.02, 1.9),
        _ => (0.14, 2.6),
    }
}

fn share(row: &Row, kind: &str) -> f64 {
    let (base, _) = strength(row.method);
    let in_order = if row.rigour == Rigour::InOrder { 0.95 } else { 1.0 };
    let goal = match (row.goal, row.table) {
        (Goal::Factual, Table::Own) => 1.7,
        (Goal::Factual, Table::Paper) => 0.4,
        _ => 1.0,
    };
    let kind = if kind == "ngcf" { 0.8 } else { 1.0 };
    // A method that solves nothing is part of every evaluation.
    if row.method == Method::Paper && row.goal == Goal::Factual { 0.0 } else { base * in_order * goal * kind }
}

fn model(settings: &Settings, data: &str, kind: &str) -> ModelResults {
    let mut found = ModelResults {
        lists: Vec::new(),
        personal: personal(settings),
        importance: importance(settings),
        model: Evaluated {
            data: data.into(),
            kind: kind.to_owned(),
            model_hash: "0123456789abcdef".repeat(4),
            data_hash: "fedcba9876543210".repeat(4),
            users: 1885,
            items: 17388,
            interactions: 74138,
            epochs: 200,
            recall_at_20: Some(0.2904),
            ndcg_at_20: (kind == "lightgcn").then_some(0.2711),
        },
        cells: Vec::new(),
        curves: Vec::new(),
        stability: Vec::new(),
        gaps: Vec::new(),
        fidelity: Vec::new(),
        audit: (kind == "lightgcn").then(audit),
    };
    for &table in &settings.tables {
        for &k in &settings.ks {
            for &goal in &settings.goals {
                for &method in settings.methods.iter().filter(|m| Settings::is_defined(table, goal, **m)) {
                    for &rigour in Settings::rigours(method) {
                        row(&mut found, settings, Row { table, k, goal, method, rigour });
                    }
                }
            }
        }
    }
    found
}

fn personal(settings: &Settings) -> Vec<Personal> {
    let several = settings.repeats > 1;
    let spread = |mean| Some(Spread { mean, sd: if several { 0.004 } else { 0.0 } });
    let of = |&k: &usize| Personal { k, people: 945, others: spread(0.061), popular: spread(0.093) };
    settings.ks.iter().map(of).collect()
}

fn importance(settings: &Settings) -> Vec<Importance> {
    let several = settings.repeats > 1;
    let of = |(k, method): (usize, Method)| {
        let (strong, _) = strength(method);
        let spread = |mean| Some(Spread { mean, sd: if several { 0.01 } else { 0.0 } });
        let curve = |fall: f64| (1..=10).map(|tenth| 1.0 - fall * f64::from(tenth) / 10.0).collect();
        Importance {
            k,
            method,
            people: 5 * settings.repeats,
            pairs: 5 * settings.repeats * k,
            most_first: spread(1.0 - strong),
            least_first: spread(0.5 + strong / 2.0),
            listed_most_first: curve(strong),
            listed_least_first: curve(strong / 3.0),
        }
    };
    let ordered = || settings.methods.iter().filter(|method| method.has_an_order());
    settings.ks.iter().flat_map(|&k| ordered().map(move |&method| (k, method))).map(of).collect()
}

fn training(seed: u64, leave: usize) -> Training {
    Training {
        seed,
        deleted: 408,
        items_without_interactions: 2,
        recall: Some(0.2899),
        explained: Share::new(leave, 60),
        untouched: Share::new(9, 60),
    }
}

fn calibration() -> Calibration {
    let band = |from, to, held, of, fitted| Band { from, to, held: Share::new(held, of), fitted };
    Calibration {
        schema: CALIBRATION_SCHEMA.into(),
        grease: "0.1.0".into(),
        model: "0123456789abcdef".repeat(4),
        data: "fedcba9876543210".repeat(4),
        k: 10,
        method: "grease".into(),
        seeds: vec![1, 2],
        firm: vec![1, 3],
        people: 100,
        held: Share::new(77, 120),
        untouched: Share::new(18, 120),
        fit: Fit {
            coefficients: [0.1, 0.9, 0.4],
            covariance: [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]],
            deepest: 24,
            most_cited: 9,
            usual_cited: [0.9, 0.1],
        },
        curve: vec![
            band(11, Some(12), 30, 60, 0.52),
            band(13, Some(15), 34, 46, 0.7512),
            band(31, None, 14, 14, 0.951),
        ],
        held_out: HeldOut {
            folds: 5,
            error: 0.0421,
            by_chance: 0.0512,
            brier: 0.17,
            brier_of_one_share: 0.21,
        },
    }
}

fn audit() -> Audit {
    let figures = |people: usize, leave: usize| {
        let [edited, all] = [leave + people / 20, people];
        let compared = Comparison {
            both_leave: leave,
            edited_leaves: edited - leave,
            retrained_leaves: people / 10,
            both_stay: all - edited - people / 10,
            agreement: Share::new(all - (edited - leave) - people / 10, all),
        };
        Figures {
            people,
            mean_deleted: 3.4,
            leave_edited: Share::new(edited, all),
            leave_retrained: Share::new(leave + people / 10, all),
            edited: compared,
            jointly_edited: compared,
            list_kept: 0.81,
        }
    };
    Audit {
        options: AuditOptions::default(),
        model: "0123456789abcdef".repeat(4),
        asked: 300,
        fitting: 180,
        trainings: vec![training(1, 40), training(2, 37)],
        reproduced: Some(true),
        recall_before: Some(0.2904),
        explained: figures(60, 40),
        at_random: figures(60, 9),
        untouched: figures(0, 0),
        overall: figures(120, 49),
        calibration: Some(calibration()),
        cases: Vec::new(),
    }
}

fn row(found: &mut ModelResults, settings: &Settings, row: Row) {
    let mean = share(&row, &found.model.kind) * (1.0 - row.k as f64 / 200.0);
    let several = settings.repeats > 1;
    let spread = |mean: f64, sd: f64| Spread { mean, sd: if several { sd } else { 0.0 } };
    let people = settings.people_of(row.table, row.method).unwrap_or(189);
    let attempted = people * settings.repeats * row.k;
    let verified = (mean * attempted as f64).round() as usize;
    let is_paper = row.method == Method::Paper;
    let (_, longer) = strength(row.method);
    let length = if row.goal == Goal::Factual { 1.2 + longer / 2.0 } else { 3.4 + longer };
    found.cells.push(Cell {
        answered: None,
        row,
        scope: row.table.scope(row.goal),
        profile: Profile::Kept,
        repeats: settings.repeats,
        lists: people * settings.repeats,
        subsample: people != 189,
        published: published(&found.model.data, &found.model.kind, row.method, row.k, row.goal),
        attempted,
        found: if is_paper { attempted / 2 } else { verified },
        verified,
        refuted: if is_paper { attempted / 2 - verified } else { 0 },
        trivial: if row.goal == Goal::Factual { attempted / 50 } else { 0 },
        reasons: vec![("cap_reached".into(), attempted - verified), ("no_history".into(), 1)],
        share: spread(mean, 0.012 + longer / 300.0),
        edges: (verified > 0).then(|| spread(length, 0.08 + longer / 20.0)),
        judged: is_paper.then(|| spread(0.78, 0.03)),
        judged_edges: is_paper.then(|| spread(4.1, 0.3)),
        claims: is_paper.then(|| Claims {
            off_list: attempted / 10,
            of_nothing: if row.goal == Goal::Factual { attempted / 25 } else { 0 },
            share: spread(0.9, 0.02),
            edges: Some(spread(3.6, 0.2)),
            of_listed: Some(spread(0.95, 0.01)),
        }),
        surrogate_agrees: is_paper.then_some(0.41),
        queries: spread(12.0 + 40.0 * longer, 1.5),
        surrogate_fidelity: (is_paper || row.method == Method::Grease).then_some(0.62),
        minimal: (verified > 0).then_some(if row.rigour == Rigour::InOrder { 0.4 } else { 1.0 }),
        against_grease: (row.method != Method::Grease && verified > 0).then_some(BothSolve {
            pairs: verified * 9 / 10,
            edges: length,
            other_edges: (length - longer * 0.9).max(1.0),
            longer: several.then_some(Interval {
                mean: longer * 0.9,
                low: longer * 0.9 - 0.1,
                high: longer * 0.9 + 0.1,
            }),
        }),
        beside_grease: (row.method != Method::Grease).then(|| BesideGrease {
            pairs: attempted,
            verified,
            grease: attempted / 2,
            ahead: several.then_some(match row.method {
                // One that is level, and one that is ahead of grease.
                Method::LeaveOneOut => Interval { mean: 0.004, low: -0.002, high: 0.01 },
                Method::Cosine => Interval { mean: -0.02, low: -0.03, high: -0.01 },
                _ => Interval { mean: 0.05, low: 0.01, high: 0.09 },
            }),
        }),
        proved: (verified > 0).then_some(Proved { minimum: verified / 2, longer: verified / 4, share: 0.5 }),
        named: (verified > 0).then(|| Named {
            lists: people * settings.repeats,
            distinct: Some(spread(length + 2.0, 0.2)),
            most_named: Some(spread(0.4, 0.02)),
            plausibility: Some(spread(0.12, 0.004)),
            plausibility_before: Some(spread(0.15, 0.005)),
        }),
    });
    let curve = |over: Axis, at: &[(usize, usize)], shape: &dyn Fn(usize) -> f64| {
        let points = at.iter().enumerate().map(|(nth, &(from, to))| Point {
            from,
            to,
            pairs: attempted / at.len(),
            share: spread((mean * shape(nth)).clamp(0.0, 1.0), 0.02),
        });
        let points: Vec<Point> = points.collect();
        let area = points.iter().map(|point| point.share.mean).sum::<f64>() / points.len() as f64;
        Curve { row, over, points, area: (over == Axis::Budget).then_some(area) }
    };
    let singles = |to: usize| (1..=to).map(|at| (at, at)).collect::<Vec<_>>();
    let slow = length + if row.rigour == Rigour::InOrder { 1.5 } else { 0.0 };
    let budget = curve(Axis::Budget, &singles(settings.budget), &|nth| {
        1.15 * (1.0 - (-(nth as f64 + 1.0) / slow).exp())
    });
    let rank = curve(Axis::Rank, &singles(row.k), &|nth| 0.5 + nth as f64 / row.k as f64);
    let bands = [(1, 20), (21, 40), (41, 60), (61, usize::MAX)];
    let degree = curve(Axis::Degree, &bands, &|nth| 1.3 - nth as f64 * 0.2);
    found.curves.extend([budget, rank, degree]);
    if several {
        found.stability.push(Stability {
            row,
            seeds: settings.repeats,
            people: settings.stability_people,
            pairs: settings.stability_people * row.k,
            same_verdict: 0.97,
            overlap: (verified > 0).then_some(0.81),
            same_edges: (verified > 0).then_some(0.7),
        });
    }
    if Settings::is_defined(row.table, row.goal, Method::Exact) && row.method != Method::Exact {
        let pairs = 25 * row.k;
        found.gaps.push(Gap {
            row,
            pairs,
            verified: (mean * pairs as f64) as usize,
            ceiling: (share(
                &Row { method: Method::Exact, rigour: Rigour::Certified, ..row },
                &found.model.kind,
            ) * pairs as f64) as usize,
            both: (verified > 0).then_some(BothSolve {
                pairs: 90,
                edges: length,
                other_edges: (length - longer).max(1.0),
                longer: None,
            }),
            as_short: (verified > 0).then_some(0.8),
        });
    }
    if is_paper || (row.method == Method::Grease && row.table == Table::Paper) {
        let quarter = |at: usize| {
            let from = 0.2 + at as f64 * 0.2;
            Quarter { from, to: from + 0.2, pairs: attempted / 4, share: mean * (0.7 + at as f64 / 5.0) }
        };
        let quarters = (0..4).map(quarter).collect();
        let auc = (verified > 0).then_some(0.58);
        found.fidelity.push(FidelityReport { row, pairs: attempted, quarters, auc, auc_of_found: None });
    }
}
