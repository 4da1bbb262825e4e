//! More than can be answered: what is refused, how long the rest waits, what it does to memory, and how soon it is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::client::Client;
use super::figures::{Bar, Figure};
use super::load::{Outcome, Pace, load, percentile, slope};
use super::people::{People, random};
use super::server::Server;
use super::{Bench, all_answered, broken, first_of_list};
use crate::bench::median;
use crate::failure::Failure;

/// Connections that find out what is sustainable: some more than there are threads that compute.
const FEW: usize = 8;
/// Connections of the overload: more than may wait in the server, so that it is the server that refuses.
const MANY: usize = 300;
/// Seconds of the overload until memory has settled.
const WARM_UP: f64 = 15.0;
/// Explanations of one item, two records each, that the server remembers. Twice as many are made beforehand, in rounds, so that neither
/// remembering nor forgetting for the first time is taken for growth.
const REMEMBERED: u64 = 5000;
const ROUND: Duration = Duration::from_secs(5);
const MOST_ROUNDS: usize = 60;
/// Answered at once is answered within this.
const AT_ONCE: Duration = Duration::from_millis(150);
/// How often it is asked whether it has recovered, and for how long.
const ASK_EVERY: Duration = Duration::from_millis(50);
const GIVE_UP: Duration = Duration::from_secs(30);

/// What is asked, of whom; every explanation is a question of its own.
struct Mix<'a> {
    people: &'a People,
    firsts: Vec<String>,
}

/// Of the overload's requests, after those that found out what is sustainable: so that no explanation was asked for already.
const LATER: u64 = 1 << 32;
/// And of those that filled its memory.
const EARLIER: u64 = 1 << 40;

/// Whether a request of the mix is a list or a what-if.
fn is_quick(number: u64) -> bool {
    random(number) % 10 < 7
}

impl Mix<'_> {
    fn request(&self, number: u64) -> Vec<u8> {
        match random(number) % 10 {
            0..4 => self.people.recommendations(number),
            4..7 => self.people.what_if(number),
            _ => self.explanation(number),
        }
    }

    fn explanation(&self, number: u64) -> Vec<u8> {
        let person = number % self.firsts.len() as u64;
        self.people.explain_item(person, &self.firsts[person as usize], number)
    }
}

pub(super) fn measure(bench: &Bench) -> Result<Vec<Figure>, Failure> {
    let people = &bench.people;
    let mut server = bench.start()?;
    let mut client = Client::new(server.address);
    let everybody = 0..people.len() as u64;
    let firsts =
        everybody.map(|person| first_of_list(&mut client, people, person)).collect::<Result<_, _>>()?;
    let mix = Mix { people, firsts };
    fill(&server, &mix)?;

    let calm = load(&server, FEW, Pace::Closed, bench.lasting(10), |number| mix.request(number));
    all_answered("the sustainable rate", &calm)?;
    let sustainable = calm.rate();
    println!("sustainable: {sustainable:.0} a second on {FEW} connections, {}", calm.cpu_text());

    let lasting = bench.lasting(60);
    let over = Instant::now() + lasting;
    let pace = Pace::Open(2.0 * sustainable);
    let ask = |number: u64| mix.request(number + LATER);
    let (outcome, memory) = watched(&server, || load(&server, MANY, pace, lasting, ask));
    let recovered = recovery(&server, &mix, over);
    println!("overload: {:?}, {}", outcome.statuses(), outcome.cpu_text());
    if let Some(error) = &outcome.error {
        println!("overload: {error}");
    }
    let mut figures = vec![Figure::plain("mix, sustainable", sustainable.round(), "a second")];
    figures.extend(answered(&outcome));
    figures.extend(held_memory(&memory));
    figures.push(Figure::held("alive afterwards", f64::from(server.is_alive()), "", Bar::AtLeast, 1.0));
    figures.push(Figure::held(
        "until what-ifs and explanations are answered at once again",
        recovered?.as_secs_f64(),
        "s",
        Bar::Under,
        2.0,
    ));
    Ok(figures)
}

/// Has the server remember as much as it ever will, of the sort the overload asks for.
fn fill(server: &Server, mix: &Mix<'_>) -> Result<(), Failure> {
    let mut asked = 0;
    for _ in 0..MOST_ROUNDS {
        let request = |number: u64| mix.explanation(EARLIER + asked + number);
        let round = load(server, FEW, Pace::Closed, ROUND, request);
        all_answered("filling the server's memory", &round)?;
        asked += round.answers.len() as u64;
        if asked > 2 * REMEMBERED {
            return Ok(());
        }
    }
    println!(
        "only {asked} explanations were made to fill the server's memory: it may still grow by remembering more"
    );
    Ok(())
}

