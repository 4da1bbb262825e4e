//! `grease demo`

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use grease::explain::Status;
use grease::graph::read::Delimiter;
use grease::graph::write::write_table;
use grease::graph::{ItemId, Sample, SampleOptions, UserId, sample};
use grease::models::folder::ModelFolder;
use grease::models::train::{Loss, TrainOptions};
use grease::tell::list;
use grease::{Question, Recommendation, Record, Refusal, Subject, TrainRequest, find_user, prepare, text};
use grease_serve::{ServeOptions, Service};

use crate::failure::{Code, Failure};
use crate::numbers::at_least_one;
use crate::output::{Output, columns, padded, widest};
use crate::progress::Progress;
use crate::quoted::quoted;
use crate::serve::listen;

/// See it all in a few seconds, on an invented music service
#[derive(Debug, Args)]
#[command(after_help = "\
Invents listeners and artists, trains a recommender on who listened to whom, makes a list for one
listener, then says of every artist on it why it is there, in two ways, each checked with the
recommender itself.

Examples:
  grease demo
  grease demo --user theo -k 10
  grease demo --keep demo     then: grease explain --model demo/model --user theo
  grease demo --serve         then look around in a browser, at http://127.0.0.1:8080")]
pub(crate) struct DemoArguments {
    /// The listener to look at
    #[arg(long, value_name = "ID", default_value = "diego")]
    user: String,
    /// How many artists to recommend
    #[arg(short, value_name = "N", default_value_t = 5, value_parser = at_least_one)]
    k: usize,
    /// Another seed, another service
    #[arg(long, value_name = "N", default_value_t = SampleOptions::default().seed)]
    seed: u64,
    /// Keep the data and the model in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Then serve it, with a page to look around in
    #[arg(long)]
    serve: bool,
    /// The port to serve it at; 0 takes a free one
    #[arg(long, default_value_t = 8080, value_name = "N", requires = "serve")]
    port: u16,
    /// How the program is called in a shell: commands to try next begin with it.
    #[arg(skip)]
    pub(crate) called: String,
}

/// Enough for the planted tastes to show, few enough for a few seconds.
fn training(seed: u64) -> TrainOptions {
    TrainOptions {
        loss: Loss::Bpr,
        epochs: 100,
        batch: 2048,
        learning_rate: 0.003,
        seed,
        evaluate_every: 0,
        ..TrainOptions::default()
    }
}

pub(crate) fn run(arguments: &DemoArguments, output: &Output) -> Result<Code, Failure> {
    let service = sample(&SampleOptions { seed: arguments.seed, ..SampleOptions::default() });
    let user = find_user(&service.interactions.users, &arguments.user).map_err(Refusal::from)?;
    let (_temporary, folder) = folder(arguments.keep.as_deref())?;
    let model = train(&service, arguments.seed, &folder, *output)?;
    let recall_at_20 = model.manifest.recall_at_20;
    if arguments.keep.is_some() {
        let data = folder.join("data");
        std::fs::create_dir_all(&data)
            .map_err(|error| Failure::unexpected(format_args!("{}: {error}", data.display())))?;
        write_table(&data.join("interactions.tsv"), &service.interactions, Delimiter::Tab)?;
    }

    let subject = Subject::from(model);
    let question = Question { k: arguments.k, ..Question::of(&arguments.user) };
    let (list, why) = (subject.list(&question)?, subject.records(&question)?);
    let place = |place: &Recommendation| Some((place.rank, ItemId(subject.data().items.row(&place.item)?)));
    let list = list.recommendations.iter().filter_map(place).collect();
    let story = Story { service: &service, subject: &subject, recall: recall_at_20, user, list, why };
    output.results(|out| {
        story.tell(out)?;
        what_next(out, &arguments.called, arguments.keep.as_deref(), &arguments.user)
    })?;
    if arguments.serve {
        let address = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), arguments.port);
        let never = None::<fn() -> Result<Subject, Failure>>;
        return listen(Service::new(&subject, ServeOptions::default()), address, never, *output);
    }
    Ok(Code::Done)
}

/// Where to work: the folder to keep, or one that goes away by itself.
fn folder(keep: Option<&Path>) -> Result<(Option<tempfile::TempDir>, PathBuf), Failure> {
    match keep {
        Some(folder) => {
            let taken = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
            if taken || folder.is_file() {
                return Err(Failure::usage(format_args!("{} is not an empty folder", folder.display()))
                    .help("choose another --keep"));
            }
            Ok((None, folder.to_path_buf()))
        }
        None => {
            let temporary = tempfile::tempdir().map_err(Failure::unexpected)?;
            let path = temporary.path().to_path_buf();
            Ok((Some(temporary), path))
        }
    }
}

