//! The page: how much of it there is, and how soon a browser shows something of it.

use std::collections::BTreeSet;
use std::process::Command;

use super::client::{Client, get};
use super::figures::{Bar, Figure};
use super::server::Server;
use super::{Bench, broken};
use crate::failure::Failure;
use crate::process::{self, cargo};

/// Cold starts that are looked at; the slowest counts.
const STARTS: usize = 3;
/// The files a page is made of, by how their names end.
const FILES: [&str; 8] = [".js", ".mjs", ".css", ".svg", ".png", ".ico", ".woff2", ".webmanifest"];

pub(super) fn measure(bench: &Bench) -> Result<Vec<Figure>, Failure> {
    let server = bench.start()?;
    let (files, bytes) = weight(&server)?;
    println!("page: / loads {}", files.into_iter().collect::<Vec<_>>().join(" "));
    drop(server);
    let mut figures = vec![Figure::held("page, weight", bytes as f64 / 1e3, "KB", Bar::Under, 150.0)];
    if !process::works(Command::new("chromedriver").arg("--version")) {
        println!(
            "skipped: the first paint; install chromium and chromium-driver (Debian's names) to measure it"
        );
        return Ok(figures);
    }
    // So that no compiler runs while a server starts.
    process::succeed(&mut painting("build"))?;
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let server = bench.start()?;
        let painted = first_paint(&server)?;
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

/// Milliseconds from asking for the page to the first paint of something, in a new browser.
fn first_paint(server: &Server) -> Result<f64, Failure> {
    let said = process::output(painting("run").arg("--").arg(format!("http://{}/", server.address)))?;
    said.trim().parse().map_err(|_| Failure::work(format!("the first paint cannot be `{}`", said.trim())))
}

/// What cargo does with the program that looks; xtask itself need not compile the hundred crates of its library.
fn painting(verb: &str) -> Command {
    let mut command = cargo([verb, "--quiet", "--package", "grease-testing", "--example", "first_paint"]);
    command.args(["--no-default-features", "--features", "browser"]);
    command
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
}
