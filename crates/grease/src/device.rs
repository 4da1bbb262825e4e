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
pub struct Opened<C = Arc<Card>> {
    card: Option<C>,
    said: String,
    /// Whether a card was hoped for, not asked for.
    hoped: bool,
    /// Why there is no card, where one was hoped for.
    why_not: Option<CardError>,
}

impl<C> fmt::Debug for Opened<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Opened").field(&self.said).finish()
    }
}

impl Opened {
    /// Where such a model is trained. A card that was named and cannot be used is an error; one that was only hoped for is a reason.
    pub fn to_train(device: Device, kind: Kind) -> Result<Self, CardError> {
        let able = kind != Kind::Frozen;
        Self::choose(device, (!able).then(|| format!("{kind} is not trained on cards")), open)
    }

    /// Whether cards answer about such a model sooner than the processor.
    pub fn is_asked(kind: Kind) -> bool {
        kind == Kind::Ngcf
    }

    /// Where such a model is asked about edited graphs.
    pub fn to_ask(device: Device, kind: Kind) -> Result<Self, CardError> {
        let unable =
            (!Self::is_asked(kind)).then(|| format!("{kind} is asked on the processor, which is quicker"));
        Self::choose(device, unable, open)
    }

    /// The card, unless it is the processor.
    pub(crate) fn card(&self) -> Option<&Arc<Card>> {
        self.card.as_ref()
    }
}

impl<C> Opened<C> {
    /// `unable` says why cards cannot do it; `open` gives one, and what it is called. No card is looked for in vain.
    fn choose(
        device: Device,
        unable: Option<String>,
        open: impl FnOnce(usize) -> Result<(C, String), CardError>,
    ) -> Result<Self, CardError> {
        let number = match device {
            Device::Cpu => {
                return Ok(Self { card: None, said: Device::Cpu.to_string(), hoped: false, why_not: None });
            }
            Device::Auto => 0,
            Device::Cuda(number) => number,
        };
        let opened = match unable {
            Some(why) => Err(CardError::Unable(why)),
            None => open(number),
        };
        match opened {
            Ok((card, name)) => {
                let said = format!("{} ({name})", Device::Cuda(number));
                Ok(Self { card: Some(card), said, hoped: device == Device::Auto, why_not: None })
            }
            Err(why) if device == Device::Auto => Ok(Self::without(why)),
            Err(why) => Err(why),
        }
    }

    /// The processor, because there is no card or the one there is could not do it.
    pub(crate) fn without(why: CardError) -> Self {
        Self { card: None, said: format!("{} ({why})", Device::Cpu), hoped: true, why_not: Some(why) }
    }

    /// The processor in its place, where the card was only hoped for and turns out to be too small; else the error.
    pub(crate) fn or_processor(&self, why: CardError) -> Result<Self, CardError> {
        match why {
            CardError::Memory { .. } if self.hoped => Ok(Self::without(why)),
            why => Err(why),
        }
    }

    /// Whether it is one.
    pub fn is_card(&self) -> bool {
        self.card.is_some()
    }

    /// What is worth a line where most have no card: the card that is used, or why one that is there is not.
    pub fn note(&self) -> Option<String> {
        let nobody_misses = match &self.why_not {
            None => self.card.is_none(),
            Some(CardError::NoDriver | CardError::Static | CardError::Unable(_)) => true,
            Some(CardError::NoCard { known, .. }) => *known == 0,
            Some(_) => false,
        };
        (!nobody_misses).then(|| format!("device: {self}"))
    }
}

/// As people are told: which device, and why not another.
impl<C> fmt::Display for Opened<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said)
    }
}

fn open(number: usize) -> Result<(Arc<Card>, String), CardError> {
    let card = Card::open(number)?;
    let name = card.name().to_owned();
    Ok((Arc::new(card), name))
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

    /// What is taken, told and noted on a machine whose cards open like this.
    fn told(
        device: Device,
        open: Result<&str, CardError>,
    ) -> Result<(bool, String, Option<String>), CardError> {
        let opened = Opened::choose(device, None, |number| open.map(|name| (number, name.to_owned())))?;
        assert!(opened.card.is_none_or(|number| device != Device::Auto || number == 0));
        Ok((opened.is_card(), opened.to_string(), opened.note()))
    }

    #[test]
    fn the_card_that_is_taken_is_told() {
        let card = |said: &str| Ok((true, said.to_owned(), Some(format!("device: {said}"))));
        assert_eq!(told(Device::Auto, Ok("NVIDIA H200")), card("cuda:0 (NVIDIA H200)"));
        assert_eq!(told(Device::Cuda(3), Ok("NVIDIA H200")), card("cuda:3 (NVIDIA H200)"));
    }

    #[test]
    fn a_card_that_is_too_small_is_left_where_it_was_only_hoped_for() {
        let small = CardError::Memory { needed: 900, free: 800 };
        let opened = |device| Opened::choose(device, None, |_| Ok(((), "NVIDIA H200".to_owned()))).unwrap();
        let here = opened(Device::Auto).or_processor(small.clone()).unwrap();
        assert_eq!((here.is_card(), here.to_string()), (false, format!("cpu ({small})")));
        assert_eq!(opened(Device::Cuda(0)).or_processor(small.clone()).unwrap_err(), small);
        let broken = CardError::Failed("unknown error".to_owned());
        assert_eq!(
            opened(Device::Auto).or_processor(broken.clone()).unwrap_err(),
            broken,
            "it may be everybody's"
        );
    }

    #[test]
    fn without_a_card_the_processor_is_taken_and_only_a_card_that_is_there_is_worth_a_line() {
        let none = [CardError::NoDriver, CardError::Static, CardError::NoCard { asked: 0, known: 0 }];
        for why in none {
            let said = format!("cpu ({why})");
            assert_eq!(told(Device::Auto, Err(why.clone())), Ok((false, said, None)));
            assert_eq!(told(Device::Cuda(0), Err(why.clone())), Err(why), "a card that was named is wanted");
        }
        let there = [
            CardError::Driver("no answer".to_owned()),
            CardError::OldDriver { speaks: (11, 4), needed: (12, 0) },
            CardError::Code("no such machine code".to_owned()),
            CardError::Memory { needed: 900, free: 800 },
            CardError::Failed("unknown error".to_owned()),
        ];
        for why in there {
            let said = format!("cpu ({why})");
            let note = Some(format!("device: {said}"));
            assert_eq!(told(Device::Auto, Err(why.clone())), Ok((false, said, note)));
            assert_eq!(told(Device::Cuda(0), Err(why.clone())), Err(why));
        }
    }

    #[test]
    fn no_card_is_looked_for_where_none_is_wanted() {
        let untouched = |_| -> Result<((), String), CardError> { panic!("nobody wants a card") };
        let cpu = Opened::choose(Device::Cpu, None, untouched).unwrap();
        assert_eq!((cpu.to_string(), cpu.note()), ("cpu".to_owned(), None));
        let unable = || Some("not on cards".to_owned());
        let auto = Opened::choose(Device::Auto, unable(), untouched).unwrap();
        assert_eq!((auto.to_string(), auto.note()), ("cpu (not on cards)".to_owned(), None));
        let named = Opened::choose(Device::Cuda(0), unable(), untouched).unwrap_err();
        assert_eq!(named, CardError::Unable("not on cards".to_owned()));
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
