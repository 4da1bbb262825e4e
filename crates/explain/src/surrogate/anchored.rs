//! Scores after an edit: the real ones where the search starts, moved by what the surrogate says changes.

use grease_graph::ItemId;
use grease_kernels::dense::dot;
use grease_kernels::{top_k, vectorise};

use super::activations::{Activations, mean_of};
use super::fit::Surrogate;
use super::inputs::Inputs;
use super::lessons::{Lesson, spearman};
use crate::ask::Standing;

/// Predicted scores of a person's contenders on an edited graph:
///
/// ```text
/// score = real score at the start + surrogate now - surrogate at the start
/// ```
///
/// so that it agrees with the recommender where the search starts, by construction. A contender outside the neighbourhood
/// moves by the change of the person's output times its real embedding where that is shown, else not at all.
///
/// Edges are flipped one by one or together; flipping back gives the same bits. A flip costs the rows at its two ends,
/// and reading scores those of the contenders next to what changed: for an edge of the person's own, of no contender.
#[derive(Debug, Clone)]
pub(crate) struct Anchored<'a> {
    pub(super) inputs: &'a Inputs<'a>,
    pub(super) surrogate: &'a Surrogate,
    pub(super) layer: Activations,
    pub(super) present: Vec<bool>,
    /// Edges left at each node.
    pub(super) degree: Vec<u32>,
    pub(super) contenders: Vec<Contender>,
    /// Contender of each local item, or `NONE`.
    slot: Vec<u32>,
    /// Mean of the neighbours' first layer of each contender, `[contenders, hidden]`.
    pub(super) means: Vec<f32>,
    stale: Vec<bool>,
    /// The person's.
    pub(super) person_mean: Vec<f32>,
    pub(super) person_output: Vec<f32>,
    /// Real score at the start minus the surrogate's there.
    offset: Vec<f32>,
    scores: Vec<f32>,
    scores_stale: bool,
}

/// An item whose place matters.
#[derive(Debug, Clone)]
pub(super) struct Contender {
    pub(super) item: ItemId,
    /// Its node, within the neighbourhood.
    pub(super) node: Option<u32>,
    /// Its output, outside it; empty where it is not shown.
    pub(super) output: Vec<f32>,
}

const NONE: u32 = u32::MAX;

impl<'a> Anchored<'a> {
    /// Whether somebody still waits for what comes of it.
    pub(crate) fn is_wanted(&self) -> bool {
        self.inputs.shown.check_wanted().is_ok()
    }

    /// Starts on the graph without the `absent` local edges, where `contenders` really have these scores.
    ///
    /// `activations` are those of `surrogate` on `inputs`. The contenders should be all items that may come to be among the
    /// best: a few hundred of the best at the start do.
    pub(crate) fn new(
        inputs: &'a Inputs<'a>,
        surrogate: &'a Surrogate,
        activations: &Activations,
        contenders: &[(ItemId, f32)],
        absent: &[u32],
    ) -> Self {
        let mut anchored =
            Self::unanchored(inputs, surrogate, activations, contenders.iter().map(|c| c.0), absent);
        let mut real: Vec<(ItemId, f32)> = contenders.to_vec();
        real.sort_by_key(|c| c.0);
        real.dedup_by_key(|c| c.0);
        for ((offset, score), (_, real)) in anchored.offset.iter_mut().zip(&anchored.scores).zip(real) {
            *offset = real - score;
        }
        anchored.scores_stale = true;
        anchored.update();
        anchored
    }

