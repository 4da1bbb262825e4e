//! Where work is done: on this processor, or on a card.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use grease_cuda::{Card, CardError};
use grease_models::Kind;

/// Where work is to be done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Device {
    /// On the first card that can be used, else on the processor.
    #[default]
    Auto,
    /// On the processor.
    Cpu,
    /// On this card, or not at all.
    Cuda(usize),
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => {
                let number = text.strip_prefix("cuda:").and_then(|number| number.parse().ok());
                number
                    .map(Self::Cuda)
                    .ok_or_else(|| format!("`{text}` is no device; known are auto, cpu, cuda and cuda:N"))
            }
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

/// A device that is ready, and why it is this one.
#[derive(Clone)]
pub struct Opened {
    card: Option<Arc<Card>>,
    said: String,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Opened").field(&self.said).finish()
    }
}

impl Opened {
    /// Where such a model is trained. A card that was named and cannot be used is an error; one that was only hoped for is a reason.
    pub fn to_train(device: Device, kind: Kind) -> Result<Self, CardError> {
        let here = |why: &str| Self { card: None, said: format!("cpu{why}") };
        let able = kind != Kind::Frozen;
        match device {
            Device::Cpu => Ok(here("")),
            Device::Auto if !able => Ok(here(&format!(" ({kind} is not trained on cards)"))),
            Device::Auto => Ok(Self::on(0).unwrap_or_else(|why| here(&format!(" ({why})")))),
            Device::Cuda(_) if !able => Err(CardError::Unable(format!("{kind} is not trained on cards"))),
            Device::Cuda(number) => Self::on(number),
        }
    }

    /// Where such a model is asked about edited graphs.
    pub fn to_ask(device: Device, kind: Kind) -> Result<Self, CardError> {
        let here = |why: &str| Self { card: None, said: format!("cpu{why}") };
        let able = kind == Kind::Ngcf;
        match device {
            Device::Cpu => Ok(here("")),
            Device::Auto if !able => Ok(here("")),
            Device::Auto => Ok(Self::on(0).unwrap_or_else(|why| here(&format!(" ({why})")))),
            Device::Cuda(_) if !able => {
                Err(CardError::Unable(format!("{kind} is asked on the processor, which is quicker")))
            }
            Device::Cuda(number) => Self::on(number),
        }
    }

    fn on(number: usize) -> Result<Self, CardError> {
        let card = Card::open(number)?;
        let said = format!("cuda:{number} ({})", card.name());
        Ok(Self { card: Some(Arc::new(card)), said })
    }

    /// The card, unless it is the processor.
    pub(crate) fn card(&self) -> Option<&Arc<Card>> {
        self.card.as_ref()
    }
}

/// As people are told: which device, and why not another.
impl fmt::Display for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said)
    }
}

/// Whether a card takes the kernels.
pub fn try_card(number: usize) -> Result<(), CardError> {
    Card::open(number).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_as_they_are_told() {
        for (text, device) in [("auto", Device::Auto), ("cpu", Device::Cpu), ("cuda:3", Device::Cuda(3))] {
            assert_eq!(text.parse(), Ok(device));
            assert_eq!(device.to_string(), text);
        }
        assert_eq!("cuda".parse(), Ok(Device::Cuda(0)));
        for wrong in ["", "gpu", "cuda:", "cuda:x", "cuda:-1"] {
            assert!(wrong.parse::<Device>().unwrap_err().contains("known are auto, cpu, cuda and cuda:N"));
        }
    }

    #[test]
    fn what_a_card_cannot_do_the_processor_does_unless_the_card_was_named() {
        let opened = Opened::to_train(Device::Auto, Kind::Frozen).unwrap();
        assert!(opened.card().is_none() && opened.to_string() == "cpu (frozen is not trained on cards)");
        assert!(Opened::to_train(Device::Cuda(0), Kind::Frozen).is_err());
        assert_eq!(Opened::to_train(Device::Cpu, Kind::LightGcn).unwrap().to_string(), "cpu");
        assert!(Opened::to_train(Device::Cuda(4711), Kind::LightGcn).is_err(), "no machine has so many");
    }
}
