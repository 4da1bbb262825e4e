//! Bytes to text lines: gzip undone as it streams, byte order marks dropped, lengths capped.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::error::{At, ReadError};

/// The longest line or record that is read. A LightGCN line holds all items of one user.
pub(crate) const MAX_LINE: u64 = 64 << 20;

/// How much of the beginning is looked at to find out what a file is.
const HEAD: usize = 64 << 10;

const BUFFER: usize = 256 << 10;

/// A text input, its beginning already at hand.
pub(crate) struct Source<'a> {
    pub(crate) file: PathBuf,
    /// The first bytes, decompressed and without byte order mark. Empty only if the file is.
    pub(crate) head: Vec<u8>,
    gzip: bool,
    reader: Box<dyn BufRead + 'a>,
}

impl Source<'static> {
    pub(crate) fn open(path: &Path) -> Result<Self, ReadError> {
        // Asked before opening: opening a named pipe would wait for a writer for ever.
        let kind = fs::metadata(path).map_err(|e| ReadError::io(path, e))?;
        if !kind.is_file() {
            let found = if kind.is_dir() { "a folder" } else { "not a regular file" };
            return Err(ReadError::NotAFile { path: path.to_path_buf(), found, expected: "a file" });
        }
        let file = File::open(path).map_err(|e| ReadError::io(path, e))?;
        Self::new(path, BufReader::with_capacity(BUFFER, file))
    }
}

impl<'a> Source<'a> {
    pub(crate) fn bytes(name: &Path, bytes: &'a [u8]) -> Result<Self, ReadError> {
        Source::new(name, bytes)
    }

    fn new<R: BufRead + 'a>(path: &Path, mut raw: R) -> Result<Self, ReadError> {
        let file = path.to_path_buf();
        // By its magic bytes, not its name: people rename files.
        let gzip = raw.fill_buf().map_err(|e| ReadError::io(path, e))?.starts_with(&[0x1f, 0x8b]);
        let mut reader: Box<dyn BufRead + 'a> = if gzip {
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(raw)))
        } else {
            Box::new(raw)
        };
        let mut head = Vec::new();
        (&mut reader).take(HEAD as u64).read_to_end(&mut head).map_err(|e| Self::failure(path, gzip, e))?;
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        let reader = Box::new(Cursor::new(head.clone()).chain(reader));
        Ok(Self { file, head, gzip, reader })
    }

    /// The error behind a failed read; a decoder's complaint about its data is not the disk's fault.
    fn failure(path: &Path, gzip: bool, source: io::Error) -> ReadError {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        if gzip && matches!(source.kind(), InvalidData | InvalidInput | UnexpectedEof) {
            return ReadError::Gzip { path: path.to_path_buf(), source };
        }
        ReadError::io(path, source)
    }

    /// Turns away what is plainly not UTF-8 text, with a hint on what it is.
    pub(crate) fn expect_text(&self) -> Result<(), ReadError> {
        let (found, fix) = match self.head.as_slice() {
            [b'P', b'A', b'R', b'1', ..] if self.gzip => {
                ("a Parquet file inside gzip", "decompress it with `gunzip` first")
            }
            [b'P', b'A', b'R', b'1', ..] => ("a Parquet file", "say so with `input_format` parquet"),
            [b'P', b'K', 3, 4, ..] => ("a zip archive", "unpack it and give the folder"),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                ("UTF-16 text", "convert it with `iconv -f utf-16 -t utf-8 in.csv > out.csv`")
            }
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0xfd, b'7', b'z', b'X', b'Z', ..] | [b'B', b'Z', b'h', ..] => {
                ("compressed with something other than gzip", "decompress it first")
            }
            head if head.contains(&0) => {
                ("binary data (it has NUL bytes)", "check that this is the right file")
            }
            _ => return Ok(()),
        };
        Err(ReadError::NotText { path: self.file.clone(), found, fix })
    }

    pub(crate) fn is_gzip(&self) -> bool {
        self.gzip
    }

    /// The first line that is not blank, as far as it is at hand.
    pub(crate) fn first_line(&self) -> String {
        first_line(&self.head)
    }

    /// The rest as a plain reader that refuses to deliver an endless record; for the csv crate.
    pub(crate) fn into_guarded(self) -> (PathBuf, Guarded<'a>) {
        (self.file, Guarded { reader: self.reader, gzip: self.gzip, since_record: 0 })
    }

    /// The rest, line by line.
    pub(crate) fn into_lines(self, encoding: Encoding) -> Lines<'a> {
        Lines { source: self, encoding, decoded: String::new(), number: 0 }
    }
}

