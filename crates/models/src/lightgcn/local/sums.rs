//! What taking away exactly `r` of a person's interactions does, as a sum of what each does, with a proven error.
//!
//! How many are taken away is fixed, so the person's new degree is: and with it nearly everything is a sum over the set `T`. With
//! `d` the person's degree, `d' = d - r`, `p = 1 / sqrt(d')`, `q = (p - 1 / sqrt(d)) e_u`, `Q = Z1 (1 / d' - 1 / d)`, `Zk = sqrt(d) X^k_u`:
//!
//! ```text
//! (L + 1) h' = e_u + p Z1 + p (Z2 + beta q) + p (Z3 + beta Q)                                           the start
//!   - p sum over T of s_t (e_t + X1_t + X2_t) + 1 / d_t (q + Q) + beta p^2 s_t e_t - change_t nu_t e_t     sums
//!   + p^3 (sum over T of 1 / d_t) (sum over T of s_t e_t)
//!   - p sum over T x T of kappa(t, o) / d_t change_o e_o                                        pairs: bounded, but for t = o
//! row of an item = x_i + c_i nu_i q + c_i sum over T of kappa(i, t) w_t                           c_i = s_i / (L + 1)
//! ```
//!
//! A score is the product of the two: what is left of it, pairs again, is bounded by lengths. Terms of layers a model does not have
//! are left out.

use grease_graph::{Panel, Sums};
use grease_kernels::dense::{dot, matmul_transposed};
use grease_kernels::{Largest, vectorise};

use super::Local;
use super::axes::ROUNDING;
use super::edit::{root, root_change};
use super::panel::Items;
use crate::halves::row;

/// Interactions up to which each is compared with each.
const PAIRED: usize = 512;

/// Products of a panel's rows with the rows of some own items: the same for every size.
pub(super) struct Products {
    /// Places of the interactions among the own ones.
    places: Vec<usize>,
    /// `e_t . x_i`: `[interactions, panel]`.
    inputs: Vec<f32>,
    /// `(X1_t + X2_t) . x_i`.
    layers: Vec<f32>,
    /// `e_u . x_i`, `Z1 . x_i` and `(Z2 + Z3) . x_i`: one a panel's item.
    person: [Vec<f32>; 3],
    /// Lengths of the panel's rows.
    lengths: Vec<f32>,
}

/// What all sets of one size have in common.
struct Common {
    size: usize,
    depth: usize,
    /// `p`, and what is added to it: `p - s_u`.
    root: f32,
    more: f32,
    /// `1 / d' - 1 / d`.
    loss: f32,
    beta: f32,
}

/// What one interaction does to the person's row, as factors.
struct Factors {
    /// Of its input row.
    input: f32,
    /// Of its rows of the other layers.
    layers: f32,
    /// Of `q`'s direction `e_u`.
    profile: f32,
    /// Of `Z1`.
    history: f32,
}

