//! A store says what the files say, and is not believed where they are no longer those it was made of.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use grease_graph::{Edit, ItemId, Profile, SampleOptions, UserId, sample};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::architecture::{Architecture, Kind};
use crate::folder::{MANIFEST, Provenance, TRAIN};
use crate::tests::weights;
use crate::train::TrainOptions;

/// A small model in a folder.
fn written(kind: Kind) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let made = sample(&SampleOptions { users: 30, artists: 80, ..SampleOptions::default() });
    let mut train = made.interactions.edges.clone();
    let mut data = Dataset::from(&made.interactions);
    data.test = train.split_off(train.len() - 20);
    data.valid = train.split_off(train.len() - 10);
    data.train = train.into();
    let options = TrainOptions { kind, dim: 8, layers: 2, epochs: 1, ..TrainOptions::default() };
    let graph = data.train.graph(data.users.len(), data.items.len()).unwrap();
    let weights = weights(Architecture::new(kind, 2, 8), &graph, graph.users(), 3);
    let provenance = Provenance { options, log: Vec::new(), finished: true, quality: None };
    ModelFolder::save(place.path(), &data, &weights, &provenance).unwrap();
    place
}

/// Read as a large one would be.
fn load(folder: &Path) -> ModelFolder {
    ModelFolder::load_storing(folder, 1, &()).unwrap()
}

/// As its store has it.
fn mapped(folder: &Path) -> Option<ModelFolder> {
    let text = std::fs::read(folder.join(MANIFEST)).unwrap();
    read(folder, &ModelFolder::manifest(folder).unwrap(), &text)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// What a model says of everybody as they are and without their first interaction, of all items and of each alone.
fn said(model: &Model) -> Vec<Vec<u32>> {
    let graph = model.graph();
    let items: Vec<u32> = (0..graph.items() as u32).collect();
    let mut said = Vec::new();
    for user in (0..graph.users() as u32).map(UserId) {
        let first = graph.items_of(user).first().map(|&item| Edge { user, item: ItemId(item) });
        let edits = [Edit::default(), Edit::removing(first)];
        let mut all = vec![0.0; edits.len() * items.len()];
        model.score(user, Profile::Neutral, &edits, &mut all).unwrap();
        said.push(bits(&all));
        if let Some(mut close) = model.closely(user, &vec![true; items.len()]) {
            let panel = close.choose(&items).unwrap();
            let mut scores = vec![0.0; items.len()];
            close.score(Profile::Neutral, &edits[1], panel, &mut scores).unwrap();
            said.push(bits(&scores));
        }
    }
    said
}

#[test]
fn a_model_that_was_stored_is_the_one_that_was_read() {
    for kind in [Kind::LightGcn, Kind::Ngcf] {
        let place = written(kind);
        let whole = ModelFolder::load(place.path()).unwrap();
        assert!(!place.path().join(STORE).exists(), "a small one is read in no time");
        let (first, second) = (load(place.path()), load(place.path()));
        for stored in [&first, &second, &mapped(place.path()).unwrap()] {
            assert!(stored.model.weights().0[0].data.mapped().is_some(), "{kind}: its file is mapped");
            assert_eq!(stored.manifest, whole.manifest);
            assert_eq!(stored.data, whole.data);
            assert_eq!(said(&stored.model), said(&whole.model));
        }
    }
}

#[test]
fn files_that_were_changed_or_copied_are_read_and_checked_again() {
    let place = written(Kind::LightGcn);
    load(place.path());
    let train = place.path().join(TRAIN);
    let text = std::fs::read(&train).unwrap();
    // The same bytes again, as a copy has them.
    std::fs::write(&train, &text).unwrap();
    std::fs::File::open(&train).unwrap().set_modified(SystemTime::now() - Duration::from_secs(9)).unwrap();
    assert!(mapped(place.path()).is_none());
    load(place.path());
    assert!(mapped(place.path()).is_some(), "stored anew");
    std::fs::write(&train, &text[..text.len() - 4]).unwrap();
    assert!(mapped(place.path()).is_none());
    let error = ModelFolder::load_storing(place.path(), 1, &()).unwrap_err();
    assert!(matches!(error, FolderError::Hash { .. }), "{error}");
    std::fs::write(&train, &text).unwrap();
    load(place.path());
    let manifest = place.path().join(MANIFEST);
    let said = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, said.replacen("{", "{ ", 1)).unwrap();
    assert!(mapped(place.path()).is_none(), "of another model.json");
}

