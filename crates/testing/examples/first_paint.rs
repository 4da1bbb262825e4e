//! Milliseconds from asking for a page to the first paint of something, in a browser that has just started.
//!
//! `cargo run -p grease-testing --no-default-features --features browser --example first_paint -- URL`; `cargo xtask bench serve` runs it.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use grease_testing::browser::Browser;
use serde_json::json;

const PAINT: &str = "return new Promise((painted) => new PerformanceObserver((seen) =>
    seen.getEntriesByName('first-contentful-paint').forEach((one) => painted(one.startTime))
).observe({ type: 'paint', buffered: true }))";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let page = std::env::args().nth(1).ok_or("the address of a page is needed")?;
    let browser = Browser::start()?;
    browser.post("/url", &json!({ "url": page }))?;
    let painted = browser.script(PAINT, &json!([]))?;
    println!("{painted}");
    Ok(())
}
