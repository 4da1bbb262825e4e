//! What is known about a person and their list, and asking the recommender for more.

mod alike;
mod close;
mod ledger;
mod likeness;
mod looking;
mod person;
mod rules;
mod standing;

pub use rules::{Change, Cited, Evicted};

pub(crate) use alike::{MOST_PEOPLE, people_of};
pub(crate) use ledger::{Answer, AnswerId, Ledger};
pub(crate) use likeness::Likeness;
pub(crate) use person::Person;
pub(crate) use rules::Rules;
pub(crate) use standing::Standing;
