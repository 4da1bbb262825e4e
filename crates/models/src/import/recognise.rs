//! From names to weights: which layout tensors are of, and what they are in ours.

use crate::architecture::{Architecture, Kind};
use crate::import::error::TensorsError;
use crate::import::layouts::{KNOWN, Known, LayerNames, Layout, Stored, Tables};
use crate::import::tensors::{NamedTensor, NamedTensors};
use crate::weights::{Tensor, Weights, check_finite};

/// How far a weight of the read-out may be from the mean's.
const SAME_ALPHA: f32 = 1e-6;

/// Weights that were recognised, with the rows as the files have them.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    pub layout: Layout,
    pub architecture: Architecture,
    /// How many rows there are.
    pub rows: Rows,
    /// Whether row 0 of each table may be there for padding, and be nobody's.
    pub padded: bool,
    /// The users' and the items' tables, or one of both.
    tables: Vec<NamedTensor>,
    layers: Vec<Tensor>,
}

/// How many rows the tables have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Each side has a table.
    Apart {
        users: usize,
        /// Rows of the items' table.
        items: usize,
    },
    /// Users, and then items, in one table; where the one ends it does not say.
    Joined(usize),
}

/// Finds out what the tensors are. `layers` is wanted where the tensors do not say, and must agree with them where they do; `layout`
/// is for those who would rather say it than have it found out.
pub fn recognise(
    tensors: NamedTensors,
    kind: Kind,
    layout: Option<Layout>,
    layers: Option<usize>,
) -> Result<Recognised, TensorsError> {
    let mut tensors = tensors.without_prefix();
    let known = find(&tensors, kind, layout)?;
    if let Some(reason) = known.refused {
        return Err(TensorsError::Refused { layout: known.layout.name(), reason });
    }
    known.read(&mut tensors, layers)
}

fn find(tensors: &NamedTensors, kind: Kind, layout: Option<Layout>) -> Result<&'static Known, TensorsError> {
    if let Some(layout) = layout {
        let named = KNOWN.iter().find(|known| known.layout == layout && known.kind == kind);
        return named.ok_or_else(|| TensorsError::Layout {
            layout: layout.name(),
            reason: format!("there is no {kind} of this layout"),
        });
    }
    // The one with layers first: LightGCN's tables are all that NGCF without layers has.
    let fits = |known: &&Known| known.fits(tensors);
    let (with_layers, without): (Vec<&Known>, Vec<&Known>) =
        KNOWN.iter().filter(fits).partition(|known| known.has_layers(tensors));
    let candidates: Vec<&Known> = if with_layers.is_empty() { without } else { with_layers };
    if let Some(known) = candidates.iter().find(|known| known.kind == kind) {
        return Ok(known);
    }
    match candidates.first() {
        Some(Known { refused: Some(reason), layout, .. }) => {
            Err(TensorsError::Refused { layout: layout.name(), reason })
        }
        Some(known) => Err(TensorsError::OtherKind { layout: known.layout.name(), kind: known.kind }),
        None => {
            let of_kind = KNOWN.iter().filter(|known| known.kind == kind && known.refused.is_none());
            let known: Vec<String> = of_kind.map(|known| format!("  {}", known.described())).collect();
            Err(TensorsError::Unrecognised {
                kind,
                found: tensors.listed(),
                known: format!("known are\n{}", known.join("\n")),
            })
        }
    }
}

impl Known {
    fn fits(&self, tensors: &NamedTensors) -> bool {
        match self.tables {
            Tables::Apart(users, items) => tensors.get(users).is_some() && tensors.get(items).is_some(),
            Tables::Joined(all) => tensors.get(all).is_some(),
        }
    }

    fn has_layers(&self, tensors: &NamedTensors) -> bool {
        self.layer
            .is_some_and(|layer| layer.names.iter().any(|name| tensors.get(&numbered(name, 0)).is_some()))
    }

