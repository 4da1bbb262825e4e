//! One person's scores of some items as a function of interactions' weights, and its gradient: any interactions, any number of layers.
//!
//! ```text
//! Scene: the nodes weights touch -> Live: rows that weights change and the scores need -> Level, Making: those rows, layer by layer
//! ```
//!
//! All other rows are as the unedited graph has them: what they send is summed once. A step then costs as much as the live rows do, which
//! for one person's interactions are a fraction of the graph.

mod layered;
mod level;
mod live;
mod read;
mod touched;

use grease_graph::{Edge, Edit, ItemId, Profile, ScoreError, UserId, Weighed, check_weights};

pub(crate) use self::layered::{Layered, Made};

use self::level::{Gathered, Level, Making};
use self::live::Live;
use self::read::Reading;
use self::touched::Scene;
use crate::halves::{Side, row, row_mut};

/// Whose scores of which items, on which graph, with weights on which interactions: all of it checked.
pub(crate) struct Asked<'a> {
    pub(crate) user: UserId,
    pub(crate) profile: Profile,
    pub(crate) edit: &'a Edit,
    pub(crate) edges: &'a [Edge],
    pub(crate) items: &'a [ItemId],
}

/// Scores by weights, layer by layer.
pub(crate) struct ByLayers<'m> {
    network: &'m dyn Layered,
    scene: Scene<'m>,
    edges: Vec<Edge>,
    /// Users and items of each layer.
    levels: Vec<[Level; 2]>,
    /// How each layer from the first on is made.
    makings: Vec<[Making; 2]>,
    reading: Reading,
    /// `1 / sqrt(degree)` of the touched nodes.
    roots: [Vec<f32>; 2],
    gathered: Gathered,
    is_asked: bool,
}

impl<'m> ByLayers<'m> {
    pub(crate) fn new(network: &'m dyn Layered, asked: &Asked<'_>) -> Self {
        let graph = network.adjacency().graph();
        let is_blank = asked.profile == Profile::Neutral || asked.user == graph.newcomer();
        let scene = Scene::new(graph, asked.edit, asked.edges, is_blank.then_some(asked.user));
        let items: Vec<u32> = asked.items.iter().map(|item| item.0).collect();
        let mut read = vec![(Side::Users, asked.user.0)];
        read.extend(items.iter().map(|&item| (Side::Items, item)));
        let depth = network.depth();
        let live = Live::of(&scene, depth, network.keeps_itself(), &read);
        let mut levels: Vec<[Level; 2]> = Vec::new();
        let mut makings = Vec::new();
        for l in 0..=depth {
            let level = Side::BOTH.map(|side| Level::new(network, &scene, &live, l, side));
            if let Some(before) = levels.last() {
                let making = |side| Making::new(network, &scene, (l, side), &level[side as usize], before);
                makings.push(Side::BOTH.map(making));
            }
            levels.push(level);
        }
        for side in Side::BOTH {
            let level = &mut levels[0][side as usize];
            for (at, &of) in level.rows.iter().enumerate() {
                if of < graph.newcomer().0 || side == Side::Items {
                    row_mut(&mut level.h, network.dim(), at as u32).copy_from_slice(row(
                        network.rows(0, side),
                        network.dim(),
                        of,
                    ));
                }
            }
        }
        if let Some(at) = levels[0][0].find(asked.user.0).filter(|_| is_blank) {
            row_mut(&mut levels[0][0].h, network.dim(), at as u32).fill(0.0);
        }
        let zeros = || Side::BOTH.map(|side| vec![0f32; scene.touched(side).len()]);
        Self {
            reading: Reading::new(network, &levels, asked.user.0, &items),
            roots: zeros(),
            gathered: Gathered { by_root: zeros(), by_weight: vec![0.0; asked.edges.len()] },
            network,
            edges: asked.edges.to_vec(),
            scene,
            levels,
            makings,
            is_asked: false,
        }
    }

    fn forward(&mut self, weights: &[f32]) {
        let (network, dim) = (self.network, self.network.dim());
        for side in Side::BOTH {
            let roots = &mut self.roots[side as usize];
            let touched = self.scene.touched(side).iter();
            roots.iter_mut().zip(touched).for_each(|(root, touched)| *root = touched.root(weights));
            self.levels.iter_mut().for_each(|level| level[side as usize].set_roots(roots));
        }
        for l in 0..=self.makings.len() {
            let (before, level) = self.levels.split_at_mut(l);
            for side in Side::BOTH {
                let level = &mut level[0][side as usize];
                if let Some(before) = before.last() {
                    let making = &mut self.makings[l - 1][side as usize];
                    making.set_weights(weights);
                    making.forward(network, side, level, before);
                }
                level.send(dim);
            }
        }
    }

    /// From the gradient by output embeddings to that by the weights.
    fn backward(&mut self, out: &mut [f32]) {
        let (network, dim) = (self.network, self.network.dim());
        self.gathered.by_root.iter_mut().for_each(|by| by.fill(0.0));
        self.gathered.by_weight.fill(0.0);
        self.levels.iter_mut().flatten().for_each(|level| level.by_h.fill(0.0));
        self.reading.back(network, &mut self.levels);
        for l in (1..=self.makings.len()).rev() {
            let (before, level) = self.levels.split_at_mut(l);
            let before = &mut before[l - 1];
            for side in Side::BOTH {
                let making = &mut self.makings[l - 1][side as usize];
                making.backward(network, side, &mut level[0][side as usize], before, &mut self.gathered);
            }
            for side in Side::BOTH {
                before[side as usize].send_back(dim, &mut self.gathered.by_root[side as usize]);
            }
        }
        // root = degree^(-1/2): its slope by a weight is that by the degree.
        let Gathered { by_root, by_weight } = &self.gathered;
        let slope = |side: Side, of: u32| -> f32 {
            let at = self.scene.find(side, of).expect("ends of weighted interactions are touched");
            let root = self.roots[side as usize][at];
            // Step by step: the cube of a large root alone may be no number.
            -0.5 * by_root[side as usize][at] * root * root * root
        };
        for ((out, edge), by_weight) in out.iter_mut().zip(&self.edges).zip(by_weight) {
            *out = by_weight + slope(Side::Users, edge.user.0) + slope(Side::Items, edge.item.0);
        }
    }
}

impl Weighed for ByLayers<'_> {
    fn score(&mut self, weights: &[f32], out: &mut [f32]) -> Result<(), ScoreError> {
        check_weights(weights, self.edges.len())?;
        assert_eq!(out.len(), self.reading.items(), "one score an item");
        // From inside the pool: a thread outside it would go to sleep and be woken for each pass.
        rayon::scope(|_| self.forward(weights));
        self.reading.scores(self.network, &self.levels, out);
        self.is_asked = true;
        Ok(())
    }

    fn gradient(&mut self, slopes: &[f32], out: &mut [f32]) -> Result<(), ScoreError> {
        assert!(self.is_asked, "scores are asked for first");
        assert_eq!(slopes.len(), self.reading.items(), "one slope an item");
        assert_eq!(out.len(), self.edges.len(), "one slope an interaction");
        self.reading.slope(slopes);
        rayon::scope(|_| self.backward(out));
        Ok(())
    }
}
