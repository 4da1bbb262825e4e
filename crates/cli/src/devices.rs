//! `grease devices`

use std::io::{self, Write};

use clap::Args;
use grease::DescribedDevice;

use crate::failure::{Code, Failure};
use crate::output::{Format, Output, plain};

/// List the devices that work can be done on, and why one cannot be used
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease devices
  grease train --interactions ratings.csv --device cuda:1 --out model

A card is usable if it takes the kernels: compiled on this machine, where NVRTC is found, or as they
came with the program; the environment variable GREASE_CUDA_CODE (cubin or ptx) allows only one of
the two. docs/cuda.md says what cards do, and what they need.")]
pub(crate) struct DevicesArguments {
    /// text or json
    #[arg(long, value_enum, value_name = "FORM", default_value_t, hide_possible_values = true)]
    format: Format,
}

pub(crate) fn run(arguments: &DevicesArguments, output: &Output) -> Result<Code, Failure> {
    let all = DescribedDevice::all();
    match arguments.format {
        Format::Text => output.results(|out| write_text(out, &all))?,
        Format::Json => output.json(&all)?,
    }
    Ok(Code::Done)
}

fn write_text(out: &mut dyn Write, all: &[DescribedDevice]) -> io::Result<()> {
    for one in all {
        let code = one.code.map(|code| match code {
            "compiled" => "kernels compiled here".to_owned(),
            code => format!("kernels {code}"),
        });
        let known = [
            one.name.as_deref().map(plain),
            one.memory.map(|bytes| format!("{} GB", bytes / 1_000_000_000)),
            one.capability.as_ref().map(|capability| format!("capability {capability}")),
            one.cuda.as_ref().map(|cuda| format!("driver of CUDA {cuda}")),
            code,
        ];
        let known = known.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let why = one.why.as_ref().map(|why| format!("not usable: {}", plain(why)));
        let said: Vec<String> =
            [Some(known).filter(|known| !known.is_empty()), why].into_iter().flatten().collect();
        writeln!(out, "{:<7} {}", one.device, said.join("; "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(device: &str, code: Option<&'static str>, why: Option<&str>) -> DescribedDevice {
        DescribedDevice {
            device: device.to_owned(),
            name: Some("NVIDIA H200".to_owned()),
            usable: why.is_none(),
            why: why.map(str::to_owned),
            memory: Some(150_754_820_096),
            capability: Some("9.0".to_owned()),
            cuda: Some("12.8".to_owned()),
            code,
        }
    }

    #[test]
    fn every_device_has_a_line() {
        let nothing = DescribedDevice {
            name: None,
            memory: None,
            capability: None,
            cuda: None,
            ..card("cuda", None, Some("no CUDA driver (libcuda) was found"))
        };
        let all = [
            card("cuda:0", Some("compiled"), None),
            card("cuda:1", Some("shipped"), None),
            card("cuda:2", None, Some("the card does not take the kernels: PTX is too new")),
            nothing,
        ];
        let mut out = Vec::new();
        write_text(&mut out, &all).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @"
        cuda:0  NVIDIA H200, 150 GB, capability 9.0, driver of CUDA 12.8, kernels compiled here
        cuda:1  NVIDIA H200, 150 GB, capability 9.0, driver of CUDA 12.8, kernels shipped
        cuda:2  NVIDIA H200, 150 GB, capability 9.0, driver of CUDA 12.8; not usable: the card does not take the kernels: PTX is too new
        cuda    not usable: no CUDA driver (libcuda) was found
        ");
    }
}
