//! Oracles behind a real socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use grease_graph::doubles::CoNeighbours;
use grease_graph::{Edit, Graph, Profile, Recommender as _, UserId};
use grease_oracle::{Address, Oracle, OracleError, OracleOptions, Token};
use serde_json::{Value, json};

use crate::model::Model;
use crate::support::{data, small};

/// What a server does with a request.
enum Act {
    /// As it should.
    Answer,
    /// With this status, headers and body.
    Status(u16, &'static str, String),
    /// Closes the connection after half of the answer.
    HangUp,
    /// Says nothing for so long, then closes.
    Stall(Duration),
}

/// What a server saw of a request.
struct Seen {
    head: String,
    body: Value,
}

type Behaviour = dyn Fn(usize, &Seen) -> Act + Send + Sync;

/// A server that counts paths on a graph.
struct Server {
    url: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
}

impl Server {
    /// `behave` is told the number of the request, from 1, the hello counted.
    fn new(behave: impl Fn(usize, &Seen) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/score", listener.local_addr().unwrap());
        let counters = || Arc::new(AtomicUsize::new(0));
        let server = Self { url, connections: counters(), requests: counters(), most_at_once: counters() };
        let (connections, requests) = (Arc::clone(&server.connections), Arc::clone(&server.requests));
        let (most, now) = (Arc::clone(&server.most_at_once), counters());
        let behave: Arc<Behaviour> = Arc::new(behave);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                connections.fetch_add(1, Ordering::SeqCst);
                let (behave, requests) = (Arc::clone(&behave), Arc::clone(&requests));
                let (most, now) = (Arc::clone(&most), Arc::clone(&now));
                std::thread::spawn(move || {
                    let _ = serve(&stream, &*behave, &requests, (&now, &most));
                });
            }
        });
        server
    }

    fn how() -> OracleOptions {
        OracleOptions {
            backoff: Duration::from_millis(1),
            timeout: Duration::from_secs(5),
            ..OracleOptions::default()
        }
    }

    fn try_open(&self, token: Option<Token>, how: OracleOptions) -> Result<Oracle, OracleError> {
        Oracle::open(&Address::Url { url: self.url.clone(), token }, &data(&small()), how)
    }

    fn open(&self) -> Oracle {
        self.try_open(None, Self::how()).unwrap()
    }
}

fn served_model() -> Model {
    let graph: Graph = small();
    Model::new(
        graph.users(),
        (0..graph.items()).map(|row| format!("i{row}")).collect(),
        graph.edges().collect(),
    )
}

fn serve(
    stream: &TcpStream,
    behave: &Behaviour,
    requests: &AtomicUsize,
    (now, most): (&AtomicUsize, &AtomicUsize),
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    let model = served_model();
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let length = |line: &str| {
            line.to_ascii_lowercase().strip_prefix("content-length:").map(|n| n.trim().parse().unwrap())
        };
        let mut body = vec![0; head.lines().find_map(length).unwrap_or(0usize)];
        reader.read_exact(&mut body)?;
        let seen = Seen { head, body: serde_json::from_slice(&body).unwrap_or_default() };
        let number = requests.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let act = behave(number, &seen);
        now.fetch_sub(1, Ordering::SeqCst);
        let answer = answer(&model, &seen.body).to_string();
        match act {
            Act::Answer => {
                write!(writer, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len())?;
            }
            Act::Status(status, headers, body) => {
                write!(
                    writer,
                    "HTTP/1.1 {status} No\r\n{headers}Content-Length: {}\r\n\r\n{body}",
                    body.len()
                )?;
            }
            Act::HangUp => {
                let half = &answer[..answer.len() / 2];
                return write!(writer, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{half}", answer.len());
            }
            Act::Stall(time) => {
                std::thread::sleep(time);
                return Ok(());
            }
        }
    }
}

