//! A browser that is told what to do: the few words of the WebDriver protocol that these tests need.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long to wait for anything before a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the protocol calls an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A key that is no letter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    Tab,
    Enter,
    Space,
}

impl Key {
    fn code(self) -> &'static str {
        match self {
            Self::Tab => "\u{e004}",
            Self::Enter => "\u{e007}",
            Self::Space => " ",
        }
    }
}

/// chromedriver, which ends with this.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A browser of one test. Ended with the test, which fails if the browser's console has errors.
pub(crate) struct Browser {
    agent: ureq::Agent,
    session: String,
    /// The browser's own process, for when it does not end by itself.
    process: Option<u64>,
    expected: Mutex<Vec<&'static str>>,
    _driver: Driver,
    _profile: TempDir,
}

impl Browser {
    /// Starts one, with nothing in it.
    pub(crate) fn start() -> Self {
        let (driver, port) = start_driver();
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(Duration::from_secs(90)))
            .build()
            .into();
        let profile = tempfile::tempdir().unwrap();
        let base = format!("http://127.0.0.1:{port}/session");
        let body = json!({ "capabilities": { "alwaysMatch": capabilities(profile.path()) } });
        let session = ask(&agent, "POST", &base, &body).expect("the browser starts");
        let id = session["sessionId"].as_str().unwrap();
        Self {
            session: format!("{base}/{id}"),
            process: session["capabilities"]["goog:processID"].as_u64(),
            agent,
            expected: Mutex::default(),
            _driver: driver,
            _profile: profile,
        }
    }

    /// Errors on the console with this in them are part of the test.
    pub(crate) fn expect_on_console(&self, part: &'static str) {
        self.expected.lock().unwrap().push(part);
    }

    fn try_post(&self, path: &str, body: &Value) -> Result<Value, String> {
        ask(&self.agent, "POST", &format!("{}{path}", self.session), body)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.try_post(path, body).unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    /// Goes to an address, as if for the first time.
    pub(crate) fn go(&self, url: &str) {
        // An address that differs in its last part only would not be loaded again.
        self.post("/url", &json!({ "url": "about:blank" }));
        self.post("/url", &json!({ "url": url }));
    }

    /// What a script of the page returns; promises are waited for.
    pub(crate) fn script<T: DeserializeOwned>(&self, script: &str, arguments: &Value) -> T {
        let said = self.post("/execute/sync", &json!({ "script": script, "args": arguments }));
        serde_json::from_value(said.clone()).unwrap_or_else(|error| panic!("{script}: {error}: {said}"))
    }

    /// Waits until there is something; `what` says what for.
    pub(crate) fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            if let Some(seen) = look() {
                return seen;
            }
            assert!(began.elapsed() < PATIENCE, "waited for {what} in vain");
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    /// Waits until a script of the page returns true.
    pub(crate) fn until_true(&self, what: &str, script: &str, arguments: &Value) {
        self.until(what, || self.script::<bool>(script, arguments).then_some(()));
    }

    /// Does something with the element that a script finds, as soon as there is one and it can be done.
    fn with_element(&self, what: &str, find: &str, arguments: &Value, action: &str, body: &Value) {
        let mut last = String::from("it is not there");
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let found: Value = self.script(find, arguments);
            if let Some(id) = found[ELEMENT].as_str() {
                match self.try_post(&format!("/element/{id}/{action}"), body) {
                    Ok(_) => return,
                    // It may move, or be drawn anew.
                    Err(error) => last = error,
                }
            }
            std::thread::sleep(Duration::from_millis(40));
        }
        panic!("{what}: {last}");
    }

    /// Clicks what a selector finds first.
    pub(crate) fn click(&self, css: &str) {
        let find = "return document.querySelector(arguments[0])";
        self.with_element(css, find, &json!([css]), "click", &json!({}));
    }

    /// Clicks the first of what a selector finds that has this in its text or label.
    pub(crate) fn click_named(&self, css: &str, name: &str) {
        let find = "return [...document.querySelectorAll(arguments[0])].find((one) =>
            (one.getAttribute('aria-label') ?? one.textContent).includes(arguments[1])) ?? null";
        self.with_element(&format!("{css} {name}"), find, &json!([css, name]), "click", &json!({}));
    }

    /// Types into a field, in the place of what is in it.
    pub(crate) fn fill(&self, css: &str, text: &str) {
        let find = "return document.querySelector(arguments[0])";
        // As a person does it: Control and A, then over it.
        let keys = format!("\u{e009}a\u{e000}{text}");
        self.with_element(css, find, &json!([css]), "value", &json!({ "text": keys }));
    }

    /// Presses a key, wherever the focus is.
    pub(crate) fn press(&self, key: Key) {
        self.keys(key.code());
    }

    /// Types, wherever the focus is.
    pub(crate) fn keys(&self, text: &str) {
        let stroke =
            |c: char| [json!({ "type": "keyDown", "value": c }), json!({ "type": "keyUp", "value": c })];
        let strokes: Vec<Value> = text.chars().flat_map(stroke).collect();
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] }));
    }

    /// Asks the browser behind the protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// The size of what is seen of a page.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Whether the person likes it dark.
    pub(crate) fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", &features);
    }

    /// The whole page as a picture, in `target/page`, for people to look at.
    pub(crate) fn photograph(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/page");
        std::fs::create_dir_all(&folder).unwrap();
        // At rest; what moves for ever cannot be brought to its end.
        let rest =
            "document.getAnimations().forEach((one) => { try { one.finish(); } catch { /* for ever */ } })";
        self.script::<Value>(rest, &json!([]));
        let how = json!({ "format": "png", "captureBeyondViewport": true });
        let taken = self.devtools("Page.captureScreenshot", &how);
        let png = BASE64_STANDARD.decode(taken["data"].as_str().unwrap()).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), png).unwrap();
    }

    /// What the console has of errors, but for the expected.
    fn errors(&self) -> Vec<String> {
        let said = self.try_post("/se/log", &json!({ "type": "browser" })).unwrap_or_default();
        let expected = self.expected.lock().unwrap();
        let entries = said.as_array().map(Vec::as_slice).unwrap_or_default().iter();
        entries
            .filter(|entry| entry["level"] == "SEVERE")
            .map(|entry| format!("{}: {}", entry["source"], entry["message"]))
            .filter(|message| !expected.iter().any(|part| message.contains(part)))
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let has_failed = std::thread::panicking();
        let errors = self.errors();
        if has_failed {
            self.photograph_failure();
        }
        if ask(&self.agent, "DELETE", &self.session, &Value::Null).is_err()
            && let Some(process) = self.process
        {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
        if has_failed {
            println!("the console's errors: {errors:#?}");
        } else {
            assert!(errors.is_empty(), "the console has errors: {errors:#?}");
        }
    }
}

