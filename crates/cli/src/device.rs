//! Where a model is asked: `--device` of the verbs that ask about many edits.

use clap::Args;
use grease::Device;

use crate::failure::Failure;

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DeviceArguments {
    /// Where the model is asked: auto (a card, if there is one and it is quicker), cpu, cuda or cuda:N; what a card finds is checked on
    /// the processor
    #[arg(long, hide_short_help = true, value_name = "DEVICE", default_value = "auto", help_heading = None)]
    pub(crate) device: Device,
}

/// Before an oracle is begun with: no card of ours makes it any quicker.
pub(crate) fn refuse_with_oracle(device: Device) -> Result<(), Failure> {
    match device {
        Device::Auto | Device::Cpu => Ok(()),
        Device::Cuda(_) => {
            Err(Failure::usage(format_args!("an oracle answers wherever it runs: not on {device}"))
                .help("leave out --device"))
        }
    }
}
