//! What another program asked, with rows instead of names, and what it is told.

use std::ops::ControlFlow;

use grease_explain::{ExplainError, Explainer, Explanation, Goal, Items, Task, Who};
use grease_graph::ItemId;
use grease_models::folder::Dataset;

use crate::{LookupError, Record, RequestError, SearchRequest, Subject, find_item, find_user};

/// Whose list, which items of it, and what of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Whose list, and within which limits.
    pub task: Task,
    /// Which items.
    pub items: Items,
    /// What of every item.
    pub goals: Vec<Goal>,
}

/// Why there is nothing to tell. In names, where rows would mean nothing to whoever asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AskedError {
    /// The item is never on the list.
    #[error("{item} is never recommended here: it is in the person's history, or excluded")]
    NeverListed {
        /// What it is called.
        item: String,
    },
    /// It was asked why an item is listed that is not.
    #[error("{item} is not in the top {k}: it has rank {rank}; ask why it is not, or for a longer list")]
    NotListed {
        /// What it is called.
        item: String,
        /// Where it stands.
        rank: usize,
        /// Length of the list.
        k: usize,
    },
    /// It was asked why an item is not listed that is.
    #[error("{item} is in the top {k} already: it has rank {rank}")]
    Listed {
        /// What it is called.
        item: String,
        /// Where it stands.
        rank: usize,
        /// Length of the list.
        k: usize,
    },
    /// Anything else.
    #[error(transparent)]
    Explain(ExplainError),
}

/// For whom: a user, or the history of somebody new.
pub fn find_who(data: &Dataset, user: Option<&str>, history: Option<&[String]>) -> Result<Who, RequestError> {
    match (user, history) {
        (Some(user), None) => Ok(Who::Known(find_user(&data.users, user)?)),
        (None, Some(history)) => Ok(Who::Newcomer(find_items(data, history)?)),
        _ => Err(RequestError::Nobody),
    }
}

/// Items by id or title.
pub fn find_items(data: &Dataset, names: &[String]) -> Result<Vec<ItemId>, LookupError> {
    names.iter().map(|name| find_item(&data.items, name)).collect()
}

impl Asked {
    /// The list of `who`, or these items of it.
    pub fn new(
        search: SearchRequest,
        who: Who,
        items: Option<&[String]>,
        data: &Dataset,
    ) -> Result<Self, RequestError> {
        let items = match items {
            Some(names) => Items::These(find_items(data, names)?),
            None => Items::List,
        };
        Ok(Self { task: search.task(who, data)?, items, goals: search.goals })
    }

    /// Explains, and joins the names of `subject`, whose recommender the explainer asks.
    pub fn records(
        &self,
        explainer: &Explainer,
        subject: &Subject,
        show_user_ids: bool,
    ) -> Result<Vec<Record>, AskedError> {
        let mut records = Vec::new();
        self.tell_each(explainer, subject, show_user_ids, &mut |record| records.push(record))?;
        Ok(records)
    }

    /// The same, each told as soon as it is found. What was told before an error is true all the same.
    pub fn tell_each(
        &self,
        explainer: &Explainer,
        subject: &Subject,
        show_user_ids: bool,
        tell: &mut dyn FnMut(Record),
    ) -> Result<(), AskedError> {
        let called = |item: ItemId| subject.data().items.name(item.0).to_owned();
        let names = subject.names(&self.task.who, &self.task.never_cite);
        let mut elsewhere = None;
        let told = explainer.explain_each(&self.task, &self.items, &self.goals, &mut |found| {
            elsewhere = found.iter().find_map(|explanation| self.stands_elsewhere(explanation, called));
            if elsewhere.is_some() {
                return ControlFlow::Break(());
            }
            found.iter().for_each(|explanation| tell(Record::new(explanation, &names, show_user_ids)));
            ControlFlow::Continue(())
        });
        told.map_err(|error| match error {
            ExplainError::NotACandidate(item) => AskedError::NeverListed { item: called(item) },
            error => AskedError::Explain(error),
        })?;
        elsewhere.map_or(Ok(()), Err)
    }

    /// An item that was named does not stand where the goal wants it.
    fn stands_elsewhere(
        &self,
        explanation: &Explanation,
        called: impl Fn(ItemId) -> String,
    ) -> Option<AskedError> {
        let (rank, k) = (explanation.rank_before, self.task.k);
        let is_listed = rank <= k;
        if self.items == Items::List || is_listed != (explanation.goal == Goal::WhyNot) {
            return None;
        }
        let item = called(explanation.item);
        Some(if is_listed {
            AskedError::Listed { item, rank, k }
        } else {
            AskedError::NotListed { item, rank, k }
        })
    }
}

#[cfg(test)]
mod tests {
    use grease_explain::Method;

    use super::*;
    use crate::subject::tests::subject;

    fn asked(items: &[&str], goal: Goal) -> Result<Vec<Record>, AskedError> {
        let (subject, names) = (subject(), items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>());
        let who = find_who(subject.data(), Some("mira"), None).unwrap();
        let search = SearchRequest { k: 5, goals: vec![goal], ..SearchRequest::default() };
        let asked = Asked::new(search, who, Some(&names), subject.data()).unwrap();
        asked.records(&Explainer::new(subject.shared(), Method::Grease), subject, false)
    }

    #[test]
    fn items_that_stand_elsewhere_are_refused_by_name() {
        let (data, recommender) = (subject().data(), subject().recommender());
        let who = find_who(data, Some("mira"), None).unwrap();
        let list = crate::recommend(recommender, &who, 9, &crate::Candidates::default()).unwrap();
        let [first, ninth] = [list[0].item, list[8].item].map(|item| data.items.id(item.0));
        assert_eq!(asked(&[first], Goal::Factual).unwrap().len(), 1);
        assert!(matches!(asked(&[first], Goal::WhyNot), Err(AskedError::Listed { rank: 1, k: 5, .. })));
        assert!(matches!(asked(&[ninth], Goal::Factual), Err(AskedError::NotListed { rank: 9, k: 5, .. })));
        let own = who.history(recommender.graph())[0];
        let never = asked(&[data.items.id(own)], Goal::Factual).unwrap_err().to_string();
        assert!(never.starts_with(data.items.name(own)), "{never}");
    }

    #[test]
    fn what_is_told_one_by_one_is_what_is_told_at_once() {
        let subject = subject();
        let who = find_who(subject.data(), Some("mira"), None).unwrap();
        let search = SearchRequest { k: 4, ..SearchRequest::default() };
        let asked = Asked::new(search, who, None, subject.data()).unwrap();
        let explainer = Explainer::new(subject.shared(), Method::Grease);
        let mut told = Vec::new();
        asked.tell_each(&explainer, subject, false, &mut |record| told.push(record)).unwrap();
        assert_eq!(told, asked.records(&explainer, subject, false).unwrap());
        assert_eq!(told.len(), 8);
    }

    #[test]
    fn somebody_is_a_user_or_a_history() {
        let data = subject().data();
        assert_eq!(find_who(data, None, None), Err(RequestError::Nobody));
        assert_eq!(find_who(data, Some("mira"), Some(&[])), Err(RequestError::Nobody));
        assert_eq!(find_who(data, None, Some(&[])), Ok(Who::Newcomer(Vec::new())));
    }
}
