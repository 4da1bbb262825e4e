//! The page in a real browser, before a real server. `cargo xtask test` runs these; they need Chromium and chromedriver.
//!
//! Pictures of what was seen are left in `target/page`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests and their helpers")]

mod driver;
mod fixture;
mod page;

mod asking;
mod both;
mod hostile;
mod imagining;
mod reach;
mod trouble;
