//! One question after another, each timed from outside.

use std::net::SocketAddr;
use std::time::Instant;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::bench::serve::client::{Client, get, post};
use crate::failure::Failure;

/// Somebody who asks a service.
pub(super) struct Asker {
    client: Client,
}

/// How long some questions took, in ms.
#[derive(Default)]
pub(super) struct Times(Vec<f64>);

impl Asker {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self { client: Client::new(address) }
    }

    /// Asks, and says how long it took in ms.
    fn ask(&mut self, request: &[u8]) -> Result<(f64, Value), Failure> {
        let began = Instant::now();
        let said = self.client.ask(request);
        let (status, body) = said.map_err(|error| Failure::work(format!("the service: {error}")))?;
        let took = began.elapsed().as_secs_f64() * 1e3;
        if status != 200 {
            let said = String::from_utf8_lossy(body);
            return Err(Failure::work(format!("the service answered {status}: {said}")));
        }
        let value = serde_json::from_slice(body);
        Ok((took, value.map_err(|error| Failure::work(format!("the service: {error}")))?))
    }

    /// Their list: how long it took, and its first item.
    pub(super) fn list(&mut self, user: &str) -> Result<(f64, Option<String>), Failure> {
        let (took, said) = self.ask(&get(&format!("/api/users/{}/recommendations?k=10", quoted(user))))?;
        Ok((took, text(&said, "/recommendations/0/item")))
    }

    /// The first item of their history.
    pub(super) fn first_of(&mut self, user: &str) -> Result<Option<String>, Failure> {
        let (_, said) = self.ask(&get(&format!("/api/users/{}", quoted(user))))?;
        Ok(text(&said, "/history/0/item"))
    }

    /// Their list with an item imagined away.
    pub(super) fn what_if(&mut self, user: &str, gone: &str) -> Result<f64, Failure> {
        let body = json!({ "user": user, "remove": [gone], "k": 10 });
        Ok(self.ask(&post("/api/what-if", &body.to_string()))?.0)
    }

    /// Their list, or one item by more than their own interactions, explained both ways.
    pub(super) fn explain(&mut self, user: &str, target: Option<&str>) -> Result<f64, Failure> {
        let body = match target {
            Some(item) => json!({ "user": user, "items": [item], "scope": "target", "k": 10 }),
            None => json!({ "user": user, "k": 10 }),
        };
        Ok(self.ask(&post("/api/explanations", &body.to_string()))?.0)
    }

    /// Items by a part of their name.
    pub(super) fn search(&mut self, part: &str) -> Result<f64, Failure> {
        Ok(self.ask(&get(&format!("/api/items?query={}", quoted(part))))?.0)
    }
}

impl Times {
    pub(super) fn add(&mut self, ms: f64) {
        self.0.push(ms);
    }

    /// The middle and the slow ones; null where nothing was asked.
    pub(super) fn figures(mut self) -> Value {
        self.0.sort_by(f64::total_cmp);
        let at = |share: f64| self.0[((self.0.len() as f64 * share) as usize).min(self.0.len() - 1)];
        match self.0.is_empty() {
            true => Value::Null,
            false => {
                json!({ "asked": self.0.len(), "median_ms": at(0.5), "p95_ms": at(0.95), "most_ms": at(1.0) })
            }
        }
    }
}

fn quoted(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn text(value: &Value, place: &str) -> Option<String> {
    value.pointer(place)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_slow_ones_are_told() {
        let mut times = Times::default();
        assert_eq!(Times::default().figures(), Value::Null);
        (1..=100).rev().for_each(|ms| times.add(f64::from(ms)));
        assert_eq!(
            times.figures(),
            json!({ "asked": 100, "median_ms": 51.0, "p95_ms": 96.0, "most_ms": 100.0 })
        );
    }
}
