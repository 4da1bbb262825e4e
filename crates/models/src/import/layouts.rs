//! The table of layouts: which program names its tensors how. `docs/import.md` says the same to people.

use std::fmt;
use std::str::FromStr;

use crate::architecture::{Kind, Variant};

/// A program's way of naming tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Ours: `user_embedding`, `item_embedding`, `layer.{l}.w1` and so on.
    Grease,
    /// `gusye1234/LightGCN-PyTorch`.
    LightGcnPyTorch,
    /// `torch_geometric.nn.LightGCN`.
    Pyg,
    /// RecBole's `LightGCN` and `NGCF`.
    RecBole,
    /// `huangtinglin/NGCF-PyTorch` and its kin; known in order to be refused.
    NgcfPyTorch,
    /// Output embeddings of anything.
    Embeddings,
}

impl Layout {
    /// Its name on the command line and in `model.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grease => "grease",
            Self::LightGcnPyTorch => "lightgcn-pytorch",
            Self::Pyg => "pyg",
            Self::RecBole => "recbole",
            Self::NgcfPyTorch => "ngcf-pytorch",
            Self::Embeddings => "embeddings",
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Layout {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let named = KNOWN.iter().map(|known| known.layout).find(|layout| layout.name() == s);
        named.ok_or_else(|| {
            format!("`{s}` is no layout; known are `grease`, `lightgcn-pytorch`, `pyg` and `recbole`")
        })
    }
}

/// Where the input embeddings are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tables {
    /// The users' and the items'.
    Apart(&'static str, &'static str),
    /// In one table, users first.
    Joined(&'static str),
}

/// How a matrix of a layer is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    /// `[in, out]`, as ours.
    InOut,
    /// `[out, in]`, as `torch.nn.Linear` has it.
    OutIn,
}

/// The four tensors of an NGCF layer; `{}` stands for its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayerNames {
    /// Of `w1`, `b1`, `w2` and `b2`.
    pub(super) names: [&'static str; 4],
    /// How `w1` and `w2` are stored.
    pub(super) stored: Stored,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) layout: Layout,
    pub(super) kind: Kind,
    pub(super) tables: Tables,
    pub(super) layer: Option<LayerNames>,
    /// The weights of layers in the read-out, where they are stored.
    pub(super) alpha: Option<&'static str>,
    /// Computed from the others; of no interest.
    pub(super) ignored: &'static [&'static str],
    /// Ignored if it holds nothing.
    pub(super) ignored_if_empty: &'static [&'static str],
    /// Whether row 0 of a table may belong to nobody.
    pub(super) padded: bool,
    pub(super) variant: Variant,
    /// Why it is refused, if it is.
    pub(super) refused: Option<&'static str>,
}

/// What most of them have.
const PLAIN: Known = Known {
    layout: Layout::Grease,
    kind: Kind::LightGcn,
    tables: Tables::Apart("user_embedding", "item_embedding"),
    layer: None,
    alpha: None,
    ignored: &[],
    ignored_if_empty: &[],
    padded: false,
    variant: Variant::Usual,
    refused: None,
};

/// RecBole's models, but for the layers.
const RECBOLE: Known = Known {
    layout: Layout::RecBole,
    tables: Tables::Apart("user_embedding.weight", "item_embedding.weight"),
    ignored: &["restore_user_e", "restore_item_e"],
    padded: true,
    ..PLAIN
};

/// Every layout there is.
pub(super) const KNOWN: [Known; 7] = [
    PLAIN,
    Known {
        kind: Kind::Ngcf,
        layer: Some(LayerNames {
            names: ["layer.{}.w1", "layer.{}.b1", "layer.{}.w2", "layer.{}.b2"],
            stored: Stored::InOut,
        }),
        ..PLAIN
    },
    Known {
        layout: Layout::LightGcnPyTorch,
        tables: Tables::Apart("embedding_user.weight", "embedding_item.weight"),
        ..PLAIN
    },
    Known {
        layout: Layout::Pyg,
        tables: Tables::Joined("embedding.weight"),
        alpha: Some("alpha"),
        ignored_if_empty: &["convs."],
        ..PLAIN
    },
    RECBOLE,
    Known {
        kind: Kind::Ngcf,
        layer: Some(LayerNames {
            names: [
                "GNNlayers.{}.linear.weight",
                "GNNlayers.{}.linear.bias",
                "GNNlayers.{}.interActTransform.weight",
                "GNNlayers.{}.interActTransform.bias",
            ],
            stored: Stored::OutIn,
        }),
        variant: Variant::NormalisedLayers,
        ..RECBOLE
    },
    Known {
        layout: Layout::NgcfPyTorch,
        kind: Kind::Ngcf,
        tables: Tables::Apart("embedding_dict.user_emb", "embedding_dict.item_emb"),
        refused: Some(
            "it averages neighbours with D^-1 (A + I), self loops included, where the NGCF here has D^-1/2 A D^-1/2, \
             so the scores would be others; bring its output embeddings with `grease import frozen`, or train again",
        ),
        ..PLAIN
    },
];

impl Known {
    /// What it looks for, for an error.
    pub(super) fn described(&self) -> String {
        let mut names = match self.tables {
            Tables::Apart(users, items) => format!("`{users}`, `{items}`"),
            Tables::Joined(all) => format!("`{all}`"),
        };
        for name in self.layer.iter().flat_map(|layer| layer.names).chain(self.alpha) {
            names.push_str(&format!(", `{}`", name.replace("{}", "{l}")));
        }
        format!("{}: {names}", self.layout)
    }
}
