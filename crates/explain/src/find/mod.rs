//! From where to look to a set of edges that holds on the recommender itself.

mod branches;
mod certify;
mod effects;
mod foretold;
mod guided;
mod prefix;
mod prove;
mod prune;
mod rivals;
mod search;
mod sizes;
mod together;
mod turnover;
mod walk;

pub use certify::Certificate;

pub(crate) use certify::{Certifier, Checked, certify};
pub(crate) use effects::{Effects, margin_among};
pub(crate) use guided::FAR;
pub(crate) use prefix::until_it_does;
pub(crate) use prove::prove;
pub(crate) use prune::{prune, thinned};
pub(crate) use search::{Ending, Found, Proposal, Search, Stop};
pub(crate) use sizes::larger;
pub(crate) use together::Both;
pub(crate) use turnover::Turnover;
