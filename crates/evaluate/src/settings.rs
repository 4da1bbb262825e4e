//! What is evaluated: on whom, by what, within which limits.

use std::fmt;
use std::str::FromStr;

use grease_explain::{Caps, Goal, Method, PaperOptions, Rigour, Scope};
use serde::{Deserialize, Serialize};

use crate::row::Row;
use crate::table::Table;

/// How many people each repeat looks at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sample {
    /// This share of those with a history, rounded to the nearest, at least one.
    Share(f64),
    /// So many.
    People(usize),
}

/// What is slow looks at fewer people: a part of each repeat's sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fewer {
    /// Which method; none: all of them.
    pub method: Option<Method>,
    /// In which table; none: in all of them.
    pub table: Option<Table>,
    /// How many people a repeat; 0 leaves it out.
    pub people: usize,
}

/// `METHOD=N`, `@TABLE=N` or `METHOD@TABLE=N`.
impl fmt::Display for Fewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(method) = self.method {
            write!(f, "{method}")?;
        }
        if let Some(table) = self.table {
            write!(f, "@{table}")?;
        }
        write!(f, "={}", self.people)
    }
}

impl FromStr for Fewer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected METHOD=N, @TABLE=N or METHOD@TABLE=N, such as exact=10";
        let (what, people) = text.split_once('=').ok_or(expected)?;
        let people = people.parse().map_err(|_| format!("`{people}` is not a number of people"))?;
        let (method, table) = match what.split_once('@') {
            Some((method, table)) => (method, Some(table.parse()?)),
            None => (what, None),
        };
        let method = match method {
            "" if table.is_some() => None,
            "" => return Err(expected.to_owned()),
            method => Some(method.parse::<Method>().map_err(|error| error.to_string())?),
        };
        Ok(Self { method, table, people })
    }
}

/// What is evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Lengths of lists, ascending.
    pub ks: Vec<usize>,
    /// Factual, counterfactual or both.
    pub goals: Vec<Goal>,
    /// In the order they are shown.
    pub methods: Vec<Method>,
    pub tables: Vec<Table>,
    pub sample: Sample,
    /// Methods that look at fewer.
    pub fewer: Vec<Fewer>,
    /// How often another sample is drawn.
    pub repeats: usize,
    /// The first repeat's seed; the others count on from it. A repeat's seed draws its people and is its explanations' seed.
    pub seed: u64,
    /// The most edges put back.
    pub max_add: usize,
    /// The most edges removed.
    pub max_remove: usize,
    /// The most edges curves look at.
    pub budget: usize,
    /// The most questions an explanation.
    pub queries: usize,
    /// How far neighbourhoods reach.
    pub hops: usize,
    /// People explained with every repeat's seed, to see what changes.
    pub stability_people: usize,
    /// People of each repeat whose histories are taken away tenth by tenth, in the order of every method that has one.
    #[serde(default)]
    pub importance_people: usize,
    /// Edits tried for a list of own interactions, beyond what methods ask, to prove what the smallest sets are.
    #[serde(default)]
    pub prove: usize,
    /// How method `paper` is run.
    #[serde(default)]
    pub paper: PaperOptions,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ks: vec![10, 15, 20],
            goals: vec![Goal::Counterfactual, Goal::Factual],
            methods: in_order_of_the_paper(),
            tables: Table::ALL.to_vec(),
            sample: Sample::Share(0.1),
            fewer: vec![
                Fewer { method: Some(Method::Paper), table: None, people: 10 },
                Fewer { method: Some(Method::Exact), table: None, people: 5 },
            ],
            repeats: 5,
            seed: 1,
            max_add: Caps::default().add,
            max_remove: Caps::default().remove,
            budget: 20,
            queries: 200,
            hops: 2,
            stability_people: 5,
            importance_people: 5,
            prove: 0,
            paper: PaperOptions::default(),
        }
    }
}

/// All methods but rivals, which take their time and are asked for by name: first those of the paper's tables, as they stand there.
fn in_order_of_the_paper() -> Vec<Method> {
    let there = [Method::Paper, Method::Grease, Method::PersonalRank, Method::Random];
    let is_other = |method: &Method| !there.contains(method) && !method.is_rival();
    there.into_iter().chain(Method::ALL.into_iter().filter(is_other)).collect()
}

impl Settings {
    /// The caps of the tables.
    pub fn caps(&self) -> Caps {
        Caps { add: self.max_add, remove: self.max_remove }
    }

    /// The most edges of an explanation in the tables.
    pub fn cap(&self, goal: Goal) -> usize {
        match goal {
            Goal::Factual => self.max_add,
            Goal::Counterfactual | Goal::Joint | Goal::WhyNot => self.max_remove,
        }
    }

    /// Up to where curves look.
    pub fn beyond(&self) -> Caps {
        Caps { add: self.budget.max(self.max_add), remove: self.budget.max(self.max_remove) }
    }

    /// Up to how many edges a row's answers go. Beyond own interactions the ceiling takes minutes a list as it is, and does not
    /// look beyond the caps.
    pub(crate) fn looks_up_to(&self, row: Row) -> usize {
        let is_slow = row.method == Method::Exact && row.table.scope(row.goal) != Scope::Own;
        if is_slow { self.budget.min(self.cap(row.goal)) } else { self.budget }
    }

    /// How a method is run: in its own right where it has an order, and certified.
    pub fn rigours(method: Method) -> &'static [Rigour] {
        if method.has_an_order() { &[Rigour::InOrder, Rigour::Certified] } else { &[Rigour::Certified] }
    }

    /// Whether there is such a thing: `exact` has no hops, who learns from histories knows nothing beyond them, and both at
    /// once is of own interactions, and not the paper's.
    pub fn is_defined(table: Table, goal: Goal, method: Method) -> bool {
        let is_joint = goal == Goal::Joint;
        !(method == Method::Exact && table.scope(goal) == Scope::Hops)
            && !(is_joint && (table == Table::Paper || method == Method::Paper))
            && !(method.knows_histories_alone() && table.scope(goal) != Scope::Own)
    }

    /// How many of a repeat's people this method looks at; none: all of them. The last setting that fits counts.
    pub fn people_of(&self, table: Table, method: Method) -> Option<usize> {
        let fits = |fewer: &&Fewer| {
            fewer.method.is_none_or(|m| m == method) && fewer.table.is_none_or(|t| t == table)
        };
        self.fewer.iter().rfind(fits).map(|fewer| fewer.people)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_is_read_as_it_is_written() {
        for text in ["exact=10", "@paper=3", "leave-one-out@own=0"] {
            assert_eq!(text.parse::<Fewer>().unwrap().to_string(), text);
        }
        for (wrong, said) in [
            ("exact", "expected METHOD=N"),
            ("=3", "expected METHOD=N"),
            ("exact=many", "`many` is not a number of people"),
            ("exakt=1", "there is no method `exakt`"),
            ("exact@hops=1", "there is no table `hops`"),
        ] {
            let error = wrong.parse::<Fewer>().unwrap_err();
            assert!(error.starts_with(said), "{wrong}: {error}");
        }
    }

    #[test]
    fn the_last_word_counts() {
        let fewer = ["@paper=36", "exact@paper=1"].map(|text| text.parse().unwrap());
        let settings = Settings { fewer: fewer.to_vec(), ..Settings::default() };
        assert_eq!(settings.people_of(Table::Paper, Method::Grease), Some(36));
        assert_eq!(settings.people_of(Table::Paper, Method::Exact), Some(1));
        assert_eq!(settings.people_of(Table::Own, Method::Exact), None);
    }
}