impl Local<'_> {
    /// Products of a panel with some own items, made once.
    fn own_products(&self, items: &[u32], panel: Panel) -> Products {
        let (dim, depth) = (self.dim(), self.model.layers);
        let (panel, many) = (&self.panels[panel], self.panels[panel].items.len());
        let places: Vec<usize> =
            items.iter().map(|item| self.own.binary_search(item).expect("own items only")).collect();
        let (mut inputs, mut layers) = (Vec::new(), Vec::new());
        for &item in items {
            inputs.extend_from_slice(row(self.model.weights.items(), dim, item));
            let mut sum = vec![0f32; dim];
            for layer in 1..depth {
                sum.iter_mut().zip(self.tables.row(layer, dim, item)).for_each(|(s, x)| *s += x);
            }
            layers.extend(sum);
        }
        let output = panel.output();
        let product = |rows: &[f32]| {
            let mut out = vec![0f32; rows.len() / dim * many];
            if !out.is_empty() {
                matmul_transposed(rows, output, dim, many, &mut out, false);
            }
            out
        };
        let first: Vec<f32> = self.layers[..dim].iter().map(|&z| z as f32).collect();
        let mut later = vec![0f32; dim];
        for layer in 1..depth {
            later.iter_mut().zip(&self.layers[layer * dim..][..dim]).for_each(|(sum, &z)| *sum += z as f32);
        }
        Products {
            places,
            inputs: product(&inputs),
            layers: product(&layers),
            person: [product(&self.row), product(&first), product(&later)],
            lengths: output.chunks_exact(dim).map(|x| dot(x, x).sqrt()).collect(),
        }
    }

    /// See [`Closely::sums`](grease_graph::Closely::sums).
    pub(super) fn sums_of(&mut self, items: &[u32], size: usize, panel: Panel, proven: bool) -> Option<Sums> {
        let own = self.own.len();
        // With nobody left, or somebody new, or the person's own items in the panel, nothing here is true.
        if size == 0 || size >= own || size > items.len() || self.panels[panel].has_own() {
            return None;
        }
        let is_same = |(known, at): &(Products, Panel)| {
            *at == panel && known.places.iter().map(|&place| self.own[place]).eq(items.iter().copied())
        };
        let products = self.own_products.take().filter(is_same);
        let (products, _) = products.unwrap_or_else(|| (self.own_products(items, panel), panel));
        let (d, after) = (own as f32, (own - size) as f32);
        let common = Common {
            size,
            depth: self.model.layers,
            root: root(after),
            more: root_change(d, after),
            loss: (d - after) / (d * after),
            beta: self.walks.beta,
        };
        let start = self.start_row(&common);
        let each: Vec<Effect> = items.iter().map(|&item| self.effect(&common, &start, item)).collect();
        let bounds = self.bounds_of(&common, &start, &each, proven);
        let items = &self.panels[panel];
        let tells: Vec<f32> =
            items.scales().iter().zip(items.nus()).map(|(c, nu)| c * nu * common.told()).collect();
        let zeros = || vec![0f32; tells.len()];
        let (slack, slack_by_weight) = match proven {
            true => common.slacks(&products, items, &tells, &each, &bounds),
            false => (zeros(), zeros()),
        };
        let sums = Sums {
            start: common.starts(&products, &tells, bounds.start_profile),
            change: common.changes(&products, items, &tells, &each),
            slack,
            slack_by_weight,
            weight: each.iter().map(|effect| effect.share).collect(),
            outside: match proven {
                true => self.most_outside(panel, &common, &start, &each, &bounds),
                false => f32::NEG_INFINITY,
            },
        };
        self.own_products = Some((products, panel));
        Some(sums)
    }

    /// What one interaction does.
    fn effect(&self, common: &Common, start: &[f32], item: u32) -> Effect {
        let (dim, depth) = (self.dim(), common.depth);
        let degree = self.model.adjacency.graph().by_item().degree(item as usize) as f32;
        let (input, s) = (row(self.model.weights.items(), dim, item), root(degree));
        let change = root_change(degree, degree - 1.0);
        let (p, share) = (common.root, 1.0 / degree);
        let mut factors = Factors { input: -p * s, layers: 0.0, profile: 0.0, history: 0.0 };
        if depth >= 2 {
            factors.layers = -p * s;
            factors.profile = -p * share * common.more;
        }
        if depth >= 3 {
            let own = self.own.len() as f32;
            let nu = self.walks.nu(item) - common.beta / own;
            let itself = (self.tables.diagonal[item as usize] - 1.0 / own) * share;
            factors.history = -p * share * common.loss;
            factors.input += p * change * (nu - itself) - p.powi(3) * common.beta * s + p.powi(3) * share * s;
        }
        let mut source = vec![0f32; dim];
        if depth >= 2 {
            source.iter_mut().zip(input).for_each(|(w, e)| *w = change * e);
        }
        if depth >= 3 {
            let x = self.tables.row(1, dim, item);
            let lost = if degree > 1.0 { 1.0 / (degree - 1.0) } else { 0.0 };
            for k in 0..dim {
                let til = s * x[k] + common.more * self.row[k] * share;
                source[k] += if degree > 1.0 { (til - common.root * self.row[k]) * lost } else { -til };
            }
        }
        let mut moved = vec![0f32; dim];
        for (k, moved) in moved.iter_mut().enumerate() {
            let layers: f32 = (1..depth).map(|layer| self.tables.row(layer, dim, item)[k]).sum();
            *moved = factors.input * input[k]
                + factors.layers * layers
                + factors.profile * self.row[k]
                + factors.history * self.layers[k] as f32;
        }
        Effect {
            start_source: dot(start, &source),
            own_source: dot(&moved, &source),
            source: dot(&source, &source).sqrt(),
            profile: dot(&moved, &self.row),
            length: dot(input, input).sqrt(),
            share_root: s,
            share,
            change,
            diagonal: self.tables.diagonal[item as usize],
            beside: (self.tables.diagonal[item as usize] - 1.0 / self.own.len() as f32).max(0.0),
            moved,
            factors,
        }
    }

    /// The person's row at the start, times L + 1.
    fn start_row(&self, common: &Common) -> Vec<f32> {
        let (dim, depth) = (self.dim(), common.depth);
        (0..dim)
            .map(|k| {
                let layers: f64 = (0..depth).map(|layer| self.layers[layer * dim + k]).sum();
                let mut start = self.row[k] + common.root * layers as f32;
                if depth >= 2 {
                    start += common.root * common.beta * common.more * self.row[k];
                }
                if depth >= 3 {
                    start += common.root * common.beta * common.loss * self.layers[k] as f32;
                }
                start
            })
            .collect()
    }

    /// What is not `proven` needs no more than the product of the start and the profile.
    fn bounds_of(&self, common: &Common, start: &[f32], each: &[Effect], proven: bool) -> Bounds {
        let size = common.size;
        let (start_profile, profile) = (dot(start, &self.row), dot(&self.row, &self.row).sqrt());
        if !proven {
            return Bounds { start_profile, profile, ..Bounds::default() };
        }
        let all = |value: &dyn Fn(&Effect) -> f32, many: usize| top(each.iter().map(value), many);
        let shares = if common.depth >= 3 { all(&|e| e.share, size - 1) } else { 0.0 };
        // Among any others, those that are most beside it. Of many, not each with each: the lesser of two numbers is at most either.
        let (widest, heaviest) =
            (all(&|other| other.share, size - 1), all(&|other| other.share * other.beside, size - 1));
        let beside = |effect: &Effect| match common.depth {
            3 if each.len() > PAIRED => heaviest.min(effect.beside * widest),
            3 => all(&|other| other.share * other.beside.min(effect.beside), size - 1),
            _ => 0.0,
        };
        let beside: Vec<f32> = each.iter().map(beside).collect();
        let far = each.iter().zip(&beside).map(|(e, beside)| e.change.abs() * e.length * beside);
        let rest = common.root.powi(3) * all(&|e| e.share_root * e.length, size) * shares
            + common.root * top(far, size);
        Bounds {
            start_profile,
            profile,
            length: dot(start, start).sqrt(),
            moves: all(&|e| dot(&e.moved, &e.moved).sqrt(), size),
            beside,
            rest,
        }
    }

    /// The most any candidate outside the panel scores after any set of this size.
    fn most_outside(
        &mut self,
        panel: Panel,
        common: &Common,
        start: &[f32],
        each: &[Effect],
        bounds: &Bounds,
    ) -> f32 {
        let (dim, size) = (self.dim(), common.size);
        let share = 1.0 / (common.depth + 1) as f32;
        let before = row(self.model.output().users, dim, self.user).to_vec();
        // From the middle, not from nothing: most of what sets do, they all do.
        let mut mean = vec![0f32; dim];
        each.iter()
            .for_each(|e| mean.iter_mut().zip(&e.moved).for_each(|(m, g)| *m += g / each.len() as f32));
        let middle: Vec<f32> = start.iter().zip(&mean).map(|(s, m)| share * (s + size as f32 * m)).collect();
        let square = dot(&before, &before);
        let along = dot(&middle, &before) / square;
        if !(along.is_finite() && along > 0.0) {
            return f32::INFINITY;
        }
        let length_of = |x: &[f32]| dot(x, x).sqrt();
        let aside: Vec<f32> = middle.iter().zip(&before).map(|(m, h)| m - along * h).collect();
        let apart =
            |e: &Effect| length_of(&e.moved.iter().zip(&mean).map(|(g, m)| g - m).collect::<Vec<_>>());
        let aside = length_of(&aside) + share * (top(each.iter().map(apart), size) + bounds.rest);
        let length = share * (bounds.length + bounds.moves + bounds.rest);
        let best = self.best_by_group(panel);
        let best = best.iter().zip(&self.tables.longest).map(|(best, longest)| {
            along * best + (aside + ROUNDING * (length + along * square.sqrt())) * longest
        });
        let (mut steep, mut most) = (0f32, 0f32);
        if common.depth >= 2 {
            steep += length * top(each.iter().map(|e| e.source), size);
            most += length * top(each.iter().map(|e| e.source * e.diagonal), size);
        }
        if common.depth >= 3 {
            let told = length * common.more.abs() * bounds.profile;
            let inverse = &self.model.adjacency.squares().items;
            let beside = |&j: &u32| inverse[j as usize] * self.tables.diagonal[j as usize];
            steep += told * common.beta;
            most += told * self.own.iter().map(beside).sum::<f32>();
        }
        best.fold(f32::NEG_INFINITY, f32::max) + share * (steep * most * self.tables.steepest).sqrt()
    }
}