fn answer(model: &Model, request: &Value) -> Value {
    let id = &request["id"];
    if !request["hello"].is_null() {
        let abilities = ["neutral", "newcomers", "others"];
        return json!({ "grease": "oracle/1", "id": id, "name": "paths", "items": model.items, "abilities": abilities, "batch": 1 });
    }
    let score = &request["score"];
    let answer = if score["top"].is_null() {
        model.scores(score).map(|scores| json!({ "id": id, "scores": scores }))
    } else {
        model.ranked(score).map(|ranked| json!({ "id": id, "ranked": ranked }))
    };
    match answer {
        Ok(answer) => answer,
        Err(error) => json!({ "id": id, "error": error }),
    }
}

fn expected(user: u32) -> Vec<f32> {
    CoNeighbours::new(small()).scores(UserId(user)).unwrap()
}

#[test]
fn connections_are_used_again() {
    let server = Server::new(|_, _| Act::Answer);
    let oracle = server.open();
    for user in 0..5 {
        assert_eq!(oracle.scores(UserId(user)).unwrap(), expected(user));
    }
    assert_eq!((server.requests.load(Ordering::SeqCst), server.connections.load(Ordering::SeqCst)), (6, 1));
    assert_eq!((oracle.report().requests, oracle.report().retries), (5, 0));
}

#[test]
fn a_busy_service_is_asked_again_after_as_long_as_it_says() {
    let server = Server::new(|number, _| match number {
        2 => Act::Status(429, "Retry-After: 1\r\n", "slow down".into()),
        3 => Act::Status(503, "", String::new()),
        _ => Act::Answer,
    });
    let oracle = server.open();
    let started = Instant::now();
    assert_eq!(oracle.scores(UserId(0)).unwrap(), expected(0));
    assert!(started.elapsed() >= Duration::from_secs(1), "it was told to wait a second");
    assert_eq!(oracle.report().retries, 2);
    assert_eq!(server.connections.load(Ordering::SeqCst), 1, "a refusal does not cost a connection");
}

#[test]
fn a_service_that_stays_busy_is_given_up() {
    let server = Server::new(|number, _| match number {
        1 => Act::Answer,
        _ => Act::Status(503, "", "down for maintenance".into()),
    });
    let said = server.open().scores(UserId(0)).unwrap_err().to_string();
    assert!(said.contains("status 503") && said.contains("5 times: down for maintenance"), "{said}");
    assert_eq!(server.requests.load(Ordering::SeqCst), 6);
    let patient = Server::new(|number, _| match number {
        1 => Act::Answer,
        _ => Act::Status(429, "Retry-After: 86400\r\n", String::new()),
    });
    assert!(patient.open().scores(UserId(0)).unwrap_err().to_string().contains("status 429"));
    assert_eq!(patient.requests.load(Ordering::SeqCst), 2, "nobody waits a day");
}

#[test]
fn a_connection_that_breaks_in_the_middle_is_made_anew() {
    let server = Server::new(|number, _| if number == 2 { Act::HangUp } else { Act::Answer });
    let oracle = server.open();
    assert_eq!(oracle.scores(UserId(0)).unwrap(), expected(0));
    assert_eq!((oracle.report().retries, server.connections.load(Ordering::SeqCst)), (1, 2));
}

#[test]
fn nobody_at_the_address_is_said_with_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://me:pw@{}/?key=k", listener.local_addr().unwrap());
    drop(listener);
    let address = Address::Url { url, token: None };
    let said = Oracle::open(&address, &data(&small()), Server::how()).unwrap_err().to_string();
    assert!(
        said.contains("could not be reached when it was asked to introduce itself (hello), 5 times"),
        "{said}"
    );
    assert!(said.contains("http://127.0.0.1:") && !said.contains("pw") && !said.contains("key"), "{said}");
}

