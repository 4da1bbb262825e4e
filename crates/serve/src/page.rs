//! The page: three files, in the binary.

use axum::http::{HeaderName, header};

/// What a browser asks for first.
pub(crate) const INDEX: &str = include_str!("../page/index.html");
/// What it does.
pub(crate) const SCRIPT: &str = include_str!("../page/app.js");
/// How it looks.
pub(crate) const STYLE: &str = include_str!("../page/style.css");

/// One of the files.
pub(crate) async fn file(
    kind: &'static str,
    text: &'static str,
) -> ([(HeaderName, &'static str); 1], &'static str) {
    ([(header::CONTENT_TYPE, kind)], text)
}
