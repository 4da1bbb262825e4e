//! What is asked, by names. The body of an HTTP request, the arguments of Python and the options of the command line are
//! this one type; what is not said is as usual.

use grease_explain::{Caps, Goal, Method, PaperOptions, ProfileChoice, Rigour, Scope};
use serde::{Deserialize, Serialize};

/// Edits usually tried to prove that nothing smaller does it, where somebody waits for one list.
pub const PROVE: usize = 40_000;

/// Whose list, which items of it, and how explanations are searched for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(examples(json!({ "user": "mira", "k": 10, "goals": ["factual", "counterfactual"] }))))]
#[serde(default, deny_unknown_fields)]
pub struct Question {
    /// Somebody the recommender knows; or else give a history.
    pub user: Option<String>,
    /// What somebody new did, by id or title: at least one item.
    pub history: Option<Vec<String>>,
    /// Some of the list, by id or title; all of it unless they are named. With the goal `why_not`, items that are not on it.
    pub items: Option<Vec<String>>,
    /// How it is searched for.
    pub method: Method,
    /// Length of the list.
    pub k: usize,
    /// What to explain of every item.
    pub goals: Vec<Goal>,
    /// Which interactions may be named.
    pub scope: Scope,
    /// Whether what was learned about the person is used.
    pub profile: ProfileChoice,
    /// How far the neighbourhood of scope hops reaches.
    pub hops: usize,
    /// The most interactions an explanation may name; none: as usual.
    pub max_edges: Option<usize>,
    /// How firmly it has to hold: what leaves the list falls to place k + firm or below, what gets in comes to place k + 1 - firm or above.
    pub firm: usize,
    /// Whether the nearest weaker question is answered where the one asked has no answer.
    pub instead: bool,
    /// The most questions one explanation may ask; method exact asks without limit.
    pub queries: usize,
    /// Edits tried for a list to prove that nothing smaller does it, where asking costs next to nothing; none: 40,000 where one item is
    /// named, 0 for more.
    pub prove: Option<usize>,
    /// Further explanations of each item, with nothing in common.
    pub alternatives: usize,
    /// How method paper is run; what is not said is as usual.
    pub paper: PaperOptions,
    /// Decides everything random.
    pub seed: u64,
    /// Only these items may be listed, where it is given.
    pub candidates: Option<Vec<String>>,
    /// These items may not be listed.
    pub exclude: Vec<String>,
    /// These items may not be named as causes or replacements.
    pub never_cite: Vec<String>,
    /// Whether other people's ids are shown instead of pseudonyms. Nobody can ask for it over HTTP.
    #[serde(skip)]
    pub show_user_ids: bool,
    /// How an evaluation reads a method.
    #[serde(skip)]
    pub reading: Reading,
}

/// How an evaluation reads a method; for everybody else it is as usual.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// The most interactions, apart for those put back and those removed; none: as [`Question::max_edges`] says.
    pub caps: Option<Caps>,
    /// Where nothing is found within them: search once more with these.
    pub beyond: Option<Caps>,
    /// How far a method's proposal is taken.
    pub rigour: Rigour,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            user: None,
            history: None,
            items: None,
            method: Method::default(),
            k: 10,
            goals: vec![Goal::Factual, Goal::Counterfactual],
            scope: Scope::default(),
            profile: ProfileChoice::default(),
            hops: 2,
            max_edges: None,
            firm: 1,
            instead: true,
            queries: 200,
            prove: None,
            alternatives: 0,
            paper: PaperOptions::default(),
            seed: 1,
            candidates: None,
            exclude: Vec::new(),
            never_cite: Vec::new(),
            show_user_ids: false,
            reading: Reading::default(),
        }
    }
}

impl Question {
    /// About somebody the recommender knows, all else as usual.
    pub fn of(user: &str) -> Self {
        Self { user: Some(user.to_owned()), ..Self::default() }
    }

    /// Edits tried to prove that nothing smaller does it.
    pub fn proving(&self) -> usize {
        let is_single = self.items.as_ref().is_some_and(|items| items.len() == 1);
        self.prove.unwrap_or(if is_single { PROVE } else { 0 })
    }

    /// The most interactions, apart for those put back and those removed.
    pub fn caps(&self) -> Caps {
        self.reading.caps.unwrap_or_else(|| self.max_edges.map_or_else(Caps::default, Caps::both))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_as_usual_and_what_is_misspelt_is_refused() {
        assert_eq!(serde_json::from_str::<Question>("{}").unwrap(), Question::default());
        let misspelt = serde_json::from_str::<Question>(r#"{"scop": "own"}"#).unwrap_err();
        assert!(misspelt.to_string().contains("unknown field `scop`"), "{misspelt}");
        let hidden = serde_json::from_str::<Question>(r#"{"show_user_ids": true}"#);
        assert!(hidden.is_err(), "nobody can ask for other people's ids over the wire");
    }
}
