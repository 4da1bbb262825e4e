//! The suite every recommender must pass, whoever wrote it: call it from a test.
//!
//! [`check`] asks for the same parameters on many graphs and compares what the recommender says about an edit with what it says on
//! the graph built anew; [`check_ranking`] asks whether training learns what anybody can see. Every failure panics and names
//! the check, the user and the edit.
//!
//! ```
//! use grease_graph::{Graph, conformance, doubles::CoNeighbours};
//!
//! conformance::check(&|graph: &Graph| Box::new(CoNeighbours::new(graph.clone())));
//! conformance::check_ranking(&|graph: &Graph| Box::new(CoNeighbours::new(graph.clone())));
//! ```

mod cases;
mod weighed;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{
    Access, Edge, Edit, EditError, Embeddings, Graph, ItemId, Profile, Recommender, ScoreError, UserId,
    check_abilities,
};

/// Users of every graph [`check`] builds. A recommender with a learned row a user has zeros from this row on.
pub const USERS: usize = 24;

/// Items of every graph [`check`] builds.
pub const ITEMS: usize = 20;

/// The largest relative error that counts as equal: max |difference| / max |score|.
pub const TOLERANCE: f32 = 1e-5;

/// Batch sizes around the widths implementations like to work in.
const BATCHES: [usize; 8] = [0, 1, 2, 8, 31, 32, 33, 70];

const PROFILES: [Profile; 2] = [Profile::Kept, Profile::Neutral];

/// Gives a recommender on a graph.
type Maker<'a> = &'a dyn Fn(&Graph) -> Box<dyn Recommender>;

/// Runs the suite on graphs of [`USERS`] x [`ITEMS`]: an ordinary one with hubs and people without any interaction, a
/// long thin one, one where everybody touched everything, and one without interactions.
///
/// `on` gives a recommender with the *same* parameters on any graph: those of a row depend on the row alone, and user rows
/// from [`USERS`] on are zero (a newcomer has learned nothing).
///
/// # Panics
///
/// If a check fails; the message says which.
pub fn check(on: &dyn Fn(&Graph) -> Box<dyn Recommender>) {
    for (name, graph) in cases::graphs() {
        named(name, || check_on(&graph, on));
    }
}

/// Runs the suite on one graph, say the one a model was trained on: as [`check`], where user rows from `graph.users()` on are zero.
///
/// # Panics
///
/// If a check fails; the message says which.
pub fn check_on(graph: &Graph, on: &dyn Fn(&Graph) -> Box<dyn Recommender>) {
    let recommender = on(graph);
    let recommender = recommender.as_ref();
    assert!(recommender.graph() == graph, "graph: the recommender's graph is not the one it was made on");
    named("unedited", || unedited(recommender));
    named("several people equal one by one", || several_people(recommender));
    named("embeddings", || embeddings(recommender));
    named("refusals", || refusals(recommender));
    named("determinism", || determinism(graph, on));
    if recommender.access() == Access::Frozen {
        named("frozen", || frozen(recommender));
        return;
    }
    named("inabilities", || inabilities(recommender));
    named("edit equals rebuilt graph", || edits(recommender, on));
    named("newcomer equals one user more", || newcomers(recommender, on));
    named("neutral profile equals newcomer", || neutral(recommender));
    named("batch equals single", || batches(recommender));
    named("some items equal all", || some_items(recommender));
    named("weights", || weighed::weighed(recommender));
}

