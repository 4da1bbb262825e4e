//! Chromium, told what to do by the few words of the WebDriver protocol that tests and benches need.
//!
//! By hand on purpose: `thirtyfour` turns on `serde_json/preserve_order` for the whole workspace, and with it other bytes in
//! everything we write; `fantoccini` starts no driver and reads no console, and left more to write than it saved.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long chromedriver may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

/// chromedriver, which ends with this.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A browser with a chromedriver and a profile of its own. All of it ends with this.
pub struct Browser {
    agent: ureq::Agent,
    session: String,
    /// The browser's own process, for when it does not end by itself.
    process: Option<u64>,
    _driver: Driver,
    _profile: TempDir,
}

impl Browser {
    /// Starts one, with nothing in it.
    ///
    /// # Errors
    /// Where chromedriver or Chromium is not installed or does not start.
    pub fn start() -> Result<Self, String> {
        let (driver, port) = start_driver()?;
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(Duration::from_secs(90)))
            .build()
            .into();
        let profile = tempfile::tempdir().map_err(|error| error.to_string())?;
        let base = format!("http://127.0.0.1:{port}/session");
        let body = json!({ "capabilities": { "alwaysMatch": capabilities(profile.path())? } });
        let session = ask(&agent, "POST", &base, &body)?;
        let id = session["sessionId"].as_str().ok_or("the browser has no session")?;
        let (session, process) = (format!("{base}/{id}"), session["capabilities"]["goog:processID"].as_u64());
        Ok(Self { agent, session, process, _driver: driver, _profile: profile })
    }

    /// One command of the protocol, below the session.
    ///
    /// # Errors
    /// Where the browser refuses.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        ask(&self.agent, "POST", &format!("{}{path}", self.session), body)
    }

    /// What a script of the page returns; promises are waited for.
    ///
    /// # Errors
    /// Where it throws.
    pub fn script(&self, script: &str, arguments: &Value) -> Result<Value, String> {
        self.post("/execute/sync", &json!({ "script": script, "args": arguments }))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if ask(&self.agent, "DELETE", &self.session, &Value::Null).is_err()
            && let Some(process) = self.process
        {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
    }
}

/// chromedriver at a port of its own choice. It may choose one that somebody else has taken in the meantime, and ends then: another
/// try finds another.
fn start_driver() -> Result<(Driver, u16), String> {
    try_driver().or_else(|_| try_driver()).or_else(|_| try_driver())
}

fn try_driver() -> Result<(Driver, u16), String> {
    let started = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut driver = started.map(Driver).map_err(|error| format!("chromedriver: {error}"))?;
    let said = BufReader::new(driver.0.stdout.take().ok_or("chromedriver says nothing")?);
    let (sender, ports) = mpsc::channel();
    std::thread::spawn(move || {
        // To the end, as a full pipe would halt it.
        for line in said.lines().map_while(Result::ok) {
            let port = line
                .split_once("successfully on port ")
                .and_then(|(_, port)| port.trim_end_matches('.').parse().ok());
            if let Some(port) = port {
                let _: Result<(), mpsc::SendError<u16>> = sender.send(port);
            }
        }
    });
    let port = ports.recv_timeout(PATIENCE).map_err(|_| "chromedriver tells no port")?;
    Ok((driver, port))
}

fn capabilities(profile: &Path) -> Result<Value, String> {
    let binary = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(in_path);
    // One of the driver's own making would be left behind.
    let profile = format!("--user-data-dir={}", profile.display());
    let arguments = [
        "--headless=new",
        // Containers run as root, where the sandbox does not start; only our own page is looked at.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--no-proxy-server",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        "--hide-scrollbars",
        "--window-size=1280,900",
        &profile,
    ];
    Ok(json!({
        "browserName": "chrome",
        "goog:loggingPrefs": { "browser": "ALL" },
        "goog:chromeOptions": { "args": arguments, "binary": binary.ok_or("Chromium is not installed")? },
    }))
}

fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// One request; the protocol wraps each answer in `value`.
fn ask(agent: &ureq::Agent, method: &str, url: &str, body: &Value) -> Result<Value, String> {
    let answer = match method {
        "DELETE" => agent.delete(url).call(),
        _ => agent.post(url).content_type("application/json").send(body.to_string()),
    };
    let mut answer = answer.map_err(|error| error.to_string())?;
    let text = answer.body_mut().with_config().limit(64 << 20).read_to_string();
    let text = text.map_err(|error| error.to_string())?;
    let mut said: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let value = said["value"].take();
    match value["error"].as_str() {
        Some(error) if !answer.status().is_success() => Err(format!("{error}: {}", value["message"])),
        _ => Ok(value),
    }
}
