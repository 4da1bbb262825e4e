//! The help texts as pages of Markdown: a page a verb, an anchor an option.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command};

/// The name of the page of `grease` itself.
pub(crate) const FIRST: &str = "index.md";

/// The longest words before a colon that are made a heading.
const HEADING: usize = 40;

/// The pages of a command and all below it, by file name.
pub(crate) fn pages(mut command: Command) -> BTreeMap<String, String> {
    // Gives each verb its whole name, and what goes everywhere.
    command.build();
    let mut pages = BTreeMap::new();
    add(&command, "", &mut pages);
    pages
}

fn add(command: &Command, path: &str, pages: &mut BTreeMap<String, String>) {
    let name = if path.is_empty() { FIRST.to_owned() } else { format!("{path}.md") };
    pages.insert(name, page(command, path));
    for verb in verbs(command) {
        add(verb, &below(path, verb), pages);
    }
}

/// `data` and `describe` make `data-describe`.
fn below(path: &str, verb: &Command) -> String {
    if path.is_empty() { verb.get_name().to_owned() } else { format!("{path}-{}", verb.get_name()) }
}

fn verbs(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set())
}

fn page(command: &Command, path: &str) -> String {
    let options: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    let here = options.iter().map(|arg| anchor(arg)).collect();
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let mut page = format!("# {name}\n\n");
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        let _ = write!(page, "{}.\n\n", prose(&about.to_string(), &here).trim_end_matches('.'));
    }
    let _ = write!(page, "```text\n{}\n```\n\n", usage(command));
    if verbs(command).next().is_some() {
        page.push_str("## Commands\n\n| | |\n|---|---|\n");
        for verb in verbs(command) {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            let (short, file) = (verb.get_name(), below(path, verb));
            let _ = writeln!(page, "| [`{short}`]({file}.md) | {} |", prose(&about, &here));
        }
        page.push('\n');
    }
    for (heading, options) in by_heading(&options) {
        let _ = write!(page, "## {heading}\n\n");
        for option in options {
            page.push_str(&definition(option, &here));
        }
    }
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        page.push_str(&after_help(&after.to_string(), &here));
    }
    format!("{}\n", page.trim_end())
}

/// A line for each choice that has to be made.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage:").trim().replace(" <--", "\n    <--")
}

/// As `--help` has them: what is named by its place, plain options, and then each heading in the order it first appears.
fn by_heading<'a>(options: &[&'a Arg]) -> Vec<(&'a str, Vec<&'a Arg>)> {
    let mut found: Vec<(&str, Vec<&Arg>)> = vec![("Arguments", Vec::new()), ("Options", Vec::new())];
    for option in options {
        let plain = if option.is_positional() { "Arguments" } else { "Options" };
        let heading = option.get_help_heading().unwrap_or(plain);
        match found.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, options)) => options.push(option),
            None => found.push((heading, vec![option])),
        }
    }
    found.retain(|(_, options)| !options.is_empty());
    found
}

/// `--item`, `-k` or, of what is named by its place, `FILE`.
fn anchor(option: &Arg) -> String {
    match (option.get_long(), option.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => option.get_id().to_string().to_uppercase(),
    }
}

/// An option, what it does, what it may be and what it is where nobody says.
fn definition(option: &Arg, here: &BTreeSet<String>) -> String {
    let short = option.get_short().filter(|_| option.get_long().is_some());
    let short = short.map(|short| format!("-{short}, ")).unwrap_or_default();
    let anchor = anchor(option);
    let help = option.get_long_help().or(option.get_help()).map(ToString::to_string).unwrap_or_default();
    let (help, told_default) = split_default(&help);
    let mut notes = Vec::new();
    if takes_a_value(option) {
        let values: Vec<String> = option
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        if !values.is_empty() {
            notes.push(format!("One of {}.", values.join(", ")));
        }
        let defaults: Vec<_> =
            option.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() {
            notes.push(format!("Default: `{}`.", defaults.join(" ")));
        }
    }
    if let Some(told) = told_default {
        notes.push(format!("Default: {}.", prose(told, here)));
    }
    let mut text = format!("[`{short}{option}`](#{anchor}){{ #{anchor} .option }}\n");
    let _ = write!(text, ":   {}.\n\n", prose(help, here).trim_end_matches('.').replace('\n', "\n    "));
    if !notes.is_empty() {
        let _ = write!(text, "    {}\n\n", notes.join(" "));
    }
    text
}

