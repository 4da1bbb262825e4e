//! What devices there are, described: for `grease devices` and its like.

use grease_cuda::{Card, CardError, Code, Device as Found, devices};
use serde::Serialize;

use crate::device::Device;

/// A device, or why there is none of its sort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedDevice {
    /// As it is chosen: `cpu`, `cuda:0`; `cuda` where there is no card.
    pub device: String,
    /// As its maker calls it; the number of threads of a processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub usable: bool,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Bytes, of a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<usize>,
    /// What a card's processors can do, as `9.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The newest CUDA a card's driver speaks, as `12.8`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// How the kernels come to a card: `compiled` on this machine, or `shipped` with the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
}

impl DescribedDevice {
    /// All of this machine. Cards are opened to see whether they take the kernels.
    pub fn all() -> Vec<Self> {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        Self::of(threads, devices(), |number| Card::open(number).map(|card| card.code()))
    }

    fn of(
        threads: usize,
        cards: Result<Vec<Found>, CardError>,
        open: impl Fn(usize) -> Result<Code, CardError>,
    ) -> Vec<Self> {
        let mut all = vec![Self {
            name: Some(grease_graph::counted(threads, "thread")),
            usable: true,
            ..Self::nothing(Device::Cpu.to_string())
        }];
        let none = |why: String| Self { why: Some(why), ..Self::nothing("cuda".to_owned()) };
        match cards {
            Ok(cards) if cards.is_empty() => all.push(none("the driver knows no card".to_owned())),
            Ok(cards) => all.extend(cards.into_iter().map(|card| Self::card(card, &open))),
            Err(why) => all.push(none(why.to_string())),
        }
        all
    }

    fn card(card: Found, open: &impl Fn(usize) -> Result<Code, CardError>) -> Self {
        let dotted = |(major, minor): (i32, i32)| Some(format!("{major}.{minor}"));
        let opened = open(card.number);
        Self {
            name: Some(card.name),
            usable: opened.is_ok(),
            memory: Some(card.memory),
            capability: dotted(card.capability),
            cuda: dotted(card.driver),
            code: opened.as_ref().ok().map(|code| match code {
                Code::Compiled => "compiled",
                Code::Shipped => "shipped",
            }),
            why: opened.err().map(|why| why.to_string()),
            ..Self::nothing(Device::Cuda(card.number).to_string())
        }
    }

    fn nothing(device: String) -> Self {
        Self {
            device,
            name: None,
            usable: false,
            why: None,
            memory: None,
            capability: None,
            cuda: None,
            code: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(cards: Result<Vec<Found>, CardError>) -> String {
        let open = |number| match number {
            0 => Ok(Code::Compiled),
            1 => Ok(Code::Shipped),
            _ => Err(CardError::Code("PTX is too new".to_owned())),
        };
        let all = DescribedDevice::of(16, cards, open);
        let lines = all.iter().map(|one| serde_json::to_string(one).unwrap());
        lines.collect::<Vec<_>>().join("\n")
    }

    fn found(number: usize) -> Found {
        let name = "NVIDIA H200".to_owned();
        Found { number, name, memory: 150_000_000_000, capability: (9, 0), driver: (12, 8) }
    }

    #[test]
    fn every_card_says_how_it_is_used_or_why_not() {
        insta::assert_snapshot!(lines(Ok((0..3).map(found).collect())), @r#"
        {"device":"cpu","name":"16 threads","usable":true}
        {"device":"cuda:0","name":"NVIDIA H200","usable":true,"memory":150000000000,"capability":"9.0","cuda":"12.8","code":"compiled"}
        {"device":"cuda:1","name":"NVIDIA H200","usable":true,"memory":150000000000,"capability":"9.0","cuda":"12.8","code":"shipped"}
        {"device":"cuda:2","name":"NVIDIA H200","usable":false,"why":"the card does not take the kernels: PTX is too new","memory":150000000000,"capability":"9.0","cuda":"12.8"}
        "#);
    }

    #[test]
    fn without_cards_there_is_a_reason() {
        insta::assert_snapshot!(lines(Ok(Vec::new())), @r#"
        {"device":"cpu","name":"16 threads","usable":true}
        {"device":"cuda","usable":false,"why":"the driver knows no card"}
        "#);
        insta::assert_snapshot!(lines(Err(CardError::NoDriver)), @r#"
        {"device":"cpu","name":"16 threads","usable":true}
        {"device":"cuda","usable":false,"why":"no CUDA driver (libcuda) was found"}
        "#);
    }
}
