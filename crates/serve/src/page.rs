//! The page: its files, in the binary.

use axum::Router;
use axum::http::header;
use axum::routing::get;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Address, content type and text of each file. They tell nothing about anybody, so none of them wants a token.
const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, include_str!("../page/index.html")),
    ("/style.css", STYLE, include_str!("../page/style.css")),
    ("/app.js", SCRIPT, include_str!("../page/app.js")),
    ("/docs", HTML, include_str!("../page/docs.html")),
    ("/docs.js", SCRIPT, include_str!("../page/docs.js")),
    ("/page/asking.js", SCRIPT, include_str!("../page/asking.js")),
    ("/page/building.js", SCRIPT, include_str!("../page/building.js")),
    ("/page/certificate.js", SCRIPT, include_str!("../page/certificate.js")),
    ("/page/copying.js", SCRIPT, include_str!("../page/copying.js")),
    ("/page/events.js", SCRIPT, include_str!("../page/events.js")),
    ("/page/history.js", SCRIPT, include_str!("../page/history.js")),
    ("/page/link.js", SCRIPT, include_str!("../page/link.js")),
    ("/page/list.js", SCRIPT, include_str!("../page/list.js")),
    ("/page/methods.js", SCRIPT, include_str!("../page/methods.js")),
    ("/page/rests.js", SCRIPT, include_str!("../page/rests.js")),
    ("/page/searching.js", SCRIPT, include_str!("../page/searching.js")),
    ("/page/seen.js", SCRIPT, include_str!("../page/seen.js")),
    ("/page/waiting.js", SCRIPT, include_str!("../page/waiting.js")),
    ("/page/whole.js", SCRIPT, include_str!("../page/whole.js")),
    ("/page/why.js", SCRIPT, include_str!("../page/why.js")),
];

/// Whether this is the address of one of the files.
pub(crate) fn has(path: &str) -> bool {
    FILES.iter().any(|(address, ..)| *address == path)
}

/// All of them, each at its address.
pub(crate) fn files<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |router, &(path, kind, text)| {
        router.route(path, get(async move || ([(header::CONTENT_TYPE, kind)], text)))
    })
}

#[cfg(test)]
mod tests {
    use super::{FILES, has};

    /// What stands between `from` and the next quote, wherever it does.
    fn named(text: &str, from: &str) -> Vec<String> {
        text.split(from).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    }

    #[test]
    fn every_module_that_is_named_is_served() {
        for (path, _, text) in FILES {
            let folder = if path.starts_with("/page/") { "/page/" } else { "/" };
            for name in named(text, "from \"./") {
                assert!(has(&format!("{folder}{name}")), "{path} imports {name}");
            }
            for name in named(text, "modulepreload\" href=\"") {
                assert!(has(&format!("/{name}")), "{path} preloads {name}");
            }
        }
        let modules = FILES.iter().filter(|(path, ..)| path.starts_with("/page/"));
        let preloaded = named(FILES[0].2, "modulepreload\" href=\"");
        assert_eq!(preloaded.len(), modules.count(), "each module is asked for at once");
    }

    #[test]
    fn the_page_is_light_and_keeps_to_its_own_policy() {
        let weight: usize = FILES.iter().map(|(.., text)| text.len()).sum();
        assert!(weight < 150_000, "{weight} bytes");
        for (path, _, text) in FILES {
            for forbidden in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", " style=\"", "<script>", " onclick="]
            {
                assert!(!text.contains(forbidden), "{path} has {forbidden}");
            }
        }
    }
}
