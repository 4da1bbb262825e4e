//! Panics that are caught are no failures.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

/// The decoder of Parquet panics at some damaged files, and the readers make errors of that. The fuzzer would end at once: so it is
/// told of those alone that come through.
pub fn are_caught_within() {
    set_hook(Box::new(|_| ()));
}

/// Runs a target after [`are_caught_within`], and says what came through.
pub fn told(target: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(target)) {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        eprintln!("panicked: {}", said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?"));
        std::process::abort();
    }
}
