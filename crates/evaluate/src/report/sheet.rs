//! One table, whoever prints it: Markdown, HTML and the terminal all work from a [`Sheet`].

/// What stands where there is no figure.
pub(super) const MISSING: &str = "–";

/// A table with its title and what has to be known to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    pub title: String,
    /// How to read it, in a sentence or two.
    pub note: String,
    /// Whether it belongs on the first page; the others are for those who look closer.
    pub prominent: bool,
    /// What stands at the head of each column.
    pub columns: Vec<Column>,
    /// Rows that belong together.
    pub groups: Vec<Group>,
}

/// The head of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What it shares with its neighbours; empty where it stands for itself.
    pub over: String,
    pub head: String,
    /// How its entries line up.
    pub align: Align,
    /// 0 is kept to the last; where room is short, columns with the greatest number go first.
    pub rank: u8,
}

/// How entries line up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// Rows that belong together, such as those of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// What they share.
    pub label: String,
    /// As many entries as there are columns.
    pub rows: Vec<Vec<Entry>>,
}

/// What stands in one place of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// A figure or words.
    pub text: String,
    /// The figure's standard deviation over repeats.
    pub spread: Option<String>,
    /// Whether it is the best of its group.
    pub best: bool,
}

impl Sheet {
    pub(super) fn new(title: String, note: String, columns: Vec<Column>) -> Self {
        Self { title, note, prominent: false, columns, groups: Vec::new() }
    }

    /// Columns without any entry and groups without rows only take room. None where nothing is left to show.
    pub(super) fn trimmed(mut self) -> Option<Self> {
        self.groups.retain(|group| !group.rows.is_empty());
        let rows = || self.groups.iter().flat_map(|group| &group.rows);
        let filled: Vec<bool> = (0..self.columns.len())
            .map(|at| rows().any(|row| row.get(at).is_some_and(|entry| !entry.is_missing())))
            .collect();
        self.keep(&filled);
        (!self.groups.is_empty()).then_some(self)
    }

    /// Leaves out the columns that are not to be kept.
    pub(super) fn keep(&mut self, kept: &[bool]) {
        retain(&mut self.columns, kept);
        for row in self.groups.iter_mut().flat_map(|group| &mut group.rows) {
            retain(row, kept);
        }
    }
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(false));
}

impl Column {
    pub(super) fn words(head: &str) -> Self {
        Self { over: String::new(), head: head.to_owned(), align: Align::Left, rank: 0 }
    }

    pub(super) fn figures(head: &str, rank: u8) -> Self {
        Self { over: String::new(), head: head.to_owned(), align: Align::Right, rank }
    }

    pub(super) fn under(mut self, over: &str) -> Self {
        over.clone_into(&mut self.over);
        self
    }

    /// Its whole name where there is one line only.
    pub(super) fn full(&self) -> String {
        if self.over.is_empty() { self.head.clone() } else { format!("{}: {}", self.over, self.head) }
    }
}

impl Entry {
    pub(super) fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), spread: None, best: false }
    }

    pub(super) fn missing() -> Self {
        Self::words(MISSING)
    }

    pub(super) fn is_missing(&self) -> bool {
        self.text == MISSING
    }

    /// On one line, without emphasis.
    pub(super) fn plain(&self) -> String {
        match &self.spread {
            Some(spread) => format!("{}±{spread}", self.text),
            None => self.text.clone(),
        }
    }
}
