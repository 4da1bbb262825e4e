//! `cargo xtask bench serve`: `grease serve` under load from another process.

mod browser;
mod client;
mod figures;
mod load;
mod overload;
mod people;
mod server;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::client::Client;
use self::figures::{Bar, Figure};
use self::load::{Outcome, Pace, load, percentile};
use self::people::People;
use self::server::{Server, load_average};
use super::batch::grease;
use crate::args::{Arg, Args};
use crate::failure::Failure;
use crate::process::{self, cargo};

const HELP: &str = "\
Starts the release build of `grease serve` as a process of its own and asks it over loopback, on connections that are kept. Both
share the machine's processor; what each used of it is said. Every part ends by itself; all together take about six minutes.

Usage: cargo xtask bench serve --model DIR [OPTIONS]

Options:
  --model DIR      a model folder, say LightGCN on LastFM
  --only PART      one of the parts below (default: all)
  --grease FILE    this build of grease, in place of building the one that is here: to compare
  --seconds N      how long each load lasts, in place of its own time: for a quick look, not for bars

Parts:
  what-if          50 a second, open loop, 20 s: a random person, a random item of theirs imagined away
  recommendations  as many as are answered on 4 connections, 10 s: everybody in random order
  explanations     one at a time, 200 people: the first item of their list, own scope; then their whole list
  overload         what is asked is 40 % lists, 30 % what-ifs and 30 % own-scope explanations of one item, which were never asked before;
                   10 s as fast as 8 connections are answered, then 60 s at twice that rate, then until it has recovered
  page             the bytes of all that / loads, and the first contentful paint in headless Chromium after a cold start

In an open loop requests are due at fixed times and a latency counts from when its request was due, so that a server that stalls is
charged for it. The table is also written to target/bench/serve.md and, with every figure, to serve.json there.
";

const PARTS: [(&str, Part); 5] = [
    ("what-if", Part::WhatIf),
    ("recommendations", Part::Recommendations),
    ("explanations", Part::Explanations),
    ("overload", Part::Overload),
    ("page", Part::Page),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    WhatIf,
    Recommendations,
    Explanations,
    Overload,
    Page,
}

struct Options {
    model: PathBuf,
    grease: PathBuf,
    parts: Vec<Part>,
    seconds: Option<u32>,
}

impl Options {
    /// How long a load lasts that usually lasts so many seconds.
    fn lasting(&self, usually: u32) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(usually).into())
    }
}

pub(super) fn run(args: &mut Args) -> Result<(), Failure> {
    let Some(options) = parse(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let people = People::of(&options.model)?;
    let before = load_average();
    if let Some(busy) = before.filter(|busy| *busy > 0.5) {
        println!("the machine is not idle: its load average is {busy}");
    }
    let mut figures = Vec::new();
    for part in &options.parts {
        figures.extend(match part {
            Part::WhatIf => what_if(&options, &people)?,
            Part::Recommendations => recommendations(&options, &people)?,
            Part::Explanations => explanations(&options, &people)?,
            Part::Overload => overload::measure(&options, &people)?,
            Part::Page => browser::measure(&options)?,
        });
    }
    let mut rows: Vec<Value> = figures.iter().map(Figure::json).collect();
    rows.push(json!({ "what": "load average before", "value": before }));
    super::publish("serve", &figures::text(&figures), &rows)
}

/// `None` when help was asked for.
fn parse(args: &mut Args) -> Result<Option<Options>, Failure> {
    let (mut model, mut built, mut seconds) = (None, None, None);
    let mut parts = PARTS.map(|(_, part)| part).to_vec();
    while let Some(arg) = args.next() {
        match arg {
            Arg::Flag(flag) => match flag.as_str() {
                "--model" => model = Some(PathBuf::from(args.value(&flag)?)),
                "--grease" => built = Some(PathBuf::from(args.value(&flag)?)),
                "--only" => parts = args.choice(&flag, &PARTS)?,
                "--seconds" => seconds = Some(args.count(&flag)?),
                _ if Args::asks_help(&flag) => return Ok(None),
                _ => return Err(Failure::unknown_flag(&flag)),
            },
            Arg::Word(word) => return Err(Failure::unknown_word(&word)),
        }
    }
    let model = model.ok_or_else(|| Failure::usage("say which model by --model"))?;
    let model = fs::canonicalize(&model).map_err(Failure::file(&model))?;
    let grease = match built {
        Some(built) => built,
        None => {
            process::succeed(&mut cargo(["build", "--release", "--package", "grease-cli"]))?;
            grease()
        }
    };
    Ok(Some(Options { model, grease, parts, seconds }))
}

fn what_if(options: &Options, people: &People) -> Result<Vec<Figure>, Failure> {
    const A_SECOND: f64 = 50.0;
    let server = Server::start(options)?;
    let outcome =
        load(&server, 16, Pace::Open(A_SECOND), options.lasting(20), |number| people.what_if(number));
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

fn recommendations(options: &Options, people: &People) -> Result<Vec<Figure>, Failure> {
    let server = Server::start(options)?;
    let ask = |number| people.recommendations(number);
    let outcome = load(&server, 4, Pace::Closed, options.lasting(10), ask);
    all_answered("recommendations", &outcome)?;
    println!("recommendations: {} answers, {}", outcome.answers.len(), outcome.cpu_text());
    let took = outcome.latencies();
    Ok(vec![
        Figure::held("recommendations", outcome.rate().round(), "a second", Bar::AtLeast, 2000.0),
        Figure::plain("recommendations, p99", percentile(&took, 0.99), "ms"),
    ])
}

/// One at a time, so that nothing but the explanation itself is timed.
fn explanations(options: &Options, people: &People) -> Result<Vec<Figure>, Failure> {
    const PEOPLE: u64 = 200;
    let server = Server::start(options)?;
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
        let (status, body) = client.ask(&request).map_err(|error| broken("an explanation", &error))?;
        took.push(began.elapsed().as_secs_f64() * 1e3);
        if status != 200 {
            return Err(Failure::work(format!("an explanation: {status} {}", String::from_utf8_lossy(body))));
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
