//! What is answered where the question asked has no answer.

use grease_graph::Profile;
use serde::{Deserialize, Serialize};

use crate::find::Certificate;

/// A weaker question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Weaker {
    /// Going by the history alone, without what was learned about the person.
    HistoryAlone,
    /// With more edges than may be cited.
    Many,
    /// What is needed and what is enough, where no set is both.
    Parts,
}

/// The answer to a weaker question, checked as any other.
#[derive(Debug, Clone, PartialEq)]
pub struct Instead {
    pub question: Weaker,
    /// How the person's learned row was read.
    pub profile: Profile,
    certificate: Certificate,
    enough: Option<Certificate>,
}

impl Instead {
    pub(crate) fn new(question: Weaker, profile: Profile, certificate: Certificate) -> Self {
        Self { question, profile, certificate, enough: None }
    }

    /// What is needed, and what is enough.
    pub(crate) fn parts(needed: Certificate, enough: Certificate) -> Self {
        Self { question: Weaker::Parts, profile: Profile::Kept, certificate: needed, enough: Some(enough) }
    }

    /// What was checked; of the parts, what is needed.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Of the parts, what is enough.
    pub fn enough(&self) -> Option<&Certificate> {
        self.enough.as_ref()
    }
}
