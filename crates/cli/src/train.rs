//! `grease train`

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use grease::graph::{counted, grouped};
use grease::models::Kind;
use grease::models::train::{EarlyStopping, Ending, Loss, TrainOptions};
use grease::{Device, Opened, TrainRequest, prepare};

use crate::failure::{Code, Failure};
use crate::input::InputArguments;
use crate::interruption;
use crate::numbers::share;
use crate::output::Output;
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  grease train --interactions ratings.csv --out model
  grease train --interactions lastfm --early-stopping --out model            stop when no better
  grease train --interactions ratings.csv --out model --resume --epochs 400  go on with 200 more";

/// The rest of `--help`.
const MORE: &str = "
  grease train --interactions ml-100k --min-rating 4 --kind ngcf --loss bpr --epochs 100 --out model

The folder is self-contained: weights (model.safetensors), a description (model.json), names and
interactions (.tsv), and a checkpoint for --resume. Of each user's interactions a fifth is held out
to test the model, unless the data comes already split. Ctrl-C saves what is there, and --resume
goes on as if nothing had happened; a second Ctrl-C quits at once. What --force replaces stays until
there is something to replace it with. One at a time trains into a folder. Same data, options, seed
and device: same files, to the byte; a model trained on a card is a model like any other.";

/// Train a model on interaction data and keep it in a folder
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
pub(crate) struct TrainArguments {
    /// Interaction data: a file, or a folder of files of a known form
    #[arg(long, alias = "data", value_name = "PATH")]
    interactions: PathBuf,
    /// The model folder to make
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Which model: lightgcn or ngcf
    #[arg(long, default_value = "lightgcn", help_heading = "The model")]
    kind: Kind,
    /// Width of an embedding
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 64, help_heading = "The model")]
    dim: usize,
    /// Propagation layers
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 3, help_heading = "The model")]
    layers: usize,
    /// What to minimise: bce (binary cross-entropy) or bpr (pairwise ranking)
    #[arg(long, default_value = "bce", help_heading = "Training")]
    loss: Loss,
    /// Passes over the training interactions
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Training")]
    epochs: u64,
    /// Interactions a step
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 4096, help_heading = "Training")]
    batch: usize,
    /// Adam's step size
    #[arg(
        long,
        hide_short_help = true,
        alias = "lr",
        value_name = "RATE",
        default_value_t = 0.001,
        allow_negative_numbers = true,
        help_heading = "Training"
    )]
    learning_rate: f32,
    /// Penalty on large embeddings
    #[arg(
        long,
        hide_short_help = true,
        value_name = "WEIGHT",
        default_value_t = 0.0001,
        allow_negative_numbers = true,
        help_heading = "Training"
    )]
    l2: f32,
    /// Share of values dropped in ngcf's layers while training
    #[arg(
        long,
        hide_short_help = true,
        value_name = "SHARE",
        default_value_t = 0.1,
        help_heading = "Training"
    )]
    dropout: f32,
    /// Decides everything random: split, initial weights, order, negatives
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Training")]
    seed: u64,
    /// Share of each user's interactions to learn from; the rest tests the model. Data that comes split stays as it is
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share, help_heading = "Training")]
    train_share: f64,
    /// Epochs between two looks at recall@20; 0 looks only at the end
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 10, help_heading = "Training")]
    evaluate_every: u64,
    /// Stop when recall@20 on a held-out slice has not improved for this many looks, and keep the best weights
    #[arg(long, value_name = "PATIENCE", num_args = 0..=1, default_missing_value = "5", help_heading = "Training")]
    early_stopping: Option<u64>,
    /// The slice of each user's training interactions that --early-stopping holds out
    #[arg(
        long,
        hide_short_help = true,
        value_name = "SHARE",
        default_value_t = 0.1,
        requires = "early_stopping",
        help_heading = "Training"
    )]
    hold_out: f64,
    /// Go on from the checkpoint in --out, if there is one; may ask for more --epochs than before
    #[arg(long, help_heading = "Keeping")]
    resume: bool,
    /// Replace the model in --out
    #[arg(long, conflicts_with = "resume", help_heading = "Keeping")]
    force: bool,
    /// Epochs between two checkpoints; 0 saves one only at the end and on Ctrl-C
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 20, help_heading = "Keeping")]
    checkpoint_every: u64,
    /// Where to train: auto (a card, if there is one), cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value = "auto", help_heading = "Training")]
    device: Device,
    #[command(flatten)]
    input: InputArguments,
}

impl TrainArguments {
    fn options(&self) -> TrainOptions {
        TrainOptions {
            kind: self.kind,
            layers: self.layers,
            dim: self.dim,
            loss: self.loss,
            epochs: self.epochs,
            batch: self.batch,
            learning_rate: self.learning_rate,
            l2: self.l2,
            dropout: self.dropout,
            seed: self.seed,
            evaluate_every: self.evaluate_every,
            early_stopping: self
                .early_stopping
                .map(|patience| EarlyStopping { share: self.hold_out, patience }),
        }
    }
}

pub(crate) fn run(arguments: &TrainArguments, output: &Output) -> Result<Code, Failure> {
    let options = arguments.options();
    // Before the data is read: that may take a while.
    options.check().map_err(Failure::usage)?;
    TrainRequest::check_folder(&arguments.out, arguments.resume, arguments.force)?;
    let device = Opened::to_train(arguments.device, options.kind)?;
    let interactions = arguments.input.read(&arguments.interactions, output)?;
    let data = prepare(&interactions, arguments.train_share, options.seed, options.early_stopping);
    drop(interactions);
    output.note(format_args!(
        "training {} on {}, {} held out to test it; device: {device}",
        options.kind,
        counted(data.train.len(), "interaction"),
        grouped(data.test.len())
    ));
    let request = TrainRequest {
        data,
        options,
        out: arguments.out.clone(),
        resume: arguments.resume,
        force: arguments.force,
        checkpoint_every: arguments.checkpoint_every,
        device: arguments.device,
    };
    let mut progress = Progress::new(options.epochs, *output, interruption::watch("")?);
    let result = request.run_on(&device, &mut progress);
    progress.finish();
    let (_, report) = result?;

    let out = arguments.out.display();
    match report.resumed_at {
        Some(epoch) => output.note(format_args!("went on after epoch {epoch}")),
        None if arguments.resume => output.note("there was nothing to resume: started from the beginning"),
        None => {}
    }
    if report.ending == Ending::Cancelled {
        output.note(format_args!(
            "interrupted after {} of {} epochs; what was learned so far is in {out}\n\
             go on with the same command and --resume",
            report.epochs, options.epochs
        ));
        return Ok(Code::Interrupted);
    }
    let quality = match report.quality {
        Some(quality) => {
            format!(": recall@20 {:.4}, ndcg@20 {:.4} on the held-out part", quality.recall, quality.ndcg)
        }
        None => String::new(),
    };
    let early = if report.ending == Ending::Early { "stopped early " } else { "" };
    output.results(|stdout| {
        writeln!(stdout, "{early}after {}{quality}\nsaved to {out}", counted(report.epochs, "epoch"))
    })?;
    Ok(Code::Done)
}
