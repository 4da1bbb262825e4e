//! Groups are dealt fairly, the same audit comes of the same seed, and where only the deleted interaction can have put an item on a
//! list, training again says so too.

use std::sync::OnceLock;

use grease_graph::{CatalogueBuilder, SampleOptions, UserId, Words, sample, seed};
use grease_models::Kind;
use grease_models::folder::Dataset;
use grease_models::train::{BatchProgress, EarlyStopping, Loss, TrainOptions};

use super::*;
use grease::{TrainRequest, prepare};

fn trained(data: Dataset, options: TrainOptions) -> ModelFolder {
    let place = tempfile::tempdir().unwrap();
    TrainRequest::new(data, options, &place.path().join("model")).run(&mut ()).unwrap().0
}

fn service(options: TrainOptions) -> ModelFolder {
    let service = sample(&SampleOptions { users: 80, artists: 60, ..SampleOptions::default() });
    let data = prepare(&service.interactions, 0.8, options.seed, options.early_stopping);
    trained(data, options)
}

fn quick() -> TrainOptions {
    TrainOptions { epochs: 20, dim: 16, batch: 256, learning_rate: 0.01, ..TrainOptions::default() }
}

fn folder() -> &'static ModelFolder {
    static FOLDER: OnceLock<ModelFolder> = OnceLock::new();
    FOLDER.get_or_init(|| service(quick()))
}

fn subject(folder: &ModelFolder) -> Subject {
    folder.clone().into()
}

fn some() -> AuditOptions {
    AuditOptions { people: 40, k: 5, seed: 3, control: false, ..AuditOptions::default() }
}

#[test]
fn groups_are_dealt_fairly_and_nobody_loses_everything() {
    let graph = folder().model.graph();
    let plan = Plan::make(&subject(folder()), &some(), &mut ()).unwrap();
    assert_eq!(plan.asked, 40);
    let mut groups: BTreeMap<UserId, Vec<Group>> = BTreeMap::new();
    for training in 0..3 {
        let cases = plan.cases(graph, training);
        assert!(cases.len() > 15 && cases.len() == plan.fitting(), "{}", cases.len());
        assert!(cases.is_sorted_by(|a, b| a.user < b.user), "everybody once");
        let sizes = [Group::Explained, Group::AtRandom, Group::Untouched]
            .map(|group| cases.iter().filter(|case| case.group == group).count());
        assert!(sizes.iter().all(|&size| size.abs_diff(sizes[0]) <= 1), "{sizes:?}");
        for case in &cases {
            let own = case.deleted.iter().all(|&edge| edge.user == case.user && graph.has(edge));
            assert!(own && 2 * case.deleted.len() <= graph.items_of(case.user).len());
            assert_eq!(case.deleted.is_empty(), case.group == Group::Untouched);
            assert!(!graph.has(Edge { user: case.user, item: case.item }));
            groups.entry(case.user).or_default().push(case.group);
        }
        let mut deleted = deleted(&cases);
        deleted.dedup();
        assert_eq!(deleted.len(), cases.iter().map(|case| case.deleted.len()).sum::<usize>());
    }
    assert!(groups.values_mut().all(|in_turn| {
        in_turn.sort();
        *in_turn == [Group::Explained, Group::AtRandom, Group::Untouched]
    }));
}

#[test]
fn firm_explanations_push_items_farther() {
    let firm = vec![1, 4];
    let options = AuditOptions { trainings: 2, firm: firm.clone(), ..some() };
    let audit = retrain(&subject(folder()), &options, Device::Cpu, &mut ()).unwrap();
    let acted = || audit.cases.iter().filter(|case| case.group == Group::Explained);
    assert!(acted().all(|case| case.rank_edited >= options.k + case.firm && case.rank_before <= options.k));
    assert!(firm.iter().all(|level| acted().any(|case| case.firm == *level)), "each is asked for");
    let own = folder().manifest.seed.unwrap();
    assert_eq!(audit.trainings.iter().map(|training| training.seed).collect::<Vec<_>>(), [own, own + 1]);
    let [first, second] = [own, own + 1].map(|seed| audit.cases.iter().filter(move |case| case.seed == seed));
    assert_eq!((first.count(), second.count()), (audit.fitting, audit.fitting));
    let held: usize = audit.trainings.iter().map(|training| training.explained.count).sum();
    assert_eq!(held, audit.explained.leave_retrained.count);
}

