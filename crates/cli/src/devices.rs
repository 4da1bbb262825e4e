//! `grease devices`

use std::io::Write as _;

use clap::Args;
use grease::{Card, CardError, devices};

use crate::failure::{Code, Failure};
use crate::output::{Format, Output};

/// List the devices that work can be done on, and why one cannot be used
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease devices
  grease train --interactions ratings.csv --device cuda:1 --out model")]
pub(crate) struct DevicesArguments {
    /// text or json
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    format: Format,
}

/// What is said of a device.
#[derive(serde::Serialize)]
struct Said {
    device: String,
    name: String,
    usable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(crate) fn run(arguments: &DevicesArguments, output: &Output) -> Result<Code, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let mut all = vec![Said {
        device: "cpu".to_owned(),
        name: format!("{cores} threads"),
        usable: true,
        memory: None,
        why: None,
    }];
    match devices() {
        Ok(cards) if cards.is_empty() => all.push(none("the driver knows no card".to_owned())),
        Ok(cards) => all.extend(cards.into_iter().map(card)),
        Err(why) => all.push(none(why.to_string())),
    }
    if arguments.format == Format::Json {
        output.json(&all)?;
        return Ok(Code::Done);
    }
    output.results(|out| {
        all.iter().try_for_each(|said| {
            let memory = said.memory.map_or(String::new(), |bytes| format!(", {} GB", bytes / 1_000_000_000));
            let why = said.why.as_ref().map_or(String::new(), |why| format!("not usable: {why}"));
            writeln!(out, "{:<8}{}{memory}{why}", said.device, said.name)
        })
    })?;
    Ok(Code::Done)
}

fn none(why: String) -> Said {
    Said { device: "cuda".to_owned(), name: String::new(), usable: false, memory: None, why: Some(why) }
}

/// A card is usable if it takes the kernels.
fn card(card: Card) -> Said {
    let opened: Result<(), CardError> = grease::try_card(card.number);
    Said {
        device: format!("cuda:{}", card.number),
        name: card.name,
        usable: opened.is_ok(),
        memory: Some(card.memory),
        why: opened.err().map(|why| why.to_string()),
    }
}