/// Does something while the server's memory is looked at each second; seconds and MB.
fn watched<R>(server: &Server, work: impl FnOnce() -> R) -> (R, Vec<(f64, f64)>) {
    let (done, began) = (AtomicBool::new(false), Instant::now());
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut seen = Vec::new();
            while !done.load(Ordering::SeqCst) {
                if let Some(mb) = server.resident_mb() {
                    seen.push((began.elapsed().as_secs_f64(), mb));
                }
                std::thread::sleep(Duration::from_secs(1));
            }
            seen
        });
        let result = work();
        done.store(true, Ordering::SeqCst);
        (result, watching.join().unwrap_or_default())
    })
}

fn answered(outcome: &Outcome) -> Vec<Figure> {
    let statuses = outcome.statuses();
    let count = |status| statuses.get(&Some(status)).copied().unwrap_or(0);
    let (all, good, refused) = (outcome.answers.len(), count(200), count(503));
    let (took, quick) = (outcome.latencies(), outcome.latencies_of(|number| is_quick(number + LATER)));
    let quick_asked = outcome.answers.iter().filter(|answer| is_quick(answer.number + LATER)).count();
    vec![
        Figure::plain("asked at twice that, 200s", outcome.rate().round(), "a second"),
        Figure::plain("asked at twice that, 503s", 100.0 * refused as f64 / all as f64, "%"),
        Figure::held("neither 200 nor 503", (all - good - refused) as f64, "answers", Bar::Under, 1.0),
        Figure::plain("200s, p50", percentile(&took, 0.5), "ms"),
        Figure::held("200s, p99", percentile(&took, 0.99), "ms", Bar::Under, 2000.0),
        Figure::plain("200s, lists and what-ifs, p50", percentile(&quick, 0.5), "ms"),
        Figure::plain("200s, lists and what-ifs, p99", percentile(&quick, 0.99), "ms"),
        Figure::plain(
            "lists and what-ifs answered 200",
            100.0 * quick.len() as f64 / quick_asked as f64,
            "%",
        ),
    ]
}

/// Memory after the warm-up, or after a quarter of a run too short for one: the second quarter beside the last.
fn held_memory(seen: &[(f64, f64)]) -> Vec<Figure> {
    let end = seen.last().map_or(0.0, |last| last.0);
    let between = |from: f64, to: f64| -> Vec<f64> {
        seen.iter().filter(|(second, _)| (from..=to).contains(second)).map(|(_, mb)| *mb).collect()
    };
    let settled = WARM_UP.min(end / 4.0);
    let late: Vec<(f64, f64)> = seen.iter().filter(|(second, _)| *second >= settled).copied().collect();
    let middle = |from, to| median(&between(from, to)).unwrap_or(f64::NAN);
    let (second, last) = (middle(settled, end / 2.0), middle(end * 0.75, end));
    vec![
        Figure::plain("memory, median of the second quarter", second, "MB"),
        Figure::plain("memory, median of the last quarter", last, "MB"),
        // Pages come and go: medians of twenty seconds wander by so much either way over minutes, without going anywhere.
        Figure::held("memory, growth between them", 100.0 * (last - second) / second, "%", Bar::Under, 3.0),
        Figure::plain("memory, slope after warm-up", slope(&late).unwrap_or(f64::NAN) * 60.0, "MB a minute"),
    ]
}

/// From the end of the overload until a what-if and an explanation are both answered at once.
fn recovery(server: &Server, mix: &Mix<'_>, over: Instant) -> Result<Duration, Failure> {
    let mut client = Client::new(server.address);
    let mut at_once = |request: &[u8]| -> Result<bool, Failure> {
        let began = Instant::now();
        let (status, _) = client.ask(request).map_err(|error| broken("recovery", &error))?;
        Ok(status == 200 && began.elapsed() < AT_ONCE)
    };
    for number in 2 * LATER.. {
        if at_once(&mix.people.what_if(number))? && at_once(&mix.explanation(number))? {
            return Ok(Instant::now().saturating_duration_since(over));
        }
        if over.elapsed() > GIVE_UP {
            break;
        }
        std::thread::sleep(ASK_EVERY);
    }
    Ok(GIVE_UP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_grows_after_the_warm_up_misses_the_bar() {
        let seen = |grows: f64| -> Vec<(f64, f64)> {
            (0..60)
                .map(f64::from)
                .map(|second| (second, 50.0 + 5.0 * second.min(10.0) + grows * second))
                .collect()
        };
        let said = |grows| super::super::figures::text(&held_memory(&seen(grows)));
        assert!(said(0.0).contains("1 of 1 bars met"), "{}", said(0.0));
        assert!(said(0.2).contains("0 of 1 bars met"), "{}", said(0.2));
    }
}
