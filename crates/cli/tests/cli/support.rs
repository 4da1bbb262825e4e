//! Running the binary, and small models to run it on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use grease::graph::{Catalogue, CatalogueBuilder, Edge, Words};
use grease::models::folder::{Dataset, ModelFolder, Provenance};
use grease::models::train::TrainOptions;
use grease::models::{Tensor, Weights};
use tempfile::TempDir;

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    fn new(output: Output, folder: &Path) -> Self {
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("grease writes UTF-8");
            text.replace(env!("CARGO_BIN_EXE_grease"), "grease")
                .replace(&folder.display().to_string(), "[DIR]")
        };
        let code = output.status.code().unwrap_or(-1);
        Self { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// All of it, for a snapshot.
    pub(crate) fn whole(&self) -> String {
        format!("exit code {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }

    /// The results of a run that must succeed.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{}", self.whole());
        self.stdout
    }

    pub(crate) fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.ok()).expect("JSON was asked for")
    }
}

/// A folder of its own to run in.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).expect("a file in a temporary folder");
    }

    /// The command, in this folder, and with nothing from outside that changes what it says.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grease"));
        command.args(line.split_whitespace()).current_dir(self.0.path());
        command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        // Where there is a card, the driver shows none.
        command.env("CUDA_VISIBLE_DEVICES", "");
        command
    }

    /// Runs `grease` with arguments that have no spaces in them.
    pub(crate) fn grease(&self, line: &str) -> Ran {
        self.finish(self.command(line))
    }

    /// Runs a command.
    pub(crate) fn finish(&self, mut command: Command) -> Ran {
        Ran::new(command.output().expect("grease runs"), self.0.path())
    }

    /// With the sample data in `music`, and smaller than usual.
    pub(crate) fn with_music() -> Self {
        let place = Self::new();
        place.grease("data sample --out music --users 80 --artists 40").ok();
        place
    }

    /// Every file of a folder, by name.
    pub(crate) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.path(folder)).expect("the folder is there");
        let read = |entry: std::fs::DirEntry| {
            (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).expect("a file"))
        };
        entries.map(|entry| read(entry.expect("an entry"))).collect()
    }

    /// A model folder `model` whose scores are exact on every machine: no layers, so that a score is a product of two
    /// numbers. Users ada (1), bob (-1), nobody (1, without a history).
    pub(crate) fn with_model() -> Self {
        Self::with_items([4.0, 3.0, 2.5, 1.0, 0.25])
    }

    /// A model folder `model` in which interactions matter: one layer, two tastes (drinks and sweets), and users of whom
    /// nothing is learned but ada's liking of sweets. `nobody` has no history.
    pub(crate) fn with_tastes() -> Self {
        let edges = [(0, 0), (0, 2), (1, 0), (1, 1), (1, 4), (2, 2), (2, 3), (2, 4), (3, 4), (3, 5)];
        let data = Dataset {
            users: catalogue(&[("ada", ""), ("bob", ""), ("cyd", ""), ("dee", ""), ("nobody", "")]),
            items: catalogue(&[
                ("tea", "Tea"),
                ("milk", "Milk, whole"),
                ("cake", "Cake"),
                ("jam", "Jam"),
                ("salt", ""),
                ("soap", "Soap"),
            ]),
            train: edges.map(|(user, item)| Edge::new(user, item)).to_vec().into(),
            test: Vec::new(),
            valid: Vec::new(),
            words: Words {
                person: "guest".into(),
                did: "ordered".into(),
                item: "thing".into(),
                items: "things".into(),
            },
        };
        let tastes = |name: &str, rows: &[[f32; 2]]| Tensor {
            name: name.into(),
            shape: [rows.len(), 2],
            data: rows.concat().into(),
        };
        let weights = Weights(vec![
            tastes("user_embedding", &[[0.0, 0.25], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]]),
            tastes(
                "item_embedding",
                &[[2.0, 0.0], [1.5, 0.25], [0.0, 2.0], [0.25, 1.5], [0.5, 0.5], [0.25, 0.125]],
            ),
        ]);
        Self::holding(&data, &weights, TrainOptions { layers: 1, dim: 2, ..TrainOptions::default() })
    }

    pub(crate) fn with_items(items: [f32; 5]) -> Self {
        let data = Dataset {
            users: catalogue(&[("ada", ""), ("bob", ""), ("nobody", "")]),
            items: catalogue(&[
                ("tea", "Tea"),
                ("milk", "Milk, whole"),
                ("cake", "\"Cake\""),
                ("jam", "Jam"),
                ("jam-2", "Jam"),
            ]),
            train: vec![Edge::new(0, 0), Edge::new(1, 0), Edge::new(1, 4)].into(),
            test: vec![Edge::new(0, 2), Edge::new(1, 3)],
            valid: Vec::new(),
            words: Words { item: "thing".into(), items: "things".into(), ..Words::default() },
        };
        let tensor = |name: &str, data: &[f32]| Tensor {
            name: name.into(),
            shape: [data.len(), 1],
            data: data.to_vec().into(),
        };
        let weights =
            Weights(vec![tensor("user_embedding", &[1.0, -1.0, 1.0]), tensor("item_embedding", &items)]);
        Self::holding(&data, &weights, TrainOptions { layers: 0, dim: 1, ..TrainOptions::default() })
    }

    fn holding(data: &Dataset, weights: &Weights, options: TrainOptions) -> Self {
        let place = Self::new();
        let provenance = Provenance { options, log: Vec::new(), finished: true, quality: None };
        ModelFolder::save(&place.path("model"), data, weights, &provenance).expect("a model folder");
        place
    }
}

fn catalogue(rows: &[(&str, &str)]) -> Catalogue {
    let mut builder = CatalogueBuilder::new();
    for (id, title) in rows {
        let row = builder.intern(id).expect("few rows");
        builder.set_title(row, title);
    }
    builder.finish()
}
