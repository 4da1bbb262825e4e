//! One person's scores of some items by weights of their own interactions, and the gradient, without the rest of the graph.
//!
//! Everything is seen from the graph without the person, whatever they have with its weight. With `d` degrees there, `w` weights,
//! `t = d + w`, `s = 1 / sqrt(t)`, sums over the person's items `j`, `k`, and `P^l_i` what other users send to item `i` in layer `l`
//! there:
//!
//! ```text
//! s_u = 1 / sqrt(sum w_j)     a_j = w_j s_j     b_j = w_j / t_j     A = sum w_j b_j     G_k = sum b_j kappa(j, k)
//! x1  = s_u sum a_j e_j
//! x2  = s_u^2 A e_u + s_u sum b_j P1_j
//! x3  = s_u^2 A x1  + s_u (sum b_j P2_j + sum G_k (s_k - 1 / sqrt(d_k)) e_k)
//! z   = (L + 1) h_u = e_u + x1 + x2 + x3          y = e_u + x1 + x2          (layers up to L, and up to L - 1)
//! p_k = (s_k - 1 / sqrt(d_k)) e_k.z               + b_k s_u e_u.z + (1 / t_k - 1 / d_k) P1_k.z      (from L = 2 on, and L = 3)
//! (L + 1)^2 score_i = e_i.z + s_i (sum over l of P^l_i.z + sum kappa(i, k) p_k) + [i is own] a_i s_u y.z
//! ```
//!
//! A step costs `items * (width + own) + own * (width + own)`, whatever the size of the graph.

mod step;

use grease_graph::{ItemId, Profile, ScoreError, Weighed, check_weights};

use self::step::Step;
use super::DEEPEST;
use super::evicted::{Evicted, Leaving};
use super::touching::summed_rows;
use super::walks::Walks;
use crate::halves::row;
use crate::lightgcn::LightGcn;
use crate::weighed::Asked;

/// Items of one person that are looked at this way: a table has one number a pair of them.
const MOST_OWN: usize = 4096;

/// Scores by weights of one person's own interactions.
pub(in crate::lightgcn) struct ByOwn {
    /// Where the weighted interactions are among the items.
    places: Vec<usize>,
    own: Own,
    panel: Panel,
    step: Step,
    is_asked: bool,
}

/// The person, and the items that are theirs to some weight.
struct Own {
    /// L.
    depth: usize,
    dim: usize,
    /// The person's input row.
    person: Vec<f32>,
    /// How many others have each item.
    degrees: Vec<f32>,
    /// Input rows, and what others send in layers 1 and 2, where that counts.
    input: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    /// `[own, own]`, where it counts.
    kappa: Vec<f32>,
}

/// The items that are scored.
struct Panel {
    /// `(L + 1) h` without the person; the input row of those that are the person's.
    rows: Vec<f32>,
    /// `s` of each.
    roots: Vec<f32>,
    /// `[items, own]`, where it counts.
    kappa: Vec<f32>,
    /// Those that are the person's: places here and there.
    own: Vec<(usize, usize)>,
    /// What others send them in all layers.
    sent: Vec<f32>,
}

impl ByOwn {
    /// Prepared, where what is asked is local: about the person's own interactions, not too many, in a model that is not too deep.
    pub(in crate::lightgcn) fn new(model: &LightGcn, asked: &Asked<'_>) -> Option<Self> {
        let mut edges = asked.edges.iter().chain(asked.edit.removed()).chain(asked.edit.added());
        if !(1..=DEEPEST).contains(&model.layers) || !edges.all(|edge| edge.user == asked.user) {
            return None;
        }
        let items = history(model, asked);
        if items.len() > MOST_OWN {
            return None;
        }
        let place = |item: u32| items.binary_search(&item).expect("weighted interactions are in the history");
        let places: Vec<usize> = asked.edges.iter().map(|edge| place(edge.item.0)).collect();
        let graph = model.adjacency.graph();
        let there = graph.items_of(asked.user);
        let learned = match asked.user == graph.newcomer() {
            true => vec![0.0; model.dim()],
            false => row(model.weights.users(), model.dim(), asked.user.0).to_vec(),
        };
        let walks = Walks::new(model, asked.user.0, there);
        let of_history = (items != there).then(|| Walks::new(model, asked.user.0, &items));
        let around = of_history.as_ref().unwrap_or(&walks);
        let tables = model.tables();
        let layers = summed_rows(model, tables, there);
        let leaving = Leaving { model, tables, walks: &walks, own: there, row: &learned, layers: &layers };
        let mut evicted = leaving.evict();
        let mut own = Own::new(&leaving, &mut evicted, around, &items);
        let panel = Panel::new(&leaving, &evicted, around, &items, asked.items);
        if asked.profile == Profile::Kept {
            own.person = learned;
        }
        let mut step = Step::default();
        step.weights.resize(items.len(), 1.0);
        Some(Self { places, own, panel, step, is_asked: false })
    }
}