pub(crate) fn first_line(head: &[u8]) -> String {
    let line = head.split(|&b| b == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    // Only the end is trimmed: a leading separator is an empty first column.
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned()
}

/// How bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    /// Line by line UTF-8 where it is, else Latin-1: old MovieLens titles are, newer ones are not.
    Utf8OrLatin1,
}

pub(crate) struct Lines<'a> {
    source: Source<'a>,
    encoding: Encoding,
    /// The current line; its allocation is used again for the next.
    decoded: String,
    number: u64,
}

pub(crate) struct Line<'l> {
    pub(crate) at: At<'l>,
    pub(crate) text: &'l str,
}

impl Lines<'_> {
    /// The next line without its end; `None` at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        Ok(if self.advance()? { Some(self.current()) } else { None })
    }

    /// The next line that is not blank.
    pub(crate) fn next_filled(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        while self.advance()? {
            if !self.current().text.trim_ascii().is_empty() {
                return Ok(Some(self.current()));
            }
        }
        Ok(None)
    }

    /// Reads one line into the decoded buffer; false at the end of the file.
    fn advance(&mut self) -> Result<bool, ReadError> {
        let file = &self.source.file;
        let mut bytes = std::mem::take(&mut self.decoded).into_bytes();
        bytes.clear();
        (&mut self.source.reader)
            .take(MAX_LINE + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(|e| Source::failure(file, self.source.gzip, e))?;
        if bytes.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        let at = At::line(file, self.number);
        if bytes.len() as u64 > MAX_LINE {
            return Err(ReadError::LineTooLong { at: at.place(), limit: MAX_LINE });
        }
        for end in [b'\n', b'\r'] {
            if bytes.last() == Some(&end) {
                bytes.pop();
            }
        }
        self.decoded = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) if self.encoding == Encoding::Utf8OrLatin1 => {
                error.into_bytes().into_iter().map(char::from).collect()
            }
            Err(_) => return Err(ReadError::NotUtf8 { at: at.place() }),
        };
        Ok(true)
    }

    fn current(&self) -> Line<'_> {
        Line { at: At::line(&self.source.file, self.number), text: &self.decoded }
    }
}

/// See [`Source::into_guarded`].
pub(crate) struct Guarded<'a> {
    reader: Box<dyn BufRead + 'a>,
    gzip: bool,
    since_record: u64,
}

/// The mark by which [`Guarded::explain`] knows its own refusal.
#[derive(Debug, thiserror::Error)]
#[error("record too long")]
struct RecordTooLong;

impl Guarded<'_> {
    /// A record ended: count anew.
    pub(crate) fn record_ended(&mut self) {
        self.since_record = 0;
    }

    pub(crate) fn explain(gzip: bool, at: At<'_>, error: io::Error) -> ReadError {
        if error.get_ref().is_some_and(|inner| inner.is::<RecordTooLong>()) {
            return ReadError::LineTooLong { at: at.place(), limit: MAX_LINE };
        }
        Source::failure(at.file, gzip, error)
    }

    pub(crate) fn is_gzip(&self) -> bool {
        self.gzip
    }
}

impl Read for Guarded<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.since_record > MAX_LINE {
            return Err(io::Error::other(RecordTooLong));
        }
        let read = self.reader.read(out)?;
        self.since_record += read as u64;
        Ok(read)
    }
}