#[test]
fn an_audit_says_what_was_done_and_what_came_of_it() {
    let audit =
        retrain(&subject(folder()), &AuditOptions { control: true, ..some() }, Device::Cpu, &mut ()).unwrap();
    assert_eq!(audit.reproduced, Some(true));
    assert_eq!(audit.explained.leave_edited.share, 1.0, "each was verified");
    assert_eq!(audit.untouched.leave_edited.count, 0);
    assert_eq!(audit.untouched.mean_deleted, 0.0);
    assert!(audit.cases.iter().all(|case| (1..=5).contains(&case.rank_before)));
    let parts = [audit.explained, audit.at_random, audit.untouched];
    assert_eq!(parts.iter().map(|part| part.people).sum::<usize>(), audit.overall.people);
    assert_eq!((audit.asked, audit.fitting), (40, audit.overall.people));
    let [training] = audit.trainings[..] else { panic!("one training: {:?}", audit.trainings) };
    assert_eq!(training.deleted, audit.cases.iter().map(|case| case.deleted.len()).sum::<usize>());
    assert_eq!(audit.recall_before, folder().manifest.recall_at_20);
    assert!(training.recall.is_some());
    assert!(audit.calibration.is_none(), "of so few");

    let text = serde_json::to_string(&audit).unwrap();
    assert_eq!(serde_json::from_str::<Audit>(&text).unwrap(), audit);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let again = pool.install(|| retrain(&subject(folder()), &some(), Device::Cpu, &mut ())).unwrap();
        let again = Audit { options: audit.options.clone(), reproduced: audit.reproduced, ..again };
        assert_eq!(again, audit, "{threads} threads");
    }
    let other = Plan::make(&subject(folder()), &AuditOptions { seed: 4, ..some() }, &mut ()).unwrap();
    assert_ne!(other, Plan::make(&subject(folder()), &some(), &mut ()).unwrap());
}

#[test]
fn trainings_of_every_kind_are_repeated_to_the_last_bit() {
    let stopping = EarlyStopping { share: 0.2, patience: 1 };
    let folders = [
        service(TrainOptions { early_stopping: Some(stopping), evaluate_every: 3, epochs: 40, ..quick() }),
        service(TrainOptions {
            kind: Kind::Ngcf,
            layers: 2,
            loss: Loss::Bpr,
            l2: 0.01,
            dropout: 0.3,
            seed: 9,
            epochs: 4,
            ..quick()
        }),
    ];
    for folder in &folders {
        let here = Opened::to_train(Device::Cpu, folder.manifest.kind).unwrap();
        let again = train_without(folder, &[], 0, &here, &mut ()).unwrap();
        assert!(same_bits(again.weights(), folder.model.weights()), "{}", folder.manifest.kind);
        let later = train_without(folder, &[], 1, &here, &mut ()).unwrap();
        assert!(!same_bits(later.weights(), folder.model.weights()), "from another seed");
        let less = train_without(folder, &folder.data.train.listed()[..3], 0, &here, &mut ()).unwrap();
        assert!(!same_bits(less.weights(), folder.model.weights()));
        assert_eq!(less.graph().len() + 3, folder.data.train.len());
    }
    let log = &folders[0].manifest.training_log;
    assert!(log.len() < 40, "it did stop early: {}", log.len());
}

/// Two tastes: `BROAD` items many people have some of, and `NARROW` ones that have fans of their own. Testers are of the first sort, and have
/// one narrow item each: whatever narrow is on their lists is there because of it.
fn two_tastes() -> Dataset {
    const BROAD: u32 = 40;
    const NARROW: u32 = 5;
    let (mut users, mut items) = (CatalogueBuilder::new(), CatalogueBuilder::new());
    let names = (0..BROAD).map(|n| format!("broad {n}")).chain((0..NARROW).map(|n| format!("narrow {n}")));
    for name in names {
        items.intern(&name).unwrap();
    }
    let mut train = Vec::new();
    let mut rng = seed::rng(5, "two tastes");
    for (sort, people, broad, narrow) in [("b", 60, 6, 0), ("n", 30, 0, 4), ("tester", 60, 3, 1)] {
        for n in 0..people {
            let user = users.intern(&format!("{sort} {n}")).unwrap();
            let mut choice: Vec<u32> = (0..BROAD).collect();
            seed::shuffle(&mut rng, &mut choice);
            choice.truncate(broad);
            let mut few: Vec<u32> = (BROAD..BROAD + NARROW).collect();
            seed::shuffle(&mut rng, &mut few);
            choice.extend(&few[..narrow]);
            train.extend(choice.into_iter().map(|item| Edge::new(user, item)));
        }
    }
    let (users, items) = (users.finish(), items.finish());
    Dataset {
        users,
        items,
        train: train.into(),
        test: Vec::new(),
        valid: Vec::new(),
        words: Words::default(),
    }
}

