//! `cargo xtask bench serve`: `grease serve` under load from another process.

mod browser;
pub(super) mod client;
mod figures;
mod load;
mod overload;
mod people;
pub(super) mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use serde_json::{Value, json};

use self::client::Client;
use self::figures::{Bar, Figure};
use self::load::{Outcome, Pace, load, percentile};
use self::people::People;
use self::server::Server;
use super::against::{Against, Comparison, Work};
use super::{grease, load_average};
use crate::args::{Chosen, count, one_or_all};
use crate::failure::Failure;

/// Time the HTTP service under load: latencies, overload, memory, the page
///
/// Starts the release build of `grease serve` as a process of its own and asks it over loopback, on connections that are kept. Both share
/// the machine's processor; what each used of it is said. Every part ends by itself; all together take about six minutes.
///
/// In an open loop requests are due at fixed times and a latency counts from when its request was due, so that a server that stalls is
/// charged for it. The table is also written to target/bench/serve.md and, with every figure, to serve.json there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A model folder, say LightGCN on LastFM
    #[arg(long, value_name = "DIR", required_unless_present = "against")]
    model: Option<PathBuf>,
    /// One part
    #[arg(long, value_name = "PART", default_value = "all", value_parser = one_or_all::<Part>())]
    only: Chosen<Part>,
    /// This build of grease, in place of building the one that is here: to compare
    #[arg(long, value_name = "FILE")]
    grease: Option<PathBuf>,
    /// How long each load lasts, in place of its own time: for a quick look, not for bars
    #[arg(long, value_name = "N", value_parser = count())]
    seconds: Option<u32>,
    #[command(flatten)]
    against: Against,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// 50 a second, open loop, 20 s: a random person, a random item of theirs imagined away
    WhatIf,
    /// As many as are answered on 4 connections, 10 s: everybody in random order
    Recommendations,
    /// One at a time, 200 people: the first item of their list, own scope; then their whole list
    Explanations,
    /// 40 % lists, 30 % what-ifs and 30 % own-scope explanations of one item, never asked before: 10 s as fast as 8 connections are
    /// answered, then 60 s at twice that rate, then until it has recovered
    Overload,
    /// The bytes of all that / loads, and the first contentful paint in headless Chromium after a cold start
    Page,
}

/// What is measured, and for how long.
struct Bench {
    grease: PathBuf,
    model: PathBuf,
    people: People,
    seconds: Option<u32>,
}

impl Bench {
    fn start(&self) -> Result<Server, Failure> {
        Server::start(&self.grease, &self.model)
    }

    /// How long a load lasts that usually lasts so many seconds.
    fn lasting(&self, usually: u32) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(usually).into())
    }
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    if let Some(comparison) = options.against.asked(options.grease.as_deref(), options.model.as_deref())? {
        return compare(&comparison);
    }
    let model = options.model.as_deref().ok_or_else(|| Failure::usage("say which model by --model"))?;
    let model = fs::canonicalize(model).map_err(Failure::file(model))?;
    let people = People::of(&model)?;
    let bench = Bench { grease: grease(options.grease.as_deref())?, model, people, seconds: options.seconds };
    let before = load_average();
    if let Some(busy) = before.filter(|busy| *busy > 0.5) {
        println!("the machine is not idle: its load average is {busy}");
    }
    let mut figures = Vec::new();
    for part in &options.only.0 {
        figures.extend(match part {
            Part::WhatIf => what_if(&bench)?,
            Part::Recommendations => recommendations(&bench)?,
            Part::Explanations => explanations(&bench)?,
            Part::Overload => overload::measure(&bench)?,
            Part::Page => browser::measure(&bench)?,
        });
    }
    let mut rows: Vec<Value> = figures.iter().map(Figure::json).collect();
    rows.push(json!({ "what": "load average before", "value": before }));
    super::publish("serve", &figures::text(&figures), &rows)
}

/// One client that asks one after the other, never the same twice; a server anew for each turn, so that it remembers nothing.
fn compare(comparison: &Comparison<'_>) -> Result<(), Failure> {
    let people = People::of(&comparison.model)?;
    let asking = |what: &str, number: u64, request: fn(&People, u64) -> Vec<u8>| -> Work<'_> {
        let people = &people;
        let turn = move |grease: &Path| {
            let server = Server::start(grease, &comparison.model)?;
            let took = one_at_a_time(&mut Client::new(server.address), number, |at| request(people, at))?;
            Ok(took.iter().sum::<f64>() / 1e3)
        };
        (format!("{what}, {number}"), Box::new(turn))
    };
    let works = [
        // Whose turn comes again gets a longer list.
        asking("lists", 10_000, |people, at| people.list(at, 10 + at / people.len() as u64)),
        asking("what-ifs", 3000, People::what_if),
        asking("explanations of a list", 100, |people, at| people.explain_list(at, at)),
    ];
    comparison.run("serve", &works)
}