    fn read(&self, tensors: &mut NamedTensors, asked: Option<usize>) -> Result<Recognised, TensorsError> {
        let fail = |reason: String| self.wrong(reason);
        let (tables, rows) = self.tables(tensors)?;
        let dim = tables[0].shape[1];
        let (said, layer_tensors) = match (self.alpha, self.layer) {
            (Some(alpha), _) => (Some(self.alpha_layers(alpha, tensors)?), Vec::new()),
            (None, Some(names)) => {
                let (count, layer_tensors) = self.layers(names, dim, tensors)?;
                (Some(count), layer_tensors)
            }
            (None, None) => (None, Vec::new()),
        };
        let layers = match (said, asked) {
            (Some(said), Some(asked)) if said != asked => {
                return Err(fail(format!("the tensors are of {said} layers, not {asked}")));
            }
            (Some(layers), _) | (None, Some(layers)) => layers,
            (None, None) => return Err(TensorsError::NoLayers { layout: self.layout.name() }),
        };
        if layers > 16 {
            return Err(fail(format!("at most 16 layers are supported, not {layers}")));
        }
        self.nothing_left(tensors)?;
        let architecture =
            Architecture { variant: self.variant, ..Architecture::new(self.kind, layers, dim) };
        let Known { layout, padded, .. } = *self;
        Ok(Recognised { layout, architecture, rows, padded, tables, layers: layer_tensors })
    }

    fn wrong(&self, reason: String) -> TensorsError {
        TensorsError::Layout { layout: self.layout.name(), reason }
    }

    /// A matrix by its name.
    fn table(&self, tensors: &mut NamedTensors, name: &str) -> Result<NamedTensor, TensorsError> {
        let found = tensors.listed();
        let tensor = tensors
            .take(name)
            .ok_or_else(|| self.wrong(format!("tensor `{name}` is missing; there are {found}")))?;
        let [_, columns] = tensor.shape[..] else {
            let shape = &tensor.shape;
            return Err(self.wrong(format!("tensor `{name}` is {shape:?} where a matrix is expected")));
        };
        if !(1..=4096).contains(&columns) {
            return Err(
                self.wrong(format!("tensor `{name}` has {columns} columns; from 1 to 4096 are supported"))
            );
        }
        check_finite(name, columns, &tensor.data)?;
        Ok(tensor)
    }

    /// The tables of users and items, and how many rows are whose.
    fn tables(&self, tensors: &mut NamedTensors) -> Result<(Vec<NamedTensor>, Rows), TensorsError> {
        Ok(match self.tables {
            Tables::Apart(users, items) => {
                let (of_users, of_items) = (self.table(tensors, users)?, self.table(tensors, items)?);
                if of_users.shape[1] != of_items.shape[1] {
                    let (a, b) = (&of_users.shape, &of_items.shape);
                    return Err(self
                        .wrong(format!("`{users}` is {a:?} and `{items}` {b:?}: of one width is expected")));
                }
                let rows = Rows::Apart { users: of_users.shape[0], items: of_items.shape[0] };
                (vec![of_users, of_items], rows)
            }
            Tables::Joined(all) => {
                let all = self.table(tensors, all)?;
                let rows = Rows::Joined(all.shape[0]);
                (vec![all], rows)
            }
        })
    }

    /// The number of layers, if their mean is the read-out.
    fn alpha_layers(&self, name: &str, tensors: &mut NamedTensors) -> Result<usize, TensorsError> {
        let fail = |reason: String| self.wrong(reason);
        let alpha = tensors
            .take(name)
            .ok_or_else(|| fail(format!("tensor `{name}` is missing; export the whole `state_dict()`")))?;
        let count = alpha.data.len();
        if alpha.shape != [count] || count == 0 {
            return Err(fail(format!("`{name}` is {:?} where one number a layer is expected", alpha.shape)));
        }
        let mean = 1.0 / count as f32;
        let is_other = |weight: f32| weight.is_nan() || (weight - mean).abs() > SAME_ALPHA;
        match alpha.data.iter().find(|&&weight| is_other(weight)) {
            None => Ok(count - 1),
            Some(weight) => Err(fail(format!(
                "`{name}` weighs a layer by {weight} where the mean of {count} layers has {mean}: another read-out than the \
                 mean is not supported; bring its output embeddings with `grease import frozen`"
            ))),
        }
    }

