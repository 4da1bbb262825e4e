//! Graphs of any size with planted tastes, made in memory: popular items are as popular as in the world, a few people have thousands of
//! interactions, and embeddings know what people like.

use grease_graph::{Edge, Graph, seed};
use rand::Rng;
use rayon::prelude::*;

/// Items of like sort; everybody likes a few sorts.
const SORTS: u32 = 64;

/// Sorts that somebody likes.
const LIKED: usize = 3;

/// Interactions of most people, and how quickly more become rare.
const FEWEST: f64 = 12.0;
const SHAPE: f64 = 1.6;

/// Interactions of anybody at most.
const MOST: f64 = 4000.0;

/// People made together.
const PART: usize = 1 << 12;

/// A graph and input rows of width `dim`, users then items.
pub struct Planted {
    pub graph: Graph,
    pub users: Vec<f32>,
    pub items: Vec<f32>,
}

impl Planted {
    /// Of about so many draws, 32 a person, four people to an item; what is drawn twice is one interaction.
    pub fn of(interactions: usize, dim: usize, seed: u64) -> Self {
        let users = (interactions / 31).max(8);
        let items = (users / 4).max(SORTS as usize * 2);
        let parts: Vec<Vec<Edge>> = (0..users.div_ceil(PART))
            .into_par_iter()
            .map(|part| {
                let people = part * PART..users.min((part + 1) * PART);
                people.flat_map(|user| history(seed, user as u32, items as u32)).collect()
            })
            .collect();
        let graph = Graph::new(users, items, &parts.concat()).expect("rows were drawn from what there is");
        let centres: Vec<f32> =
            (0..SORTS as usize * dim).map(|at| spread(&mut seed::rng_at(seed, "sorts", at as u64))).collect();
        let centre = |sort: u32| &centres[sort as usize * dim..][..dim];
        let table = |rows: usize, name: &str, fill: &(dyn Fn(usize, &mut [f32]) + Sync)| {
            let mut table = vec![0f32; rows * dim];
            table.par_chunks_mut(dim).enumerate().for_each(|(row, out)| {
                let mut rng = seed::rng_at(seed, name, row as u64);
                out.iter_mut().for_each(|x| *x = 0.1 * spread(&mut rng));
                fill(row, out);
            });
            table
        };
        let add = |out: &mut [f32], sort: u32, share: f32| {
            out.iter_mut().zip(centre(sort)).for_each(|(out, x)| *out += share * x);
        };
        let of_users = table(users, "users' rows", &|user, out| {
            liked(seed, user as u32).iter().for_each(|&sort| add(out, sort, 0.1));
        });
        let of_items = table(items, "items' rows", &|item, out| add(out, item as u32 % SORTS, 0.15));
        Self { graph, users: of_users, items: of_items }
    }
}

/// The sorts somebody likes.
fn liked(seed: u64, user: u32) -> [u32; LIKED] {
    let mut rng = seed::rng_at(seed, "likes", u64::from(user));
    [(); LIKED].map(|()| seed::below(&mut rng, u64::from(SORTS)) as u32)
}

/// What somebody interacted with, as drawn: popular items first of all, three times out of four of a sort they like.
fn history(seed: u64, user: u32, items: u32) -> Vec<Edge> {
    let mut rng = seed::rng_at(seed, "history", u64::from(user));
    let likes = liked(seed, user);
    let many = (FEWEST * unit(&mut rng).powf(-1.0 / SHAPE)).min(MOST).min(f64::from(items) / 4.0) as usize;
    let draw = |_| {
        let rank = (f64::from(items) * unit(&mut rng).powf(2.75)) as u32;
        let sort = likes[seed::below(&mut rng, LIKED as u64) as usize];
        let is_liked = unit(&mut rng) < 0.75;
        let item = if is_liked { rank / SORTS * SORTS + sort } else { rank };
        Edge::new(user, item.min(items - 1))
    };
    (0..many).map(draw).collect()
}

/// Uniform in (0, 1].
fn unit(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// About normal, of variance one.
fn spread(rng: &mut impl Rng) -> f32 {
    let sum: f64 = (0..4).map(|_| unit(rng) - 0.5).sum();
    (sum * 3f64.sqrt()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_graph_is_skewed_and_repeats() {
        let planted = Planted::of(60_000, 8, 1);
        let graph = &planted.graph;
        // What was drawn twice counts once, which in a small graph is much.
        assert!((25_000..=60_000).contains(&graph.len()), "{}", graph.len());
        let most = |degrees: &mut dyn Iterator<Item = usize>| degrees.max().unwrap();
        let items = graph.items();
        let popular = most(&mut (0..items).map(|item| graph.by_item().degree(item)));
        assert!(popular > 10 * graph.len() / items, "{popular}");
        let busiest = most(&mut (0..graph.users()).map(|user| graph.by_user().degree(user)));
        assert!(busiest > 3 * graph.len() / graph.users(), "{busiest}");
        let again = Planted::of(60_000, 8, 1);
        assert!(*graph == again.graph && planted.users == again.users && planted.items == again.items);
        assert_ne!(planted.items, Planted::of(60_000, 8, 2).items);
    }
}