fn what_if(bench: &Bench) -> Result<Vec<Figure>, Failure> {
    const A_SECOND: f64 = 50.0;
    let server = bench.start()?;
    let outcome =
        load(&server, 16, Pace::Open(A_SECOND), bench.lasting(20), |number| bench.people.what_if(number));
    all_answered("what-if", &outcome)?;
    println!("what-if: {} answers, {}", outcome.answers.len(), outcome.cpu_text());
    let took = outcome.latencies();
    let figure = |part| percentile(&took, part);
    Ok(vec![
        Figure::plain("what-if, 50 a second, p50", figure(0.5), "ms"),
        Figure::plain("what-if, 50 a second, p95", figure(0.95), "ms"),
        Figure::held("what-if, 50 a second, p99", figure(0.99), "ms", Bar::Under, 50.0),
    ])
}

fn recommendations(bench: &Bench) -> Result<Vec<Figure>, Failure> {
    let server = bench.start()?;
    let ask = |number| bench.people.recommendations(number);
    let outcome = load(&server, 4, Pace::Closed, bench.lasting(10), ask);
    all_answered("recommendations", &outcome)?;
    println!("recommendations: {} answers, {}", outcome.answers.len(), outcome.cpu_text());
    let took = outcome.latencies();
    Ok(vec![
        Figure::held("recommendations", outcome.rate().round(), "a second", Bar::AtLeast, 2000.0),
        Figure::plain("recommendations, p99", percentile(&took, 0.99), "ms"),
    ])
}

/// One at a time, so that nothing but the explanation itself is timed.
fn explanations(bench: &Bench) -> Result<Vec<Figure>, Failure> {
    const PEOPLE: u64 = 200;
    let server = bench.start()?;
    let people = &bench.people;
    let ids = PEOPLE.min(people.len() as u64);
    let mut firsts = Vec::new();
    let mut client = Client::new(server.address);
    for person in 0..ids {
        firsts.push(first_of_list(&mut client, people, person)?);
    }
    let one = |person: u64| people.explain_item(person, &firsts[person as usize], 0);
    let item = one_at_a_time(&mut client, ids, one)?;
    let list = one_at_a_time(&mut client, ids, |person| people.explain_list(person, 0))?;
    Ok(vec![
        Figure::plain("explanation of an item, p50", percentile(&item, 0.5), "ms"),
        Figure::held("explanation of an item, p95", percentile(&item, 0.95), "ms", Bar::Under, 150.0),
        Figure::plain("explanation of an item, p99", percentile(&item, 0.99), "ms"),
        Figure::plain("explanation of a list of 10, p50", percentile(&list, 0.5), "ms"),
        Figure::plain("explanation of a list of 10, p95", percentile(&list, 0.95), "ms"),
    ])
}

/// Milliseconds of each request, ascending.
fn one_at_a_time(
    client: &mut Client,
    requests: u64,
    request: impl Fn(u64) -> Vec<u8>,
) -> Result<Vec<f64>, Failure> {
    let mut took = Vec::new();
    for number in 0..requests {
        let request = request(number);
        let began = Instant::now();
        let (status, body) = client.ask(&request).map_err(|error| broken("a request", &error))?;
        took.push(began.elapsed().as_secs_f64() * 1e3);
        if status != 200 {
            return Err(Failure::work(format!("a request: {status} {}", String::from_utf8_lossy(body))));
        }
    }
    took.sort_by(f64::total_cmp);
    Ok(took)
}

/// The item at the head of somebody's list.
fn first_of_list(client: &mut Client, people: &People, person: u64) -> Result<String, Failure> {
    let asked = client.ask(&people.recommendations(person));
    let (status, body) = asked.map_err(|error| broken("recommendations", &error))?;
    let list: Value = serde_json::from_slice(body).unwrap_or_default();
    match list["recommendations"][0]["item"].as_str() {
        Some(item) => Ok(item.to_owned()),
        None => Err(Failure::work(format!("the list of {} has no first item: {status}", people.id(person)))),
    }
}

fn broken(what: &str, error: &std::io::Error) -> Failure {
    Failure::work(format!("{what}: the connection broke: {error}"))
}

/// Where nothing is to be refused, a bench of anything but answers would say nothing.
fn all_answered(what: &str, outcome: &Outcome) -> Result<(), Failure> {
    let statuses = outcome.statuses();
    if statuses.keys().all(|status| *status == Some(200)) && outcome.error.is_none() {
        return Ok(());
    }
    let error = outcome.error.as_deref().unwrap_or_default();
    Err(Failure::work(format!("{what}: not everything was answered: {statuses:?} {error}")))
}
