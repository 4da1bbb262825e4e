//! `grease evaluate`

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::{ArgGroup, Args};
use grease::calibration::CALIBRATION;
use grease::explain::{Goal, Method};
use grease::graph::counted;
use grease::models::folder::ModelFolder;
use grease::{Device, Opened as OpenedDevice, Opening};
use grease_evaluate::report::{self, Terminal};
use grease_evaluate::{
    Audit, AuditError, AuditOptions, Evaluation, FEWEST, Fewer, FirstLook, NamedSubject, PAGE, Results, Run,
    Sample, Settings, Table, Times,
};

use crate::device::{DeviceArguments, refuse_with_oracle};
use crate::failure::{Code, Failure};
use crate::interruption;
use crate::numbers::{at_least_one, share};
use crate::oracle::{Asking, Expected, Opened, OracleArguments};
use crate::output::{Output, table_columns};
use crate::pace::Pace;
use crate::paper::{self, PaperArguments};
use crate::progress::Progress;
use crate::search::Goals;
use crate::subject;

const EXAMPLES: &str = "\
Examples:
  grease evaluate --model model --out evaluation --people 20 --repeats 1   a first look
  grease evaluate --model model --out evaluation --methods grease,random -k 10 --tables own
  grease evaluate --model model --out evaluation --resume        go on after an interruption";

/// The rest of `--help`.
const MORE: &str = "
  grease evaluate --model lastfm=lightgcn --model lastfm=ngcf --out evaluation
  grease evaluate --model model --out evaluation --audit retrain --audit-seeds 3 --audit-firm 1,3,6
  grease evaluate --oracle-cmd 'python3 my_model.py' --interactions ratings.csv --out evaluation

Of each model, people are drawn by chance, their whole lists are explained by every method, and
every answer is checked on the model. Two tables: `paper` names what the paper does
(counterfactual: interactions within two hops; factual: those of the person and of the item), `own`
the person's own interactions alone, what the model has learned about them set aside for factual
explanations.

The folder then holds report.html and report.md to read, results.json (every figure),
results.parquet (every explanation), times.json, and the journal of the run. Each finished
person is on disk: interrupted anywhere, --resume goes on, and the results are the same bytes as
those of an undisturbed run; Ctrl-C ends it at once. Slow methods look at fewer people; --fewer says
how many. A first look (--people with --repeats 1) at histories of more than 100 interactions leaves
out the methods paper and exact, and looks at 5 people for the table paper.

--audit retrain also puts calibration.json beside the model: how often explanations hold for a model
trained again, by how far the item falls and how many interactions it takes. Explanations of lists
of the same length (the first of -k) say so from then on. It trains where --device says. A
training with nothing deleted shows whether the same comes out again, to the bit.";

/// Measure how good explanations are: against the paper, other methods and the ceiling
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
#[command(group(ArgGroup::new("subject").required(true).multiple(true)))]
pub(crate) struct EvaluateArguments {
    /// A folder made by `grease train`, with NAME= in front to name the data set; may be repeated
    #[arg(long, value_name = "[NAME=]DIR", group = "subject")]
    model: Vec<String>,
    /// What to call the data set of an oracle [default: what the oracle calls itself]
    #[arg(long, hide_short_help = true, value_name = "NAME", requires = "interactions")]
    name: Option<String>,
    /// The folder for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Go on with the run that is in the folder
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Start over where a run is in the folder already
    #[arg(long)]
    force: bool,
    /// Delete what explanations name, train again, and see whether the verdict stays: retrain
    #[arg(long, value_name = "HOW", value_parser = ["retrain"])]
    audit: Option<String>,
    /// People whose explanations are audited
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 150, value_parser = at_least_one, requires = "audit")]
    audit_people: usize,
    /// Trainings of the audit, each from another seed
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, value_parser = at_least_one, requires = "audit")]
    audit_seeds: usize,
    /// How many places beyond the list the audited explanations push an item, at least; several are mixed
    #[arg(long, hide_short_help = true, value_name = "N,N,…", default_value = "1", value_delimiter = ',', value_parser = at_least_one, requires = "audit")]
    audit_firm: Vec<usize>,
    /// Show the ids of other people in results.parquet instead of pseudonyms
    #[arg(long, hide_short_help = true)]
    show_user_ids: bool,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    what: WhatArguments,
    #[command(flatten)]
    pub(crate) oracle: OracleArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is evaluated")]