/// What one interaction does, for sets of one size.
struct Effect {
    factors: Factors,
    /// What it does to the person's row, times L + 1.
    moved: Vec<f32>,
    /// Products of its source with the start, and with what it does itself.
    start_source: f32,
    own_source: f32,
    /// Length of its source.
    source: f32,
    /// Product of what it does with the profile.
    profile: f32,
    /// Length of its input row.
    length: f32,
    /// `1 / sqrt(degree)` and `1 / degree`.
    share_root: f32,
    share: f32,
    /// By how much the first of these changes.
    change: f32,
    /// `kappa(t, t)`, with the person and without.
    diagonal: f32,
    beside: f32,
}

/// What no set of this size exceeds.
#[derive(Default)]
struct Bounds {
    /// Product of the start and the profile.
    start_profile: f32,
    /// Lengths of the profile and of the start.
    profile: f32,
    length: f32,
    /// How far the person's row goes by sums.
    moves: f32,
    /// For each interaction the most that others are beside it.
    beside: Vec<f32>,
    /// How far it goes by pairs.
    rest: f32,
}

impl Common {
    /// How the profile is told to items by walks of three steps.
    fn told(&self) -> f32 {
        if self.depth >= 3 { self.more } else { 0.0 }
    }

    fn share(&self) -> f32 {
        1.0 / (self.depth + 1) as f32
    }