/// The person's items after the edit, and those with weights.
fn history(model: &LightGcn, asked: &Asked<'_>) -> Vec<u32> {
    let there = model.adjacency.graph().items_of(asked.user).iter().copied();
    let is_removed = |item: u32| asked.edit.removed().binary_search_by_key(&item, |edge| edge.item.0).is_ok();
    let mut items: Vec<u32> = there
        .filter(|&item| !is_removed(item))
        .chain(asked.edit.added().iter().chain(asked.edges).map(|edge| edge.item.0))
        .collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// How many others have an item.
fn others(leaving: &Leaving<'_>, item: u32) -> f32 {
    let degree = leaving.model.adjacency.graph().by_item().degree(item as usize) as f32;
    degree - f32::from(u8::from(leaving.own.binary_search(&item).is_ok()))
}

impl Own {
    fn new(leaving: &Leaving<'_>, evicted: &mut Evicted, around: &Walks<'_>, items: &[u32]) -> Self {
        let (model, dim) = (leaving.model, leaving.model.dim());
        let (mut input, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
        let mut extended = leaving.own.len();
        for &item in items {
            let place = leaving.own.binary_search(&item).unwrap_or_else(|_| {
                leaving.extend(evicted, item, None);
                extended += 1;
                extended - 1
            });
            input.extend_from_slice(row(model.weights.items(), dim, item));
            for (layer, sent) in (1..model.layers).zip([&mut first, &mut second]) {
                let root = others(leaving, item).sqrt();
                sent.extend(evicted.row(layer, dim, place).iter().map(|x| root * x));
            }
        }
        Self {
            depth: model.layers,
            dim,
            person: vec![0.0; dim],
            degrees: items.iter().map(|&item| others(leaving, item)).collect(),
            input,
            first,
            second,
            kappa: if model.layers >= 3 { kappa(around, items, items.len()) } else { Vec::new() },
        }
    }

    /// How many items there are.
    fn many(&self) -> usize {
        self.degrees.len()
    }
}

/// `kappa` of each of some items with each own one, the person left out: a row an item.
fn kappa(around: &Walks<'_>, items: &[u32], own: usize) -> Vec<f32> {
    let mut all = vec![0f32; items.len() * own];
    if own > 0 {
        all.chunks_exact_mut(own).zip(items).for_each(|(row, &item)| around.kappa_with_own(item, row));
    }
    all
}

impl Panel {
    fn new(
        leaving: &Leaving<'_>,
        evicted: &Evicted,
        around: &Walks<'_>,
        history: &[u32],
        items: &[ItemId],
    ) -> Self {
        let (model, dim) = (leaving.model, leaving.model.dim());
        let items: Vec<u32> = items.iter().map(|item| item.0).collect();
        let mut panel = Self {
            rows: vec![0.0; items.len() * dim],
            roots: Vec::new(),
            kappa: if model.layers >= 2 { kappa(around, &items, history.len()) } else { Vec::new() },
            own: Vec::new(),
            sent: Vec::new(),
        };
        let mut with_own = vec![0f32; leaving.own.len()];
        for ((at, &item), output) in items.iter().enumerate().zip(panel.rows.chunks_exact_mut(dim)) {
            if model.layers >= 2 {
                with_own.fill(0.0);
                leaving.walks.kappa_with_own(item, &mut with_own);
            }
            leaving.output(evicted, item, &with_own, output);
            output.iter_mut().for_each(|x| *x *= (model.layers + 1) as f32);
            let degree = others(leaving, item);
            panel.roots.push(super::edit::root(degree));
            if let Ok(place) = history.binary_search(&item) {
                panel.own.push((at, place));
                let input = row(model.weights.items(), dim, item);
                panel.sent.extend(output.iter().zip(input).map(|(x, e)| degree.sqrt() * (x - e)));
                output.copy_from_slice(input);
            }
        }
        panel
    }
}

impl Weighed for ByOwn {
    fn score(&mut self, weights: &[f32], out: &mut [f32]) -> Result<(), ScoreError> {
        check_weights(weights, self.places.len())?;
        assert_eq!(out.len(), self.panel.roots.len(), "one score an item");
        self.places.iter().zip(weights).for_each(|(&place, &weight)| self.step.weights[place] = weight);
        self.step.forward(&self.own, &self.panel, out);
        self.is_asked = true;
        Ok(())
    }

    fn gradient(&mut self, slopes: &[f32], out: &mut [f32]) -> Result<(), ScoreError> {
        assert!(self.is_asked, "scores are asked for first");
        assert_eq!(slopes.len(), self.panel.roots.len(), "one slope an item");
        assert_eq!(out.len(), self.places.len(), "one slope an interaction");
        let by_weights = self.step.backward(&self.own, &self.panel, slopes);
        out.iter_mut().zip(&self.places).for_each(|(out, &place)| *out = by_weights[place]);
        Ok(())
    }
}