struct WhatArguments {
    /// Lengths of the lists
    #[arg(short, value_name = "N,N,…", default_value = "10,15,20", value_delimiter = ',', value_parser = at_least_one)]
    k: Vec<usize>,
    /// factual, counterfactual, both, joint or all
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    goal: Goals,
    /// Methods to compare [default: all]
    #[arg(long, value_name = "NAME,NAME,…", value_delimiter = ',')]
    methods: Vec<Method>,
    /// Tables to make: paper, own [default: both]
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    tables: Vec<Table>,
    /// People a repeat looks at, as a share of all [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "people")]
    share: Option<f64>,
    /// People a repeat looks at, as a number
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    people: Option<usize>,
    /// A method, or a table's methods, look at so many people only; 0 leaves out [default: paper=10 exact=5]; may be repeated
    #[arg(long, hide_short_help = true, value_name = "[METHOD][@TABLE]=N")]
    fewer: Vec<Fewer>,
    /// How often people are drawn anew
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_least_one)]
    repeats: usize,
    /// The first repeat's seed; the others count on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The most interactions put back in a factual explanation
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 6, value_parser = at_least_one)]
    max_add: usize,
    /// The most interactions removed in a counterfactual one
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 10, value_parser = at_least_one)]
    max_remove: usize,
    /// The most interactions that curves look at
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    budget: usize,
    /// The most questions asked of the model for one explanation
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 200, value_parser = at_least_one)]
    queries: usize,
    /// How far neighbourhoods reach
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    hops: usize,
    /// People explained with every repeat's seed, to see what changes
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 5)]
    stability_people: usize,
    /// People of each repeat whose histories are taken away tenth by tenth, in every method's order
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 5)]
    importance_people: usize,
    /// Edits tried for a list to prove which sets of own interactions are the smallest; 0 proves nothing
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0)]
    prove: usize,
    #[command(flatten)]
    paper: PaperArguments,
}

impl WhatArguments {
    fn settings(&self) -> Settings {
        let usual = Settings::default();
        let mut ks = self.k.clone();
        ks.sort_unstable();
        ks.dedup();
        Settings {
            ks,
            goals: match self.goal {
                Goals::Both => vec![Goal::Counterfactual, Goal::Factual],
                Goals::Factual => vec![Goal::Factual],
                Goals::Counterfactual => vec![Goal::Counterfactual],
                Goals::Joint => vec![Goal::Joint],
                Goals::All => vec![Goal::Counterfactual, Goal::Factual, Goal::Joint],
            },
            methods: unique(&self.methods, usual.methods),
            tables: unique(&self.tables, usual.tables),
            sample: match (self.people, self.share) {
                (Some(people), _) => Sample::People(people),
                (None, Some(share)) => Sample::Share(share),
                (None, None) => usual.sample,
            },
            fewer: usual.fewer.into_iter().chain(self.fewer.iter().copied()).collect(),
            repeats: self.repeats,
            seed: self.seed,
            max_add: self.max_add,
            max_remove: self.max_remove,
            budget: self.budget,
            queries: self.queries,
            hops: self.hops,
            stability_people: self.stability_people,
            importance_people: self.importance_people,
            prove: self.prove,
            paper: self.paper.options(),
        }
    }
}

