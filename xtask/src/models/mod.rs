//! `cargo xtask models`: models worth explaining, each by one command.

mod recipe;
mod stage;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::recipe::Recipe;
use self::stage::{Done, Stage, best_epoch};
use crate::failure::Failure;
use crate::process;
use crate::{bench, data};

/// Train a model by a published recipe; what was interrupted goes on where it was
///
/// First the number of epochs is chosen: training on nine tenths of what there is to learn from, until the held-out tenth is no longer
/// guessed better. Then all of it is learned from, for that many epochs. Nobody looks at the test part before the end. Both models, and
/// what came of it (result.json, and result.md for the docs), are left in the folder. --list says what each is, and how many minutes
/// it took on which card.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The model
    #[arg(value_name = "NAME", required_unless_present = "list")]
    model: Option<Recipe>,
    /// Say what each model is, and train nothing
    #[arg(long, conflicts_with_all = ["model", "print"])]
    list: bool,
    /// Print the commands, for a machine that has the command line and no toolchain, and train nothing
    #[arg(long)]
    print: bool,
    /// Where to train: auto, cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// The folder to leave it in [default: target/models]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The command line to train with, instead of building one
    #[arg(long, value_name = "PATH")]
    grease: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let Some(recipe) = options.model else {
        print!("{}", list());
        return Ok(());
    };
    let out = options.out.clone().unwrap_or_else(|| "target/models".into()).join(recipe.name());
    if options.print {
        print!("{}", script(&recipe, &options.device, &out));
        return Ok(());
    }
    let Some(data) = data::folder(recipe.data) else { return Ok(()) };
    let stage = |name: &str, options_of: Vec<String>, grease: &Path| Stage {
        grease: grease.to_owned(),
        data: data.clone(),
        device: options.device.clone(),
        out: process::workspace_root().join(&out).join(name),
        options: options_of,
    };
    let grease = bench::grease(options.grease.as_deref())?;
    let choosing = stage("choosing", recipe.choosing(), &grease).run(None)?;
    let epochs = best_epoch(&choosing.manifest)
        .ok_or_else(|| Failure::work("nobody looked at the held-out slice: no epoch is the best"))?;
    let training = stage("model", recipe.training(&epochs.to_string()), &grease).run(Some(epochs))?;
    tell(&recipe, epochs, &choosing, &training, &process::workspace_root().join(&out))
}

/// Writes what came of it.
fn tell(recipe: &Recipe, epochs: u64, choosing: &Done, training: &Done, out: &Path) -> Result<(), Failure> {
    let result = json!({
        "name": recipe.name(), "epochs": epochs,
        "recall@20": training.manifest["recall@20"], "ndcg@20": training.manifest["ndcg@20"],
        "choosing_seconds": choosing.seconds, "training_seconds": training.seconds,
        "commands": [recipe.choosing().join(" "), recipe.training(&epochs.to_string()).join(" ")],
    });
    let line = row(recipe, &result);
    print!("{line}");
    for (name, text) in [("result.json", format!("{result:#}\n")), ("result.md", line)] {
        let path = out.join(name);
        fs::write(&path, text).map_err(Failure::file(&path))?;
    }
    Ok(())
}

/// A row of a table in the docs.
fn row(recipe: &Recipe, result: &Value) -> String {
    let quality = |name: &str| result[name].as_f64().map_or("-".to_owned(), |value| format!("{value:.4}"));
    let minutes =
        |name: &str| result[name].as_f64().map_or("-".to_owned(), |value| format!("{:.1}", value / 60.0));
    format!(
        "| `{}` | {} | {} / {} | {} | {} |\n",
        recipe.name(),
        result["epochs"],
        quality("recall@20"),
        quality("ndcg@20"),
        minutes("choosing_seconds"),
        minutes("training_seconds"),
    )
}

fn list() -> String {
    let rows: Vec<_> = Recipe::all()
        .map(|recipe| {
            let options = recipe.training("N").join(" ");
            vec![recipe.name(), format!("{} at most", recipe.most_epochs), recipe.took().to_owned(), options]
        })
        .collect();
    bench::table(&["model", "epochs", "minutes", "grease train"], &rows)
}

/// The epoch that was best, from `model.json`, without GREASE.
const BEST: &str = "import json, sys; log = json.load(open(sys.argv[1]))['training_log']; \
    print(max((epoch for epoch in log if 'recall' in epoch), key=lambda epoch: epoch['recall'])['epoch'])";

/// Both stages as lines for a shell.
fn script(recipe: &Recipe, device: &str, out: &Path) -> String {
    let out = out.display();
    let train = format!("grease train --interactions \"$GREASE_DATA/{}\"", recipe.data);
    let keep = format!("--device {device} --checkpoint-every 20 --resume --out {out}");
    let (choose, all) = (recipe.choosing().join(" "), recipe.training("$EPOCHS").join(" "));
    format!(
        "time {train} {choose} {keep}/choosing\n\
         EPOCHS=$(python3 -c \"{BEST}\" {out}/choosing/model.json)\n\
         time {train} {all} {keep}/model\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    #[test]
    fn a_model_is_named_or_all_are_listed() {
        assert_eq!(parsed::<Options>("ngcf-gowalla").unwrap().model.unwrap().name(), "ngcf-gowalla");
        assert!(parsed::<Options>("--list").unwrap().list);
        assert!(parsed::<Options>("").is_err());
        let error = parsed::<Options>("ngcf-netflix").unwrap_err().to_string();
        assert!(error.contains("ngcf-bce-yelp2018"), "{error}");
        assert_eq!(list().lines().count(), 2 + 12);
    }

    #[test]
    fn what_is_printed_is_what_is_run() {
        let recipe: Recipe = "lightgcn-lastfm".parse().unwrap();
        let stage = Stage {
            grease: "grease".into(),
            data: "\"$GREASE_DATA/lastfm\"".into(),
            device: "cuda".into(),
            out: "m/choosing".into(),
            options: recipe.choosing(),
        };
        let script = script(&recipe, "cuda", Path::new("m"));
        assert!(script.contains(&process::shown(&stage.command())), "{script}");
        assert!(script.contains("--epochs $EPOCHS") && script.ends_with("m/model\n"), "{script}");
    }

    #[test]
    fn what_took_several_goes_has_no_time() {
        let recipe: Recipe = "ngcf-bce-lastfm".parse().unwrap();
        let result = json!({"epochs": 340, "recall@20": 0.29521, "ndcg@20": 0.28, "choosing_seconds": 90.0, "training_seconds": null});
        assert_eq!(row(&recipe, &result), "| `ngcf-bce-lastfm` | 340 | 0.2952 / 0.2800 | 1.5 | - |\n");
    }
}
