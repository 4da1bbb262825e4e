//! Results to stdout; notes, warnings and the log to stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};
use std::path::Path;

use clap::ValueEnum;
use grease::graph::Destination;
use grease::graph::atomic::write_or_stream;
use grease::tell::measure::terminal_width;

use crate::failure::{Code, Failure};

/// The form of results that have no others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
}

/// How a service logs its requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Log {
    /// A line for people.
    #[default]
    Text,
    /// A line for programs.
    Json,
    /// Nothing.
    None,
}

/// What may be said, and where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    quiet: bool,
}

impl Output {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    pub(crate) fn is_quiet(self) -> bool {
        self.quiet
    }

    /// `-v` says more, on stderr; a service says what it answers, in its own form.
    pub(crate) fn start_log(self, verbose: u8, service: Option<Log>) {
        use tracing::level_filters::LevelFilter;
        let speaks = !self.quiet && service.is_some_and(|log| log != Log::None);
        let level = match verbose {
            0 if !speaks => LevelFilter::OFF,
            0 | 1 => LevelFilter::INFO,
            _ => LevelFilter::DEBUG,
        };
        let log = tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_target(false);
        match service {
            Some(Log::Json) => {
                log.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
            }
            _ => log.with_ansi(io::stderr().is_terminal()).init(),
        }
    }

    /// Something a person may want to know, on stderr.
    pub(crate) fn note(self, message: impl Display) {
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "{message}");
        }
    }

    /// Writes results.
    pub(crate) fn results(
        self,
        fill: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = BufWriter::new(io::stdout().lock());
        fill(&mut out).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
    }

    /// Writes results to a file, whole or not at all, to a pipe or a device, or to stdout.
    pub(crate) fn sink(
        self,
        path: Option<&Path>,
        fill: impl FnOnce(&mut Sink<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match path {
            Some(path) => write_or_stream(path, fill).map_err(|failure| match failure {
                Failure::Said { code: Code::Unexpected, message, help } => {
                    let message = format!("{}: {message}", path.display());
                    Failure::Said { code: Code::Unexpected, message, help }
                }
                other => other,
            }),
            None => {
                let mut out = BufWriter::new(io::stdout());
                fill(&mut out)?;
                Ok(out.flush()?)
            }
        }
    }

    /// Writes one value as JSON.
    pub(crate) fn json(self, value: &impl serde::Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(Failure::unexpected)?;
        self.results(|out| writeln!(out, "{text}"))
    }
}

/// Where results go; any thread may write there.
pub(crate) type Sink<'a> = dyn Write + Send + 'a;

/// Where `--out` leads. Says how to go on where a file is there already, and what cannot be written to.
pub(crate) fn destination(out: &Path, force: bool) -> Result<Destination, Failure> {
    let found = Destination::of(out)
        .map_err(|error| Failure::usage(format_args!("{} cannot be written: {error}", out.display())))?;
    if matches!(found, Destination::File { exists: true, .. }) && !force {
        return Err(Failure::usage(format_args!("{} already exists", out.display()))
            .help("replace it by --force, or choose another --out"));
    }
    Ok(found)
}

/// As [`destination`], where the folder must be there: said before the work is done, not after.
pub(crate) fn destination_in_folder(out: &Path, force: bool) -> Result<Destination, Failure> {
    let found = destination(out, force)?;
    if let Destination::File { path, exists: false } = &found {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let message = format!(
                "{} cannot be written: the folder {} does not exist",
                out.display(),
                folder.display()
            );
            return Err(Failure::usage(message).help("make the folder first, or choose another --out"));
        }
    }
    Ok(found)
}

/// Columns that lines of prose may have: those of the terminal, and few enough to be read.
pub(crate) fn columns() -> usize {
    const WIDEST: usize = 100;
    terminal_columns().map_or(WIDEST, |columns| columns.min(WIDEST))
}

/// Columns that tables may have: those of the terminal; in a file there is room for all of them.
pub(crate) fn table_columns() -> usize {
    const IN_A_FILE: usize = 200;
    terminal_columns().unwrap_or(IN_A_FILE)
}

fn terminal_columns() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// The text and as many spaces as it takes to fill so many of a terminal's columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(terminal_width(text))))
}

/// The columns of the widest of these.
pub(crate) fn widest<'t>(texts: impl IntoIterator<Item = &'t str>) -> usize {
    texts.into_iter().map(terminal_width).max().unwrap_or(0)
}

/// An item of a list, and what is said of it.
pub(crate) struct Row {
    pub(crate) rank: usize,
    /// Empty where none is known.
    pub(crate) title: String,
    pub(crate) id: String,
    pub(crate) said: String,
}

/// Items under each other.
pub(crate) fn write_rows(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    let titles = widest(rows.iter().map(|row| row.title.as_str()));
    let ids = widest(rows.iter().map(|row| row.id.as_str()));
    let ranks = rows.last().map_or(0, |row| row.rank.to_string().len());
    for Row { rank, title, id, said } in rows {
        let title = if titles > 0 { format!("  {}", padded(title, titles)) } else { String::new() };
        writeln!(out, "{}", format!("{rank:>ranks$}.{title}  {}  {said}", padded(id, ids)).trim_end())?;
    }
    Ok(())
}

/// A title as it may be shown on one line: no control characters that could drive a terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
