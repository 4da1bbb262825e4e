//! NumPy's `.npy`: a line of Python that says what follows, and then the values.
//!
//! The line is always a dictionary of three entries, so it is read by hand: a reader of all Python literals would be a lot of code to
//! show hostile files to.

use half::f16;

use crate::import::tensors::NamedTensor;

const MAGIC: &[u8] = b"\x93NUMPY";

/// More dimensions than any tensor of ours, and than NumPy allows.
const MOST_DIMENSIONS: usize = 32;

/// A float in a file: its bytes, and the order of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Float {
    size: usize,
    big_endian: bool,
}

/// What the line says.
#[derive(Debug, PartialEq)]
struct Header {
    float: Float,
    fortran_order: bool,
    shape: Vec<usize>,
}

/// The array of a file; else the reason why there is none.
pub(super) fn read(bytes: &[u8]) -> Result<NamedTensor, String> {
    let (header, values) = header(bytes)?;
    let Header { float, fortran_order, shape } = header;
    let count = shape
        .iter()
        .try_fold(1usize, |n, &length| n.checked_mul(length))
        .and_then(|n| Some((n, n.checked_mul(float.size)?)));
    let Some((count, _)) = count.filter(|&(_, room)| room == values.len()) else {
        return Err(format!(
            "the header says shape {shape:?}, which is not the {} bytes that follow: the file is truncated or broken",
            values.len()
        ));
    };
    let data: Vec<f32> = values.chunks_exact(float.size).map(|bytes| float.value(bytes)).collect();
    debug_assert_eq!(data.len(), count);
    let data = if fortran_order { last_fastest(&shape, &data) } else { data };
    Ok(NamedTensor { shape, data })
}

/// The header, and the bytes after it.
fn header(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    let not = || "not an .npy file: it does not begin as one, or ends within its header".to_owned();
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(not)?;
    let (length, rest) = match rest {
        [1, 0, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, 0, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [major, minor, ..] => return Err(format!("version {major}.{minor} of .npy is not known")),
        _ => return Err(not()),
    };
    let (line, values) = rest.split_at_checked(length).ok_or_else(not)?;
    let line = std::str::from_utf8(line).map_err(|_| "the header is not text".to_owned())?;
    Ok((Words(line).header()?, values))
}

/// The rest of the header line.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn header(mut self) -> Result<Header, String> {
        let (mut float, mut fortran_order, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.accept('}') {
            let key = self.text()?;
            self.expect(':')?;
            let said = match key {
                "descr" => float.is_some(),
                "fortran_order" => fortran_order.is_some(),
                _ => key == "shape" && shape.is_some(),
            };
            if said {
                return Err(format!("the header says `{key}` twice"));
            }
            match key {
                "descr" => float = Some(self.float()?),
                "fortran_order" => fortran_order = Some(self.truth()?),
                "shape" => shape = Some(self.shape()?),
                _ => {
                    return Err(format!(
                        "the header has an entry `{}`, which is not known",
                        key.escape_debug()
                    ));
                }
            }
            if !self.accept(',') {
                self.expect('}')?;
                break;
            }
        }
        match (float, fortran_order, shape, self.0.trim()) {
            (Some(float), Some(fortran_order), Some(shape), "") => Ok(Header { float, fortran_order, shape }),
            _ => Err("the header does not say descr, fortran_order and shape, and nothing else".into()),
        }
    }

    fn accept(&mut self, wanted: char) -> bool {
        match self.0.trim_start().strip_prefix(wanted) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.accept(wanted) {
            Ok(())
        } else {
            Err(format!("the header has no `{wanted}` where one belongs"))
        }
    }

    /// What stands between quotes; nothing in a header needs an escape.
    fn text(&mut self) -> Result<&'a str, String> {
        let quote = if self.accept('\'') { '\'' } else { '"' };
        if quote == '"' {
            self.expect('"')?;
        }
        let (text, rest) = self.0.split_once(quote).ok_or("the header ends within a word")?;
        self.0 = rest;
        Ok(text)
    }

    fn truth(&mut self) -> Result<bool, String> {
        let rest = self.0.trim_start();
        for (word, truth) in [("True", true), ("False", false)] {
            if let Some(rest) = rest.strip_prefix(word) {
                self.0 = rest;
                return Ok(truth);
            }
        }
        Err("the header's fortran_order is neither True nor False".into())
    }

    fn shape(&mut self) -> Result<Vec<usize>, String> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            let rest = self.0.trim_start();
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let length = rest[..digits].parse().map_err(|_| "the header's shape is not of whole numbers")?;
            shape.push(length);
            self.0 = &rest[digits..];
            if shape.len() > MOST_DIMENSIONS {
                return Err(format!("more than {MOST_DIMENSIONS} dimensions"));
            }
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }

    fn float(&mut self) -> Result<Float, String> {
        if self.0.trim_start().starts_with('[') {
            return Err("a structured array; expected floats (f2, f4 or f8)".into());
        }
        let descr = self.text()?;
        let (big_endian, kind) = match descr.split_at_checked(1) {
            Some(("<", kind)) => (false, kind),
            Some((">", kind)) => (true, kind),
            // `=` is for whoever wrote it; files have it from machines like ours.
            Some(("=", kind)) => (cfg!(target_endian = "big"), kind),
            _ => (false, descr),
        };
        let size = match kind {
            "f2" => 2,
            "f4" => 4,
            "f8" => 8,
            "O" | "|O" => {
                return Err("Python objects, which are pickled; expected floats (f2, f4 or f8)".into());
            }
            _ => {
                return Err(format!(
                    "numbers of type `{}`; expected floats (f2, f4 or f8)",
                    descr.escape_debug()
                ));
            }
        };
        Ok(Float { size, big_endian })
    }
}

impl Float {
    fn value(self, bytes: &[u8]) -> f32 {
        let mut word = [0u8; 8];
        word[..self.size].copy_from_slice(bytes);
        if self.big_endian {
            word[..self.size].reverse();
        }
        let [a, b, c, d, ..] = word;
        match self.size {
            2 => f16::from_le_bytes([a, b]).to_f32(),
            4 => f32::from_le_bytes([a, b, c, d]),
            _ => f64::from_le_bytes(word) as f32,
        }
    }
}

/// From the first dimension fastest to the last.
fn last_fastest(shape: &[usize], data: &[f32]) -> Vec<f32> {
    let mut out = Vec::with_capacity(data.len());
    let mut at = vec![0usize; shape.len()];
    for _ in 0..data.len() {
        // Of the place `at`, counted from the first dimension.
        let from = at.iter().zip(shape).rev().fold(0, |from, (at, length)| from * length + at);
        out.push(data[from]);
        for (at, length) in at.iter_mut().zip(shape).rev() {
            *at += 1;
            if *at < *length {
                break;
            }
            *at = 0;
        }
    }
    out
}
