//! `grease serve`, asked over a real connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::support::Place;

/// A server under way, ended with the test.
struct Server(Child, String, Option<BufReader<ChildStderr>>);

impl Server {
    fn start(place: &Place, line: &str) -> Self {
        let mut child = place.command(line).stderr(Stdio::piped()).spawn().expect("grease runs");
        let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        said.read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("listening at http://").expect("where it listens").to_owned();
        Self(child, address, Some(said))
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.1).expect("a connection");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: grease\r\nConnection: close\r\n\r\n")
            .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn it_answers_and_ends_when_asked_to() {
    let place = Place::with_tastes();
    let mut server = Server::start(&place, "serve --model model --port 0");
    let list = server.get("/api/users/ada/recommendations?k=2");
    let expected = place.grease("recommend --model model --user ada -k 2 --format json").json();
    let (_, body) = list.split_once("\r\n\r\n").unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(body).unwrap(), expected, "{list}");
    let page = server.get("/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<!doctype html>"), "{page}");
    assert!(!page.contains("<script>") && !page.contains(" style="), "nothing inline: {page}");
    let pid = server.0.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(server.0.wait().unwrap().success(), "Ctrl-C is how it ends");
}

#[test]
fn after_a_hangup_the_model_is_read_again_and_a_broken_one_is_not_taken() {
    let place = Place::with_tastes();
    let mut server = Server::start(&place, "serve --model model --port 0");
    let mut said = server.2.take().expect("what it says");
    let mut hang_up = || {
        let pid = server.0.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        line
    };
    assert!(hang_up().contains("read again"));
    std::fs::remove_file(place.path("model/train.tsv")).unwrap();
    assert!(hang_up().contains("the one before is still served"));
    assert!(server.get("/api/users/ada").contains("tea"));
}

#[test]
fn what_others_can_reach_wants_a_token() {
    let place = Place::with_tastes();
    let open = place.grease("serve --model model --host 0.0.0.0 --port 0");
    assert_eq!(open.code, 2);
    assert!(open.stderr.contains("--token-env"), "{}", open.stderr);
    let unset = place.grease("serve --model model --token-env GREASE_NO_SUCH_TOKEN");
    assert!(unset.stderr.contains("GREASE_NO_SUCH_TOKEN is not set"), "{}", unset.stderr);
}
