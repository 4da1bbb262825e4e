//! Counting how answers came about.

use std::sync::atomic::{AtomicU64, Ordering};

use grease_graph::Work;

/// Counts, from any thread.
#[derive(Debug, Default)]
pub(super) struct Counters {
    local: AtomicU64,
    products: AtomicU64,
    whole: AtomicU64,
}

/// A model's copy counts its own.
impl Clone for Counters {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Counters {
    /// Edits answered without the rest of the graph.
    pub(super) fn local(&self, edits: u64) {
        self.local.fetch_add(edits, Ordering::Relaxed);
    }

    /// An edit for which every item was looked at.
    pub(super) fn product(&self) {
        self.products.fetch_add(1, Ordering::Relaxed);
    }

    /// Edits propagated over the whole graph.
    pub(super) fn whole(&self, edits: u64) {
        self.whole.fetch_add(edits, Ordering::Relaxed);
    }

    pub(super) fn so_far(&self) -> Work {
        Work {
            local: self.local.load(Ordering::Relaxed),
            products: self.products.load(Ordering::Relaxed),
            whole: self.whole.load(Ordering::Relaxed),
            ..Work::default()
        }
    }
}