#[test]
fn a_model_that_is_written_again_has_no_store_of_the_last_one() {
    let place = written(Kind::LightGcn);
    load(place.path()).write(place.path()).unwrap();
    assert!(!place.path().join(STORE).exists());
}

/// Wants an end once so much was begun.
struct Impatient {
    stages: Mutex<Vec<String>>,
    patience: usize,
}

impl Watch for Impatient {
    fn begin(&self, stage: &str, _: u64) {
        self.stages.lock().unwrap().push(stage.to_owned());
    }

    fn advance(&self, _: u64) -> Result<(), Interrupted> {
        if self.stages.lock().unwrap().len() > self.patience { Err(Interrupted) } else { Ok(()) }
    }
}

#[test]
fn whoever_wants_an_end_has_one_and_nothing_half_written_is_left() {
    let place = written(Kind::LightGcn);
    let files = || {
        let mut names: Vec<_> =
            std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        names
    };
    let before = files();
    for patience in 0..3 {
        let watch = Impatient { stages: Mutex::default(), patience };
        let ended = ModelFolder::load_storing(place.path(), 1, &watch);
        assert!(matches!(ended, Err(FolderError::Interrupted)), "{patience}");
        assert_eq!((watch.stages.into_inner().unwrap().len(), files()), (patience + 1, before.clone()));
    }
    let watch = Impatient { stages: Mutex::default(), patience: 3 };
    ModelFolder::load_storing(place.path(), 1, &watch).unwrap();
    assert!(place.path().join(STORE).exists());
}

#[test]
fn where_nothing_can_be_stored_the_model_is_read() {
    let place = written(Kind::LightGcn);
    // A folder of that name, which no file replaces.
    std::fs::create_dir_all(place.path().join(STORE).join("in the way")).unwrap();
    assert_eq!(said(&load(place.path()).model), said(&ModelFolder::load(place.path()).unwrap().model));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever became of it: it is not used, or it is asked without a panic.
    #[test]
    fn a_damaged_store_is_no_danger(at in 0.0f64..1.0, with in prop::array::uniform8(any::<u8>()), cut in any::<bool>()) {
        static PLACE: std::sync::OnceLock<TempDir> = std::sync::OnceLock::new();
        let place = PLACE.get_or_init(|| {
            let place = written(Kind::LightGcn);
            load(place.path());
            place
        });
        let file = place.path().join(STORE);
        let whole = std::fs::read(&file).unwrap();
        let mut damaged = whole.clone();
        let at = (at * whole.len() as f64) as usize;
        if cut {
            damaged.truncate(at);
        } else {
            let end = (at + with.len()).min(whole.len());
            damaged[at..end].copy_from_slice(&with[..end - at]);
        }
        // Never written over: whoever has it mapped keeps what they have.
        write_atomically(&file, |out| out.write_all(&damaged)).unwrap();
        if let Some(folder) = mapped(place.path()) {
            let graph = folder.model.graph();
            prop_assert_eq!(folder.data.train.len(), graph.len());
            for user in (0..graph.users() as u32).map(UserId) {
                let mut out = vec![0.0; graph.items()];
                let _ = folder.model.score(user, Profile::Neutral, &[Edit::default()], &mut out);
            }
        }
        write_atomically(&file, |out| out.write_all(&whole)).unwrap();
        prop_assert!(mapped(place.path()).is_some());
    }
}