fn takes_a_value(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Set | ArgAction::Append)
}

/// A default that depends on something is told in words, at the end.
fn split_default(help: &str) -> (&str, Option<&str>) {
    let told = help.trim_end().strip_suffix(']').and_then(|help| help.rsplit_once("[default: "));
    told.map_or((help, None), |(help, default)| (help.trim_end(), Some(default)))
}

/// What follows the options: paragraphs, and indented lines under words that end with a colon.
fn after_help(text: &str, here: &BTreeSet<String>) -> String {
    let mut page = String::new();
    for paragraph in text.split("\n\n") {
        let lines: Vec<&str> = paragraph.lines().filter(|line| !line.is_empty()).collect();
        let begins = lines.iter().position(|line| line.starts_with("  ")).unwrap_or(lines.len());
        let (told, indented) = lines.split_at(begins);
        let told = told.join(" ");
        match told.strip_suffix(':').filter(|_| !indented.is_empty()) {
            Some(words) => page.push_str(&introduction(words, here)),
            None => {
                let _ = write!(page, "{}\n\n", prose(&told, here));
            }
        }
        if !indented.is_empty() {
            page.push_str(&table(indented, here).unwrap_or_else(|| block(indented)));
        }
    }
    page
}

/// Few words are a heading, after whatever was said before them.
fn introduction(words: &str, here: &BTreeSet<String>) -> String {
    let (before, last) = words.rsplit_once(". ").unwrap_or(("", words));
    let before = if before.is_empty() { String::new() } else { format!("{}.\n\n", prose(before, here)) };
    if last.len() <= HEADING {
        format!("{before}## {last}\n\n")
    } else {
        format!("{before}{}:\n\n", prose(last, here))
    }
}

/// Lines of one word and what it means.
fn table(lines: &[&str], here: &BTreeSet<String>) -> Option<String> {
    let rows: Option<Vec<(&str, &str)>> =
        lines.iter().map(|line| line.trim_start().split_once("  ")).collect();
    let rows = rows?;
    if rows.iter().any(|(word, _)| word.contains(' ')) {
        return None;
    }
    let rows = rows.iter().map(|(word, means)| format!("| `{word}` | {} |\n", prose(means.trim(), here)));
    Some(format!("| | |\n|---|---|\n{}\n", rows.collect::<String>()))
}

fn block(lines: &[&str]) -> String {
    let depth = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(depth..).unwrap_or_default()).collect();
    if !lines.first().is_some_and(|line| line.starts_with("grease ")) {
        return format!("```text\n{}\n```\n\n", lines.join("\n"));
    }
    // What is said beside a command is a comment to a shell.
    let commands = lines.iter().map(|line| match line.trim_start().split_once("  ") {
        Some((command, beside)) => format!("{command}  # {}\n", beside.trim_start()),
        None => format!("{line}\n"),
    });
    format!("```sh\n{}```\n\n", commands.collect::<String>())
}

/// Words of a help as Markdown: nothing in them is markup but `code`, and options of the page are linked.
fn prose(text: &str, here: &BTreeSet<String>) -> String {
    let mut told = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            let _ = write!(told, "`{part}`");
        } else {
            let words = part.split_inclusive(char::is_whitespace).map(|word| word_of_prose(word, here));
            told.extend(words);
        }
    }
    told
}

fn word_of_prose(word: &str, here: &BTreeSet<String>) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let end = word.find(|c| !is_name(c)).unwrap_or(word.len());
    let (option, rest) = word.split_at(end);
    if option.len() > 2 && option.starts_with("--") {
        let option = match here.contains(option) {
            true => format!("[`{option}`](#{option})"),
            false => format!("`{option}`"),
        };
        return option + &escaped(rest);
    }
    escaped(word)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '|' => escaped.push_str("&#124;"),
            '*' | '_' | '[' | ']' | '\\' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}