/// Trains on checkerboard data, where even users touched most even items and odd users most odd ones: every same-parity item
/// a user has not touched must outrank every item of the other parity.
///
/// Train gently: a model large enough to learn by heart which items it was shown as untouched will do so.
///
/// # Panics
///
/// If some user's list is not so; the message says whose.
pub fn check_ranking(train: &dyn Fn(&Graph) -> Box<dyn Recommender>) {
    let graph = cases::checkerboard();
    let recommender = train(&graph);
    for user in 0..graph.users() as u32 {
        let scores = recommender.scores(UserId(user)).unwrap_or_else(|e| panic!("ranking: user {user}: {e}"));
        let untouched = (0..graph.items() as u32).filter(|&item| !graph.has(Edge::new(user, item)));
        let (same, other): (Vec<u32>, Vec<u32>) = untouched.partition(|item| item % 2 == user % 2);
        let worst = same.iter().min_by(|&&a, &&b| scores[a as usize].total_cmp(&scores[b as usize]));
        let best = other.iter().max_by(|&&a, &&b| scores[a as usize].total_cmp(&scores[b as usize]));
        if let (Some(&worst), Some(&best)) = (worst, best) {
            let (low, high) = (scores[worst as usize], scores[best as usize]);
            assert!(
                low > high,
                "ranking: user {user} has item {worst} ({low}) of their kind no higher than item {best} ({high})"
            );
        }
    }
}

/// Puts the name of a check before the message of its panic.
fn named(name: &str, check: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(check)) {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panicked");
        panic!("{name}: {text}");
    }
}

/// The scores, or a panic that says whose.
fn scores(recommender: &dyn Recommender, user: UserId, profile: Profile, edit: &Edit) -> Vec<f32> {
    recommender
        .scores_after(user, profile, edit)
        .unwrap_or_else(|e| panic!("user {}, {profile:?}, {edit:?}: refused: {e}", user.0))
}

fn batch(recommender: &dyn Recommender, user: UserId, profile: Profile, edits: &[Edit]) -> Vec<f32> {
    let mut out = vec![f32::NAN; edits.len() * recommender.graph().items()];
    recommender
        .score(user, profile, edits, &mut out)
        .unwrap_or_else(|e| panic!("user {}, {profile:?}, {} edits: refused: {e}", user.0, edits.len()));
    out
}

/// Panics unless all is finite and equal to within [`TOLERANCE`].
fn assert_close(got: &[f32], want: &[f32], what: impl FnOnce() -> String) {
    let largest = want.iter().fold(0f32, |most, w| most.max(w.abs()));
    let far = |(g, w): (&f32, &f32)| !g.is_finite() || !w.is_finite() || (g - w).abs() > TOLERANCE * largest;
    if got.len() != want.len() {
        panic!("{}: {} scores instead of {}", what(), got.len(), want.len());
    }
    if let Some(item) = got.iter().zip(want).position(far) {
        panic!("{}: item {item} scores {} instead of {} (largest {largest})", what(), got[item], want[item]);
    }
}

fn assert_same_bits(got: &[f32], want: &[f32], what: impl FnOnce() -> String) {
    if !got.iter().map(|v| v.to_bits()).eq(want.iter().map(|v| v.to_bits())) {
        panic!("{}: not the same to the last bit", what());
    }
}

/// The empty edit changes nothing, and no edits at all is no error.
fn unedited(recommender: &dyn Recommender) {
    for user in cases::people(recommender.graph()) {
        let plain = recommender.scores(user).unwrap_or_else(|e| panic!("user {}: refused: {e}", user.0));
        let empty = scores(recommender, user, Profile::Kept, &Edit::new([], []));
        assert_close(&empty, &plain, || format!("user {}, empty edit", user.0));
        assert_eq!(plain.len(), recommender.graph().items(), "one score an item");
        assert!(batch(recommender, user, Profile::Kept, &[]).is_empty());
    }
}

/// Asked about several people at once it says what it says about each, to the bit, and refuses those it does not know.
fn several_people(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let known = cases::people(graph);
    for count in [0, 1, 2, 4, 5, 9] {
        let users: Vec<UserId> = known.iter().copied().cycle().take(count).collect();
        let mut out = vec![f32::NAN; users.len() * graph.items()];
        recommender.score_each(&users, &mut out).unwrap_or_else(|e| panic!("{count} people: refused: {e}"));
        for (user, got) in users.iter().zip(out.chunks_exact(graph.items())) {
            let alone = scores(recommender, *user, Profile::Kept, &Edit::none());
            assert_same_bits(got, &alone, || format!("user {} among {count}", user.0));
        }
    }
    let nobody = graph.newcomer();
    let refused = recommender.score_each(&[known[0], nobody], &mut vec![0.0; 2 * graph.items()]);
    assert_eq!(refused, Err(ScoreError::UnknownUser { row: nobody.0, users: graph.users() }), "somebody new");
    let refused = recommender.score_each(&known[..1], &mut vec![0.0; graph.items() + 1]);
    let (got, expected) = (graph.items() + 1, graph.items());
    assert_eq!(refused, Err(ScoreError::Room { got, expected }), "room of another size");
}

