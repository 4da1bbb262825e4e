//! What is enough and needed at once, what is told where nothing is, and how firmly it has to hold.

use grease_serve::ServeOptions;
use serde_json::{Value, json};

use crate::driver::Key;
use crate::fixture::Site;
use crate::page::{Page, sentences, title};

/// Somebody's record, with the whole list's length, that is as wanted.
fn record(site: &Site, goal: &str, wanted: impl Fn(&Value) -> bool) -> (String, usize, Value) {
    let users = site.get("/api/users?limit=40");
    for k in [5, 10, 2] {
        for user in users["users"].as_array().unwrap() {
            let asked = json!({ "user": user["id"], "k": k, "goals": [goal] });
            let told = site.post("/api/explanations", &asked);
            if let Some(one) = told["explanations"].as_array().unwrap().iter().find(|one| wanted(one)) {
                return (user["id"].as_str().unwrap().to_owned(), k, one.clone());
            }
        }
    }
    panic!("nobody has such an answer with goal {goal}");
}

/// What the page asks about an item, and is told.
fn told(site: &Site, user: &str, k: usize, item: &Value, firm: usize) -> Value {
    let goals = ["joint", "factual", "counterfactual"];
    site.post(
        "/api/explanations",
        &json!({ "user": user, "k": k, "items": [item], "goals": goals, "firm": firm }),
    )
}

/// The picture and the status of the nth answer.
fn until_drawn(page: &Page, nth: usize) -> String {
    page.until_true(
        "its picture",
        "const image = document.querySelectorAll('#answer article')[arguments[0]].querySelector('img');
        return image?.complete && image.naturalWidth > 0 && image.alt.length > 10",
        &json!([nth]),
    );
    page.script(
        "return document.querySelectorAll('#answer article')[arguments[0]].querySelector('.status').innerText",
        &json!([nth]),
    )
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn what_is_enough_and_needed_comes_first_and_can_be_tried() {
    let site = Site::start(ServeOptions::default());
    let (user, k, one) = record(&site, "joint", |one| one["status"] == "verified");
    let page = Page::open(&site, &format!("#user={user}&k={k}"));
    page.ask_why(&title(&one));
    page.until_told(&sentences(&told(&site, &user, k, &one["item"], 1)));
    let first = page.seen("#answer article h3").unwrap();
    assert_eq!(first, "What is enough and needed");
    assert!(until_drawn(&page, 0).contains("Checked"));
    page.photograph("both-light");
    page.dark(true);
    page.photograph("both-dark");
    page.dark(false);
    page.click("#answer article details summary");
    let alone = one["alone"]["rank"].to_string();
    page.until_true(
        "both places in the certificate",
        "const rows = [...document.querySelectorAll('#answer article details')[0].querySelectorAll('tr')].map((row) => row.innerText);
        return rows.some((row) => row.includes('with these alone') && row.includes(arguments[0]))
            && rows.some((row) => row.includes('Place then') && row.includes(arguments[1]))",
        &json!([alone, one["rank_after"].to_string()]),
    );
    page.click("#answer article button.main");
    page.until("the list without them", || (!page.titles().contains(&title(&one))).then_some(()));
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn where_nothing_is_found_the_nearest_answer_is_told_and_drawn() {
    let site = Site::start(ServeOptions::default());
    let (user, k, one) = record(&site, "counterfactual", |one| !one["instead"].is_null());
    let page = Page::open(&site, &format!("#user={user}&k={k}"));
    page.ask_why(&title(&one));
    let said = sentences(&told(&site, &user, k, &one["item"], 1));
    page.until_told(&said);
    let last = said.len() - 1;
    let status = until_drawn(&page, last);
    assert!(status.contains("Not found as asked") && status.contains("checked"), "{status}");
    page.photograph("instead-light");
    page.click("#answer article:last-of-type details summary");
    page.until_true(
        "what was checked",
        "return document.querySelectorAll('#answer article details')[arguments[0]].innerText.includes('Checked instead')",
        &json!([last]),
    );
    page.resize(360, 740);
    page.assert_fits(360);
    page.dark(true);
    page.photograph("instead-narrow-dark");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn where_nothing_is_both_its_parts_are_told() {
    let site = Site::start(ServeOptions::default());
    let (user, k, one) = record(&site, "joint", |one| one["instead"]["question"] == "parts");
    let page = Page::open(&site, &format!("#user={user}&k={k}"));
    page.ask_why(&title(&one));
    page.until_told(&sentences(&told(&site, &user, k, &one["item"], 1)));
    assert!(until_drawn(&page, 0).contains("Not found as asked"));
    page.photograph("parts-light");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn how_firmly_it_has_to_hold_is_chosen_and_in_the_link() {
    let site = Site::start(ServeOptions::default());
    let (user, k, one) = record(&site, "counterfactual", |one| one["status"] == "verified");
    let page = Page::open(&site, &format!("#user={user}&k={k}"));
    page.until("the list", || (page.titles().len() == k).then_some(()));
    assert_eq!(page.seen("#firm"), None, "there is no answer yet");
    page.ask_why(&title(&one));
    page.until_told(&sentences(&told(&site, &user, k, &one["item"], 1)));
    page.fill("#firm", "2");
    page.press(Key::Enter);
    let firmly = told(&site, &user, k, &one["item"], 2);
    page.until_told(&sentences(&firmly));
    assert!(page.link().contains(&("firm".into(), "2".into())));
    let again =
        Page::open(&site, &format!("#user={user}&k={k}&firm=2&why={}", one["item"].as_str().unwrap()));
    again.until_told(&sentences(&firmly));
    again.photograph("firm-light");
}
