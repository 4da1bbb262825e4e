//! A list with its explanations as one HTML page: no script, nothing loaded from elsewhere, fit for print.

use grease_explain::{Minimum, Status};
use grease_graph::Words;

use crate::certificate::{asked, checked_instead, placed};
use crate::escape::escape;
use crate::sentence::counted;
use crate::text::{by_item, heading};
use crate::title::clean;
use crate::{Record, Retrained};
use crate::{certificate, picture, sentence};

const STYLE: &str = "
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --ground: #f6f8fa; --card: #ffffff; --line: #d1d9e0; --guess: #9a3412 }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9da7b1; --ground: #010409; --card: #0d1117; --line: #3d444d; --guess: #fb923c } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 54rem; padding: 2rem 1rem; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1.5rem } h2 { font-size: 1.2rem; margin: 0 0 .5rem } h2 span { color: var(--soft); font-weight: 400; margin-inline-end: .6rem }
article { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: 1.2rem; margin: 0 0 1.2rem }
article p { margin: .8rem 0 } .guess { color: var(--guess) } figure { margin: 0; overflow-x: auto } figure svg { display: block; width: 100%; min-width: 34rem; height: auto }
details { color: var(--soft); font-size: .9rem; margin: .3rem 0 1rem } summary { cursor: pointer }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .6rem 0 } dt { color: var(--soft) } dd { margin: 0; color: var(--text) }
@media (max-width: 32rem) { body { padding: 1rem .5rem } article { padding: .8rem } dl { grid-template-columns: 1fr } dd { margin-bottom: .4rem } }
@media print { figure svg { min-width: 0 } body { background: none; max-width: none; padding: 0 } article { break-inside: avoid; border: 0; padding: 0 0 1rem } }
";

/// A page with the given heading: for each item its sentences, pictures, and what was checked in a fold-out.
///
/// Whatever the records hold is escaped, and nothing but sentences and pictures speaks of people.
pub fn page(title: &str, records: &[Record], words: &Words) -> String {
    let title = escape(&clean(title).unwrap_or_default());
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    for item in by_item(records) {
        html.push_str(&format!(
            "<article>\n<h2><span>{}</span>{}</h2>\n",
            item[0].rank_before,
            escape(&heading(item[0], words))
        ));
        for record in item {
            explained(&mut html, record, words);
        }
        html.push_str("</article>\n");
    }
    html.push_str("</main>\n</body>\n</html>\n");
    html
}

fn explained(html: &mut String, record: &Record, words: &Words) {
    let guess = matches!(record.status, Status::Unverified | Status::Refuted);
    let class = if guess { " class=\"guess\"" } else { "" };
    let each: String =
        counted(record, words).iter().map(|name| format!("<li>{}</li>", escape(name))).collect();
    let each = if each.is_empty() { each } else { format!("<ol>{each}</ol>\n") };
    html.push_str(&format!(
        "<p{class}>{}</p>\n{each}<figure>{}</figure>\n<details><summary>{}</summary>\n<dl>\n",
        escape(&sentence(record, words)),
        picture(record, words),
        escape(&certificate(record)),
    ));
    for (what, value) in facts(record) {
        html.push_str(&format!("<dt>{what}</dt><dd>{}</dd>\n", escape(&value)));
    }
    html.push_str("</dl>\n</details>\n");
}

/// What was checked and how, for whoever wants to check it again.
fn facts(record: &Record) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("length of the list", record.k.to_string()),
        ("rank now", record.rank_before.to_string()),
        ("rank where the search began", placed(record.rank_start)),
    ];
    let mut known = |what, value: Option<String>| facts.extend(value.map(|value| (what, value)));
    known("places beyond the list's end asked for", record.firm.map(|places| places.to_string()));
    known("rank afterwards", record.rank_after.map(|rank| rank.to_string()));
    known("rank by these alone", record.alone.map(|alone| alone.rank.to_string()));
    known("lead over the list's end now", record.margin_before.map(|margin| margin.to_string()));
    known("lead afterwards", record.margin_after.map(|margin| margin.to_string()));
    known("nothing can be spared", record.minimal.map(|yes| if yes { "yes" } else { "no" }.to_owned()));
    known("a smaller set", smaller(record).map(str::to_owned));
    known("checked instead", checked_instead(record));
    known("holds when trained again", record.holds_when_retrained.map(held));
    known("share of the learned profile", record.profile_share.map(|part| format!("{:.0} %", part * 100.0)));
    known("why nothing was found", record.reason.as_ref().map(ToString::to_string));
    known("questions asked of the recommender", Some(asked(record).to_string()));
    known("found by", Some(record.method.clone()));
    known("seed", Some(record.seed.to_string()));
    known("model", Some(record.model.clone()));
    known("data", Some(record.data.clone()));
    facts
}

/// "74 % of the time, 66 to 81 %".
fn held(Retrained { share, low, high }: Retrained) -> String {
    let [share, low, high] = [share, low, high].map(|part| (part * 100.0).round());
    format!("{share} % of the time, {low} to {high} %")
}

/// What is known about smaller sets; nothing is smaller than one.
fn smaller(record: &Record) -> Option<&'static str> {
    match record.minimum.filter(|_| record.edges.len() > 1)? {
        Minimum::Proved => Some("none does it: proved"),
        Minimum::Searched => Some("none was found"),
    }
}
