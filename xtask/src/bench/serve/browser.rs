//! The page: how much of it there is, and how soon a browser shows something of it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, get, post};
use super::figures::{Bar, Figure};
use super::server::Server;
use super::{Bench, broken};
use crate::failure::Failure;

/// Cold starts that are looked at; the slowest counts.
const STARTS: usize = 3;
/// How long a page may take to show something at all.
const GIVE_UP: Duration = Duration::from_secs(10);
/// The files a page is made of, by how their names end.
const FILES: [&str; 8] = [".js", ".mjs", ".css", ".svg", ".png", ".ico", ".woff2", ".webmanifest"];

pub(super) fn measure(bench: &Bench) -> Result<Vec<Figure>, Failure> {
    let server = bench.start()?;
    let (files, bytes) = weight(&server)?;
    println!("page: / loads {}", files.into_iter().collect::<Vec<_>>().join(" "));
    drop(server);
    let mut figures = vec![Figure::held("page, weight", bytes as f64 / 1e3, "KB", Bar::Under, 150.0)];
    let Some(driver) = Driver::start() else {
        println!(
            "skipped: the first paint; install chromium and chromium-driver (Debian's names) to measure it"
        );
        return Ok(figures);
    };
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let mut browser = Browser::open(&driver)?;
        let server = bench.start()?;
        let painted = browser.first_paint(server.address)?;
        starts.push((server.started_in.as_secs_f64() * 1e3, painted));
    }
    let slowest = starts.iter().copied().max_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1)));
    let (listening, painted) = slowest.unwrap_or((f64::NAN, f64::NAN));
    figures.push(Figure::plain("cold start, until it listens", listening, "ms"));
    figures.push(Figure::plain("cold start, first contentful paint", painted, "ms"));
    figures.push(Figure::held("cold start, both", listening + painted, "ms", Bar::Under, 1000.0));
    Ok(figures)
}

/// All files the page asks for, and how many bytes they are as they are sent.
fn weight(server: &Server) -> Result<(BTreeSet<String>, usize), Failure> {
    let mut client = Client::new(server.address);
    let (mut known, mut bytes) = (BTreeSet::new(), 0);
    let mut wanted = vec!["/".to_owned()];
    while let Some(path) = wanted.pop() {
        if !known.insert(path.clone()) {
            continue;
        }
        let (status, body) = client.ask(&get(&path)).map_err(|error| broken("the page", &error))?;
        if status != 200 {
            return Err(Failure::work(format!("the page names {path}, which answers {status}")));
        }
        bytes += body.len();
        wanted.extend(files_in(&String::from_utf8_lossy(body), &path));
    }
    Ok((known, bytes))
}

/// Files of the same server that a text names in quotes; the API's answers are no files.
fn files_in(text: &str, from: &str) -> Vec<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let quoted = text.split(['"', '\'', '(', ')']).filter(|name| {
        !name.contains(|c: char| c.is_whitespace() || "<>`{}$:".contains(c)) && !name.starts_with("//")
    });
    let named = quoted.filter(|name| FILES.iter().any(|end| name.ends_with(end)));
    let whole = named.filter_map(|name| match name {
        name if name.starts_with('/') => Some(name.to_owned()),
        // In a script a bare name is just a text.
        name if from.ends_with("js") && !name.starts_with("./") => None,
        name => Some(format!("{folder}/{}", name.strip_prefix("./").unwrap_or(name))),
    });
    whole.filter(|path| !path.starts_with("/api/")).collect()
}

/// `chromedriver`, until it is dropped.
struct Driver {
    child: Child,
    address: SocketAddr,
}

impl Driver {
    /// None where there is none.
    fn start() -> Option<Self> {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let said = child.stdout.take().map(BufReader::new);
        let port = said.and_then(|said| said.lines().map_while(Result::ok).find_map(|line| port_in(&line)));
        match port {
            Some(port) => Some(Self { child, address: (Ipv4Addr::LOCALHOST, port).into() }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                None
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `ChromeDriver was started successfully on port 4711.`
fn port_in(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("successfully on port ")?;
    rest.trim_end_matches('.').parse().ok()
}

/// A browser with a profile of its own, which ends with it.
struct Browser {
    client: Client,
    session: String,
}

impl Browser {
    fn open(driver: &Driver) -> Result<Self, Failure> {
        let mut client = Client::new(driver.address);
        // Without a sandbox it runs as root, too; it opens nothing but our page.
        let options =
            json!({ "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } });
        let opened = told(&mut client, &post("/session", &wanted.to_string()))?;
        match opened["sessionId"].as_str() {
            Some(session) => Ok(Self { client, session: format!("/session/{session}") }),
            None => Err(Failure::work(format!("chromedriver opened no browser: {opened}"))),
        }
    }

    /// Milliseconds from asking for the page to the first paint of something.
    fn first_paint(&mut self, address: SocketAddr) -> Result<f64, Failure> {
        let page = json!({ "url": format!("http://{address}/") });
        self.tell("/url", &page)?;
        let script = "return performance.getEntriesByName('first-contentful-paint').map(e => e.startTime)[0]";
        let began = Instant::now();
        while began.elapsed() < GIVE_UP {
            let said = self.tell("/execute/sync", &json!({ "script": script, "args": [] }))?;
            if let Some(painted) = said.as_f64() {
                return Ok(painted);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(Failure::work(format!("the page showed nothing within {GIVE_UP:?}")))
    }

    fn tell(&mut self, what: &str, body: &Value) -> Result<Value, Failure> {
        told(&mut self.client, &post(&format!("{}{what}", self.session), &body.to_string()))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let close = format!("DELETE {} HTTP/1.1\r\nHost: localhost\r\n\r\n", self.session);
        let _ = self.client.ask(close.as_bytes());
    }
}

fn told(client: &mut Client, request: &[u8]) -> Result<Value, Failure> {
    let (status, body) = client.ask(request).map_err(|error| broken("chromedriver", &error))?;
    let mut said: Value = serde_json::from_slice(body).unwrap_or_default();
    match status {
        200 => Ok(said["value"].take()),
        _ => Err(Failure::work(format!("chromedriver: {}", said["value"]["message"]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_a_page_names_in_quotes() {
        let page = r#"<script src="/app.js"></script><link href='./style.css'><img src="a.png"><a href="/docs">x</a>"#;
        assert_eq!(files_in(page, "/"), ["/app.js", "/style.css", "/a.png"]);
        let script = "import { a } from \"./draw.js\"; fetch(`/api/explanations/${id}.svg`); url(/img/a.png); \"//else.where/x.js\" + \".svg\"";
        assert_eq!(files_in(script, "/page/app.js"), ["/page/draw.js", "/img/a.png"]);
    }

    #[test]
    fn the_port_is_in_the_line_that_says_it() {
        assert_eq!(port_in("ChromeDriver was started successfully on port 4711."), Some(4711));
        assert_eq!(port_in("Starting ChromeDriver 140 on port 0"), None);
    }
}
