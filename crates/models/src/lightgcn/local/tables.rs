//! What local answers need of a model as a whole: the items' rows of every layer, and two numbers an item.

use grease_kernels::Array;
use grease_kernels::dense::dot;
use rayon::prelude::*;

use super::axes::{Axes, OfItems};
use crate::halves::row;
use crate::lightgcn::LightGcn;
use crate::stored::{Parts, Stored};

/// Groups of items of like length: of each the best score of an outsider is kept.
pub(super) const GROUPS: usize = 64;

/// Made once a model, by L - 1 products with the graph.
#[derive(Debug, Clone)]
pub(in crate::lightgcn) struct Tables {
    /// Items' rows of layers 1 to L - 1.
    layers: Vec<Array<f32>>,
    /// `kappa(i, i)`: the sum of `1 / degree` over the users of an item.
    pub(super) diagonal: Array<f32>,
    /// Lengths of the items' output rows.
    pub(super) lengths: Array<f32>,
    /// Each item's group.
    pub(super) groups: Array<u8>,
    /// The longest of each group.
    pub(super) longest: [f32; GROUPS],
    /// The largest `kappa(i, i) / degree`.
    pub(super) steepest: f32,
    /// Items' output rows along the few directions in which they differ most.
    pub(super) axes: Option<Axes>,
}

impl Tables {
    pub(in crate::lightgcn) fn of(model: &LightGcn) -> Self {
        let (graph, dim) = (model.adjacency.graph(), model.dim());
        let mut layers = Vec::new();
        model.each_layer(model.layers.saturating_sub(1), |layer| layers.push(layer.items.clone().into()));
        let shares = &model.adjacency.squares().users;
        let diagonal: Vec<f32> = (0..graph.items())
            .into_par_iter()
            .map(|item| graph.by_item().row(item).iter().map(|&user| shares[user as usize]).sum())
            .collect();
        let degrees = (0..graph.items()).map(|item| graph.by_item().degree(item) as f32);
        let steepest =
            diagonal.iter().zip(degrees).map(|(kappa, degree)| kappa / degree.max(1.0)).fold(0.0, f32::max);
        let output = model.output();
        let lengths: Vec<f32> = (0..graph.items() as u32)
            .map(|item| {
                let x = row(output.items, dim, item);
                dot(x, x).sqrt()
            })
            .collect();
        let (groups, longest) = grouped(&lengths);
        let roots = &model.adjacency.roots().items;
        let of_items = OfItems { lengths: &lengths, diagonal: &diagonal, roots };
        let axes = Axes::of(output.items, dim, of_items);
        Self {
            layers,
            diagonal: diagonal.into(),
            lengths: lengths.into(),
            groups: groups.into(),
            longest,
            steepest,
            axes,
        }
    }

    /// What is stored of it.
    pub(in crate::lightgcn) fn put<'m>(&'m self, parts: &mut Parts<'m>) {
        for (layer, rows) in (1..).zip(&self.layers) {
            parts.put(format!("layer.{layer}.items"), rows);
        }
        parts.put("diagonal", &self.diagonal);
        parts.put("lengths", &self.lengths);
        parts.put("groups", &self.groups);
        parts.put("longest", &self.longest);
        parts.put("steepest", std::slice::from_ref(&self.steepest));
        if let Some(axes) = &self.axes {
            axes.put(parts);
        }
    }

    /// As it was stored of a model of so many layers; none where it was not, or not whole.
    pub(in crate::lightgcn) fn stored(
        file: &Stored,
        layers: usize,
        items: usize,
        dim: usize,
    ) -> Option<Self> {
        let rows = |layer| file.numbers(&format!("layer.{layer}.items"), items * dim);
        let groups: Array<u8> = file.numbers("groups", items)?;
        let (longest, steepest) = (file.numbers("longest", GROUPS)?, file.numbers("steepest", 1)?);
        groups.iter().all(|&group| usize::from(group) < GROUPS).then_some(())?;
        Some(Self {
            layers: (1..layers).map(rows).collect::<Option<_>>()?,
            diagonal: file.numbers("diagonal", items)?,
            lengths: file.numbers("lengths", items)?,
            groups,
            longest: longest[..].try_into().ok()?,
            steepest: steepest[0],
            axes: Axes::stored(file, items, dim),
        })
    }

    /// An item's row of layer 1 to L - 1.
    pub(super) fn row(&self, layer: usize, dim: usize, item: u32) -> &[f32] {
        row(&self.layers[layer - 1], dim, item)
    }
}

/// Items in groups of as many, by length.
fn grouped(lengths: &[f32]) -> (Vec<u8>, [f32; GROUPS]) {
    let mut order: Vec<u32> = (0..lengths.len() as u32).collect();
    order.sort_by(|&a, &b| lengths[a as usize].total_cmp(&lengths[b as usize]));
    let mut groups = vec![0u8; lengths.len()];
    let mut longest = [0f32; GROUPS];
    for (at, &item) in order.iter().enumerate() {
        let group = at * GROUPS / order.len();
        groups[item as usize] = group as u8;
        longest[group] = longest[group].max(lengths[item as usize]);
    }
    (groups, longest)
}
