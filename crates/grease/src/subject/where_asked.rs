//! Where a subject is asked: as somebody wished, as far as it can be had.

use std::sync::Arc;

use grease_cuda::CardError;

use super::Subject;
use crate::device::{Device, Opened};

impl Subject {
    /// The same, asked where `device` says, and what that came to. A card that was named and cannot be used is an error; one that was
    /// only hoped for is left, also where it turns out too small for the model.
    pub fn asked_on(self, device: Device) -> Result<(Self, Opened), CardError> {
        let Some(folder) = self.folder() else {
            let why = || CardError::Unable("somebody else's recommender answers wherever it runs".to_owned());
            return match device {
                Device::Cuda(_) => Err(why()),
                Device::Auto | Device::Cpu => Ok((self, Opened::without(why()))),
            };
        };
        let opened = Opened::to_ask(device, folder.manifest.kind)?;
        let here = self.asked_through(Arc::clone(&self.recommender));
        match self.on(&opened) {
            Ok(there) => Ok((there, opened)),
            Err(why) if device == Device::Auto => Ok((here, Opened::without(why))),
            Err(why) => Err(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::{SampleOptions, sample};
    use grease_models::train::TrainOptions;

    use super::*;
    use crate::{TrainRequest, prepare};

    fn model() -> Subject {
        let folder = tempfile::tempdir().unwrap();
        let data = sample(&SampleOptions { users: 30, artists: 24, ..SampleOptions::default() }).interactions;
        let options = TrainOptions { epochs: 1, dim: 8, ..TrainOptions::default() };
        let data = prepare(&data, 0.8, options.seed, None);
        let (model, _) = TrainRequest::new(data, options, &folder.path().join("model")).run(&mut ()).unwrap();
        model.into()
    }

    #[test]
    fn a_wish_is_followed_as_far_as_it_can_be() {
        let identity = model().identity();
        for device in [Device::Auto, Device::Cpu] {
            let (asked, opened) = model().asked_on(device).unwrap();
            assert!(opened.card().is_none() && opened.note().is_none(), "{opened}");
            assert_eq!(asked.identity(), identity);
        }
        assert!(model().asked_on(Device::Cuda(0)).is_err(), "nobody asks a LightGCN on a card");
    }

    #[test]
    fn somebody_elses_recommender_is_asked_where_it_is() {
        let foreign = || {
            let subject = model();
            Subject::foreign(subject.data().clone(), Arc::clone(subject.recommender()), "oracle", [])
        };
        let (_, opened) = foreign().asked_on(Device::Auto).unwrap();
        assert_eq!(opened.note(), None);
        let refused = foreign().asked_on(Device::Cuda(0)).unwrap_err().to_string();
        assert_eq!(refused, "somebody else's recommender answers wherever it runs");
    }
}
