//! A root folder with nothing in it but what is put there, and what the binary must do in it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::failure::Failure;
use crate::process;

/// The name the room's own list of hosts has for this machine.
const HOST: &str = "oracle.room";

/// A folder that goes when this goes.
pub(super) struct Room {
    folder: PathBuf,
}

impl Room {
    pub(super) fn new(name: &str) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("grease-room-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("tmp")).map_err(Failure::file(&folder))?;
        Ok(Self { folder })
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Whether the folder may be made the root.
    pub(super) fn is_root(&self) -> bool {
        process::works(Command::new("chroot").arg("--version"))
            && process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
    }

    /// The binary with the folder as its root; without, where that may not be.
    fn command(&self, binary: &str) -> Command {
        let mut command = if self.is_root() {
            let mut chroot = Command::new("chroot");
            chroot.arg(&self.folder).arg(binary);
            chroot
        } else {
            println!("only root may make a folder the root: tried where it lies");
            Command::new(self.folder.join(binary.trim_start_matches('/')))
        };
        // Where `chroot` itself is found.
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").current_dir(&self.folder);
        command
    }

    /// Explains something, and finds a service by its name.
    pub(super) fn explains(&self, binary: &str) -> Result<(), Failure> {
        told("--version", &process::output(self.command(binary).arg("--version"))?, "statically linked")?;
        told("demo", &process::output(self.command(binary).arg("demo"))?, "would not be")?;
        if !self.is_root() {
            println!("skipped: a list of hosts of one's own needs a root folder of one's own");
            return Ok(());
        }
        self.finds_by_name(binary)
    }

    /// The libraries that look names up are not there: the binary must have it all inside.
    fn finds_by_name(&self, binary: &str) -> Result<(), Failure> {
        let write = |name: &str, text: &str| {
            let path = self.folder.join(name);
            fs::write(&path, text).map_err(Failure::file(&path))
        };
        fs::create_dir_all(self.folder.join("etc")).map_err(Failure::file(&self.folder))?;
        write("etc/hosts", &format!("127.0.0.1 {HOST}\n"))?;
        write("pairs.csv", "user,item\nada,tea\nada,rum\nben,tea\n")?;
        let port = refusing_service()?;
        let url = format!("http://{HOST}:{port}/");
        let words = ["oracle", "check", "--oracle-url", &url, "--interactions", "/pairs.csv"];
        let mut check = self.command(binary);
        let output =
            check.args(words).output().map_err(|error| Failure::work(format!("the binary: {error}")))?;
        let said =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        told("a service by its name", &said, "404")
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A service that has nothing: whoever hears so has found it.
fn refusing_service() -> Result<u16, Failure> {
    let failed = |error: std::io::Error| Failure::work(format!("a service on this machine: {error}"));
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ =
                stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    Ok(port)
}

/// What was to be said was said.
pub(super) fn told(who: &str, said: &str, words: &str) -> Result<(), Failure> {
    if said.contains(words) {
        println!("{who}: ok ({words})");
        return Ok(());
    }
    Err(Failure::work(format!("{who} did not say “{words}” but:\n{said}")))
}