impl Browser {
    /// As [`Self::photograph`], but a second panic would hide the first.
    fn photograph_failure(&self) {
        let name = std::thread::current().name().unwrap_or("test").replace("::", "-");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/page");
        let how = json!({ "cmd": "Page.captureScreenshot", "params": { "format": "png" } });
        let taken = self.try_post("/goog/cdp/execute", &how).unwrap_or_default();
        if let Some(png) = taken["data"].as_str().and_then(|data| BASE64_STANDARD.decode(data).ok()) {
            let _ = std::fs::create_dir_all(&folder);
            let _ = std::fs::write(folder.join(format!("failed-{name}.png")), png);
        }
    }
}

/// chromedriver at a port of its own choice.
fn start_driver() -> (Driver, u16) {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map(Driver)
        .expect("chromedriver is installed");
    let said = BufReader::new(driver.0.stdout.take().unwrap());
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        // To the end, as a full pipe would halt it.
        for line in said.lines().map_while(Result::ok) {
            let port = line
                .split_once("successfully on port ")
                .and_then(|(_, port)| port.trim_end_matches('.').parse().ok());
            if let Some(port) = port {
                let _: Result<(), mpsc::SendError<u16>> = tell.send(port);
            }
        }
    });
    let port = told.recv_timeout(PATIENCE).expect("chromedriver tells its port");
    (driver, port)
}

fn capabilities(profile: &Path) -> Value {
    let binary = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(in_path);
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
    json!({
        "browserName": "chrome",
        "goog:loggingPrefs": { "browser": "ALL" },
        "goog:chromeOptions": { "args": arguments, "binary": binary.expect("Chromium is installed") },
    })
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