#[test]
fn a_page_at_the_address_is_no_program_that_prints() {
    let page = |_: usize, _: &Seen| Act::Status(200, "", "<!doctype html><title>Welcome</title>".into());
    let said = Server::new(page).try_open(None, Server::how()).unwrap_err().to_string();
    assert!(said.starts_with("what answers at http://127.0.0.1:"), "{said}");
    assert!(said.contains("Welcome") && !said.contains("stdout"), "{said}");
    let later = Server::new(move |number, seen| if number == 1 { Act::Answer } else { page(number, seen) });
    let said = later.open().scores(UserId(0)).unwrap_err().to_string();
    assert!(said.contains("is no oracle") && !said.contains("stdout"), "{said}");
}

#[test]
fn a_service_that_stalls_is_asked_once_more() {
    let stall = Act::Stall;
    let server =
        Server::new(move |number, _| if number == 2 { stall(Duration::from_secs(3)) } else { Act::Answer });
    let how = || OracleOptions { timeout: Duration::from_millis(500), ..Server::how() };
    assert_eq!(server.try_open(None, how()).unwrap().scores(UserId(0)).unwrap(), expected(0));
    let server =
        Server::new(move |number, _| if number > 1 { stall(Duration::from_secs(3)) } else { Act::Answer });
    let said = server.try_open(None, how()).unwrap().scores(UserId(0)).unwrap_err().to_string();
    assert!(said.contains("within 0.5 s") && said.contains("also when it was asked again"), "{said}");
    assert_eq!(server.requests.load(Ordering::SeqCst), 3);
}

#[test]
fn the_token_is_sent_and_shown_nowhere() {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    let server = Server::new(move |number, request| {
        seen.lock().unwrap().push(request.head.clone());
        if number == 1 { Act::Answer } else { Act::Status(401, "", "the key s3cret has expired".into()) }
    });
    let oracle = server.try_open(Some(Token::bearer("s3cret")), Server::how()).unwrap();
    let said = oracle.scores(UserId(0)).unwrap_err().to_string();
    assert!(said.contains("status 401") && said.contains("the key [token] has expired"), "{said}");
    assert!(!format!("{oracle:?}").contains("s3cret"));
    let sent = |line: &str| heads.lock().unwrap().iter().all(|head| head.to_ascii_lowercase().contains(line));
    assert!(sent("\r\nauthorization: bearer s3cret\r\n"));
    heads.lock().unwrap().clear();
    let _ = server.try_open(Some(Token::in_header("X-Key", "k1")), Server::how());
    assert!(sent("\r\nx-key: k1\r\n") && sent("content-type: application/json"));
}

#[test]
fn other_statuses_are_said_with_the_start_of_the_answer() {
    let server = Server::new(|number, _| match number {
        1 => Act::Answer,
        2 => Act::Status(500, "", "Traceback (most recent call last):\n  …".into()),
        _ => Act::Status(307, "Location: http://127.0.0.1:1/elsewhere\r\n", String::new()),
    });
    let oracle = server.open();
    let said = oracle.scores(UserId(0)).unwrap_err().to_string();
    assert!(said.contains("HTTP status 500") && said.contains("Traceback"), "{said}");
    let moved = oracle.scores(UserId(0)).unwrap_err().to_string();
    assert!(moved.contains("HTTP status 307"), "nobody follows: {moved}");
}

#[test]
fn as_many_requests_at_a_time_as_were_allowed_and_no_more() {
    let server = Server::new(|_, _| {
        std::thread::sleep(Duration::from_millis(20));
        Act::Answer
    });
    let oracle = server.try_open(None, OracleOptions { workers: 3, ..Server::how() }).unwrap();
    let edits: Vec<Edit> = small().edges().map(|edge| Edit::removing([edge])).collect();
    std::thread::scope(|scope| {
        for user in 0..5 {
            let (oracle, edits) = (&oracle, &edits);
            scope.spawn(move || {
                oracle.score(UserId(user), Profile::Kept, edits, &mut vec![0.0; 6 * edits.len()]).unwrap();
            });
        }
    });
    let most = server.most_at_once.load(Ordering::SeqCst);
    assert!((2..=3).contains(&most), "{most} at once");
    assert!(server.connections.load(Ordering::SeqCst) <= 4, "three workers and the hello");
}
