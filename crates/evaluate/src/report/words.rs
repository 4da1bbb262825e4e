//! What things are called, in one place, so that tables, charts and findings speak of the same things in the same words.

use grease_explain::{Goal, Method, Rigour};

use crate::{Evaluated, Results, Table};
use grease_tell::{clean, list};

/// A string from the data as one line of visible text.
pub(super) fn named(text: &str) -> String {
    clean(text).unwrap_or_else(|| "unnamed".to_owned())
}

/// A method as it was run.
pub(super) fn method(method: Method, rigour: Rigour) -> String {
    let name = match method {
        Method::Paper => "GREASE as published (paper)",
        Method::Exact => "exact (ceiling)",
        _ => method.name(),
    };
    match rigour {
        Rigour::InOrder => format!("{name}, in its own right"),
        Rigour::Certified if method.has_an_order() => format!("{name}, certified"),
        Rigour::Certified => name.to_owned(),
    }
}

/// The same inside a sentence, where a comma would end something.
pub(super) fn spoken(which: Method, rigour: Rigour) -> String {
    match method(which, rigour).split_once(", ") {
        Some((name, how)) => format!("{name} ({how})"),
        None => method(which, rigour),
    }
}

/// "LastFM · LightGCN".
pub(super) fn model(model: &Evaluated) -> String {
    format!("{} · {}", named(&model.data), kind(&model.kind))
}

/// As its authors write it.
pub(super) fn kind(kind: &str) -> &str {
    match kind {
        "lightgcn" => "LightGCN",
        "ngcf" => "NGCF",
        other => other,
    }
}

/// What a table is about.
pub(super) fn table(table: Table) -> &'static str {
    match table {
        Table::Paper => "edges as in the paper",
        Table::Own => "the person’s own interactions",
    }
}

/// The name of a goal's share.
pub(super) fn share(goal: Goal) -> &'static str {
    match goal {
        Goal::Counterfactual => "PN",
        Goal::Factual => "PS",
        Goal::Joint => "PNS",
        Goal::WhyNot => "share",
    }
}

/// The goal itself.
pub(super) fn goal(goal: Goal) -> &'static str {
    match goal {
        Goal::Counterfactual => "counterfactual",
        Goal::Factual => "factual",
        Goal::Joint => "both at once",
        Goal::WhyNot => "why not",
    }
}

/// A reason code as words.
pub(super) fn reason(code: &str) -> String {
    named(&code.replace('_', " "))
}

/// What the report is called.
pub(super) fn title(results: &Results) -> String {
    let mut data: Vec<String> = Vec::new();
    for model in &results.models {
        let name = named(&model.model.data);
        if !data.contains(&name) {
            data.push(name);
        }
    }
    if data.is_empty() {
        return "How good explanations are".to_owned();
    }
    format!("How good explanations are on {}", list(&data))
}