/// Where it shows embeddings, their dot products are the scores.
fn embeddings(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let shaped = |Embeddings { users, items, width }: Embeddings<'_>| {
        users.len() == graph.users() * width && items.len() == graph.items() * width
    };
    assert!(recommender.input_features().is_none_or(shaped), "the input features have another shape");
    let Some(shown) = recommender.embeddings() else { return };
    assert!(shaped(shown), "the embeddings have another shape");
    for user in cases::people(graph) {
        let own = &shown.users[user.row() * shown.width..][..shown.width];
        let dots: Vec<f32> = (0..graph.items())
            .map(|item| {
                let of_item = &shown.items[item * shown.width..][..shown.width];
                own.iter().zip(of_item).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() as f32
            })
            .collect();
        let plain = scores(recommender, user, Profile::Kept, &Edit::none());
        assert_close(&plain, &dots, || format!("user {}, against dot products", user.0));
    }
}

/// What makes no sense is refused, in a batch of sound edits too.
fn refusals(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let items = graph.items();
    let ask = |user: UserId, edits: &[Edit], room: usize| {
        recommender.score(user, Profile::Kept, edits, &mut vec![0.0; room])
    };
    let somebody = UserId(0);
    let nobody = UserId(graph.newcomer().0 + 1);
    assert_eq!(
        ask(nobody, &[Edit::none()], items),
        Err(ScoreError::UnknownUser { row: nobody.0, users: graph.users() }),
        "a user who does not exist"
    );
    for got in [items - 1, items + 1, 2 * items] {
        let refused = ask(somebody, &[Edit::none()], got);
        assert_eq!(refused, Err(ScoreError::Room { got, expected: items }), "room of another size");
    }
    let outside = Edge::new(0, items as u32);
    let mut senseless = vec![
        (Edit::adding([outside]), EditError::Outside(outside)),
        (Edit::removing([outside]), EditError::NotThere(outside)),
        (Edit::adding([Edge::new(nobody.0, 0)]), EditError::Outside(Edge::new(nobody.0, 0))),
    ];
    senseless.extend(graph.edges().next().map(|e| (Edit::adding([e]), EditError::AlreadyThere(e))));
    senseless.extend(cases::absent(graph).next().map(|e| (Edit::removing([e]), EditError::NotThere(e))));
    for (edit, error) in senseless {
        let refused = ask(somebody, &[Edit::none(), edit.clone()], 2 * items);
        assert_eq!(refused, Err(ScoreError::Edit(error)), "{edit:?}");
    }
}

/// Same question, same bits: again, from a recommender made anew, with any number of threads, from several threads at
/// once.
fn determinism(graph: &Graph, on: Maker<'_>) {
    let user = cases::people(graph)[0];
    let recommender = on(graph);
    let edits: Vec<Edit> = match recommender.access() {
        Access::Frozen => vec![Edit::none(); 3],
        _ => {
            let askable = |edit: &Edit| unable(recommender.as_ref(), user, Profile::Kept, edit).is_none();
            cases::edits(graph, user).into_iter().map(|(_, edit)| edit).filter(askable).collect()
        }
    };
    let ask = |recommender: &dyn Recommender| batch(recommender, user, Profile::Kept, &edits);
    let first = ask(recommender.as_ref());
    assert_same_bits(&ask(recommender.as_ref()), &first, || "asked twice".into());
    for threads in [1, 3] {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        // `on` need not be shareable: the recommender is made here and asked there, where it first has to compute anything.
        let anew = on(graph);
        let said = pool.install(|| ask(anew.as_ref()));
        assert_same_bits(&said, &first, || format!("{threads} threads"));
    }
    let anew = on(graph);
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..3).map(|_| scope.spawn(|| ask(anew.as_ref()))).collect();
        for said in asked {
            let said = said.join().unwrap_or_else(|_| panic!("asked from several threads at once: panicked"));
            assert_same_bits(&said, &first, || "asked from several threads at once".into());
        }
    });
}

