//! What the paper says of itself, to stand beside what was measured.

use grease_explain::{Goal, Method};
use grease_models::Kind;
use serde::{Deserialize, Serialize};

use Data::{LastFm, Yelp};
use Kind::{LightGcn, Ngcf};
use Method::{Grease, PersonalRank, Random};

/// What the paper says of one row and goal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// PN or PS: the share of pairs with an explanation that does what it says.
    pub share: f64,
    /// Its standard deviation over five samples of people. The paper prints percentage points; this is a share too.
    pub share_sd: f64,
    /// EC: mean number of interactions of an explanation.
    pub edges: f64,
    pub edges_sd: f64,
}

/// What the paper's tables say, if they say anything of this.
///
/// `data` is a name such as "LastFM" or "yelp2018": how it begins counts, whatever the case. [`Method::Paper`] is the paper's
/// algorithm and [`Method::Grease`] what this project makes of it, so both are compared with the paper's GREASE row.
pub fn published(data: &str, kind: &str, method: Method, k: usize, goal: Goal) -> Option<Published> {
    let data = Data::named(data)?;
    let method = if method == Method::Paper { Grease } else { method };
    let is_asked =
        |row: &&Row| row.k == k && row.data == data && row.kind.to_string() == kind && row.method == method;
    let row = TABLES.iter().find(is_asked)?;
    let [share, points, edges, edges_sd] = match goal {
        Goal::Counterfactual => row.necessity,
        Goal::Factual => row.sufficiency,
        Goal::Joint | Goal::WhyNot => return None,
    };
    Some(Published { share, share_sd: points / 100.0, edges, edges_sd })
}

/// The paper's data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Data {
    LastFm,
    Yelp,
}

impl Data {
    fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let starts = [("lastfm", LastFm), ("yelp", Yelp)];
        starts.into_iter().find(|(start, _)| name.starts_with(start)).map(|(_, data)| data)
    }
}

/// A row of the paper's tables; the numbers of a goal are the share, its deviation in points, EC and its deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    k: usize,
    data: Data,
    kind: Kind,
    method: Method,
    necessity: [f64; 4],
    sufficiency: [f64; 4],
}

const fn row(
    k: usize,
    data: Data,
    kind: Kind,
    method: Method,
    necessity: [f64; 4],
    sufficiency: [f64; 4],
) -> Row {
    Row { k, data, kind, method, necessity, sufficiency }
}

