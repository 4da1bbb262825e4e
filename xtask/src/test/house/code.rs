//! What of a Rust file is code: enough of the language to count braces and read paths by.

/// The code of a file, every byte and line where it was: comments, texts, characters and test modules are blank.
pub(super) struct Code {
    pub(super) text: String,
    /// Texts in quotation marks, with where each begins; none of those in test modules.
    pub(super) texts: Vec<(usize, String)>,
    /// Modules in files of their own that only tests have.
    pub(super) test_files: Vec<String>,
}

impl Code {
    pub(super) fn of(source: &str) -> Self {
        let (text, texts) = without_literals(source);
        let mut code = Self { text, texts, test_files: Vec::new() };
        code.blank_test_modules();
        code
    }

    /// Every word with where it begins.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, &str)> {
        words(&self.text)
    }

    /// What comes after the `::` that follows a word at a place, if one does.
    pub(super) fn below(&self, at: usize, word: &str) -> Option<&str> {
        Some(self.text[at + word.len()..].trim_start().strip_prefix("::")?.trim_start())
    }

    /// The number of the line a place is in.
    pub(super) fn line(&self, at: usize) -> usize {
        1 + newlines(&self.text[..at])
    }

    fn blank_test_modules(&mut self) {
        const TEST: &str = "#[cfg(test)]";
        let mut from = 0;
        while let Some(found) = self.text[from..].find(TEST) {
            let attribute = from + found;
            from = attribute + TEST.len();
            let Some((name, after)) = module_at(&self.text[from..]) else { continue };
            let after = from + after;
            if self.text[after..].starts_with('{') {
                let end = after + block(&self.text[after..]);
                let blank = blanked(&self.text[attribute..end]);
                self.text.replace_range(attribute..end, &blank);
                self.texts.retain(|(at, _)| !(attribute..end).contains(at));
            } else {
                self.test_files.push(name.to_owned());
            }
        }
    }
}

/// The words of some code, each with where it begins.
pub(super) fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let starts = code.as_ptr().addr();
    code.split(|c: char| !is_of_word(c))
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr().addr() - starts, word))
}

/// How long a block is that begins with its brace; what is not closed goes to the end.
pub(super) fn block(code: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

pub(super) fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The name of the module that is declared here, after other attributes, and where what follows it begins.
fn module_at(code: &str) -> Option<(&str, usize)> {
    let mut rest = code.trim_start();
    while rest.starts_with("#[") {
        rest = rest[rest.find(']')? + 1..].trim_start();
    }
    if let Some(after) = rest.strip_prefix("pub") {
        rest = after.trim_start();
        rest = if rest.starts_with('(') { rest[rest.find(')')? + 1..].trim_start() } else { rest };
    }
    let (at, name) = words(rest.strip_prefix("mod ")?).next()?;
    let after = rest["mod ".len() + at + name.len()..].trim_start();
    Some((name, code.len() - after.len()))
}

/// The code alone, and the texts in it.
fn without_literals(source: &str) -> (String, Vec<(usize, String)>) {
    let (mut code, mut texts) = (String::with_capacity(source.len()), Vec::new());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = literal(rest, code.chars().next_back().is_some_and(is_of_word));
        let (taken, left) = rest.split_at(length.unwrap_or(first.len_utf8()));
        if length.is_some() {
            if !taken.starts_with('/') {
                texts.push((code.len(), taken.to_owned()));
            }
            code += &blanked(taken);
        } else {
            code.push(first);
        }
        rest = left;
    }
    (code, texts)
}

/// As many bytes, and the same lines, of nothing.
fn blanked(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

/// How long the comment, text or character is that begins here, if one does.
fn literal(code: &str, in_word: bool) -> Option<usize> {
    let up_to = |end: Option<usize>| Some(end.unwrap_or(code.len()));
    match code.as_bytes() {
        [b'/', b'/', ..] => up_to(code.find('\n')),
        [b'/', b'*', ..] => up_to(comment(code)),
        [b'"', ..] => up_to(closed(code, b'"')),
        [b'r', b'"' | b'#', ..] if !in_word => raw(code),
        [b'b' | b'c', b'r', ..] if !in_word => raw(&code[1..]).map(|length| length + 1),
        [b'\'', b'\\', ..] => up_to(closed(code, b'\'')),
        [b'\'', ..] => {
            let character = code[1..].chars().next()?;
            let end = 1 + character.len_utf8();
            // Without a second quote it is a lifetime.
            code[end..].starts_with('\'').then_some(end + 1)
        }
        _ => None,
    }
}

/// The end of what begins and ends with a quote.
fn closed(code: &str, quote: u8) -> Option<usize> {
    let mut bytes = code.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of a raw text; `r#name` is none.
fn raw(code: &str) -> Option<usize> {
    let hashes = code[1..].bytes().take_while(|byte| *byte == b'#').count();
    let text = code[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(text.find(&end).map_or(code.len(), |at| 2 + hashes + at + end.len()))
}

/// The end of a block comment, which may hold others.
fn comment(code: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while at < code.len() {
        match &code.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks_like_code_is_blank_and_nothing_moves() {
        let literals = [
            "// one {",
            "/* two { /* three */ { */",
            r#""four \" {""#,
            r###"r#"five " {"#"###,
            r###"br#"six {"#"###,
            "'{'",
            r"'\''",
            "'“'",
        ];
        for literal in literals {
            let source = format!("let a<'a> = {literal}\n; r#type");
            let code = Code::of(&source).text;
            assert_eq!(code.len(), source.len(), "{literal}");
            assert_eq!(code.replace(literal, ""), code, "{literal}");
            assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["let", "a<'a>", "=", ";", "r#type"]);
        }
    }

    #[test]
    fn modules_of_tests_are_blank_and_those_in_files_are_named() {
        let code = Code::of(
            "fn a() {}\n#[cfg(test)]\n#[allow(x)]\npub(crate) mod b {\n fn c() {}\n}\nfn d() {}\n#[cfg(test)]\nmod e;\n#[cfg(test)]\nfn f() {}",
        );
        let functions: Vec<_> = code
            .words()
            .filter(|(_, word)| word.len() == 1)
            .map(|(at, word)| (word, code.line(at)))
            .collect();
        assert_eq!(functions, [("a", 1), ("d", 7), ("e", 9), ("f", 11)]);
        assert_eq!(code.test_files, ["e"]);
    }
}
