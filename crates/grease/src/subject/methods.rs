//! The methods a subject can be explained by: those that are built in, and those it was given.

use std::sync::{Arc, OnceLock};

use grease_explain::{Explainer, GivenMethod, Method, UnknownMethod};
use grease_graph::Recommender;

use super::Subject;
use crate::refusal::Refusal;

/// One explainer a method, made when it is first asked: each keeps what it learns about the recommender.
#[derive(Default)]
pub(super) struct Explainers {
    built_in: [OnceLock<Explainer>; Method::ALL.len()],
    given: Vec<(Arc<dyn GivenMethod>, OnceLock<Explainer>)>,
}

impl Explainers {
    /// By the same methods, for another recommender.
    pub(super) fn anew(&self) -> Self {
        let given = self.given.iter().map(|(method, _)| (Arc::clone(method), OnceLock::new()));
        Self { given: given.collect(), ..Self::default() }
    }

    pub(super) fn of(
        &self,
        method: Method,
        recommender: &Arc<dyn Recommender>,
    ) -> Result<&Explainer, Refusal> {
        if let Some(place) = Method::ALL.iter().position(|&known| known == method) {
            return Ok(self.built_in[place].get_or_init(|| Explainer::new(Arc::clone(recommender), method)));
        }
        let found = self.given.iter().find(|(given, _)| Method::Given(given.name()) == method);
        match (found, method) {
            (Some((given, explainer)), _) => {
                Ok(explainer.get_or_init(|| Explainer::by(Arc::clone(recommender), Arc::clone(given))))
            }
            (None, method) => Err(Refusal::usage(UnknownMethod::from(method))),
        }
    }
}

impl Subject {
    /// Gives it a method of somebody's own, which can then be asked for like any other. Refuses a second one of its name.
    pub fn give(&mut self, method: Arc<dyn GivenMethod>) -> Result<Method, Refusal> {
        let name = method.name();
        if self.explainers.given.iter().any(|(given, _)| given.name() == name) {
            return Err(Refusal::usage(format_args!("there are two methods called `{name}`"))
                .help("give each a name of its own"));
        }
        self.explainers.given.push((method, OnceLock::new()));
        Ok(Method::Given(name))
    }

    /// The methods its recommender can be explained by: those that are built in and find with it what they need, and those it was given.
    pub fn methods(&self) -> impl Iterator<Item = Method> {
        let built_in = Method::ALL.into_iter().filter(|method| method.works_on(&*self.recommender));
        built_in.chain(self.explainers.given.iter().map(|(given, _)| Method::Given(given.name())))
    }

    /// Refuses a method that is neither built in nor was given.
    pub fn check_method(&self, method: Method) -> Result<(), Refusal> {
        self.explainers.of(method, &self.recommender).map(drop)
    }

    /// What tells a method from others of its name; none where it is built in.
    pub fn version_of(&self, method: Method) -> Option<&str> {
        let given = self.explainers.given.iter().find(|(given, _)| Method::Given(given.name()) == method);
        given.map(|(given, _)| given.version())
    }
}

#[cfg(test)]
mod tests;
