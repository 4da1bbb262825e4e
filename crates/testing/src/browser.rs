//! Chromium, for programs that do one thing at a time.

use std::path::Path;

use tempfile::TempDir;
use thirtyfour::manager::{BrowserKind, StdioMode};
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};
use tokio::runtime::{Builder, Runtime};

/// A browser with a chromedriver and a profile of its own. All of it ends with this.
pub struct Browser {
    /// What to tell it; each answer is to be [waited](Self::wait) for.
    pub driver: WebDriver,
    runtime: Runtime,
    _profile: TempDir,
}

impl Browser {
    /// Starts one, with nothing in it.
    ///
    /// # Errors
    /// Where chromedriver or Chromium is not installed or does not start.
    pub fn start() -> WebDriverResult<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let profile = tempfile::tempdir()?;
        let managed = WebDriver::managed(capabilities(profile.path())?)
            .driver_binary(BrowserKind::Chrome, "chromedriver")
            .stdio(StdioMode::Null);
        let driver = runtime.block_on(managed.into_future())?;
        Ok(Self { driver, runtime, _profile: profile })
    }

    /// What comes of something.
    pub fn wait<T>(&self, something: impl Future<Output = T>) -> T {
        self.runtime.block_on(something)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.wait(self.driver.clone().quit());
    }
}

fn capabilities(profile: &Path) -> WebDriverResult<ChromeCapabilities> {
    let mut wanted = DesiredCapabilities::chrome();
    wanted.set_logging_prefs("browser", LoggingPrefsLogLevel::All)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut files = names.iter().flat_map(|name| std::env::split_paths(&path).map(move |at| at.join(name)));
    if let Some(binary) = files.find(|file| file.is_file()) {
        wanted.set_binary(&binary.to_string_lossy())?;
    }
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
    arguments.into_iter().try_for_each(|argument| wanted.add_arg(argument))?;
    Ok(wanted)
}
