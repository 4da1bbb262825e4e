//! The same commit, built a second time in another folder: the same bytes?

use std::path::{Path, PathBuf};
use std::process::Command;

use super::release::Release;
use super::{What, build, sums};
use crate::failure::Failure;
use crate::process;

pub(super) fn compare(release: &Release, what: &[What], made: &[PathBuf]) -> Result<(), Failure> {
    let other = Checkout::of(release)?;
    for what in what {
        build(*what, &other.release)?;
    }
    let mut different = Vec::new();
    for path in made {
        let name = path.file_name().unwrap_or_default();
        let same = sums::of(path)? == sums::of(&other.release.out.join(name))?;
        println!("{}: {}", name.to_string_lossy(), if same { "the same bytes" } else { "other bytes" });
        if !same {
            different.push(name.to_string_lossy().into_owned());
        }
    }
    if different.is_empty() {
        return Ok(());
    }
    Err(Failure::work(format!("two builds of one commit differ in {}", different.join(", "))))
}

/// The same commit in a folder of another name and length.
struct Checkout {
    release: Release,
    of: PathBuf,
}

impl Checkout {
    fn of(release: &Release) -> Result<Self, Failure> {
        let root = std::env::temp_dir().join(format!("grease-once-more-{}", std::process::id()));
        let mut git = Command::new("git");
        git.current_dir(&release.root)
            .args(["worktree", "add", "--quiet", "--detach"])
            .arg(&root)
            .arg("HEAD");
        process::succeed(&mut git)?;
        let out = root.join("dist");
        std::fs::create_dir_all(&out).map_err(Failure::file(&out))?;
        let again = Release {
            root,
            version: release.version,
            commit: release.commit.clone(),
            time: release.time.clone(),
            out,
        };
        Ok(Self { release: again, of: release.root.clone() })
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        let remove = |root: &Path| {
            let mut git = Command::new("git");
            process::works(git.current_dir(&self.of).args(["worktree", "remove", "--force"]).arg(root))
        };
        if !remove(&self.release.root) {
            eprintln!("left behind: {}", self.release.root.display());
        }
    }
}
