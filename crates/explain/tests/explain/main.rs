//! Explanations from outside, each re-checked by somebody who knows nothing of how it was found.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail, and says what it skipped")]

mod anew;
mod audit;
mod certified;
mod determinism;
mod frozen;
mod given;
mod hostile;
mod importance;
mod limited;
mod minimal;
mod newcomers;
mod orders;
mod paper;
mod planted;
mod proved;
mod real_data;
mod reasons;
mod rigour;
mod scopes;
mod support;
mod together;
mod whole_lists;
mod why_not;
