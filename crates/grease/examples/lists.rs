use grease::{Device, Opened, Question, Subject};
use grease_models::Kind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (people, threads, device) = (
        args[2].parse::<usize>().unwrap(),
        args[3].parse::<usize>().unwrap(),
        args[4].parse::<Device>().unwrap(),
    );
    let (subject, _) = Subject::open(std::path::Path::new(&args[1])).unwrap();
    let opened = Opened::to_ask(device, Kind::Ngcf).unwrap();
    let subject = subject.on(&opened).unwrap();
    let users: Vec<String> = (0..people)
        .map(|k| subject.data().users.id((k * subject.data().users.len() / people) as u32).to_owned())
        .collect();
    let next = AtomicUsize::new(0);
    let (verified, all, differ, edges) =
        (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(user) = users.get(at) else { return };
                    let question =
                        Question { user: Some(user.clone()), prove: Some(0), ..Question::default() };
                    for record in subject.records(&question).unwrap() {
                        let json = serde_json::to_value(&record).unwrap();
                        all.fetch_add(1, Ordering::Relaxed);
                        if json["status"] == "verified" {
                            verified.fetch_add(1, Ordering::Relaxed);
                            edges.fetch_add(json["edges"].as_array().map_or(0, Vec::len), Ordering::Relaxed);
                        }
                        if json["reason"].to_string().contains("differ") {
                            differ.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let t = started.elapsed();
    println!(
        "{device} {threads} threads: {people} people {:?}, {:?} a list; {} of {} verified ({} differ, {} edges), {:.0} verified/s; {:?}",
        t,
        t * threads as u32 / people as u32,
        verified.load(Ordering::Relaxed),
        all.load(Ordering::Relaxed),
        differ.load(Ordering::Relaxed),
        edges.load(Ordering::Relaxed),
        verified.load(Ordering::Relaxed) as f64 / t.as_secs_f64(),
        subject.recommender().work().map(|w| w.card)
    );
}
