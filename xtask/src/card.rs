//! A card of this machine, as a verb is told which: `cuda` or `cuda:N`.

use std::fmt;
use std::process::Command;
use std::str::FromStr;

use crate::process;

/// By its number, counted as nvidia-smi counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Card(u32);

impl FromStr for Card {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = match text {
            "cuda" => Some(0),
            _ => text.strip_prefix("cuda:").and_then(|number| number.parse().ok()),
        };
        number.map(Self).ok_or_else(|| format!("`{text}` is no card; known are cuda and cuda:N"))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cuda:{}", self.0)
    }
}

impl Card {
    /// Lets a program see this card alone: there it is the first.
    pub(crate) fn alone(self, command: &mut Command) -> &mut Command {
        command.env("CUDA_DEVICE_ORDER", "PCI_BUS_ID").env("CUDA_VISIBLE_DEVICES", self.0.to_string())
    }

    /// What a figure or an outcome is of: card, driver and commit, a line each.
    pub(crate) fn described(self) -> String {
        let [name, driver] = ["name", "driver_version"].map(|what| self.asked(what));
        format!("card    {self}, {name}\ndriver  {driver}\ncommit  {}\n", commit())
    }

    /// What the driver's own program says.
    fn asked(self, what: &str) -> String {
        let mut command = Command::new("nvidia-smi");
        command
            .arg(format!("--query-gpu={what}"))
            .args(["--format=csv,noheader", "--id"])
            .arg(self.0.to_string());
        said(&mut command).unwrap_or_else(|| "not known: nvidia-smi does not say".to_owned())
    }
}

/// The commit that is checked out, and whether something was changed since.
fn commit() -> String {
    let mut git = Command::new("git");
    git.current_dir(process::workspace_root()).args([
        "describe",
        "--always",
        "--abbrev=12",
        "--dirty",
        "--exclude=*",
    ]);
    said(&mut git).unwrap_or_else(|| "not known: this is no checkout".to_owned())
}

/// What a program prints, if it does its work.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_a_number() {
        assert_eq!("cuda".parse(), Ok(Card(0)));
        assert_eq!("cuda:3".parse(), Ok(Card(3)));
        for wrong in ["", "cpu", "auto", "cuda:", "cuda:-1", "3"] {
            assert!(wrong.parse::<Card>().unwrap_err().contains("cuda:N"), "{wrong}");
        }
    }

    #[test]
    fn a_program_sees_one_card() {
        let mut command = Command::new("true");
        Card(2).alone(&mut command);
        let told: Vec<_> = command.get_envs().filter_map(|(name, value)| Some((name, value?))).collect();
        assert!(told.contains(&("CUDA_VISIBLE_DEVICES".as_ref(), "2".as_ref())), "{told:?}");
    }

    #[test]
    fn what_is_not_known_is_said_to_be() {
        let said = Card(4711).described();
        assert_eq!(said.lines().count(), 3, "{said}");
        assert!(said.contains("cuda:4711"), "{said}");
    }
}
