//! What can be said about the kernels for cards where there is none: they compile, for every card, and what is shipped is they.

use std::fs;

use super::counts::Counts;
use super::{heading, is_ci, without_python};
use crate::cuda::{Compiled, Compiler, SHIPPED};
use crate::failure::Failure;
use crate::process;

/// Bytes a kernel may write to memory and read back for want of registers. The assembler itself spares a few so that more threads run
/// side by side; an array that does not fit is hundreds.
const SPILLED: u64 = 128;

pub(super) fn step(counts: &mut Counts) -> Result<(), Failure> {
    if !Compiler::is_possible() && !is_ci() {
        heading("cuda: skipped");
        println!("skipped: PyPI has NVRTC for Linux alone");
        counts.skipped += 1;
        return Ok(());
    }
    if without_python("cuda", "compile the kernels for cards", counts) {
        return Ok(());
    }
    heading("cuda (NVRTC)");
    let compiler = Compiler::new()?;
    let path = process::workspace_root().join(SHIPPED);
    let shipped = fs::read_to_string(&path).map_err(Failure::file(&path))?;
    let mut failures = Vec::from_iter(stale(&shipped, &compiler.ptx()?));
    let cards = compiler.cards()?;
    failures.extend(cards.iter().filter_map(spills));
    for card in &cards {
        println!(
            "sm_{}: {} kernels in {:.1} s, at most {} registers a thread and {} bytes spilled",
            card.architecture,
            card.kernels.len(),
            card.seconds,
            card.most_registers(),
            card.most_spilled()
        );
    }
    // The shipped kernels are a test, and so is each sort of card.
    counts.failed += failures.len() as u64;
    counts.passed += (1 + cards.len() - failures.len()) as u64;
    if failures.is_empty() { Ok(()) } else { Err(Failure::work(failures.join("\n"))) }
}

/// Why what is shipped is not what would be made now. NVRTC names registers and orders instructions as memory happens to lie, so two
/// runs of it may differ there, and there alone.
fn stale(shipped: &str, made: &str) -> Option<String> {
    let same = told(shipped).eq(told(made));
    (!same).then(|| format!("{SHIPPED} is not what its source makes: run `cargo xtask cuda`"))
}

/// What PTX says of itself (the hash of its source, who made it, for whom), and its kernels with what they are given.
fn told(ptx: &str) -> impl Iterator<Item = &str> {
    const TOLD: [&str; 5] = ["//", ".version", ".target", ".visible .entry", ".param"];
    ptx.lines().map(str::trim).filter(|line| TOLD.iter().any(|begins| line.starts_with(begins)))
}

fn spills(card: &Compiled) -> Option<String> {
    let names: Vec<_> = card.spilling(SPILLED).collect();
    (!names.is_empty()).then(|| {
        format!(
            "on sm_{} these kernels need far more registers than they have: {}",
            card.architecture,
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::Resources;

    #[test]
    fn what_another_source_made_is_stale_and_other_registers_are_not() {
        let ptx = |hash: &str, given: &str, register: u32| {
            format!(
                "// SHA-256 of the source: {hash}\n.visible .entry learn(\n\t.param {given},\n)\n\tmov.u32 %r{register}, 1;\n"
            )
        };
        let shipped = ptx("aa", ".u64 learn_param_0", 2);
        assert_eq!(stale(&shipped, &ptx("aa", ".u64 learn_param_0", 3)), None);
        for other in [ptx("bb", ".u64 learn_param_0", 2), ptx("aa", ".u32 learn_param_0", 2)] {
            assert!(stale(&shipped, &other).unwrap().contains("cargo xtask cuda"));
        }
    }

    #[test]
    fn a_kernel_that_spills_is_named_with_its_card() {
        let card = |spilled| Compiled {
            architecture: 86,
            seconds: 1.0,
            kernels: [("learn_8".to_owned(), Resources { registers: 255, spilled })].into(),
        };
        assert_eq!(spills(&card(SPILLED)), None);
        let said = spills(&card(SPILLED + 8)).unwrap();
        assert!(said.contains("sm_86") && said.contains("learn_8"), "{said}");
    }
}
