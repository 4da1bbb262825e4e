//! `grease --version`: which one it is, where it is from, what it can do, what it reads and writes.

use std::sync::LazyLock;

use grease::models::folder::FORMAT as MODEL;
use grease::tell::table::{Place, TableRow as _};
use grease::tell::{LIST_SCHEMA, SCHEMA};
use grease_evaluate::EVALUATION_SCHEMA;

/// For `-V`.
pub(crate) const SHORT: &str = concat!(env!("CARGO_PKG_VERSION"), " (commit ", env!("GREASE_COMMIT"), ")");

/// What is compiled in that a smaller build could go without.
const FEATURES: &str = "page and HTTP service, oracles over HTTPS, Parquet, gzip";

/// For `--version`.
pub(crate) fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| {
        let linked = if cfg!(target_feature = "crt-static") { "statically" } else { "dynamically" };
        let formats = [MODEL, SCHEMA, LIST_SCHEMA, Place::VERSION, EVALUATION_SCHEMA].join(", ");
        let (target, profile) = (env!("GREASE_TARGET"), env!("GREASE_PROFILE"));
        format!(
            "{SHORT}\ntarget    {target}, {linked} linked, {profile}\nfeatures  {FEATURES}\nformats   {formats}"
        )
    });
    &LONG
}
