//! The same commit, built a second time in another folder: the same bytes?

use std::path::{Path, PathBuf};
use std::process::Command;

use super::release::Release;
use super::{What, build, sums};
use crate::failure::Failure;
use crate::process;
use crate::python::DIST;

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
            tell_members(path, &other.release.out.join(name))?;
        }
    }
    if different.is_empty() {
        return Ok(());
    }
    Err(Failure::work(format!("two builds of one commit differ in {}", different.join(", "))))
}

/// Of a wheel, which of its files differ. The list of what it is made of (`sboms/`) is maturin's, and names the folder of the sources.
fn tell_members(one: &Path, other: &Path) -> Result<(), Failure> {
    const LIST: &str =
        "import sys, zipfile\nfor it in zipfile.ZipFile(sys.argv[1]).infolist(): print(it.CRC, it.filename)";
    if one.extension().is_none_or(|extension| extension != "whl") {
        return Ok(());
    }
    let python = DIST.interpreter()?;
    let members = |wheel: &Path| process::output(Command::new(&python).args(["-c", LIST]).arg(wheel));
    let (one, other) = (members(one)?, members(other)?);
    for member in one.lines().filter(|member| other.lines().all(|line| line != *member)) {
        println!("  differs: {}", member.split_once(' ').map_or(member, |(_, name)| name));
    }
    Ok(())
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
