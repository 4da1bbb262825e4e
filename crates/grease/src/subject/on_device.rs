//! A model of ours, asked on a device.

use std::sync::Arc;

use grease_cuda::{CardError, OnCard};

use super::{Source, Subject};
use crate::device::Opened;

impl Subject {
    /// The same, asked on a device: a card finds, and what it finds the processor checks.
    pub fn on(self, device: &Opened) -> Result<Self, CardError> {
        let (Some(card), Source::Folder(folder)) = (device.card(), &self.source) else { return Ok(self) };
        let model = &folder.model;
        let asked = OnCard::new(
            Arc::clone(card),
            Arc::clone(&self.recommender),
            model.architecture(),
            model.weights(),
        )?;
        Ok(self.asked_through(Arc::new(asked)))
    }
}