    /// The surrogate's own scores, anchored nowhere: how method `paper` judges.
    pub(crate) fn unanchored(
        inputs: &'a Inputs<'a>,
        surrogate: &'a Surrogate,
        activations: &Activations,
        contenders: impl IntoIterator<Item = ItemId>,
        absent: &[u32],
    ) -> Self {
        let neighbourhood = inputs.neighbourhood;
        let mut items: Vec<ItemId> = contenders.into_iter().collect();
        // Ascending, so that ties go to the lower row.
        items.sort_unstable();
        items.dedup();
        let mut slot = vec![NONE; neighbourhood.items().len()];
        let contender = |(at, item): (usize, ItemId)| {
            let local = neighbourhood.item(item);
            if let Some(local) = local {
                slot[local as usize] = at as u32;
            }
            let output = if local.is_none() { inputs.shown.output_of_item(item) } else { None };
            Contender {
                item,
                node: local.map(|local| inputs.item_node(local)),
                output: output.unwrap_or_default(),
            }
        };
        let contenders: Vec<Contender> = items.into_iter().enumerate().map(contender).collect();
        let (hidden, width) = (surrogate.weights.hidden, surrogate.weights.width);
        let users = neighbourhood.users().len();
        let degree = (0..inputs.nodes()).map(|node| match node.checked_sub(users) {
            None => neighbourhood.by_user().degree(node) as u32,
            Some(item) => neighbourhood.by_item().degree(item) as u32,
        });
        let mut anchored = Self {
            layer: activations.clone(),
            present: vec![true; neighbourhood.len()],
            degree: degree.collect(),
            slot,
            means: vec![0.0; contenders.len() * hidden],
            stale: vec![true; contenders.len()],
            person_mean: vec![0.0; hidden],
            person_output: vec![0.0; width],
            offset: vec![0.0; contenders.len()],
            scores: vec![0.0; contenders.len()],
            scores_stale: true,
            contenders,
            inputs,
            surrogate,
        };
        anchored.flip(absent);
        anchored.update();
        anchored
    }

    /// Takes these local edges away where they are there, and puts them back where they are not.
    pub(crate) fn flip(&mut self, edges: &[u32]) {
        let inputs = self.inputs;
        let mut touched = Vec::with_capacity(2 * edges.len());
        for &edge in edges {
            let now = !self.present[edge as usize];
            self.present[edge as usize] = now;
            let (user, item) = inputs.ends(edge);
            for node in [user, item] {
                let degree = &mut self.degree[node as usize];
                *degree = if now { *degree + 1 } else { *degree - 1 };
            }
            touched.extend([user, item]);
        }
        touched.sort_unstable();
        touched.dedup();
        let users = inputs.neighbourhood.users().len() as u32;
        let (layer, present) = (&mut self.layer, &self.present);
        vectorise(|| {
            touched.iter().for_each(|&node| layer.refresh(inputs, node, |edge| present[edge as usize]));
        });
        for &node in &touched {
            if node < users {
                for &item in inputs.neighbourhood.by_user().row(node as usize) {
                    self.mark_stale(item);
                }
            } else {
                self.mark_stale(node - users);
            }
        }
        self.scores_stale = true;
    }

    fn mark_stale(&mut self, item: u32) {
        let slot = self.slot[item as usize];
        if slot != NONE {
            self.stale[slot as usize] = true;
        }
    }

    /// Whether an edge is there at the moment.
    pub(crate) fn is_present(&self, edge: u32) -> bool {
        self.present[edge as usize]
    }

    /// Predicted scores, of the contenders, ascending.
    pub(crate) fn scores(&mut self) -> &[f32] {
        self.update();
        &self.scores
    }

    /// Where a contender is predicted to stand; `None` for any other item.
    pub(crate) fn standing(&mut self, item: ItemId, k: usize) -> Option<Standing> {
        let at = self.slot_of(item)?;
        self.update();
        let score = self.scores[at];
        let better = |(other, &theirs): (usize, &f32)| theirs > score || (theirs == score && other < at);
        let rank = 1 + self.scores.iter().enumerate().filter(|&other| better(other)).count();
        let threshold = self.threshold(at, k);
        let margin = threshold.map_or(f32::INFINITY, |t| score - self.scores[t]);
        let tied = self.scores.iter().filter(|&&theirs| theirs == score).count() > 1;
        Some(Standing { score, rank, margin, outside: margin, inside: margin, tied })
    }

    /// Where a contender is predicted to stand once these edges are flipped too; they are flipped back.
    pub(crate) fn standing_after(&mut self, edges: &[u32], item: ItemId, k: usize) -> Option<Standing> {
        self.flip(edges);
        let standing = self.standing(item, k);
        self.flip(edges);
        standing
    }