/// As printed, repeated rows included.
const TABLES: [Row; 36] = [
    row(10, LastFm, LightGcn, Grease, [0.89, 3.00, 3.81, 0.27], [0.69, 3.00, 6.21, 0.76]),
    row(10, LastFm, LightGcn, PersonalRank, [0.79, 2.00, 4.63, 2.50], [0.58, 2.00, 6.68, 0.36]),
    row(10, LastFm, LightGcn, Random, [0.19, 3.00, 5.00, 1.20], [0.11, 4.00, 8.50, 0.41]),
    row(10, LastFm, Ngcf, Grease, [0.90, 6.00, 3.23, 0.33], [0.70, 6.00, 6.30, 0.82]),
    row(10, LastFm, Ngcf, PersonalRank, [0.79, 2.00, 4.63, 2.50], [0.58, 2.00, 6.68, 0.36]),
    row(10, LastFm, Ngcf, Random, [0.19, 3.00, 5.00, 1.20], [0.11, 4.00, 8.50, 0.41]),
    row(10, Yelp, LightGcn, Grease, [0.91, 4.00, 3.26, 0.31], [0.70, 3.37, 6.37, 0.38]),
    row(10, Yelp, LightGcn, PersonalRank, [0.82, 3.50, 4.79, 0.36], [0.61, 2.95, 6.93, 0.41]),
    row(10, Yelp, LightGcn, Random, [0.21, 5.30, 5.39, 1.32], [0.16, 2.80, 7.35, 0.13]),
    row(10, Yelp, Ngcf, Grease, [0.93, 6.00, 5.70, 0.45], [0.71, 5.00, 6.21, 0.82]),
    row(10, Yelp, Ngcf, PersonalRank, [0.83, 3.00, 6.22, 0.41], [0.59, 3.00, 7.21, 0.38]),
    row(10, Yelp, Ngcf, Random, [0.22, 3.00, 8.20, 1.47], [0.15, 4.00, 8.60, 0.46]),
    row(15, LastFm, LightGcn, Grease, [0.87, 6.00, 3.92, 0.35], [0.66, 5.00, 6.33, 0.85]),
    row(15, LastFm, LightGcn, PersonalRank, [0.76, 4.00, 5.22, 0.29], [0.56, 2.00, 7.06, 0.43]),
    row(15, LastFm, LightGcn, Random, [0.13, 3.00, 5.23, 1.60], [0.09, 5.00, 8.70, 0.43]),
    row(15, LastFm, Ngcf, Grease, [0.86, 7.00, 3.76, 0.51], [0.68, 9.00, 6.30, 0.87]),
    row(15, LastFm, Ngcf, PersonalRank, [0.80, 5.00, 5.10, 0.42], [0.58, 3.00, 7.53, 0.42]),
    row(15, LastFm, Ngcf, Random, [0.19, 5.00, 5.77, 1.82], [0.15, 4.00, 8.93, 0.47]),
    row(15, Yelp, LightGcn, Grease, [0.86, 5.00, 3.76, 0.51], [0.63, 3.65, 7.25, 0.62]),
    row(15, Yelp, LightGcn, PersonalRank, [0.80, 7.00, 5.10, 0.42], [0.56, 3.38, 7.36, 0.63]),
    row(15, Yelp, LightGcn, Random, [0.18, 6.00, 5.77, 1.82], [0.09, 2.60, 7.67, 0.17]),
    row(15, Yelp, Ngcf, Grease, [0.85, 7.00, 6.30, 0.53], [0.68, 9.00, 6.30, 0.87]),
    row(15, Yelp, Ngcf, PersonalRank, [0.79, 5.00, 6.79, 0.47], [0.58, 3.00, 7.52, 0.42]),
    row(15, Yelp, Ngcf, Random, [0.18, 2.00, 8.10, 0.52], [0.15, 5.00, 8.93, 0.47]),
    row(20, LastFm, LightGcn, Grease, [0.87, 7.00, 4.36, 0.46], [0.65, 9.00, 6.35, 0.87]),
    row(20, LastFm, LightGcn, PersonalRank, [0.76, 5.00, 5.79, 0.32], [0.54, 5.00, 7.31, 0.52]),
    row(20, LastFm, LightGcn, Random, [0.09, 4.20, 5.82, 1.90], [0.06, 7.00, 9.10, 0.49]),
    row(20, LastFm, Ngcf, Grease, [0.84, 11.00, 3.98, 0.67], [0.64, 10.00, 6.35, 0.89]),
    row(20, LastFm, Ngcf, PersonalRank, [0.77, 11.00, 5.32, 0.59], [0.53, 5.00, 7.93, 0.58]),
    row(20, LastFm, Ngcf, Random, [0.17, 6.00, 5.92, 1.98], [0.14, 5.00, 9.60, 0.52]),
    row(20, Yelp, LightGcn, Grease, [0.83, 5.11, 4.93, 0.37], [0.61, 3.92, 7.38, 0.75]),
    row(20, Yelp, LightGcn, PersonalRank, [0.77, 4.20, 5.38, 0.42], [0.53, 3.42, 7.52, 0.73]),
    row(20, Yelp, LightGcn, Random, [0.16, 5.60, 5.42, 1.65], [0.07, 1.90, 8.02, 0.18]),
    row(20, Yelp, Ngcf, Grease, [0.75, 8.00, 6.70, 0.56], [0.63, 10.00, 6.37, 0.86]),
    row(20, Yelp, Ngcf, PersonalRank, [0.71, 6.12, 7.12, 0.52], [0.53, 5.00, 7.93, 0.58]),
    row(20, Yelp, Ngcf, Random, [0.12, 2.00, 8.60, 0.55], [0.14, 6.00, 9.50, 0.52]),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_row_is_as_the_paper_prints_it() {
        let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/paper.tex");
        let Ok(text) = std::fs::read_to_string(&paper) else {
            println!("skipped: no {}", paper.display());
            return;
        };
        let names = [("{GREASE}", Grease), ("{\\sc PersonalRank}", PersonalRank), ("{\\sc Random}", Random)];
        let (mut k, mut method, mut read) = (0, Grease, Vec::new());
        for line in text.lines() {
            if let Some((_, rest)) = line.split_once("{\\bf Top-$") {
                k = rest.split('$').next().unwrap().parse().unwrap();
            }
            if let Some((_, named)) = names.iter().find(|(name, _)| line.contains(name)) {
                method = *named;
            }
            if line.contains("(\\pm") {
                let line = line.replace("multicolumn{1}", "");
                let numbers = line.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|n| !n.is_empty());
                let numbers: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
                let (necessity, sufficiency) = numbers.split_at(4);
                // Models and data sets are printed across three and six rows, so they are told by the place.
                let kind = [LightGcn, Ngcf][read.len() % 6 / 3];
                let data = [LastFm, Yelp][read.len() % 12 / 6];
                let necessity = necessity.try_into().unwrap();
                read.push(row(k, data, kind, method, necessity, sufficiency.try_into().unwrap()));
            }
        }
        assert_eq!(read, TABLES);
    }

    #[test]
    fn rows_are_found_by_what_they_are_called() {
        let first = published("LastFM", "lightgcn", Grease, 10, Goal::Counterfactual).unwrap();
        assert_eq!(first, Published { share: 0.89, share_sd: 0.03, edges: 3.81, edges_sd: 0.27 });
        assert_eq!(published("lastfm", "lightgcn", Method::Paper, 10, Goal::Counterfactual), Some(first));
        let last = published("yelp2018", "ngcf", Random, 20, Goal::Factual).unwrap();
        assert_eq!(last, Published { share: 0.14, share_sd: 0.06, edges: 9.50, edges_sd: 0.52 });
        for (data, method, k, goal) in [
            ("movielens", Grease, 10, Goal::Factual),
            ("lastfm", Method::Cosine, 10, Goal::Factual),
            ("lastfm", Grease, 5, Goal::Factual),
            ("lastfm", Grease, 10, Goal::WhyNot),
        ] {
            assert_eq!(published(data, "lightgcn", method, k, goal), None);
        }
    }
}
