//! `grease serve`, asked over a real connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::support::Place;

/// A server under way, ended with the test.
struct Server(Child, String, Option<BufReader<ChildStderr>>);

impl Server {
    fn start(place: &Place, line: &str) -> Self {
        Self::run(&mut place.command(line))
    }

    fn run(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("grease runs");
        let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        said.read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("listening at http://").expect("where it listens").to_owned();
        Self(child, address, Some(said))
    }

    fn get(&self, path: &str) -> String {
        self.get_with(path, "")
    }

    /// With further lines of the head.
    fn get_with(&self, path: &str, more: &str) -> String {
        let mut stream = TcpStream::connect(&self.1).expect("a connection");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n{more}Connection: close\r\n\r\n")
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
    let mut server = Server::start(&place, "serve --model model --port 0 --log none");
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

#[test]
fn every_request_is_a_line_in_the_log_that_programs_can_read() {
    let place = Place::with_tastes();
    let mut server = Server::start(&place, "serve --model model --port 0 --log json");
    server.get_with("/api/users/ada", "x-request-id: mine-1\r\n");
    server.get("/api/users/somebody-else");
    let said = server.2.take().expect("what it says");
    let lines: Vec<serde_json::Value> =
        said.lines().take(2).map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    assert_eq!((&lines[0]["id"], &lines[0]["status"]), (&"mine-1".into(), &200.into()));
    assert_eq!((&lines[1]["path"], &lines[1]["status"]), (&"/api/users/somebody-else".into(), &404.into()));
    assert!(lines.iter().all(|line| line["method"] == "GET" && line["ms"].is_number()), "{lines:?}");
}

#[test]
fn a_signed_link_opens_one_page() {
    let place = Place::with_tastes();
    let key = ("LINK_KEY", "0123456789abcdef0123456789abcdef");
    let line = "serve --model model --port 0 --link-key-env LINK_KEY --no-user-search --log none";
    let server = Server::run(place.command(line).env(key.0, key.1));
    let page = format!("http://{}/", server.1);
    let link = place
        .command(&format!("link --user ada --link-key-env LINK_KEY --page {page}"))
        .env(key.0, key.1)
        .output();
    let link = String::from_utf8(link.unwrap().stdout).unwrap();
    let (user, pass) =
        link.trim().strip_prefix(&format!("{page}#user=")).unwrap().split_once("&pass=").unwrap();
    assert_eq!(user, "ada");
    let bearer = format!("Authorization: Bearer {pass}\r\n");
    assert!(server.get_with("/api/users/ada", &bearer).starts_with("HTTP/1.1 200"));
    assert!(server.get_with("/api/users/bob", &bearer).starts_with("HTTP/1.1 403"));
    assert!(server.get("/api/users/ada").starts_with("HTTP/1.1 401"));
}

#[test]
fn a_link_wants_a_key_nobody_guesses() {
    let place = Place::new();
    let weak =
        place.command("link --user ada --link-key-env LINK_KEY").env("LINK_KEY", "short").output().unwrap();
    assert_eq!(weak.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&weak.stderr).contains("at least 16"), "{weak:?}");
    let unset = place.grease("link --user ada --link-key-env GREASE_NO_SUCH_KEY");
    assert!(unset.stderr.contains("GREASE_NO_SUCH_KEY is not set"), "{}", unset.stderr);
    let nowhere = place
        .command("link --user ada --link-key-env K --page ftp://x")
        .env("K", "0123456789abcdef")
        .output();
    assert!(String::from_utf8_lossy(&nowhere.unwrap().stderr).contains("not the address of a page"));
}
