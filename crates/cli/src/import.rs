//! `grease import`

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use grease::graph::{counted, grouped};
use grease::models::folder::ModelFolder;
use grease::models::import::{Layout, WeightFile, read_matrix, read_weights};
use grease::models::{Architecture, Kind};
use grease::{
    DifferentList, ImportRequest, ImportSource, ListCheck, Score, check_lists, read_ids, read_lists,
    save_import,
};

use crate::failure::{Code, Failure};
use crate::input::InputArguments;
use crate::output::Output;

/// Take in a model that was trained elsewhere
#[derive(Debug, Subcommand)]
#[command(after_help = EXPORT)]
pub(crate) enum ImportVerb {
    /// The weights of a LightGCN: of LightGCN-PyTorch, PyG, RecBole or grease
    #[command(after_help = NETWORK, after_long_help = format!("{NETWORK}\n\n{EXPORT}{NETWORK_MORE}"))]
    Lightgcn(Box<NetworkArguments>),
    /// The weights of an NGCF: of RecBole or grease
    #[command(after_help = NETWORK, after_long_help = format!("{NETWORK}\n\n{EXPORT}{NETWORK_MORE}"))]
    Ngcf(Box<NetworkArguments>),
    /// Output embeddings of any model; explanations are then guesses, and say so
    #[command(after_help = FROZEN, after_long_help = format!("{FROZEN}{FROZEN_MORE}"))]
    Frozen(Box<FrozenArguments>),
}