    /// Scores at the start.
    fn starts(&self, products: &Products, tells: &[f32], start_profile: f32) -> Vec<f32> {
        let [profile, first, later] = &products.person;
        let (mut of_profile, mut of_first) = (1.0, self.root);
        if self.depth >= 2 {
            of_profile += self.root * self.beta * self.more;
        }
        if self.depth >= 3 {
            of_first += self.root * self.beta * self.loss;
        }
        let all = profile.iter().zip(first).zip(later).zip(tells);
        let start = |(((e, z), x), tells): (((&f32, &f32), &f32), &f32)| {
            self.share() * (of_profile * e + of_first * z + self.root * x + tells * start_profile)
        };
        all.map(start).collect()
    }

    /// `[interactions, panel]`.
    fn changes(&self, products: &Products, items: &Items, tells: &[f32], each: &[Effect]) -> Vec<f32> {
        let (many, scales) = (tells.len(), items.scales());
        let mut changes = vec![0f32; each.len() * many];
        let [of_profile, of_history, _] = &products.person;
        for (at, (change, effect)) in changes.chunks_exact_mut(many.max(1)).zip(each).enumerate() {
            let kappa = items.kappa_of(products.places[at]);
            let inputs = &products.inputs[at * many..][..many];
            let layers = &products.layers[at * many..][..many];
            let Factors { input, layers: layer, profile, history } = effect.factors;
            let source = effect.start_source + effect.own_source;
            vectorise(|| {
                for i in 0..many {
                    let row = input * inputs[i]
                        + layer * layers[i]
                        + profile * of_profile[i]
                        + history * of_history[i];
                    change[i] =
                        self.share() * (row + tells[i] * effect.profile + scales[i] * kappa[i] * source);
                }
            });
        }
        changes
    }

    /// How far sums may be off for each of a panel's items: in any case, and for each unit of weight.
    fn slacks(
        &self,
        products: &Products,
        items: &Items,
        tells: &[f32],
        each: &[Effect],
        bounds: &Bounds,
    ) -> (Vec<f32>, Vec<f32>) {
        let (many, scales) = (tells.len(), items.scales());
        let [mut shares, mut beside, mut sources] = [(); 3].map(|()| Largest::new(self.size, many));
        let mut products_of = vec![0f32; many];
        for (at, effect) in each.iter().enumerate() {
            let inputs = &products.inputs[at * many..][..many];
            let told = effect.length * bounds.profile;
            vectorise(|| {
                let all = products_of.iter_mut().zip(inputs).zip(tells);
                all.for_each(|((product, input), tells)| *product = input.abs() + tells.abs() * told);
            });
            shares.add(&products_of, effect.share_root);
            beside.add(&products_of, effect.change.abs() * bounds.beside[at]);
            sources.add(items.kappa_of(products.places[at]), effect.source);
        }
        let [shares, beside, sources] = [shares, beside, sources].map(|largest| largest.sums());
        let slack = |i: usize| {
            let rounding = ROUNDING * (bounds.length + bounds.moves) * products.lengths[i];
            self.share()
                * (self.root * beside[i] + scales[i] * sources[i] * (bounds.moves + bounds.rest) + rounding)
        };
        // Pairs exist in models of three layers.
        let by_weight = if self.depth >= 3 { self.share() * self.root.powi(3) } else { 0.0 };
        ((0..many).map(slack).collect(), shares.iter().map(|shares| by_weight * shares).collect())
    }
}

/// The sum of the largest few.
fn top(values: impl Iterator<Item = f32>, many: usize) -> f32 {
    let mut values: Vec<f32> = values.collect();
    if many < values.len() {
        values.select_nth_unstable_by(many, |a, b| b.total_cmp(a));
        values.truncate(many);
    }
    values.iter().sum()
}
