//! Asking a service over HTTP, one connection a question.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::list::Request;
use super::openapi;
use super::record::Record;
use crate::failure::Failure;

/// Waits until a service says that it should be asked.
pub(super) fn wait_until_ready(address: SocketAddr) -> Result<(), Failure> {
    for _ in 0..600 {
        if exchange(address, "GET /readyz", &[], None).is_ok_and(|answer| answer.status == 200) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err(Failure::work(format!("the service at {address} does not become ready")))
}

/// What comes of a question.
pub(super) fn ask(address: SocketAddr, name: String, request: &Request) -> Result<Record, Failure> {
    let answer = exchange(address, &request.line, &request.headers, request.body.as_deref())
        .map_err(|error| Failure::work(format!("{name}: {error}")))?;
    let (expected, may) = (request.marks.code, request.marks.may || answer.status >= 400);
    let mut record = Record::new(name);
    if answer.status != expected {
        record.unexpected = Some(format!("expects status {expected}, not {}", answer.status));
    }
    record.add("status", answer.status.to_string(), false);
    record.add("head", answer.head, false);
    if answer.status >= 400 {
        // The code is for programs, the rest of an error for people.
        let error: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        record.add("code", error["error"]["code"].to_string(), false);
    }
    if request.line.ends_with("/openapi.json") {
        let inlined = openapi::without_names(&answer.body).unwrap_or_default();
        record.add("body but for names", inlined, false);
        record.add("body", answer.body, true);
    } else {
        record.add("body", answer.body, may);
    }
    Ok(record)
}

struct Answer {
    status: u16,
    /// Without what differs from one answer to the next.
    head: String,
    body: Vec<u8>,
}

fn exchange(address: SocketAddr, line: &str, headers: &[String], body: Option<&str>) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let given = |name: &str| headers.iter().any(|header| header.to_ascii_lowercase().starts_with(name));
    let mut head = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
    for (name, usual) in [("host", "localhost"), ("x-request-id", "same")] {
        if !given(name) {
            head += &format!("{name}: {usual}\r\n");
        }
    }
    if let Some(body) = body {
        let kind = if given("content-type") { "" } else { "content-type: application/json\r\n" };
        head += &format!("{kind}content-length: {}\r\n", body.len());
    }
    headers.iter().for_each(|header| head += &format!("{header}\r\n"));
    write!(stream, "{head}\r\n{}", body.unwrap_or_default())?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all)?;
    read(&all).ok_or_else(|| io::Error::other("the answer is not HTTP"))
}

fn read(all: &[u8]) -> Option<Answer> {
    let end = all.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&all[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let lines: Vec<&str> = lines.collect();
    let is = |line: &str, name: &str| line.to_ascii_lowercase().starts_with(name);
    let mut body = all[end + 4..].to_vec();
    if lines.iter().any(|line| is(line, "transfer-encoding: chunked")) {
        body = joined(&body)?;
    }
    if lines.iter().any(|line| is(line, "content-type: text/event-stream")) {
        // Lines that only keep the connection alive come when they come.
        let text = String::from_utf8(body).ok()?;
        body = text.split_inclusive('\n').filter(|line| !line.starts_with(':')).collect::<String>().into();
    }
    let kept = lines.into_iter().filter(|line| !is(line, "date:") && !is(line, "content-length:"));
    Some(Answer { status, head: kept.collect::<Vec<_>>().join("\n"), body })
}

/// A body that came in chunks.
fn joined(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        rest = &rest[end + 2..];
        body.extend(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_whichever_way_it_comes() {
        let answer = read(b"HTTP/1.1 200 OK\r\ndate: now\r\nx: y\r\ncontent-length: 2\r\n\r\nhi").unwrap();
        assert_eq!((answer.status, &*answer.head, &*answer.body), (200, "x: y", &b"hi"[..]));
        let chunked =
            b"HTTP/1.1 404 No\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n\
            3\r\n:\na\r\n2\r\nb\n\r\n0\r\n\r\n";
        let answer = read(chunked).unwrap();
        assert_eq!((answer.status, &*answer.body), (404, &b"ab\n"[..]));
        assert!(read(b"HTTP/1.1 200").is_none());
    }
}
