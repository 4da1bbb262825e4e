//! Long pieces of work say how far they are, and end when they are told to.

/// Somebody who watches a long piece of work, and may end it.
pub trait Watch: Sync {
    /// A stage begins: what it does, and how many steps it has; 0 where nobody knows.
    fn begin(&self, stage: &str, steps: u64);

    /// So many steps more are done. An error is a wish to end, and ends the work.
    fn advance(&self, steps: u64) -> Result<(), Interrupted>;
}

/// Nobody watches: the work goes on to its end.
impl Watch for () {
    fn begin(&self, _: &str, _: u64) {}

    fn advance(&self, _: u64) -> Result<(), Interrupted> {
        Ok(())
    }
}

/// Work was ended before it was done, because somebody wished so. What it wrote is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted; nothing was written")]
pub struct Interrupted;

/// Why something was not written to its end.
pub(crate) enum Stopped {
    Io(std::io::Error),
    Interrupted(Interrupted),
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Interrupted> for Stopped {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}
