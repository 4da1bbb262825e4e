//! What is run: the files of `commands`, read.

use crate::failure::Failure;

/// The list itself, in the order it is run; the head of the first says how it is written.
const LIST: [&str; 12] = [
    include_str!("commands/ready.txt"),
    include_str!("commands/data.txt"),
    include_str!("commands/train.txt"),
    include_str!("commands/recommend.txt"),
    include_str!("commands/explain.txt"),
    include_str!("commands/import.txt"),
    include_str!("commands/oracle.txt"),
    include_str!("commands/verify.txt"),
    include_str!("commands/batch.txt"),
    include_str!("commands/evaluate.txt"),
    include_str!("commands/serve.txt"),
    include_str!("commands/help.txt"),
];
/// Names that begin so are run whatever was chosen: the others stand on them.
const READY: &str = "ready/";

/// A name, and what is run under it.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) marks: Marks,
    /// For the shell.
    pub(super) script: String,
    /// What is asked, where the script serves.
    pub(super) requests: Vec<Request>,
}

/// One question over HTTP.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    /// `GET /healthz`
    pub(super) line: String,
    pub(super) headers: Vec<String>,
    pub(super) body: Option<String>,
    pub(super) marks: Marks,
}

/// What is known about the outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Marks {
    /// The exit code or the status.
    pub(super) code: u16,
    /// What is said and written may differ.
    pub(super) may: bool,
    /// Where it ends is nobody's choice, so that nothing is compared.
    pub(super) loose: bool,
}

/// Everything, or what begins with `only` and what that needs.
pub(super) fn blocks(only: Option<&str>) -> Result<Vec<Block>, Failure> {
    let mut blocks = parse(&LIST.concat())?;
    if let Some(only) = only {
        if !blocks.iter().any(|block| block.name.starts_with(only)) {
            return Err(Failure::usage(format!("no command has a name that begins with `{only}`")));
        }
        blocks.retain(|block| block.name.starts_with(READY) || block.name.starts_with(only));
    }
    Ok(blocks)
}

fn parse(text: &str) -> Result<Vec<Block>, Failure> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines() {
        let bad = |why: &str| Failure::work(format!("`{line}` in the list: {why}"));
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match (line.strip_prefix("    "), blocks.last_mut()) {
            (Some(rest), Some(block)) if rest.starts_with("GET ") || rest.starts_with("POST ") => {
                block.requests.push(request(rest));
            }
            (Some(rest), Some(block)) => block.script += &format!("\n{rest}"),
            _ => {
                let (head, script) = line.split_once(": ").ok_or_else(|| bad("expected `NAME: COMMAND`"))?;
                let mut parts = head.split(" | ");
                let name = parts.next().unwrap_or_default().to_owned();
                if blocks.iter().any(|block| block.name == name) {
                    return Err(bad("this name is taken"));
                }
                let mut marks = Marks { code: 0, may: false, loose: false };
                if !parts.all(|part| marks.take(part)) {
                    return Err(bad("expected an exit code, `may` or `loose` as marks"));
                }
                blocks.push(Block { name, marks, script: script.to_owned(), requests: Vec::new() });
            }
        }
    }
    Ok(blocks)
}

/// `GET /path | 404 | Header: value | {"body": …}`; what is no mark and no header is the body.
fn request(line: &str) -> Request {
    let mut parts = line.split(" | ");
    let line = parts.next().unwrap_or_default().to_owned();
    let marks = Marks { code: 200, may: false, loose: false };
    let mut request = Request { line, headers: Vec::new(), body: None, marks };
    for part in parts {
        let is_header = !part.starts_with('{') && part.contains(": ");
        if is_header {
            request.headers.push(part.to_owned());
        } else if !request.marks.take(part) {
            request.body = Some(part.to_owned());
        }
    }
    request
}

impl Marks {
    /// Whether it is one.
    fn take(&mut self, part: &str) -> bool {
        match (part, part.parse()) {
            ("may", _) => self.may = true,
            ("loose", _) => self.loose = true,
            (_, Ok(code)) => self.code = code,
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_reads() {
        assert!(blocks(None).unwrap().len() > 100);
        let some = blocks(Some("verify/")).unwrap();
        assert!(some.iter().all(|block| block.name.starts_with(READY) || block.name.starts_with("verify/")));
        assert!(blocks(Some("nothing of the kind")).is_err());
    }

    #[test]
    fn lines_have_names_marks_and_more_lines() {
        let blocks =
            parse("# about\na/b | 6 | may: grease x: y\n    z\n    GET /p | 404 | A: b | {\"c\": 1}\n")
                .unwrap();
        let marks = Marks { code: 6, may: true, loose: false };
        assert_eq!((blocks[0].name.as_str(), blocks[0].marks), ("a/b", marks));
        assert_eq!(blocks[0].script, "grease x: y\nz");
        let request = &blocks[0].requests[0];
        assert_eq!((request.line.as_str(), request.marks.code), ("GET /p", 404));
        assert_eq!(
            (&request.headers[..], request.body.as_deref()),
            (&["A: b".to_owned()][..], Some("{\"c\": 1}"))
        );
        assert!(parse("no colon\n").is_err() && parse("a: b\na: c\n").is_err());
    }
}
