//! Names that were made to do harm are shown as what they are: text.

use grease::Subject;
use grease::graph::doubles::CoNeighbours;
use grease::graph::{Catalogue, CatalogueBuilder, Graph};
use grease_serve::ServeOptions;
use serde_json::json;

use crate::driver::Browser;
use crate::fixture::Site;
use crate::page::{Page, sentences, title, titles};
use grease_testing::folder;

/// Made to end up in text, in an attribute, in an address, in a script, in a picture.
fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        "<img src=x onerror=\"window.pwned=1\">",
        "\"><script>window.pwned=2</script>",
        "javascript:window.pwned=3",
        "' onmouseover='window.pwned=4",
        "</script><script>alert(5)</script>",
        "</text></svg><svg onload=\"window.pwned=6\">",
        "\u{202e}gnp.eteled\u{202c}",
        "&lt;b&gt; &amp; &#x3c;i&#x3e;",
        "{{7*7}} ${window.pwned=8} `x`",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{5e9}\u{5dc}\u{5d5}\u{5dd} %00 %3Cb%3E #&?=+/",
        "../../etc/passwd?query=#user=x",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("W".repeat(500));
    names
}

fn renamed(catalogue: &Catalogue, with_titles: bool) -> Catalogue {
    let (names, mut builder) = (names(), CatalogueBuilder::new());
    for row in 0..catalogue.len() as u32 {
        let name = &names[row as usize % names.len()];
        builder.intern(&format!("{name} {row}")).unwrap();
        if with_titles && row % 3 != 0 {
            builder.set_title(row, &format!("{row} {name}"));
        }
    }
    builder.finish()
}

fn hostile_site() -> Site {
    let mut data = folder().data.clone();
    data.users = renamed(&data.users, false);
    data.items = renamed(&data.items, true);
    for word in [&mut data.words.person, &mut data.words.did, &mut data.words.item, &mut data.words.items] {
        *word = format!("<b onclick=\"window.pwned=9\">{word}</b>");
    }
    let graph = Graph::new(data.users.len(), data.items.len(), &data.train.listed()).unwrap();
    let double = std::sync::Arc::new(CoNeighbours::new(graph));
    Site::serving(&Subject::foreign(data, double, "double", ["hostile"]), ServeOptions::default())
}

/// Nothing ran, and there is no element but the page's own.
fn assert_nothing_happened(page: &Page) {
    let harm: Vec<String> = page.script(
        "const harm = [...document.querySelectorAll('*')].filter((one) =>
            one.tagName === 'B' || one.tagName === 'IFRAME' || one.tagName === 'OBJECT'
            || (one.tagName === 'SCRIPT' && !one.src.startsWith(location.origin))
            || (one.tagName === 'IMG' && !/^(data:image\\/svg|blob:|http:\\/\\/127\\.0\\.0\\.1:\\d+\\/api\\/)/.test(one.src))
            || (one.tagName === 'A' && one.protocol === 'javascript:')
            || [...one.attributes].some((attribute) => attribute.name.startsWith('on')));
        return [...harm.map((one) => one.outerHTML.slice(0, 200)), ...(window.pwned === undefined ? [] : [`pwned ${pwned}`])]",
        &json!([]),
    );
    assert!(harm.is_empty(), "{harm:#?}");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn hostile_names_are_shown_as_text_everywhere() {
    let site = hostile_site();
    let user =
        folder().data.users.row("mira").map(|row| format!("{} {row}", names()[row as usize % names().len()]));
    let user = user.unwrap();
    let asked = json!({ "user": user, "k": 10 });
    let list = titles(&site.post("/api/what-if", &asked)["before"]);
    let page = Page::open(&site, "");
    page.choose("#person", "#people", &user, &user);
    page.until_listed("the list, in these very words", &list);
    let names: Vec<String> = page.script(
        "return [...document.querySelectorAll('#items .name')].map((one) => one.textContent.trim())",
        &json!([]),
    );
    for (name, title) in names.iter().zip(&list) {
        assert!(name.contains(title.trim()), "{name} is not {title}");
    }
    assert_nothing_happened(&page);
    page.photograph("hostile-list");

    let own = page.history().swap_remove(0).title;
    page.toggle(&own);
    page.until("a change", || page.history().iter().any(|own| !own.ticked).then_some(()));
    page.fill("#add", "<img");
    page.until_true("finds", "return document.querySelectorAll('#found button').length > 0", &json!([]));
    assert_nothing_happened(&page);
    page.click("#reset");
    page.until_listed("the real list", &list);

    let told = site.post("/api/explanations", &json!({ "user": user, "k": 10 }));
    let explained = told["explanations"].as_array().unwrap();
    let one =
        explained.iter().find(|one| !one["edges"].as_array().unwrap().is_empty()).expect("one is explained");
    page.ask_why(&title(one));
    let asked = json!({ "user": user, "k": 10, "items": [one["item"]], "goals": ["joint", "factual", "counterfactual"] });
    page.until_told(&sentences(&site.post("/api/explanations", &asked)));
    page.until_true(
        "its picture",
        "const pictures = [...document.querySelectorAll('#answer img')];
        return pictures.length > 0 && pictures.every((one) => one.naturalWidth > 0)",
        &json!([]),
    );
    page.click("#answer details summary");
    page.click("#compare");
    page.until_true("rows", "return document.querySelectorAll('#methods tr').length > 3", &json!([]));
    assert_nothing_happened(&page);
    page.photograph("hostile-why");
    page.resize(360, 740);
    page.assert_fits(360);
    page.photograph("hostile-narrow");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn pictures_of_hostile_names_have_nothing_in_them_that_runs() {
    let site = hostile_site();
    // Where no policy forbids anything.
    let page = Browser::start();
    page.go("about:blank");
    let users = site.get("/api/users?limit=6");
    let mut pictures = 0;
    for user in users["users"].as_array().unwrap() {
        let told = site.post("/api/explanations", &json!({ "user": user["id"], "k": 5 }));
        for id in told["ids"].as_array().unwrap() {
            let picture = site.text(&format!("/api/explanations/{}.svg", id.as_str().unwrap()));
            let found: Vec<String> = page.script(
                "const parsed = new DOMParser().parseFromString(arguments[0], 'image/svg+xml');
                return [...parsed.querySelectorAll('*')].filter((one) =>
                    ['parsererror', 'script', 'foreignObject', 'img', 'image', 'a', 'b'].includes(one.localName)
                    || [...one.attributes].some((attribute) => attribute.name.startsWith('on')
                        || (/href|src|style/.test(attribute.name) && /javascript:|url\\(/.test(attribute.value))))
                    .map((one) => one.outerHTML.slice(0, 200))",
                &json!([picture]),
            );
            assert!(found.is_empty(), "{found:#?}");
            pictures += 1;
        }
    }
    assert!(pictures > 20, "{pictures} pictures");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_hostile_link_is_shown_as_text() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "");
    page.expect_on_console("404");
    page.expect_on_console("400");
    for name in names() {
        let link: String = page.script(
            "const [name] = arguments;
            return '#' + new URLSearchParams({ user: name, k: name, why: name, add: name, remove: name })",
            &json!([name]),
        );
        page.visit(&site, &link);
        page.until_true(
            "rest",
            "return document.querySelector('#about').textContent !== '' && !document.querySelector('[aria-busy=true]')",
            &json!([]),
        );
        assert_nothing_happened(&page);
        assert!(page.list().is_empty());
    }
}
