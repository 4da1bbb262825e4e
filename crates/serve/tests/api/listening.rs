//! Connections: at a real port.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use grease::Subject;
use grease_serve::{Limits, ServeOptions, Service};
use tokio::sync::oneshot;

use crate::doubles::{Temper, with};
use grease_testing::folder;

/// A service that listens until it is told to end.
struct Listening {
    address: SocketAddr,
    end: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Listening {
    fn start(subject: &Subject, limits: Limits) -> Self {
        Self::begin(Service::new(subject, ServeOptions { limits, ..ServeOptions::default() }))
    }

    fn begin(service: Service) -> Self {
        let (end, ended) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let serve = move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            let listening = move |address| tell.send(address).unwrap();
            let end = async { _ = ended.await };
            runtime.block_on(service.listen((Ipv4Addr::LOCALHOST, 0).into(), listening, end)).unwrap();
        };
        let thread = std::thread::spawn(serve);
        Self { address: told.recv_timeout(Duration::from_secs(20)).unwrap(), end, thread }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    fn ask_once(&self, path: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        read(&stream)
    }
}

fn send(mut stream: &TcpStream, path: &str) {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
}

/// What comes until the other side closes or is silent.
fn read(mut stream: &TcpStream) -> String {
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn who_is_being_answered_when_the_service_ends_is_answered_to_the_end() {
    let (slow, asked) = with(Temper::Slow(Duration::from_millis(400)));
    let service = Listening::start(&slow, Limits::default());
    // Of the warm-up, whose end readiness tells.
    wait_for(|| asked.load(Ordering::SeqCst) == 1);
    wait_for(|| service.ask_once("/readyz").starts_with("HTTP/1.1 200"));
    let waiting = service.connect();
    send(&waiting, "/api/users/mira/recommendations");
    wait_for(|| asked.load(Ordering::SeqCst) == 2);
    service.end.send(()).unwrap();
    let answer = read(&waiting);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    service.thread.join().unwrap();
    assert!(TcpStream::connect(service.address).is_err(), "nobody is let in any more");
}

fn wait_for(condition: impl Fn() -> bool) {
    for _ in 0..2000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it never came");
}

#[test]
fn whoever_says_nothing_does_not_keep_their_place() {
    let limits = Limits { connections: 1, silence: Duration::from_millis(300), ..Limits::default() };
    let service = Listening::start(&folder().clone().into(), limits);
    let mut silent = service.connect();
    // A request that never comes to its end.
    silent.write_all(b"GET /healthz HTTP/1.1\r\nHost: loc").unwrap();
    let next = service.connect();
    send(&next, "/healthz");
    let answer = read(&next);
    assert!(answer.contains("ok\n"), "let in when the other was shown out: {answer}");
    assert!(!read(&silent).contains("200"), "and that one was not answered");
    service.end.send(()).unwrap();
    service.thread.join().unwrap();
}

#[test]
fn who_hangs_up_has_their_search_given_up() {
    let (slow, asked) = with(Temper::Slow(Duration::from_millis(5)));
    let service = Listening::start(&slow, Limits { threads: 1, ..Limits::default() });
    wait_for(|| service.ask_once("/readyz").starts_with("HTTP/1.1 200"));
    let mut gone = service.connect();
    let body = r#"{"user": "mira", "k": 20, "method": "exact"}"#;
    write!(
        gone,
        "POST /api/explanations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    wait_for(|| asked.load(Ordering::SeqCst) > 10);
    drop(gone);
    wait_for(|| service.ask_once("/metrics").contains("\ngrease_running 0\n"));
    let metrics = service.ask_once("/metrics");
    assert!(metrics.contains("\ngrease_abandoned_total 1\n"), "{metrics}");
    assert!(service.ask_once("/readyz").starts_with("HTTP/1.1 200"), "the recommender is not to blame");
    service.end.send(()).unwrap();
    service.thread.join().unwrap();
}

#[test]
fn no_request_is_dropped_while_the_model_is_replaced() {
    let service = Service::new(&folder().clone().into(), ServeOptions::default());
    let site = Listening::begin(service.clone());
    const ASKED: usize = 200;
    let answered = AtomicUsize::new(0);
    let (answers, replaced) = std::thread::scope(|scope| {
        let ask = |_| {
            let answer = site.ask_once("/api/users/mira/recommendations?k=3");
            answered.fetch_add(1, Ordering::SeqCst);
            answer
        };
        let asking = scope.spawn(move || (0..ASKED).map(ask).collect::<Vec<_>>());
        let mut replaced = 0;
        while answered.load(Ordering::SeqCst) < ASKED && !asking.is_finished() {
            service.replace(&folder().clone().into()).unwrap();
            replaced += 1;
        }
        (asking.join().unwrap(), replaced)
    });
    assert!(replaced > 1, "it was replaced {replaced} times");
    assert!(answers.iter().all(|answer| answer.starts_with("HTTP/1.1 200")));
    site.end.send(()).unwrap();
    site.thread.join().unwrap();
}
