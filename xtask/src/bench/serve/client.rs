//! A client that costs little, since it shares the processor with the server it asks: HTTP/1.1 on a connection that is kept.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// No request of a bench may take longer: it would hang otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// One connection, opened when it is first needed and again after it broke.
pub(in crate::bench) struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
    read: Vec<u8>,
}

/// The status of an answer and where its parts lie in what was read.
struct Head {
    status: u16,
    body_from: usize,
    length: usize,
    closes: bool,
}

impl Client {
    pub(in crate::bench) fn new(address: SocketAddr) -> Self {
        Self { address, stream: None, read: Vec::new() }
    }

    /// Sends a request, made by [`get`] or [`post`], and waits for its answer: the status and the body.
    pub(in crate::bench) fn ask(&mut self, request: &[u8]) -> io::Result<(u16, &[u8])> {
        match self.exchange(request) {
            Ok(head) => {
                if head.closes {
                    self.stream = None;
                }
                Ok((head.status, &self.read[head.body_from..head.body_from + head.length]))
            }
            Err(error) => {
                self.stream = None;
                Err(error)
            }
        }
    }

    fn exchange(&mut self, request: &[u8]) -> io::Result<Head> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => {
                let stream = TcpStream::connect_timeout(&self.address, PATIENCE)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                none.insert(stream)
            }
        };
        stream.write_all(request)?;
        self.read.clear();
        let head = loop {
            if let Some(head) = head_in(&self.read)? {
                break head;
            }
            more(stream, &mut self.read)?;
        };
        while self.read.len() < head.body_from + head.length {
            more(stream, &mut self.read)?;
        }
        Ok(head)
    }
}

fn more(stream: &mut TcpStream, into: &mut Vec<u8>) -> io::Result<()> {
    let had = into.len();
    into.resize(had + 16 * 1024, 0);
    let got = stream.read(&mut into[had..])?;
    into.truncate(had + got);
    if got == 0 { Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server hung up")) } else { Ok(()) }
}

/// The head of an answer, once all of it was read.
fn head_in(read: &[u8]) -> io::Result<Option<Head>> {
    let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let text = std::str::from_utf8(&read[..end]).map_err(|_| bad("the head of an answer is not UTF-8"))?;
    let mut lines = text.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| bad("an answer without a status"))?;
    let (mut length, mut closes) = (None, false);
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok();
        } else if name.eq_ignore_ascii_case("connection") {
            closes = value.trim().eq_ignore_ascii_case("close");
        }
    }
    let length = length.ok_or_else(|| bad("an answer that does not say how long it is"))?;
    Ok(Some(Head { status, body_from: end + 4, length, closes }))
}

/// A request for an address.
pub(in crate::bench) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// A request with JSON.
pub(in crate::bench) fn post(path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Answers each connection with one of these texts and hangs up.
    fn answering(texts: &'static [&'static str]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for text in texts {
                let (mut stream, _) = listener.accept().unwrap();
                let mut asked = [0; 1024];
                let _ = stream.read(&mut asked).unwrap();
                for byte in text.as_bytes().chunks(7) {
                    stream.write_all(byte).unwrap();
                    stream.flush().unwrap();
                }
            }
        });
        address
    }

    #[test]
    fn an_answer_in_pieces_is_read_whole_and_a_broken_connection_is_opened_again() {
        const TEXTS: [&str; 2] = [
            "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhel",
            "HTTP/1.1 503 Busy\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
        ];
        let mut client = Client::new(answering(&TEXTS));
        assert!(client.ask(&get("/")).is_err(), "a part of an answer is none");
        assert_eq!(client.ask(&get("/")).unwrap(), (503, &b"hello"[..]));
    }
}
