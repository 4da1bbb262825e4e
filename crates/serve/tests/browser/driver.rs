//! A browser as these tests speak to it: it waits for what is wanted, takes pictures, and fails a test for errors on its console.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use grease_testing::browser;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// How long to wait for anything before a test fails.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(40);

/// What the protocol calls an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A key that is no letter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    Tab,
    Enter,
    Space,
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        match key {
            Key::Tab => "\u{e004}",
            Key::Enter => "\u{e007}",
            Key::Space => " ",
        }
        .to_owned()
    }
}

/// A browser of one test. Ended with the test, which fails if the browser's console has errors.
pub(crate) struct Browser {
    chromium: browser::Browser,
    expected: Mutex<Vec<&'static str>>,
}

impl Browser {
    /// Starts one, with nothing in it.
    pub(crate) fn start() -> Self {
        Self { chromium: browser::Browser::start().expect("the browser starts"), expected: Mutex::default() }
    }

    /// Errors on the console with this in them are part of the test.
    pub(crate) fn expect_on_console(&self, part: &'static str) {
        self.expected.lock().unwrap().push(part);
    }

    /// Goes to an address, as if for the first time.
    pub(crate) fn go(&self, url: &str) {
        // An address that differs in its last part only would not be loaded again.
        for url in ["about:blank", url] {
            self.chromium.post("/url", &json!({ "url": url })).unwrap();
        }
    }

    /// What a script of the page returns; promises are waited for.
    pub(crate) fn script<T: DeserializeOwned>(&self, script: &str, arguments: &Value) -> T {
        let said =
            self.chromium.script(script, arguments).unwrap_or_else(|error| panic!("{script}: {error}"));
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
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits until a script of the page returns true.
    pub(crate) fn until_true(&self, what: &str, script: &str, arguments: &Value) {
        self.until(what, || self.script::<bool>(script, arguments).then_some(()));
    }

    /// Does something with the first of what a selector finds that has this in its text or label, as soon as it can be done.
    fn with_element(&self, css: &str, name: &str, action: &str, body: &Value) {
        let find = "return [...document.querySelectorAll(arguments[0])].find((one) =>
            (one.getAttribute('aria-label') ?? one.textContent).includes(arguments[1])) ?? null";
        let attempt = || {
            let found = self.chromium.script(find, &json!([css, name]))?;
            let id = found[ELEMENT].as_str().ok_or("it is not there")?;
            self.chromium.post(&format!("/element/{id}/{action}"), body)
        };
        let began = Instant::now();
        // It may not be there yet, move, or be drawn anew.
        while let Err(error) = attempt() {
            assert!(began.elapsed() < PATIENCE, "{css} {name}: {error}");
            std::thread::sleep(PAUSE);
        }
    }

    /// Clicks what a selector finds first.
    pub(crate) fn click(&self, css: &str) {
        self.click_named(css, "");
    }

    /// Clicks the first of what a selector finds that has this in its text or label.
    pub(crate) fn click_named(&self, css: &str, name: &str) {
        self.with_element(css, name, "click", &json!({}));
    }

    /// Types into a field, in the place of what is in it.
    pub(crate) fn fill(&self, css: &str, text: &str) {
        // As a person does it: Control and A, then over it.
        let keys = format!("\u{e009}a\u{e000}{text}");
        self.with_element(css, "", "value", &json!({ "text": keys }));
    }

    /// Presses a key, or types, wherever the focus is.
    pub(crate) fn press(&self, keys: impl Into<String>) {
        let stroke =
            |c: char| [json!({ "type": "keyDown", "value": c }), json!({ "type": "keyUp", "value": c })];
        let strokes: Vec<Value> = keys.into().chars().flat_map(stroke).collect();
        let actions = json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] });
        self.chromium.post("/actions", &actions).unwrap();
    }

    /// Asks the browser behind the protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.try_devtools(command, parameters).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    fn try_devtools(&self, command: &str, parameters: &Value) -> Result<Value, String> {
        self.chromium.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
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
        // At rest; what moves for ever cannot be brought to its end.
        let rest =
            "document.getAnimations().forEach((one) => { try { one.finish(); } catch { /* for ever */ } })";
        self.script::<Value>(rest, &json!([]));
        self.try_photograph(name).unwrap();
    }

    fn try_photograph(&self, name: &str) -> Result<(), Box<dyn std::error::Error>> {
        let how = json!({ "format": "png", "captureBeyondViewport": true });
        let taken = self.try_devtools("Page.captureScreenshot", &how)?;
        let png = BASE64_STANDARD.decode(taken["data"].as_str().unwrap_or_default())?;
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/page"));
        std::fs::create_dir_all(&folder)?;
        Ok(std::fs::write(folder.join(format!("{name}.png")), png)?)
    }

    /// What the console has of errors, but for the expected.
    fn errors(&self) -> Result<Vec<String>, String> {
        let said = self.chromium.post("/se/log", &json!({ "type": "browser" }))?;
        let expected = self.expected.lock().unwrap();
        let errors = said
            .as_array()
            .ok_or("the console cannot be read")?
            .iter()
            .filter(|entry| entry["level"] == "SEVERE")
            .map(|entry| format!("{}: {}", entry["source"], entry["message"]))
            .filter(|message| !expected.iter().any(|part| message.contains(part)));
        Ok(errors.collect())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let errors = self.errors();
        // A second panic would hide the first.
        if std::thread::panicking() {
            let name = std::thread::current().name().unwrap_or("test").replace("::", "-");
            let picture = self.try_photograph(&format!("failed-{name}"));
            println!("the console's errors: {errors:#?}, a picture: {picture:?}");
        } else {
            assert!(matches!(&errors, Ok(none) if none.is_empty()), "the console has errors: {errors:#?}");
        }
    }
}
