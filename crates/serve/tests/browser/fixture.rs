//! The server that the browser looks at, in this process, at a free port.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use grease::Subject;
use grease_serve::{ServeOptions, Service};
use serde_json::Value;
use tokio::sync::oneshot;

use grease_testing::folder;

/// A service that listens. Stopped when it is dropped.
pub(crate) struct Site {
    address: SocketAddr,
    service: Service,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
    token: Option<String>,
}

impl Site {
    /// Serves the small trained model.
    pub(crate) fn start(options: ServeOptions) -> Self {
        Self::serving(&folder().clone().into(), options)
    }

    /// Serves a recommender.
    pub(crate) fn serving(subject: &Subject, options: ServeOptions) -> Self {
        let token = options.token.clone();
        let service = Service::new(subject, options);
        let mut site = Self { address: (Ipv4Addr::LOCALHOST, 0).into(), service, running: None, token };
        site.begin();
        site
    }

    /// Listens, where it has listened before if it has.
    pub(crate) fn begin(&mut self) {
        let (service, address) = (self.service.clone(), self.address);
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let serve = move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            let runtime = runtime.unwrap();
            runtime.block_on(async {
                let listening = move |address| tell.send(address).unwrap();
                tokio::select! {
                    ended = service.listen(address, listening, std::future::pending()) => ended.unwrap(),
                    _ = stopped => {}
                }
            });
            // As when a machine goes away: whoever is connected is cut off.
            runtime.shutdown_background();
        };
        self.running = Some((stop, std::thread::spawn(serve)));
        self.address = told.recv_timeout(Duration::from_secs(20)).expect("the server listens");
    }

    /// Goes away without a word.
    pub(crate) fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            let _ = stop.send(());
            let _ = thread.join();
        }
    }

    /// The address of something on it.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What the API says to a program.
    pub(crate) fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    /// The same, as it comes.
    pub(crate) fn text(&self, path: &str) -> String {
        let asked = ureq::get(self.url(path)).header("authorization", self.authorization());
        asked.call().unwrap().body_mut().read_to_string().unwrap()
    }

    /// What the API answers to this.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let asked = ureq::post(self.url(path)).header("authorization", self.authorization());
        let answer = asked.content_type("application/json").send(body.to_string());
        serde_json::from_str(&answer.unwrap().body_mut().read_to_string().unwrap()).unwrap()
    }

    fn authorization(&self) -> String {
        format!("Bearer {}", self.token.as_deref().unwrap_or_default())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop();
    }
}
