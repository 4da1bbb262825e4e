//! Everything that is measured of one size.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use super::data::Size;
use super::questions::{Asker, Times};
use crate::bench::batch;
use crate::bench::serve::server::Server;
use crate::failure::Failure;

/// People whose first item is explained by more than their own interactions: that takes longer.
const TARGETS: usize = 3;

/// People of the smaller run of `grease batch`: what both runs have in common is no part of explaining.
const FEW: usize = 2;

/// Parts of names that are searched for.
const PARTS: [&str; 6] = ["har", "the ", "velvet", "nocturnal estuary", "q", "no such name"];

pub(super) fn of(grease: &Path, size: &Size, people: usize) -> Result<Value, Failure> {
    let users = size.ids("users.txt")?;
    let items = size.ids("items.txt")?.len();
    let asked: Vec<&str> = (0..people.min(users.len()))
        .map(|at| users[at * users.len() / people.min(users.len())].as_str())
        .collect();
    println!("{}: loading", size.name());
    let first = loaded(grease, size, asked[0])?.0;
    let (second, server) = loaded(grease, size, asked[0])?;
    println!("{}: asking", size.name());
    let mut asker = Asker::new(server.address);
    let [mut list, mut what_if, mut own, mut target, mut search] = <[Times; 5]>::default();
    for part in PARTS {
        // The first search folds all names.
        asker.search(part)?;
        search.add(asker.search(part)?);
    }
    for (at, user) in asked.iter().enumerate() {
        let (took, best) = asker.list(user)?;
        list.add(took);
        if let Some(gone) = asker.first_of(user)? {
            what_if.add(asker.what_if(user, &gone)?);
        }
        own.add(asker.explain(user, None)?);
        if at < TARGETS
            && let Some(best) = best
        {
            match asker.explain(user, Some(&best)) {
                Ok(took) => target.add(took),
                // Longer than anybody waits.
                Err(error) => println!("{}: scope target: {error}", size.name()),
            }
        }
    }
    let resident_after = server.resident_mb();
    drop(server);
    println!("{}: explaining many", size.name());
    let batch = many(grease, size, &asked)?;
    Ok(json!({
        "millions": size.millions, "users": users.len(), "items": items, "made": size.made(), "loads": [first, second],
        "resident_after_mb": resident_after, "list": list.figures(), "what_if": what_if.figures(), "own": own.figures(),
        "target": target.figures(), "search": search.figures(), "batch": batch,
    }))
}

/// A service, started: how long until it listens and until it has answered, and what it holds before.
fn loaded(grease: &Path, size: &Size, user: &str) -> Result<(Value, Server), Failure> {
    let began = Instant::now();
    let server = Server::start(grease, &size.model())?;
    let (listening, resident) = (began.elapsed().as_secs_f64(), server.resident_mb());
    Asker::new(server.address).list(user)?;
    let first_list = began.elapsed().as_secs_f64();
    Ok((json!({ "listening": listening, "first_list": first_list, "resident_mb": resident }), server))
}

/// Explanations a second of a long run: of many people, less what a few take.
fn many(grease: &Path, size: &Size, people: &[&str]) -> Result<Value, Failure> {
    let run = |people: &[&str]| {
        let file = size.file("people.txt");
        fs::write(&file, people.join("\n") + "\n").map_err(Failure::file(&file))?;
        let mut command = Command::new(grease);
        command.arg("batch").arg("--model").arg(size.model()).arg("--users").arg(&file);
        batch::timed(command.arg("--force").arg("--out").arg(size.file("why.parquet")))
    };
    let (few, all) = (run(&people[..FEW.min(people.len())])?, run(people)?);
    let (explanations, seconds) = (all.explanations - few.explanations, all.seconds - few.seconds);
    let a_second = (seconds > 0.0).then(|| explanations as f64 / seconds);
    Ok(json!({ "explanations_a_second": a_second, "seconds": all.seconds, "peak_mb": all.peak_mb }))
}