#[test]
fn what_only_one_interaction_can_have_caused_goes_with_it() {
    let folder = trained(two_tastes(), TrainOptions { epochs: 30, ..quick() });
    let audit =
        retrain(&subject(&folder), &AuditOptions { people: 999, k: 4, ..some() }, Device::Cpu, &mut ())
            .unwrap();
    let narrow = |id: &str| id.starts_with("narrow");
    let testers = |group: Group, cause_deleted: bool| -> Vec<&Audited> {
        let cases = audit.cases.iter().filter(|case| case.group == group && case.user.starts_with("tester"));
        let of_narrow = cases.filter(|case| narrow(&case.item));
        of_narrow.filter(|case| case.deleted.iter().any(|id| narrow(id)) == cause_deleted).collect()
    };
    let leave = |cases: &[&Audited]| cases.iter().filter(|case| case.rank_retrained > 4).count();
    let (caused, untouched) = (testers(Group::Explained, true), testers(Group::Untouched, false));
    assert!(caused.len() >= 4 && untouched.len() >= 4, "{} {}", caused.len(), untouched.len());
    assert_eq!(leave(&caused), caused.len(), "{caused:?}");
    assert!(2 * leave(&untouched) < untouched.len(), "{untouched:?}");
}

/// Cancels when asked so often.
struct Impatient {
    patience: usize,
    batches: usize,
}

impl Observer for Impatient {
    fn batch_done(&mut self, _: BatchProgress) {
        self.batches += 1;
    }
    fn cancelled(&mut self) -> bool {
        self.patience = self.patience.saturating_sub(1);
        self.patience == 0
    }
}

#[test]
fn cancelling_ends_it_anywhere() {
    let training = folder().model.graph().len().div_ceil(quick().batch) * quick().epochs as usize;
    // While explaining, in the control, in the training that counts, and while comparing.
    for (patience, batches) in
        [(1, 0), (40, 0), (45, 4), (40 + training + 3, training + 2), (40 + 2 * training + 2, 2 * training)]
    {
        let mut observer = Impatient { patience, batches: 0 };
        let ended = retrain(
            &subject(folder()),
            &AuditOptions { control: true, ..some() },
            Device::Cpu,
            &mut observer,
        );
        assert!(matches!(ended, Err(AuditError::Cancelled)), "{patience}");
        assert_eq!(observer.batches, batches);
    }
}

#[test]
fn what_cannot_be_audited_is_refused() {
    let few =
        retrain(&subject(folder()), &AuditOptions { people: 2, ..some() }, Device::Cpu, &mut ()).unwrap_err();
    assert!(matches!(few, AuditError::TooFew { asked: 2, .. }), "{few}");
    let no_places =
        retrain(&subject(folder()), &AuditOptions { k: 0, ..some() }, Device::Cpu, &mut ()).unwrap_err();
    assert!(
        matches!(&no_places, AuditError::Explain(refusal) if refusal.message.contains("k is 0")),
        "{no_places}"
    );
    let mut unfinished = folder().clone();
    unfinished.manifest.finished = false;
    assert!(matches!(
        retrain(&subject(&unfinished), &some(), Device::Cpu, &mut ()),
        Err(AuditError::Unfinished)
    ));
    let mut imported = unfinished;
    (imported.manifest.hyper_parameters, imported.manifest.finished) = (None, true);
    assert!(matches!(retrain(&subject(&imported), &some(), Device::Cpu, &mut ()), Err(AuditError::Foreign)));
}

#[test]
fn items_that_lose_everybody_are_counted() {
    let edges = [(0, 0), (1, 0), (0, 1), (1, 2)].map(|(user, item)| Edge::new(user, item));
    let graph = Graph::new(2, 3, &edges).unwrap();
    assert_eq!(graph.items_of(UserId(0)), [0, 1]);
    assert_eq!(bare_items(&graph, &edges[..3]), 2);
    assert_eq!(bare_items(&graph, &edges[1..3]), 1);
}
