//! What if the history were another; and a link to what is seen.

use grease_serve::ServeOptions;
use serde_json::{Value, json};

use crate::asking::explained;
use crate::fixture::Site;
use crate::page::{Page, sentences, title, titles};

fn unticked(page: &Page) -> Vec<String> {
    page.history().into_iter().filter(|own| !own.ticked).map(|own| own.title).collect()
}

/// Something that is neither on mira's list nor in her history.
fn elsewhere(site: &Site, k: usize) -> Value {
    let list = site.get("/api/users/mira/recommendations?k=20");
    list["recommendations"][k + 4].clone()
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn what_is_unticked_changes_the_list_as_the_api_says_and_can_be_taken_back() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5");
    let (one, _) = explained(&site, 5);
    let cited = one["edges"].as_array().unwrap();
    let remove: Vec<&Value> = cited.iter().map(|edge| &edge["item"]).collect();
    let imagined = site.post("/api/what-if", &json!({ "user": "mira", "remove": remove, "k": 5 }));
    page.until_listed("the real list", &titles(&imagined["before"]));
    for edge in cited {
        page.toggle(&title(edge));
    }
    page.until_listed("the list as it would be", &titles(&imagined["after"]));
    assert!(!page.titles().contains(&title(&one)), "the explanation is true on the page as well");
    for (place, said) in page.list().iter().zip(imagined["after"].as_array().unwrap()) {
        let has_moved = said["rank_before"] != said["rank_after"];
        assert_eq!(place.moved.is_some(), has_moved, "{place:?}: {said}");
    }
    let mut off = unticked(&page);
    let mut expected: Vec<String> = cited.iter().map(title).collect();
    off.sort();
    expected.sort();
    assert_eq!(off, expected);
    page.photograph("sandbox-light");
    page.click("#reset");
    page.until_listed("the real list again", &titles(&imagined["before"]));
    assert!(unticked(&page).is_empty());
    assert_eq!(page.seen("#reset"), None, "there is nothing to take back");
    assert!(page.list().iter().all(|place| place.moved.is_none()));
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn something_is_added_by_search_and_taken_out_again() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5");
    let added = elsewhere(&site, 5);
    let imagined = site.post("/api/what-if", &json!({ "user": "mira", "add": [added["item"]], "k": 5 }));
    page.until_listed("the real list", &titles(&imagined["before"]));
    page.choose("#add", "#found", &title(&added), &title(&added));
    page.until_listed("the list as it would be", &titles(&imagined["after"]));
    let own = page.history().into_iter().find(|own| own.title.starts_with(&title(&added)));
    assert!(own.expect("what was added is shown").ticked);
    page.photograph("added-light");
    page.toggle(&title(&added));
    page.until_listed("the real list again", &titles(&imagined["before"]));
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_shared_link_shows_the_same_again() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=7");
    page.until("the list", || (page.titles().len() == 7).then_some(()));
    let own = page.history().swap_remove(0).title;
    let added = elsewhere(&site, 7);
    page.toggle(&own);
    page.choose("#add", "#found", &title(&added), &title(&added));
    let removed = site.get("/api/users/mira")["history"].clone();
    let removed = removed.as_array().unwrap().iter().find(|item| title(item) == own).unwrap();
    let asked = json!({ "user": "mira", "remove": [removed["item"]], "add": [added["item"]], "k": 7 });
    let after = titles(&site.post("/api/what-if", &asked)["after"]);
    page.until_listed("the list as it would be", &after);
    page.ask_why(&after[1]);
    page.until("an answer", || (!page.sentences().is_empty()).then_some(()));
    let (list, history, told) = (page.list(), page.history(), page.sentences());

    let may = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    page.devtools("Browser.grantPermissions", &may);
    page.click("#share");
    let address: String = page.script("return location.href", &json!([]));
    page.until_true(
        "the link on the clipboard",
        "return navigator.clipboard.readText().then((text) => text === arguments[0])",
        &json!([address]),
    );

    page.go(&address);
    page.until_listed("the same list", &after);
    page.until("the same answer", || (page.sentences() == told).then_some(()));
    assert_eq!(page.list(), list);
    assert_eq!(unticked(&page), [own]);
    let mut again = page.history();
    let mut before = history;
    again.sort_by(|a, b| a.title.cmp(&b.title));
    before.sort_by(|a, b| a.title.cmp(&b.title));
    assert_eq!(again, before, "by title, too, what was added");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_link_to_why_something_is_not_there_works() {
    let site = Site::start(ServeOptions::default());
    let absent = elsewhere(&site, 5);
    let item = absent["item"].as_str().unwrap();
    let asked = json!({ "user": "mira", "k": 5, "items": [item], "goals": ["why_not"] });
    let told = sentences(&site.post("/api/explanations", &asked));
    let page = Page::open(&site, &format!("#user=mira&k=5&why_not={item}"));
    page.until_told(&told);
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_link_is_copied_and_where_nothing_can_be_copied_it_is_shown_to_be_copied_by_hand() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5");
    page.until("a list", || page.titles().first().cloned());
    // A clipboard that can be looked into.
    let note = "window.noted = null; const writeText = async (text) => { window.noted = text; };
        Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });";
    page.script::<Value>(note, &json!([]));
    page.click("#share");
    let noted = || page.script::<Option<String>>("return window.noted", &json!([]));
    let copied = page.until("the link to be copied", noted);
    assert!(copied.ends_with("#user=mira&k=5"), "{copied}");
    // A browser that gives none, as on plain http from another machine.
    let deny = "Object.defineProperty(navigator, 'clipboard', { value: undefined }); document.execCommand = () => false;";
    page.script::<Value>(deny, &json!([]));
    page.click("#share");
    page.until("what is to be copied", || page.seen("#by-hand"));
    let selected = "return document.getElementById('to-copy').value.slice(
        document.getElementById('to-copy').selectionStart, document.getElementById('to-copy').selectionEnd)";
    assert!(page.script::<String>(selected, &json!([])).ends_with("#user=mira&k=5"));
    page.photograph("copy-by-hand");
    page.click("#by-hand button");
    page.until("it to go", || page.seen("#by-hand").is_none().then_some(()));
}