/// What was named, each once; the usual where nothing was.
fn unique<T: Copy + PartialEq>(named: &[T], usual: Vec<T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for &one in named {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    if found.is_empty() { usual } else { found }
}

pub(crate) fn run(arguments: &EvaluateArguments, output: &Output) -> Result<Code, Failure> {
    let mut settings = arguments.what.settings();
    // Says what asking took once all is over.
    let (subjects, _asking) = arguments.subjects(&settings, output)?;
    if let Some(look) = FirstLook::of(&settings, &subjects) {
        output.note(format_args!("note: {look}; --fewer paper=10 --fewer exact=5 has them all"));
        settings.fewer.extend(look.fewer);
    }
    let evaluation = Evaluation {
        subjects: &subjects,
        settings: &settings,
        out: &arguments.out,
        command: arguments.command(&settings),
        show_user_ids: arguments.show_user_ids,
    };
    let mut run = evaluation.open(Opening::said(arguments.resume, arguments.force))?;
    if run.done() > 0 {
        output.note(format_args!("going on after {} of {}", run.done(), counted(run.units(), "person")));
    }
    let interrupted = interruption::watch("ending; what is done is kept")?;
    let pace = Pace::of_answers(run.answers(), run.answered(), *output, interrupted);
    let explained = run.explain(&pace);
    pace.finish();
    explained?;
    let audits = match arguments.audit {
        Some(_) => arguments.retrain(&run, &evaluation, interrupted, *output)?,
        None => Vec::new(),
    };
    let (results, times) = run.finish(audits)?;
    print(&results, &times, *output)?;
    output.note(format_args!("the whole report is {}", arguments.out.join(PAGE).display()));
    Ok(Code::Done)
}

/// The tables that matter most, and what they say.
fn print(results: &Results, times: &Times, output: Output) -> Result<(), Failure> {
    let screen = Terminal {
        width: table_columns(),
        unicode: true,
        colour: std::io::stdout().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    output.results(|out| {
        for sheet in report::sheets(results, Some(times)).iter().filter(|sheet| sheet.prominent) {
            writeln!(out, "{}", report::terminal(sheet, screen))?;
        }
        for finding in report::findings(results) {
            writeln!(out, "{}: {}", finding.about, finding.says.join(" "))?;
        }
        Ok(())
    })
}

/// `NAME=DIR`, or `DIR`, which is then its name. Where the device also `trains`, it has to be able to, and need not be one that is asked.
fn named(text: &str, device: Device, trains: bool, output: &Output) -> Result<NamedSubject, Failure> {
    let (name, folder) = match text.split_once('=') {
        // A folder may have such a sign in its name.
        Some((name, folder)) if !Path::new(text).exists() => (name.to_owned(), Path::new(folder)),
        _ => {
            let folder = Path::new(text);
            let name = folder.file_name().map_or(text.to_owned(), |name| name.to_string_lossy().into_owned());
            (name, folder)
        }
    };
    let subject = match ModelFolder::manifest(folder) {
        Ok(manifest) if trains && manifest.hyper_parameters.is_some() => {
            // Before everybody is explained: that may take hours.
            OpenedDevice::to_train(device, manifest.kind)?;
            let asked_on = if OpenedDevice::is_asked(manifest.kind) { device } else { Device::Cpu };
            subject::open(folder, asked_on, output)?
        }
        _ => subject::open(folder, device, output)?,
    };
    Ok(NamedSubject { name, subject })
}

impl EvaluateArguments {
    /// The recommenders, and what is said about asking them.
    fn subjects(
        &self,
        settings: &Settings,
        output: &Output,
    ) -> Result<(Vec<NamedSubject>, Vec<Asking>), Failure> {
        let device = self.device.device;
        if self.oracle.is_given() {
            refuse_with_oracle(device)?;
        }
        let models = self.model.iter().map(|model| named(model, device, self.audit.is_some(), output));
        let mut subjects: Vec<NamedSubject> = models.collect::<Result<_, Failure>>()?;
        let mut said: Vec<Asking> = subjects.iter().map(|named| Asking::model(&named.subject)).collect();
        if self.oracle.is_given() {
            let list = settings.ks.iter().copied().max().unwrap_or(0);
            let Opened { subject, asking } =
                self.oracle.open(&Expected { list, items: Vec::new() }, output)?;
            let name = self.name.clone().unwrap_or_else(|| asking.name());
            subjects.push(NamedSubject { name, subject });
            said.push(asking);
        } else {
            self.oracle.refuse_reading()?;
        }
        // Before everybody is explained: that may take hours.
        let retrainable = |named: &NamedSubject| {
            named.subject.folder().is_some_and(|folder| folder.manifest.train_options().is_some())
        };
        match subjects.iter().find(|named| self.audit.is_some() && !retrainable(named)) {
            Some(named) => Err(Failure::usage(format_args!("{}: {}", named.name, AuditError::Foreign))
                .help("leave out --audit, or this model")),
            None => Ok((subjects, said)),
        }
    }

    /// Trains every model again without what explanations name.
    fn retrain(
        &self,
        run: &Run<'_, '_>,
        evaluation: &Evaluation<'_>,
        interrupted: &'static AtomicBool,
        output: Output,
    ) -> Result<Vec<Audit>, Failure> {
        output.note("training again without what explanations name");
        let k = evaluation.settings.ks[0];
        let options = AuditOptions {
            people: self.audit_people,
            k,
            trainings: self.audit_seeds,
            firm: unique(&self.audit_firm, Vec::new()),
            ..AuditOptions::default()
        };
        let epochs = evaluation
            .subjects
            .iter()
            .filter_map(|named| Some(named.subject.folder()?.manifest.hyper_parameters?.epochs))
            .max();
        let mut progress = Progress::new(epochs.unwrap_or(0), output, interrupted).bar_only();
        let audits = run.audit(&options, self.device.device, &mut progress);
        progress.finish();
        let audits = audits?;
        for (named, audit) in evaluation.subjects.iter().zip(&audits) {
            let acted = audit.explained.people;
            match (&audit.calibration, named.subject.place()) {
                (Some(_), Some(place)) => output.note(format_args!(
                    "{} says how often explanations hold; from now on they say so",
                    place.join(CALIBRATION).display()
                )),
                _ => output.note(format_args!(
                    "{}: {} could be acted upon, too few to say how often they hold: {FEWEST} are needed (--audit-people, --audit-seeds)",
                    named.name,
                    counted(acted, "explanation"),
                )),
            }
        }
        Ok(audits)
    }

    /// What to type to have the same results again: without where they go and how they came about.
    fn command(&self, settings: &Settings) -> String {
        let listed = |values: Vec<String>| values.join(",");
        let mut words = vec!["grease".to_owned(), "evaluate".to_owned()];
        let mut add = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
        self.model.iter().for_each(|model| add("--model", model.clone()));
        self.oracle.typed().into_iter().for_each(|(flag, value)| add(flag, value));
        if let Some(name) = &self.name {
            add("--name", name.clone());
        }
        add("-k", listed(settings.ks.iter().map(usize::to_string).collect()));
        match settings.goals[..] {
            [Goal::Factual] => add("--goal", "factual".into()),
            [Goal::Counterfactual] => add("--goal", "counterfactual".into()),
            [Goal::Joint] => add("--goal", "joint".into()),
            [_, _, _] => add("--goal", "all".into()),
            _ => {}
        }
        add("--methods", listed(settings.methods.iter().map(Method::to_string).collect()));
        add("--tables", listed(settings.tables.iter().map(Table::to_string).collect()));
        match settings.sample {
            Sample::Share(share) => add("--share", share.to_string()),
            Sample::People(people) => add("--people", people.to_string()),
        }
        for fewer in settings.fewer.iter().skip(Settings::default().fewer.len()) {
            add("--fewer", fewer.to_string());
        }
        add("--repeats", settings.repeats.to_string());
        add("--seed", settings.seed.to_string());
        let usual = Settings::default();
        let others = [
            ("--max-add", settings.max_add, usual.max_add),
            ("--max-remove", settings.max_remove, usual.max_remove),
            ("--budget", settings.budget, usual.budget),
            ("--queries", settings.queries, usual.queries),
            ("--hops", settings.hops, usual.hops),
            ("--stability-people", settings.stability_people, usual.stability_people),
            ("--importance-people", settings.importance_people, usual.importance_people),
            ("--prove", settings.prove, usual.prove),
        ];
        for (flag, value, _) in others.into_iter().filter(|(_, value, usual)| value != usual) {
            add(flag, value.to_string());
        }
        if let Some(audit) = &self.audit {
            add("--audit", audit.clone());
            add("--audit-people", self.audit_people.to_string());
            add("--audit-seeds", self.audit_seeds.to_string());
            add("--audit-firm", listed(self.audit_firm.iter().map(usize::to_string).collect()));
        }
        words.extend(paper::typed(&settings.paper));
        words.join(" ")
    }
}