/// Frozen scores: every edit is refused, as such.
fn frozen(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let somebody = UserId(0);
    for (name, edit) in cases::edits(graph, somebody).into_iter().filter(|(_, edit)| !edit.is_empty()) {
        let refused = recommender.scores_after(somebody, Profile::Kept, &edit);
        assert_eq!(refused, Err(ScoreError::Frozen), "{name}");
    }
}

/// Why it says it cannot be asked this.
fn unable(recommender: &dyn Recommender, user: UserId, profile: Profile, edit: &Edit) -> Option<ScoreError> {
    let edits = std::slice::from_ref(edit);
    check_abilities(recommender.abilities(), recommender.graph(), user, profile, edits).err()
}

/// What it says it cannot be asked it refuses, as such, rather than answering something else.
fn inabilities(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let known = cases::people(graph)
        .into_iter()
        .flat_map(|user| cases::edits(graph, user).into_iter().map(move |(name, edit)| (user, name, edit)));
    let new = cases::arrivals(graph).into_iter().map(|(name, edit)| (graph.newcomer(), name, edit));
    for (user, name, edit) in known.chain(new) {
        for profile in PROFILES {
            if let Some(error) = unable(recommender, user, profile, &edit) {
                let refused = recommender.scores_after(user, profile, &edit);
                assert_eq!(refused, Err(error), "user {}, {profile:?}, {name}", user.0);
            }
        }
    }
}

/// The plain meaning of an edit is the graph built anew.
fn edits(recommender: &dyn Recommender, on: Maker<'_>) {
    let graph = recommender.graph();
    for user in cases::people(graph) {
        for (name, edit) in cases::edits(graph, user) {
            let rebuilt = on(&graph.rebuilt(&edit).expect("the suite's edits make sense"));
            let askable = |profile: &Profile| unable(recommender, user, *profile, &edit).is_none();
            for profile in PROFILES.into_iter().filter(askable) {
                let got = scores(recommender, user, profile, &edit);
                let want = scores(rebuilt.as_ref(), user, profile, &Edit::none());
                assert_close(&got, &want, || format!("user {}, {profile:?}, {name}, {edit:?}", user.0));
            }
        }
    }
}

/// A newcomer is the user after the last, with a row of zeros, whatever profile is asked for.
fn newcomers(recommender: &dyn Recommender, on: Maker<'_>) {
    let graph = recommender.graph();
    let newcomer = graph.newcomer();
    let askable = |(_, edit): &(&str, Edit)| unable(recommender, newcomer, Profile::Kept, edit).is_none();
    for (name, edit) in cases::arrivals(graph).into_iter().filter(askable) {
        let rebuilt = graph.rebuilt(&edit).expect("the suite's edits make sense");
        let edges: Vec<Edge> = rebuilt.edges().collect();
        let with_one_more = Graph::new(graph.users() + 1, graph.items(), &edges).expect("one row more");
        let want = scores(on(&with_one_more).as_ref(), newcomer, Profile::Kept, &Edit::none());
        for profile in PROFILES {
            let got = scores(recommender, newcomer, profile, &edit);
            assert_close(&got, &want, || format!("{profile:?}, {name}, {edit:?}"));
        }
    }
}

