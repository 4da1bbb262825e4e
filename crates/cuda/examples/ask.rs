use grease_cuda::{Card, OnCard};
use grease_graph::{Edge, Edit, Profile, Recommender, UserId};
use grease_models::folder::ModelFolder;
use grease_models::{Architecture, Kind, Model};
use std::sync::Arc;
use std::time::Instant;
fn main() {
    let folder = ModelFolder::load(std::path::Path::new(&std::env::args().nth(1).unwrap())).unwrap();
    let graph = folder.model.graph().clone();
    let architecture = Architecture::new(Kind::Ngcf, 3, 64);
    let weights = if folder.model.architecture().kind == Kind::Ngcf {
        folder.model.weights().clone()
    } else {
        architecture.initial_weights(&graph, 1)
    };
    let model = Arc::new(Model::new(architecture, Arc::new(graph.clone()), weights.clone()).unwrap());
    let started = Instant::now();
    let card = Arc::new(Card::open(0).unwrap());
    println!("open {:?} {:?}", started.elapsed(), card.code());
    let started = Instant::now();
    let on = OnCard::new(card, model.clone(), architecture, &weights).unwrap();
    println!("bring {:?}", started.elapsed());
    for user in [0u32, 0, 5, 100, 777] {
        let edits: Vec<Edit> = graph
            .by_user()
            .row(user as usize)
            .iter()
            .map(|&i| Edit::removing([Edge::new(user, i)]))
            .collect();
        let mut out = vec![0.0; edits.len() * graph.items()];
        let started = Instant::now();
        on.score(UserId(user), Profile::Kept, &edits, &mut out).unwrap();
        let there = started.elapsed();
        let mut here = vec![0.0; 2 * graph.items()];
        let started = Instant::now();
        model.score(UserId(user), Profile::Kept, &edits[..2], &mut here).unwrap();
        let cpu = started.elapsed() / 2;
        let worst = here.iter().zip(&out).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let most = here.iter().fold(0f32, |m, v| m.max(v.abs()));
        let started = Instant::now();
        let mut one = vec![0.0; graph.items()];
        for edit in edits.iter().take(10) {
            on.score(UserId(user), Profile::Kept, std::slice::from_ref(edit), &mut one).unwrap();
        }
        let single = started.elapsed() / edits.len().min(10) as u32;
        println!(
            "user {user}: {} edits, {:?} an edit on the card ({:?} one at a time), {:?} here; worst {worst:e} of {most}",
            edits.len(),
            there / edits.len() as u32,
            single,
            cpu
        );
    }
}