fn train(service: &Sample, seed: u64, folder: &Path, output: Output) -> Result<ModelFolder, Failure> {
    // Ctrl-C simply ends a demo.
    static NEVER: AtomicBool = AtomicBool::new(false);
    let options = training(seed);
    let data = prepare(&service.interactions, 0.8, seed, None);
    output.note("training a recommender on invented data …");
    let mut progress = Progress::new(options.epochs, output, &NEVER).bar_only();
    let result = TrainRequest::new(data, options, &folder.join("model")).run(&mut progress);
    progress.finish();
    Ok(result?.0)
}

/// What is there to tell.
struct Story<'a> {
    service: &'a Sample,
    subject: &'a Subject,
    /// Of the model, on its test part.
    recall: Option<f64>,
    user: UserId,
    /// Rank and item.
    list: Vec<(usize, ItemId)>,
    why: Vec<Record>,
}

impl Story<'_> {
    fn tell(&self, out: &mut dyn Write) -> io::Result<()> {
        let data = &self.service.interactions;
        let user = data.users.id(self.user.0);
        writeln!(
            out,
            "An invented music service: {} listeners, {} artists, and who listened to whom.\n\
             A recommender ({}) learned from four fifths of it. Of the fifth it was\n\
             not shown, it finds {:.0} % among its 20 best guesses for a listener, on average.\n",
            data.users.len(),
            data.items.len(),
            self.subject.kind(),
            100.0 * self.recall.unwrap_or(0.0)
        )?;

        writeln!(out, "What it knows about {user}, who listened to:")?;
        let history = self.subject.recommender().graph().items_of(self.user);
        self.table(out, history.iter().map(|&item| (String::new(), ItemId(item))))?;
        writeln!(out, "\nWhat it recommends to {user}:")?;
        self.table(out, self.list.iter().map(|&(rank, item)| (format!("{rank}."), item)))?;
        let likes: Vec<&str> = self.service.user_tastes[self.user.row()]
            .iter()
            .map(|taste| self.service.genre_names[usize::from(taste.genre)].as_str())
            .collect();
        let fitting = self.list.iter().filter(|&&(_, item)| likes.contains(&self.genre(item))).count();
        writeln!(
            out,
            "\nIt was never told the genres. The service was invented so that {user} likes\n\
             {}: {fitting} of the {} fit.\n",
            list(&likes),
            self.list.len()
        )?;

        writeln!(out, "Why these? As {user} is told:\n")?;
        out.write_all(text(&self.why, &data.words, columns()).as_bytes())?;
        let asked: f32 = self.why.iter().map(|record| record.queries).sum();
        let found = self.why.iter().filter(|record| record.status == Status::Verified).count();
        writeln!(
            out,
            "\nHow this was checked: the recommender itself was asked {asked:.0} times what it would\n\
             recommend to {user} had they listened to less. Of these {} answers, {found} were found\n\
             and hold; one that finds nothing says so.",
            self.why.len()
        )
    }

    fn genre(&self, item: ItemId) -> &str {
        &self.service.genre_names[usize::from(self.service.item_genre[item.row()])]
    }

    /// Artists under each other: a number or nothing, name, genre.
    fn table(&self, out: &mut dyn Write, rows: impl Iterator<Item = (String, ItemId)>) -> io::Result<()> {
        let name = |item: ItemId| self.service.interactions.items.name(item.0);
        let rows: Vec<_> = rows.collect();
        let numbers = widest(rows.iter().map(|row| row.0.as_str()));
        let names = widest(rows.iter().map(|row| name(row.1)));
        for (number, item) in &rows {
            let number = if numbers > 0 { format!("{number:>numbers$} ") } else { String::new() };
            writeln!(out, "  {number}{}  {}", padded(name(*item), names), self.genre(*item))?;
        }
        Ok(())
    }
}

/// Commands that work as they stand.
fn what_next(out: &mut dyn Write, grease: &str, keep: Option<&Path>, user: &str) -> io::Result<()> {
    let other = if user == "theo" { "mira" } else { "theo" };
    writeln!(out, "\nWhat to try next:")?;
    let commands = match keep {
        None => vec![
            format!("{grease} demo --user {other}"),
            format!("{grease} demo --keep demo"),
            format!("{grease} explain --model demo/model --user {other} --format html --out why.html"),
            format!("{grease} --help"),
        ],
        Some(folder) => {
            let (data, model) = (quoted(&folder.join("data")), quoted(&folder.join("model")));
            vec![
                format!("{grease} explain --model {model} --user {other} --format html --out why.html"),
                format!("{grease} explain --model {model} --history nocturnal-estuary,subway-domino -k 3"),
                format!("{grease} recommend --model {model} --user {other}"),
                format!("{grease} evaluate-model --model {model}"),
                format!("{grease} data describe {data}"),
                format!("{grease} train --interactions {data} --epochs 50 --out my-model"),
            ]
        }
    };
    commands.iter().try_for_each(|command| writeln!(out, "  {command}"))
}
