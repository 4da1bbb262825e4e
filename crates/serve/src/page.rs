//! The page's files, in the binary.

use axum::Router;
use axum::http::header;
use axum::routing::get;

/// What a browser may ask for.
pub(crate) struct File {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

const FILES: [File; 3] = [
    File { path: "/", kind: HTML, text: include_str!("../page/index.html") },
    File { path: "/app.js", kind: SCRIPT, text: include_str!("../page/app.js") },
    File { path: "/style.css", kind: STYLE, text: include_str!("../page/style.css") },
];

/// The file at this address.
pub(crate) fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

/// All of them, each at its address.
pub(crate) fn files<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |router, file| {
        let answer = async || ([(header::CONTENT_TYPE, file.kind)], file.text);
        router.route(file.path, get(answer))
    })
}
