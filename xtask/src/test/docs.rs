//! The documentation: the site, and what its pages tell people to do.

use std::path::Path;
use std::process::Command;

use super::counts::Counts;
use super::{count, heading, without_python};
use crate::docs::Site;
use crate::failure::Failure;
use crate::{process, python};

/// Builds the site and checks it.
pub(super) fn site(counts: &mut Counts) -> Result<(), Failure> {
    if without_python("docs site", "build the site", counts) {
        return Ok(());
    }
    heading("docs site");
    let site = Site::new(None)?;
    count(&mut site.tests(), Counts::from_pytest, counts)?;
    site.build()?;
    count(&mut site.check(), Counts::from_pytest, counts)
}

/// Does what the pages say, and compares with what they say comes of it: those that need no more than the package or, with
/// `needs`, those that need that environment. Each page is a test.
pub(super) fn pages(
    python: &Path,
    command_line: &Path,
    needs: Option<&str>,
    counts: &mut Counts,
) -> Result<(), Failure> {
    heading(&needs.map_or("docs pages".to_owned(), |needs| format!("docs pages that need {needs}")));
    let mut run = Command::new(python);
    run.arg("-B").arg(process::workspace_root().join("docs/tutorials/run.py"));
    run.arg("--grease").arg(command_line);
    if let Some(needs) = needs {
        run.args(["--needs", needs]);
    }
    // What a page calls `python3` has the same packages.
    count(run.env("PATH", python::path_with(python)), Counts::from_pytest, counts)
}