    /// How well real changes of scores are foretold: Spearman's correlation over all items of `answers` that contend.
    /// `None` where nothing can be compared.
    pub(crate) fn fidelity(&mut self, answers: &[Lesson]) -> Option<f32> {
        let (mut foretold, mut real) = (Vec::new(), Vec::new());
        for answer in answers {
            let mut states = [Vec::new(), Vec::new()];
            for (state, absent) in states.iter_mut().zip([&answer.before, &answer.after]) {
                let flips: Vec<u32> = (0..self.present.len() as u32)
                    .filter(|&e| self.present[e as usize] == absent.binary_search(&e).is_ok())
                    .collect();
                self.flip(&flips);
                *state = self.scores().to_vec();
                self.flip(&flips);
            }
            for &(item, change) in &answer.changes {
                if let Some(at) = self.slot_of(item) {
                    foretold.push(states[1][at] - states[0][at]);
                    real.push(change);
                }
            }
        }
        spearman(&foretold, &real)
    }

    pub(super) fn slot_of(&self, item: ItemId) -> Option<usize> {
        self.contenders.binary_search_by_key(&item, |contender| contender.item).ok()
    }

    /// The k-th best of the contenders other than `at`.
    pub(super) fn threshold(&self, at: usize, k: usize) -> Option<usize> {
        let best = top_k(&self.scores, k, |other| other as usize != at);
        if best.len() < k { None } else { best.last().map(|last| last.index as usize) }
    }

    /// Brings means, the person's output and scores up to date with the edges.
    pub(super) fn update(&mut self) {
        if !self.scores_stale {
            return;
        }
        self.scores_stale = false;
        let (inputs, hidden) = (self.inputs, self.layer.hidden);
        let second = &self.surrogate.weights.second;
        let person = inputs.neighbourhood.person();
        let (a, present) = (&self.layer.a, &self.present);
        vectorise(|| {
            let present = |edge: u32| present[edge as usize];
            mean_of(inputs, person, a, hidden, present, &mut self.person_mean);
            for (at, stale) in self.stale.iter_mut().enumerate().filter(|(_, stale)| **stale) {
                *stale = false;
                if let Some(node) = self.contenders[at].node {
                    mean_of(inputs, node, a, hidden, present, &mut self.means[at * hidden..][..hidden]);
                }
            }
        });
        self.person_output = output(&self.person_mean, &second.to_users, self.row(person), &second.own);
        // o_u . (m V + a V_0) = m . (V o_u) + a . (V_0 o_u): no contender's output is ever computed.
        let by_mean = times_transposed(&self.person_output, &second.to_items);
        let by_own = times_transposed(&self.person_output, &second.own);
        let unit = inputs.shown.score_unit();
        for (at, contender) in self.contenders.iter().enumerate() {
            let product = match contender.node {
                Some(node) => {
                    let a = &self.layer.a[node as usize * hidden..][..hidden];
                    dot(&self.means[at * hidden..][..hidden], &by_mean) + dot(a, &by_own)
                }
                None if contender.output.is_empty() => 0.0,
                None => dot(&contender.output, &self.person_output),
            };
            self.scores[at] = unit * product + self.offset[at];
        }
    }

    /// A node's first layer.
    pub(super) fn row(&self, node: u32) -> &[f32] {
        &self.layer.a[node as usize * self.layer.hidden..][..self.layer.hidden]
    }

    /// A contender's output.
    pub(super) fn output_of(&self, at: usize) -> Vec<f32> {
        let (contender, hidden) = (&self.contenders[at], self.layer.hidden);
        let second = &self.surrogate.weights.second;
        match contender.node {
            Some(node) => {
                output(&self.means[at * hidden..][..hidden], &second.to_items, self.row(node), &second.own)
            }
            None if contender.output.is_empty() => vec![0.0; self.surrogate.weights.width],
            None => contender.output.clone(),
        }
    }
}

/// `mean V + a V_0`.
fn output(mean: &[f32], by_mean: &[f32], a: &[f32], by_own: &[f32]) -> Vec<f32> {
    let width = by_own.len() / a.len();
    let mut out = vec![0f32; width];
    vectorise(|| {
        for (vector, matrix) in [(mean, by_mean), (a, by_own)] {
            for (&v, row) in vector.iter().zip(matrix.chunks_exact(width)) {
                out.iter_mut().zip(row).for_each(|(out, w)| *out += v * w);
            }
        }
    });
    out
}

/// `matrix vector`, for a matrix with rows of the vector's length.
pub(super) fn times_transposed(vector: &[f32], matrix: &[f32]) -> Vec<f32> {
    matrix.chunks_exact(vector.len()).map(|row| dot(row, vector)).collect()
}
