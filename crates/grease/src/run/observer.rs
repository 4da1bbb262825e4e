//! How a long run is watched, and ended early.

/// Watches a run over many people.
pub trait RunObserver: Sync {
    /// So many are done, those of earlier runs included.
    fn done(&self, people: usize);
    /// So many more explanations of the people under way were looked for; those of earlier runs are not told.
    fn answered(&self, _explanations: usize) {}
    /// Whether nobody else should be begun.
    fn cancelled(&self) -> bool;
}

/// Nobody watches.
impl RunObserver for () {
    fn done(&self, _: usize) {}

    fn cancelled(&self) -> bool {
        false
    }
}