/// A user whose profile is neutral is a newcomer with the user's history, the user's own interactions being gone: the
/// user's own row, isolated, then reaches nobody.
fn neutral(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let newcomer = graph.newcomer();
    for user in cases::people(graph) {
        let plain =
            cases::edits(graph, user).into_iter().filter(|(_, edit)| cases::newcomers_in(graph, edit) == 0);
        for (name, edit) in plain {
            let moved = cases::moved_to_newcomer(graph, user, &edit);
            let unable = unable(recommender, user, Profile::Neutral, &edit)
                .or_else(|| unable(recommender, newcomer, Profile::Kept, &moved));
            if unable.is_some() {
                continue;
            }
            let got = scores(recommender, user, Profile::Neutral, &edit);
            let want = scores(recommender, newcomer, Profile::Kept, &moved);
            assert_close(&got, &want, || format!("user {}, {name}, {edit:?}", user.0));
        }
    }
}

/// Asked about some items, it says of them what it says of all; and refuses what there is not.
fn some_items(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let items: Vec<ItemId> = (0..graph.items() as u32).rev().step_by(3).map(ItemId).collect();
    for user in cases::people(graph) {
        for (name, edit) in cases::edits(graph, user) {
            let askable = |profile: &Profile| unable(recommender, user, *profile, &edit).is_none();
            for profile in PROFILES.into_iter().filter(askable) {
                let all = scores(recommender, user, profile, &edit);
                let want: Vec<f32> = items.iter().map(|item| all[item.row()]).collect();
                let mut got = vec![f32::NAN; 2 * items.len()];
                let edits = [edit.clone(), edit.clone()];
                let scored = recommender.score_items(user, profile, &edits, &items, &mut got);
                scored.unwrap_or_else(|e| panic!("user {}, {profile:?}, {name}: refused: {e}", user.0));
                // As good as all of them are: the largest may be of another item.
                let largest = all.iter().fold(0f32, |most, score| most.max(score.abs()));
                let off = got.iter().zip(want.iter().chain(&want)).map(|(g, w)| (g - w).abs());
                let worst =
                    off.fold(0f32, |worst, off| if off.is_nan() { f32::INFINITY } else { worst.max(off) });
                assert!(worst <= TOLERANCE * largest, "user {}, {profile:?}, {name}: off by {worst}", user.0);
            }
        }
    }
    let none = ItemId(graph.items() as u32);
    let refused = recommender.score_items(UserId(0), Profile::Kept, &[Edit::none()], &[none], &mut [0.0]);
    assert_eq!(refused, Err(ScoreError::UnknownItem { row: none.0, items: graph.items() }), "no such item");
    let refused = recommender.score_items(UserId(0), Profile::Kept, &[Edit::none()], &[ItemId(0)], &mut []);
    assert_eq!(refused, Err(ScoreError::Room { got: 0, expected: 1 }), "room for nothing");
}

/// However many edits are asked together, each gets the answer it gets alone.
fn batches(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let mut asked: Vec<(UserId, Vec<Edit>)> = cases::people(graph)
        .into_iter()
        .map(|user| (user, cases::edits(graph, user).into_iter().map(|(_, edit)| edit).collect()))
        .collect();
    asked.push((graph.newcomer(), cases::arrivals(graph).into_iter().map(|(_, edit)| edit).collect()));
    for ((user, edits), profile) in asked.iter_mut().zip(PROFILES.into_iter().cycle()) {
        edits.retain(|edit| unable(recommender, *user, profile, edit).is_none());
        if edits.is_empty() {
            continue;
        }
        let alone: Vec<Vec<f32>> = edits.iter().map(|e| scores(recommender, *user, profile, e)).collect();
        for size in BATCHES {
            // Starting elsewhere in each batch, so that an edit meets every place.
            let places: Vec<usize> = (0..size).map(|k| (k + size) % edits.len()).collect();
            let together: Vec<Edit> = places.iter().map(|&at| edits[at].clone()).collect();
            let got = batch(recommender, *user, profile, &together);
            for (got, &at) in got.chunks_exact(graph.items()).zip(&places) {
                assert_close(got, &alone[at], || {
                    format!("user {}, {profile:?}, batch of {size}, {:?}", user.0, edits[at])
                });
            }
        }
    }
}
