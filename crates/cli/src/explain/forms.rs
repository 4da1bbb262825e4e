//! Explanations on their way out, in each form.

use clap::ValueEnum;
use grease::explain::Goal;
use grease::graph::Words;
use grease::{Question, Record, page, picture, text};

use super::people::Person;
use crate::failure::Failure;
use crate::output::{Sink, columns, plain};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    #[default]
    Text,
    Json,
    Jsonl,
    Svg,
    Html,
}

impl Format {
    /// Refuses what cannot be one picture or one page, before anything is asked.
    pub(super) fn check(self, people: usize, question: &Question) -> Result<(), Failure> {
        let one_person = people == 1;
        match self {
            Format::Html if !one_person => {
                Err(Failure::usage("html is one person's page, and several people were asked for")
                    .help("name one --user, or use --format jsonl"))
            }
            Format::Svg => {
                let one_item = question.items.as_ref().map_or(question.k, Vec::len) == 1;
                let one_answer = question.goals.len() == 1 && question.alternatives == 0;
                if one_person && one_item && one_answer {
                    return Ok(());
                }
                Err(Failure::usage("svg is a picture of one explanation, and several were asked for").help(
                    "choose one by --user, --item and --goal counterfactual, or see all with --format html",
                ))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn begin<'w, 'o>(self, out: &'w mut Sink<'o>, words: &'w Words) -> Writing<'w, 'o> {
        Writing { form: self, out, words, written: 0 }
    }
}

/// Explanations being written.
pub(super) struct Writing<'w, 'o> {
    form: Format,
    out: &'w mut Sink<'o>,
    words: &'w Words,
    /// Records so far.
    written: usize,
}

impl Writing<'_, '_> {
    pub(super) fn person(&mut self, person: &Person, records: &[Record]) -> Result<(), Failure> {
        match self.form {
            Format::Text => {
                let gap = if self.written > 0 { "\n" } else { "" };
                let title = title(person, records, self.words);
                write!(self.out, "{gap}{title}\n\n{}", text(records, self.words, columns()))?;
            }
            Format::Json => {
                for (at, record) in (self.written..).zip(records) {
                    let object = serde_json::to_string_pretty(record).map_err(Failure::unexpected)?;
                    let before = if at == 0 { "[\n" } else { ",\n" };
                    // Line breaks inside strings are escaped: all there are belong to the layout.
                    write!(self.out, "{before}  {}", object.replace('\n', "\n  "))?;
                }
            }
            Format::Jsonl => {
                for record in records {
                    writeln!(self.out, "{}", serde_json::to_string(record).map_err(Failure::unexpected)?)?;
                }
                // Whoever reads along sees each person as soon as they are done.
                self.out.flush()?;
            }
            Format::Svg => {
                for record in records {
                    self.out.write_all(picture(record, self.words).as_bytes())?;
                }
            }
            Format::Html => {
                let title = title(person, records, self.words);
                self.out.write_all(page(&title, records, self.words).as_bytes())?;
            }
        }
        self.written += records.len();
        Ok(())
    }

    /// Ends what was begun.
    pub(super) fn end(self) -> Result<(), Failure> {
        if self.form == Format::Json {
            self.out.write_all(if self.written == 0 { b"[]\n" } else { b"\n]\n" })?;
        }
        self.out.flush()?;
        Ok(())
    }
}

/// What a person's explanations are about.
fn title(person: &Person, records: &[Record], words: &Words) -> String {
    let name = plain(&person.name);
    let mut items: Vec<&Record> = Vec::new();
    for record in records {
        if items.iter().all(|known| known.item != record.item) {
            items.push(record);
        }
    }
    match items[..] {
        [one] => {
            let item = plain(one.item_title.as_deref().unwrap_or(&one.item));
            let not = if one.goal == Goal::WhyNot { "not " } else { "" };
            let place = if one.k == 1 { "at the top".to_owned() } else { format!("in the top {}", one.k) };
            format!("Why {item} is {not}{place} for {name}")
        }
        _ => format!("{} {} for {name}, and why", items.len(), words.items),
    }
}