const EXPORT: &str = "\
From PyTorch, for .safetensors:
  import torch, safetensors.torch
  state = torch.load(\"model.pth\", map_location=\"cpu\")   # or model.state_dict()
  safetensors.torch.save_file({k: v.contiguous() for k, v in state.items()}, \"weights.safetensors\")

or, with NumPy alone, numpy.savez(\"weights.npz\", **{k: v.numpy() for k, v in state.items()})";

const NETWORK: &str = "\
Examples:
  grease import lightgcn --weights weights.safetensors --layers 3 --interactions gowalla --out model
  grease import ngcf --weights weights.npz --interactions ml-100k.inter --user-ids users.txt
      --item-ids items.txt --top-k lists.csv --out model";

/// The rest of `--help`.
const NETWORK_MORE: &str = "

The interactions are those the model was trained on: all of them are its graph, unless they come
split (train.txt and test.txt, or --test). No split is made. With --top-k nothing is written
unless the lists are the same (exit code 6 if not).";

const FROZEN: &str = "\
Example:
  grease import frozen --user-embeddings users.npy --item-embeddings items.npy --score cosine
      --interactions ratings.csv --user-ids users.txt --item-ids items.txt --out model";

/// The rest of `--help`.
const FROZEN_MORE: &str = "

Nobody can ask embeddings what they would be had somebody chosen otherwise. So explanations of such
a model come from a stand-in that imitates it, and are marked `unverified`.

All interactions are taken as what people have already, unless they come split (train.txt and
test.txt, or --test). No split is made.";

#[derive(Debug, Args)]
pub(crate) struct NetworkArguments {
    /// The weights: a .safetensors or .npz file, or two .npy files, users' and then items'
    #[arg(long, value_name = "FILE", num_args = 1..=2, required = true)]
    weights: Vec<PathBuf>,
    /// Propagation layers, where the weights do not say
    #[arg(long, value_name = "N")]
    layers: Option<usize>,
    /// Whose names the tensors have, instead of finding out: grease, lightgcn-pytorch, pyg or recbole
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    layout: Option<Layout>,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Args)]
pub(crate) struct FrozenArguments {
    /// One row a user: .npy, or .npz or .safetensors with one tensor
    #[arg(long, value_name = "FILE")]
    user_embeddings: PathBuf,
    /// One row an item
    #[arg(long, value_name = "FILE")]
    item_embeddings: PathBuf,
    /// What a score of two embeddings is: dot or cosine
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    score: ScoreArgument,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ScoreArgument {
    #[default]
    Dot,
    Cosine,
}

#[derive(Debug, Args)]
struct CommonArguments {
    /// The interactions the model was trained on: a file, or a folder of files of a known form
    #[arg(long, value_name = "PATH")]
    interactions: PathBuf,
    /// The model folder to make
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The users' ids in the order of the rows, one a line; without it ids are row numbers, from 0
    #[arg(long, value_name = "FILE")]
    user_ids: Option<PathBuf>,
    /// The items' ids likewise
    #[arg(long, value_name = "FILE")]
    item_ids: Option<PathBuf>,
    /// Lists the original made, to compare with: a table with columns user and item, best first, or lines of JSON
    #[arg(long, value_name = "FILE")]
    top_k: Option<PathBuf>,
    /// Replace the model in --out
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    input: InputArguments,
}

pub(crate) fn run(verb: &ImportVerb, output: &Output) -> Result<Code, Failure> {
    match verb {
        ImportVerb::Lightgcn(arguments) => network(Kind::LightGcn, arguments, output),
        ImportVerb::Ngcf(arguments) => network(Kind::Ngcf, arguments, output),
        ImportVerb::Frozen(arguments) => frozen(arguments, output),
    }
}

fn network(kind: Kind, arguments: &NetworkArguments, output: &Output) -> Result<Code, Failure> {
    let NetworkArguments { weights, layers, layout, common } = arguments;
    common.check_folder()?;
    let files: Vec<&Path> = weights.iter().map(PathBuf::as_path).collect();
    let (tensors, files) = read_weights(&files)?;
    let source = ImportSource::Network { kind, tensors, layout: *layout, layers: *layers };
    common.finish(source, files, output)
}

fn frozen(arguments: &FrozenArguments, output: &Output) -> Result<Code, Failure> {
    let FrozenArguments { user_embeddings, item_embeddings, score, common } = arguments;
    common.check_folder()?;
    let (users, of_users) = read_matrix(user_embeddings)?;
    let (items, of_items) = read_matrix(item_embeddings)?;
    let score = match score {
        ScoreArgument::Dot => Score::Dot,
        ScoreArgument::Cosine => Score::Cosine,
    };
    common.finish(ImportSource::Embeddings { users, items, score }, vec![of_users, of_items], output)
}

impl CommonArguments {
    /// Before anything is read: that may take a while.
    fn check_folder(&self) -> Result<(), Failure> {
        ImportRequest::check_folder(&self.out, self.force).map_err(Failure::from)
    }

    fn finish(&self, source: ImportSource, files: Vec<WeightFile>, output: &Output) -> Result<Code, Failure> {
        let expected = self.top_k.as_deref().map(read_lists).transpose()?;
        let user_ids = self.user_ids.as_deref().map(read_ids).transpose()?;
        let item_ids = self.item_ids.as_deref().map(read_ids).transpose()?;
        let interactions = self.input.read(&self.interactions, output)?;
        let request = ImportRequest { source, files, interactions: &interactions, user_ids, item_ids };
        let folder = request.build()?;
        note(&folder, output);
        if let Some(expected) = expected {
            let check = check_lists(&folder, &expected)?;
            if !check.different.is_empty() {
                return Err(not_the_same(&check));
            }
            output.note(same(&check));
        }
        save_import(&folder, &self.out, self.force)?;
        let quality = match (folder.manifest.recall_at_20, folder.manifest.ndcg_at_20) {
            (Some(recall), Some(ndcg)) => {
                format!("recall@20 {recall:.4}, ndcg@20 {ndcg:.4} on the held-out part\n")
            }
            _ => String::new(),
        };
        output.results(|stdout| writeln!(stdout, "{quality}saved to {}", self.out.display()))?;
        Ok(Code::Done)
    }
}

/// What the model is, and by what it was known.
fn note(folder: &ModelFolder, output: &Output) {
    let manifest = &folder.manifest;
    let Architecture { kind, layers, dim, .. } = manifest.architecture();
    let layout = manifest.imported.as_ref().map_or("", |imported| &imported.layout);
    let size = match kind {
        Kind::Frozen => format!("of width {dim}"),
        _ => format!("with {} of {dim}", counted(layers, "layer")),
    };
    output.note(format_args!(
        "{kind} {size}: {}, {}, {} in its graph, {} held out; layout {layout}",
        counted(manifest.users, "user"),
        counted(manifest.items, "item"),
        counted(manifest.train_interactions, "interaction"),
        grouped(manifest.test_interactions)
    ));
}

fn same(check: &ListCheck) -> String {
    let lists = if check.lists == 1 { "list" } else { "lists" };
    let of = check.length.map(|length| format!(" of {length}")).unwrap_or_default();
    let are = if check.lists == 1 { "is" } else { "are" };
    format!("{} {lists}{of} {are} the same", check.lists)
}

/// How many different lists an error shows.
const SHOWN: usize = 3;

fn not_the_same(check: &ListCheck) -> Failure {
    let mut message =
        format!("{} of {} lists are not the same; nothing was written", check.different.len(), check.lists);
    for DifferentList { user, place, expected, got, known_already } in check.different.iter().take(SHOWN) {
        let got = got.as_ref().map_or("nothing".into(), |got| format!("`{got}`"));
        let known = if *known_already { ", which this user has already by the interactions" } else { "" };
        message.push_str(&format!(
            "\n  user `{user}`, place {place}: the file has `{expected}`{known}; the model here has {got}"
        ));
    }
    Failure::new(Code::NotConfirmed, message).help(
        "likely causes are another number of --layers, other interactions than the model was trained on, \
         or rows in another order than the ids say",
    )
}