    /// The number of layers, and their tensors in our order and shapes.
    fn layers(
        &self,
        LayerNames { names, stored }: LayerNames,
        dim: usize,
        tensors: &mut NamedTensors,
    ) -> Result<(usize, Vec<Tensor>), TensorsError> {
        let fail = |reason: String| self.wrong(reason);
        let ours = ["w1", "b1", "w2", "b2"];
        let mut out = Vec::new();
        let mut l = 0;
        while names.iter().any(|name| tensors.get(&numbered(name, l)).is_some()) {
            for (at, (name, ours)) in names.iter().zip(ours).enumerate() {
                let name = numbered(name, l);
                let tensor =
                    tensors.take(&name).ok_or_else(|| fail(format!("tensor `{name}` is missing")))?;
                let is_bias = at % 2 == 1;
                let fits = if is_bias {
                    tensor.shape == [dim] || tensor.shape == [1, dim]
                } else {
                    tensor.shape == [dim, dim]
                };
                if !fits {
                    let expected = if is_bias { format!("[{dim}]") } else { format!("[{dim}, {dim}]") };
                    return Err(fail(format!(
                        "tensor `{name}` is {:?} where {expected} is expected: every layer as wide as the embeddings",
                        tensor.shape
                    )));
                }
                check_finite(&name, dim, &tensor.data)?;
                let data = match stored {
                    Stored::OutIn if !is_bias => transposed(dim, &tensor.data),
                    _ => tensor.data,
                };
                let shape = if is_bias { [1, dim] } else { [dim, dim] };
                out.push(Tensor { name: format!("layer.{l}.{ours}"), shape, data: data.into() });
            }
            l += 1;
        }
        Ok((l, out))
    }

    /// Refuses what is left over: a model with something more is another model.
    fn nothing_left(&self, tensors: &mut NamedTensors) -> Result<(), TensorsError> {
        while let Some((name, tensor)) = tensors.pop() {
            let named = self.ignored.contains(&name.as_str());
            let empty = tensor.data.is_empty() && self.ignored_if_empty.iter().any(|p| name.starts_with(p));
            if !named && !empty {
                let shape = tensor.shape;
                let reason = format!(
                    "tensor `{}` {shape:?} is one too many: a model that has it is not the one known by this layout",
                    name.escape_debug()
                );
                return Err(TensorsError::Layout { layout: self.layout.name(), reason });
            }
        }
        Ok(())
    }
}

fn numbered(name: &str, layer: usize) -> String {
    name.replace("{}", &layer.to_string())
}

fn transposed(dim: usize, data: &[f32]) -> Vec<f32> {
    (0..dim * dim).map(|at| data[(at % dim) * dim + at / dim]).collect()
}

impl Recognised {
    /// Output embeddings of anything, one table a side.
    pub fn embeddings(users: NamedTensor, items: NamedTensor, cosine: bool) -> Result<Self, TensorsError> {
        let mut tensors = NamedTensors::new();
        tensors.insert("user_embedding", &users.shape, users.data)?;
        tensors.insert("item_embedding", &items.shape, items.data)?;
        // Tables and nothing else: what LightGCN without layers has, under another name.
        let tables =
            recognise(tensors, Kind::LightGcn, Some(Layout::Grease), Some(0)).map_err(
                |error| match error {
                    TensorsError::Layout { reason, .. } => {
                        TensorsError::Layout { layout: Layout::Embeddings.name(), reason }
                    }
                    other => other,
                },
            )?;
        let variant = if cosine { crate::Variant::Cosine } else { crate::Variant::Usual };
        let architecture = Architecture { kind: Kind::Frozen, variant, ..tables.architecture };
        Ok(Self { layout: Layout::Embeddings, architecture, ..tables })
    }

    /// The weights of so many users and items, without the first `skipped` rows of each side's table, which are padding.
    ///
    /// The rows must be neither more nor fewer: whoever calls has counted them against [`Recognised::rows`].
    pub fn weights(self, users: usize, items: usize, skipped: [usize; 2]) -> Result<Weights, TensorsError> {
        let dim = self.architecture.dim;
        let fits = match self.rows {
            Rows::Apart { users: u, items: i } => u == users + skipped[0] && i == items + skipped[1],
            Rows::Joined(all) => all == users + items && skipped == [0, 0],
        };
        if !fits {
            let reason = format!("{users} users and {items} items do not have the rows of {:?}", self.rows);
            return Err(TensorsError::Layout { layout: self.layout.name(), reason });
        }
        let mut tables = self.tables.into_iter().map(|table| table.data);
        let mut of_users = tables.next().unwrap_or_default();
        let of_items = match tables.next() {
            Some(of_items) => of_items,
            None => of_users.split_off(users * dim),
        };
        let sides = [("user_embedding", users, of_users), ("item_embedding", items, of_items)];
        let tables = sides.into_iter().zip(skipped).map(|((name, rows, mut data), skipped)| {
            data.drain(..skipped * dim);
            Tensor { name: name.into(), shape: [rows, dim], data: data.into() }
        });
        Ok(Weights(tables.chain(self.layers).collect()))
    }
}
