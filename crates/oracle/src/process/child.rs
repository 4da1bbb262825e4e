//! One process: its three streams, each with a thread of its own, so that nothing here waits longer than it is told to.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::ender::Ender;
use crate::error::excerpt;
use crate::options::Voice;
use crate::transport::{LONGEST_HELLO, Request};

/// Lines of stderr that an error repeats.
const LAST_LINES: usize = 8;
/// The longest piece of stderr taken for a line.
const LONGEST_WORDS: u64 = 16 << 10;
/// How long a process that ended may take to get its last words through.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failed {
    /// Not in time.
    Late,
    /// The process closed its stdout.
    Ended,
    /// A line longer than any answer.
    TooLong,
}

/// What the reading thread found.
enum Heard {
    Line(Vec<u8>),
    TooLong,
}

/// A running process and all it started.
pub(super) struct Child {
    process: std::process::Child,
    ender: Ender,
    /// To the thread that writes; closing it closes stdin.
    requests: Option<Sender<Vec<u8>>>,
    /// From the thread that reads; it ends with stdout.
    replies: Receiver<Heard>,
    /// Lines that were read, to be filled again.
    emptied: Sender<Vec<u8>>,
    /// The longest line the reader may take in.
    longest: Arc<AtomicUsize>,
    /// Ends with stderr.
    silence: Receiver<()>,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    ended: bool,
}

impl Child {
    /// Runs `sh -c command` in a process group of its own.
    pub(super) fn start(command: &str, voice: Voice, ender: Ender) -> io::Result<Self> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own: it can be ended with all it started, and Ctrl-C at the terminal is ours to act on.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut process = shell.spawn()?;
        ender.started(process.id());
        let (stdin, stdout, stderr) = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (requests, to_write) = mpsc::channel();
        let (heard, replies) = mpsc::sync_channel(1);
        let (emptied, to_fill) = mpsc::channel();
        let (still_talking, silence) = mpsc::channel();
        let last_lines = Arc::new(Mutex::new(VecDeque::new()));
        let longest = Arc::new(AtomicUsize::new(LONGEST_HELLO));
        let child = Self {
            process,
            ender,
            requests: Some(requests),
            replies,
            emptied,
            longest: Arc::clone(&longest),
            silence,
            last_lines: Arc::clone(&last_lines),
            ended: false,
        };
        // From here on a failure to start a thread drops the child, which ends the process.
        if let Some(stdin) = stdin {
            thread::Builder::new().name("oracle stdin".into()).spawn(move || write_all(stdin, &to_write))?;
        }
        if let Some(stdout) = stdout {
            let read = move || read_lines(stdout, &longest, &heard, &to_fill);
            thread::Builder::new().name("oracle stdout".into()).spawn(read)?;
        }
        if let Some(stderr) = stderr {
            let listen = move || {
                pass_on(stderr, &voice, &last_lines);
                drop(still_talking);
            };
            thread::Builder::new().name("oracle stderr".into()).spawn(listen)?;
        }
        Ok(child)
    }

    /// Sends a request and waits for one line.
    pub(super) fn ask(&mut self, request: &Request<'_>, timeout: Duration) -> Result<Vec<u8>, Failed> {
        self.longest.store(request.longest, Ordering::SeqCst);
        let Some(requests) = &self.requests else { return Err(Failed::Ended) };
        // Where the writer is gone so is the reader, which knows what there was to read before.
        let _ = requests.send(request.body.to_vec());
        match self.replies.recv_timeout(timeout) {
            Ok(Heard::Line(line)) => Ok(line),
            Ok(Heard::TooLong) => Err(Failed::TooLong),
            Err(RecvTimeoutError::Timeout) => Err(Failed::Late),
            Err(RecvTimeoutError::Disconnected) => Err(Failed::Ended),
        }
    }

    /// A line that was read may be filled again.
    pub(super) fn give_back(&self, line: Vec<u8>) {
        let _ = self.emptied.send(line);
    }

    /// Says by the end of its stdin that nobody will ask any more.
    pub(super) fn dismiss(&mut self) {
        self.requests = None;
    }

    /// Lets it end by itself for so long, then ends it and all it started. How it ended, and its last words.
    pub(super) fn end(mut self, grace: Duration) -> (String, String) {
        self.dismiss();
        let until = Instant::now() + grace;
        let left = || until.saturating_duration_since(Instant::now());
        // Until its stdout ends; what it still says there nobody asked for.
        while !left().is_zero() && self.replies.recv_timeout(left()).is_ok() {}
        let _ = self.silence.recv_timeout(left().max(LAST_WORDS));
        let status = self.kill();
        let lines = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let stderr = if lines.is_empty() {
            String::new()
        } else {
            format!("; the last it said on stderr:\n  {}", lines.join("\n  "))
        };
        (described(status), stderr)
    }

    /// Ends the whole group. The process is waited for only afterwards: as long as it is not, its group's number is its own.
    fn kill(&mut self) -> Option<ExitStatus> {
        self.ended = true;
        self.ender.kill(self.process.id());
        let _ = self.process.kill();
        self.process.wait().ok()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
        }
    }
}

/// How it ended, in words.
fn described(status: Option<ExitStatus>) -> String {
    match status {
        // What a shell says of a name it does not find.
        Some(status) if status.code() == Some(127) => "exit status: 127, no such command".into(),
        Some(status) => status.to_string(),
        None => "nobody knows how".into(),
    }
}

fn write_all(mut stdin: ChildStdin, requests: &Receiver<Vec<u8>>) {
    for request in requests {
        if stdin.write_all(&request).and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

fn read_lines(
    stdout: impl Read,
    longest: &AtomicUsize,
    heard: &SyncSender<Heard>,
    to_fill: &Receiver<Vec<u8>>,
) {
    let mut stdout = BufReader::with_capacity(64 << 10, stdout);
    loop {
        // Waits for the first bytes before it asks how long the line may be: that is known once the request was sent.
        match stdout.fill_buf() {
            Ok([]) | Err(_) => return,
            Ok(_) => {}
        }
        let mut line = to_fill.try_recv().unwrap_or_default();
        line.clear();
        let most = longest.load(Ordering::SeqCst);
        let read = (&mut stdout).take(most as u64 + 1).read_until(b'\n', &mut line);
        let whole = line.last() == Some(&b'\n');
        let said = match read {
            Err(_) => return,
            Ok(_) if !whole && line.len() > most => Heard::TooLong,
            // The end of stdout in the middle of a line: not an answer.
            Ok(_) if !whole => return,
            Ok(_) => {
                line.pop();
                Heard::Line(line)
            }
        };
        let last = matches!(said, Heard::TooLong);
        if heard.send(said).is_err() || last {
            return;
        }
    }
}

fn pass_on(stderr: impl Read, voice: &Voice, last_lines: &Mutex<VecDeque<String>>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut stderr).take(LONGEST_WORDS).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        voice.say(text);
        let mut lines = last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(excerpt(text.as_bytes()));
    }
}
