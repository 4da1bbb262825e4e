//! An oracle for tests: it counts paths on a graph, and misbehaves as it is told.
//!
//! ```text
//! grease-oracle-double --graph FILE --users N --items N [--option VALUE …]
//! ```

mod model;

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufWriter, StdoutLock, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use base64::Engine as _;
use grease_graph::Edge;
use model::{Model, row_of};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options: HashMap<String, String> = arguments
        .chunks(2)
        .filter_map(|pair| Some((pair[0].strip_prefix("--")?.to_owned(), pair.get(1)?.clone())))
        .collect();
    match (Double { model: read_model(&options), options, requests: 0 }).serve() {
        Ok(code) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn read_model(options: &HashMap<String, String>) -> Model {
    let number = |name: &str| options.get(name).and_then(|text| text.parse().ok()).unwrap_or(0usize);
    let text = options.get("graph").and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let edge = |line: &str| {
        let (user, item) = line.split_once('\t')?;
        Some(Edge::new(row_of(user, 'u')?, row_of(item, 'i')?))
    };
    let mut items: Vec<String> =
        (0..number("items") + number("more-items")).map(|row| format!("i{row}")).collect();
    if options.contains_key("backwards") {
        items.reverse();
    }
    Model::new(number("users"), items, text.lines().filter_map(edge).collect())
}

struct Double {
    model: Model,
    options: HashMap<String, String>,
    requests: usize,
}

impl Double {
    fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    /// What to do wrong, where it is time to: at the `--at`-th request for scores, and with `--once FILE` only where the file
    /// is not there yet.
    fn mistake(&self) -> Option<&str> {
        let at: usize = self.option("at").and_then(|at| at.parse().ok()).unwrap_or(1);
        let mistake = self.option("mistake")?;
        let late = self.requests >= at;
        let done = self.option("once").is_some_and(|file| Path::new(file).exists());
        (late && !done).then(|| {
            if let Some(file) = self.option("once") {
                let _ = std::fs::write(file, "");
            }
            mistake
        })
    }

    fn serve(mut self) -> io::Result<ExitCode> {
        let mut out = BufWriter::new(io::stdout().lock());
        if let Some(words) = self.option("banner") {
            writeln!(out, "{words}")?;
            out.flush()?;
        }
        if let Some(words) = self.option("stderr") {
            writeln!(io::stderr(), "{words}")?;
        }
        let constant = self.option("constant").map(|form| self.prepared(form));
        for line in io::stdin().lock().lines() {
            let line = line?;
            if let Some((head, tail)) = &constant
                && line.contains("\"score\"")
            {
                // As fast as can be: the id is between the first colon and the first comma.
                let id =
                    line.split_once(':').and_then(|(_, rest)| rest.split_once(',')).map_or("0", |(id, _)| id);
                let edits = line.matches("\"removed\"").count();
                write!(out, "{{\"id\":{id},{head}")?;
                for at in 0..edits {
                    if at > 0 {
                        out.write_all(b",")?;
                    }
                    out.write_all(tail)?;
                }
                out.write_all(b"]}\n")?;
                out.flush()?;
                continue;
            }
            let request: Value = serde_json::from_str(&line).unwrap_or_default();
            self.log(&request);
            if let Some(code) = self.answer(&request, &mut out)? {
                return Ok(code);
            }
            out.flush()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// For the benchmark: the start of every answer, and one edit's scores.
    fn prepared(&self, form: &str) -> (&'static str, Vec<u8>) {
        let scores: Vec<f32> =
            (0..self.model.items.len()).map(|at| ((at * 7919) % 1009) as f32 / 1009.0).collect();
        if form == "f32" {
            return ("\"scores_f32\":[", format!("\"{}\"", base64_of(&scores)).into_bytes());
        }
        ("\"scores\":[", json!(scores).to_string().into_bytes())
    }

    fn log(&self, request: &Value) {
        let Some(file) = self.option("log") else { return };
        let edits = request["score"]["edits"].as_array().map_or(0, Vec::len);
        let line = format!("{} {edits} {}\n", std::process::id(), request["score"]);
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(file).ok();
        if let Some(log) = &mut log {
            let _ = log.write_all(line.as_bytes());
        }
    }

    fn answer(
        &mut self,
        request: &Value,
        out: &mut BufWriter<StdoutLock<'_>>,
    ) -> io::Result<Option<ExitCode>> {
        let id = &request["id"];
        if !request["hello"].is_null() {
            if self.option("mistake") == Some("slow-hello") && self.mistake_now() {
                std::thread::sleep(Duration::from_secs(600));
            }
            writeln!(out, "{}", self.hello(id))?;
            return Ok(None);
        }
        if !request["embeddings"].is_null() {
            writeln!(out, "{}", self.embeddings(id))?;
            return Ok(None);
        }
        self.requests += 1;
        let score = &request["score"];
        let mistake = self.mistake().unwrap_or_default().to_owned();
        match mistake.as_str() {
            "die" => {
                writeln!(io::stderr(), "out of memory")?;
                return Ok(Some(ExitCode::from(7)));
            }
            "half" => {
                write!(out, "{{\"id\":{id},\"sco")?;
                out.flush()?;
                return Ok(Some(ExitCode::from(7)));
            }
            "stall" => std::thread::sleep(Duration::from_secs(600)),
            // Something that outlives whoever started it.
            "stall-with-child" => {
                let child = std::process::Command::new("sleep").arg("600").spawn()?;
                std::fs::write(self.option("child").unwrap_or_default(), child.id().to_string())?;
                std::thread::sleep(Duration::from_secs(600));
            }
            "garbage" => {
                writeln!(out, "Epoch 1: loss 0.3")?;
                return Ok(None);
            }
            "long" => {
                writeln!(out, "{}", "x".repeat(1 << 23))?;
                return Ok(None);
            }
            "wrong-id" => {
                writeln!(out, "{{\"id\":{},\"scores\":[]}}", id.as_u64().unwrap_or(0) + 1000)?;
                return Ok(None);
            }
            _ => {}
        }
        let mut reply = match self.scored(score) {
            Ok(reply) => reply,
            Err(error) => json!({ "error": error }),
        };
        match mistake.as_str() {
            "short" => {
                if let Some(row) = reply["scores"][0].as_array_mut() {
                    row.pop();
                }
            }
            "few-rows" => {
                if let Some(rows) = reply["scores"].as_array_mut() {
                    rows.pop();
                }
            }
            "null" => reply["scores"][0][0] = Value::Null,
            "unknown-item" => reply["ranked"][0]["top"][0][0] = "beer".into(),
            _ => {}
        }
        reply["id"] = id.clone();
        let text = reply.to_string();
        writeln!(out, "{}", if mistake == "nan" { text.replacen("[[", "[[NaN,", 1) } else { text })?;
        Ok(None)
    }

    fn mistake_now(&self) -> bool {
        let done = self.option("once").is_some_and(|file| Path::new(file).exists());
        if let Some(file) = self.option("once") {
            let _ = std::fs::write(file, "");
        }
        !done
    }

    fn scored(&self, score: &Value) -> Result<Value, String> {
        if self.option("top").is_some() {
            return Ok(json!({ "ranked": self.model.ranked(score)? }));
        }
        let rows = self.model.scores(score)?;
        Ok(if self.options.contains_key("f32") {
            json!({ "scores_f32": rows.iter().map(|row| base64_of(row)).collect::<Vec<_>>() })
        } else {
            json!({ "scores": rows })
        })
    }

    fn hello(&self, id: &Value) -> Value {
        let abilities: Vec<&str> =
            self.option("abilities").unwrap_or_default().split(',').filter(|word| !word.is_empty()).collect();
        // Every process another name, for those who start several.
        let name =
            if self.options.contains_key("fickle") { std::process::id().to_string() } else { "paths".into() };
        let number = |name: &str| self.option(name).and_then(|text| text.parse::<u64>().ok());
        json!({
            "grease": self.option("protocol").unwrap_or("oracle/1"),
            "id": id,
            "name": name,
            "version": "1",
            "items": self.model.items,
            "abilities": abilities,
            "batch": number("batch").unwrap_or(64),
            "top": number("top"),
            "embeddings": self.options.contains_key("embeddings"),
        })
    }

    /// Row numbers as vectors: nothing of which the scores are products.
    fn embeddings(&self, id: &Value) -> Value {
        let rows = |count: usize| (0..count).map(|row| [row as f32, 1.0]).collect::<Vec<_>>();
        json!({ "id": id, "width": 2, "users": rows(self.model.users), "items": rows(self.model.items.len()) })
    }
}

fn base64_of(scores: &[f32]) -> String {
    let bytes: Vec<u8> = scores.iter().flat_map(|score| score.to_le_bytes()).collect();
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
