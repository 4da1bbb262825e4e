//! One binary, with a folder of its own to run in.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::asking;
use super::files::Watched;
use super::list::Block;
use super::record::Record;
use super::settle;
use crate::failure::Failure;
use crate::served::Served;

/// Programs that commands run; they lie in `help`.
const HELPERS: [(&str, &str); 8] = [
    ("oracle.py", include_str!("../../../examples/oracle/oracle.py")),
    ("smallest.py", include_str!("../../../examples/oracle/smallest.py")),
    ("http_server.py", include_str!("../../../examples/oracle/http_server.py")),
    ("interrupt.sh", include_str!("helpers/interrupt.sh")),
    ("mortal.py", include_str!("helpers/mortal.py")),
    ("pictures.py", include_str!("helpers/pictures.py")),
    ("served.sh", include_str!("helpers/served.sh")),
    ("weights.py", include_str!("helpers/weights.py")),
];
/// Nothing else comes from outside: it might change what is said.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("LANG", "C.UTF-8"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
    ("KEY", "0123456789abcdef0123456789abcdef"),
    ("TOKEN", "a-token-for-this"),
    ("WEAK", "short"),
];

/// A command that takes longer is ended: it hangs.
const LONGEST: Duration = Duration::from_secs(300);

/// Where a binary runs: `work` under a folder that also has the binaries and what was said.
pub(super) struct Side {
    root: PathBuf,
    path: OsString,
}

impl Side {
    /// `grease` is this side's binary, `grease-before` on both sides the one before.
    pub(super) fn new(root: PathBuf, grease: &Path, before: &Path) -> Result<Self, Failure> {
        let bin = root.join("bin");
        for folder in [&bin, &root.join("work/help"), &root.join("said"), &root.join("tmp")] {
            fs::create_dir_all(folder).map_err(Failure::file(folder))?;
        }
        for (from, name) in [(grease, "grease"), (before, "grease-before")] {
            let to = bin.join(name);
            fs::hard_link(from, &to)
                .or_else(|_| fs::copy(from, &to).map(drop))
                .map_err(Failure::file(from))?;
        }
        for (name, text) in HELPERS {
            let file = root.join("work/help").join(name);
            fs::write(&file, text).map_err(Failure::file(&file))?;
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(bin).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).map_err(|error| Failure::work(error.to_string()))?;
        Ok(Self { root, path })
    }

    /// Runs all of it, in this order.
    pub(super) fn run(&self, blocks: &[Block]) -> Result<Vec<Record>, Failure> {
        let work = self.root.join("work");
        let mut watched = Watched::new(work.clone());
        watched.changed().map_err(Failure::file(&work))?;
        let mut records = Vec::new();
        for block in blocks {
            if block.requests.is_empty() {
                let mut record = self.command(block)?;
                for (path, bytes) in watched.changed().map_err(Failure::file(&work))? {
                    if !block.marks.loose {
                        let what = format!("file {}", path.display());
                        record.add(what, bytes.unwrap_or_else(|| b"(gone)".into()), block.marks.may);
                    }
                }
                self.keep(&record)?;
                records.push(record);
            } else {
                records.extend(self.serve(block)?);
            }
        }
        Ok(records)
    }

    /// For whoever looks at it afterwards.
    fn keep(&self, record: &Record) -> Result<(), Failure> {
        let file = self.root.join("said").join(record.name.replace('/', "-"));
        fs::write(&file, record.shown()).map_err(Failure::file(&file))
    }

    fn command(&self, block: &Block) -> Result<Record, Failure> {
        let Block { name, marks, script, .. } = block;
        let (status, [stdout, stderr]) =
            self.finish(script).map_err(|error| Failure::work(format!("{name}: {error}")))?;
        let code = status.code().map_or(status.to_string(), |code| code.to_string());
        let mut record = Record::new(name);
        if code != marks.code.to_string() {
            let last = String::from_utf8_lossy(&stderr).lines().last().unwrap_or_default().to_owned();
            record.unexpected = Some(format!("expects exit code {}, not {code}: {last}", marks.code));
        }
        if !marks.loose {
            record.add("exit code", code, false);
            record.add("stdout", settle::said(stdout), marks.may);
            record.add("stderr", settle::said(stderr), marks.may || !status.success());
        }
        Ok(record)
    }

    /// Runs a script to its end, and what it says into files: whoever it leaves behind keeps nobody waiting.
    fn finish(&self, script: &str) -> io::Result<(ExitStatus, [Vec<u8>; 2])> {
        let files = ["stdout", "stderr"].map(|name| self.root.join(name));
        let mut command = self.shell(script);
        command.stdin(Stdio::null()).stdout(File::create(&files[0])?).stderr(File::create(&files[1])?);
        let (mut child, begun) = (command.spawn()?, Instant::now());
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if begun.elapsed() > LONGEST {
                child.kill()?;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        Ok((status, [fs::read(&files[0])?, fs::read(&files[1])?]))
    }

    /// A record for every question. A service that does not start, or hangs up, is one that differs from one that answers.
    fn serve(&self, block: &Block) -> Result<Vec<Record>, Failure> {
        let mut records = Vec::new();
        if let Err(failure) = self.ask_all(block, &mut records) {
            let mut record = Record::new(&block.name);
            record.unexpected = Some(failure.to_string());
            records.push(record);
        }
        records.iter().try_for_each(|record| self.keep(record))?;
        Ok(records)
    }

    fn ask_all(&self, block: &Block, records: &mut Vec<Record>) -> Result<(), Failure> {
        let served = Served::start(&mut self.shell(&format!("exec {}", block.script)))?;
        asking::wait_until_ready(served.address)?;
        for (request, number) in block.requests.iter().zip(1..) {
            let address = request.line.split('?').next().unwrap_or_default();
            let name = format!("{} {number:02} {address}", block.name);
            records.push(asking::ask(served.address, name, request)?);
        }
        Ok(())
    }

    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-e", "-c", script]).current_dir(self.root.join("work")).env_clear();
        command
            .env("PATH", &self.path)
            .env("HOME", self.root.join("tmp"))
            .env("TMPDIR", self.root.join("tmp"));
        command.envs(ENVIRONMENT);
        command
    }
}
