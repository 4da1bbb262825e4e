//! `grease explain --list`: what whole lists rest on.

use std::sync::atomic::{AtomicBool, Ordering};

use grease::tell::measure::{terminal_width, wrapped};
use grease::{ListRecord, Resolved, Subject, in_order, list_picture};

use super::forms::Format;
use super::people::Person;
use crate::failure::{Code, Failure};
use crate::output::{Output, Sink, columns, plain};
use crate::progress::people_bar;

/// Everybody's lists as a whole, on their way out.
pub(super) struct WholeLists<'a> {
    pub(super) subject: &'a Subject,
    pub(super) resolved: Resolved<'a>,
    pub(super) people: Vec<Person>,
    /// The share of each that has to change.
    pub(super) share: f64,
    pub(super) format: Format,
    /// Whether the results go to a file.
    pub(super) to_file: bool,
    pub(super) output: Output,
}

impl WholeLists<'_> {
    /// Refuses what cannot be one picture, before anything is asked.
    pub(super) fn check(format: Format, people: usize) -> Result<(), Failure> {
        match format {
            Format::Html => Err(Failure::usage("a list as a whole has no page of its own")
                .help("use --format text, json, jsonl or svg")),
            Format::Svg if people != 1 => {
                Err(Failure::usage("svg is a picture of one list, and several people were asked for")
                    .help("name one --user, or use --format jsonl"))
            }
            _ => Ok(()),
        }
    }

    /// Explains for everybody, several people at a time, and writes in the order they were named.
    pub(super) fn write(&self, out: &mut Sink<'_>, interrupted: &AtomicBool) -> Result<(), Failure> {
        let bar = people_bar(self.people.len(), self.output, self.to_file);
        let mut done = 0;
        let ended = in_order(
            &self.people,
            |person| {
                let is_on = !interrupted.load(Ordering::SeqCst);
                is_on.then(|| (person, self.resolved.list_record(&person.who, self.share)))
            },
            |result| {
                let Some((person, record)) = result else {
                    let message = format!("interrupted after {done} of {} people", self.people.len());
                    return Err(Failure::new(Code::Interrupted, message));
                };
                self.one(out, person, &record?, done)?;
                done += 1;
                bar.inc(1);
                Ok(())
            },
        );
        bar.finish_and_clear();
        if self.format == Format::Json {
            out.write_all(if done == 0 { b"[]\n" } else { b"\n]\n" })?;
        }
        out.flush()?;
        ended
    }

    fn one(
        &self,
        out: &mut Sink<'_>,
        person: &Person,
        record: &ListRecord,
        before: usize,
    ) -> Result<(), Failure> {
        match self.format {
            Format::Text => {
                let gap = if before > 0 { "\n" } else { "" };
                writeln!(out, "{gap}What the top {} of {} rests on\n", record.k, plain(&person.name))?;
                for line in wrapped(&record.sentence, &columns().saturating_sub(2), terminal_width) {
                    writeln!(out, "  {line}")?;
                }
                for line in places(record) {
                    writeln!(out, "  {line}")?;
                }
            }
            Format::Json => {
                let object = serde_json::to_string_pretty(record).map_err(Failure::unexpected)?;
                let begin = if before == 0 { "[\n" } else { ",\n" };
                // Line breaks inside strings are escaped: all there are belong to the layout.
                write!(out, "{begin}  {}", object.replace('\n', "\n  "))?;
            }
            Format::Jsonl => {
                writeln!(out, "{}", serde_json::to_string(record).map_err(Failure::unexpected)?)?;
                out.flush()?;
            }
            Format::Svg | Format::Html => {
                out.write_all(list_picture(record, self.subject.words()).as_bytes())?;
            }
        }
        Ok(())
    }
}

/// The list then, place by place; what is new is marked.
fn places(record: &ListRecord) -> Vec<String> {
    let place = |(at, item): (usize, &grease::ListItem)| {
        let name = plain(item.title.as_deref().unwrap_or(&item.item));
        format!("{:>4}  {}{name}", at + 1, if item.moved { "new: " } else { "" })
    };
    record.after.iter().enumerate().map(place).collect()
}
