//! When something is wrong: no server, nobody of that name, no token.

use std::time::{Duration, SystemTime};

use grease_serve::{LinkKey, ServeOptions};
use serde_json::json;

use crate::driver::Key;
use crate::fixture::Site;
use crate::page::{Page, titles};

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn without_its_server_the_page_says_so_and_loses_nothing() {
    let mut site = Site::start(ServeOptions::default());
    let list = titles(&site.get("/api/users/mira/recommendations?k=5")["recommendations"]);
    let page = Page::open(&site, "#user=mira&k=5");
    page.until_listed("mira's list", &list);
    assert_eq!(page.seen("#problem"), None);
    page.expect_on_console("net::ERR_");
    site.stop();
    page.ask_why(&list[1]);
    let problem = page.until("words about it", || page.seen("#problem"));
    assert!(problem.to_lowercase().contains("server"), "{problem}");
    let role: String =
        page.script("return document.querySelector('#problem').getAttribute('role')", &json!([]));
    assert_eq!(role, "alert");
    assert_eq!(page.titles(), list, "what was there is still there");
    page.photograph("server-gone");
    site.begin();
    page.until("the words go away", || page.seen("#problem").is_none().then_some(()));
    page.ask_why(&list[2]);
    page.until("an answer", || (!page.sentences().is_empty()).then_some(()));
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_link_to_nobody_says_so_and_the_search_still_works() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=nobody-here&k=5&why=nothing");
    page.expect_on_console("404");
    page.until("words about them", || {
        let text: String = page.script("return document.querySelector('main').innerText", &json!([]));
        text.contains("nobody-here").then_some(())
    });
    assert!(page.list().is_empty());
    page.photograph("nobody");
    page.choose("#person", "#people", "mira", "mira");
    let list = site.get("/api/users/mira/recommendations?k=5");
    page.until_listed("mira's list", &titles(&list["recommendations"]));
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_link_with_an_item_that_is_no_more_says_so_and_shows_the_list() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5&why=no-such-thing");
    page.expect_on_console("404");
    page.until("words about it", || page.seen("#why").filter(|said| said.contains("no-such-thing")));
    let list = site.get("/api/users/mira/recommendations?k=5");
    page.until_listed("mira's list", &titles(&list["recommendations"]));
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_token_is_asked_for_until_it_is_the_right_one() {
    let site = Site::start(ServeOptions { token: Some("open-sesame".into()), ..ServeOptions::default() });
    let page = Page::open(&site, "#user=mira&k=5");
    page.expect_on_console("401");
    let question = page.until("a question for the token", || page.seen("#token"));
    page.photograph("token");
    page.fill("#secret", "open-simsim");
    page.press(Key::Enter);
    page.until("the question again, with a word about the first try", || {
        page.seen("#token").filter(|again| *again != question)
    });
    page.photograph("token-wrong");
    page.fill("#secret", "open-sesame");
    page.press(Key::Enter);
    let list = site.get("/api/users/mira/recommendations?k=5");
    page.until_listed("mira's list", &titles(&list["recommendations"]));
    assert_eq!(page.seen("#token"), None);
    let address: String = page.script("return location.href", &json!([]));
    assert!(!address.contains("sesame"), "the token is in no link");
}

fn key() -> LinkKey {
    LinkKey::new(b"a key nobody guesses").unwrap()
}

/// A service where whoever has a link sees one person's page.
fn with_links() -> Site {
    let options =
        ServeOptions { token: Some("open-sesame".into()), link_key: Some(key()), ..ServeOptions::default() };
    Site::start(options)
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_signed_link_opens_one_persons_page_and_nobody_elses() {
    let site = with_links();
    let pass = key().sign("mira", SystemTime::now() + Duration::from_secs(600));
    let page = Page::open(&site, &format!("#user=mira&k=5&pass={pass}"));
    let list = titles(&site.get("/api/users/mira/recommendations?k=5")["recommendations"]);
    page.until_listed("mira's list", &list);
    assert_eq!(page.seen("#token"), None, "the link is enough");
    assert_eq!(page.seen("#person"), None, "there is nobody to search for");
    let about: String = page.script("return document.body.innerText", &json!([]));
    assert!(about.contains("This page is for mira") && about.contains("What you are recommended"), "{about}");
    page.ask_why(&list[0]);
    page.until("an answer", || (!page.sentences().is_empty()).then_some(()));
    page.until_true(
        "its pictures",
        "return [...document.querySelectorAll('#answer img')].every((one) => one.naturalWidth > 0)",
        &json!([]),
    );
    let own = page.history().swap_remove(0).title;
    page.toggle(&own);
    page.until("a change", || page.history().iter().any(|own| !own.ticked).then_some(()));
    page.photograph("signed-link");

    page.expect_on_console("403");
    page.visit(&site, &format!("#user=theo&k=5&pass={pass}"));
    page.until("words about it", || {
        let text: String = page.script("return document.querySelector('main').innerText", &json!([]));
        text.contains("somebody else").then_some(())
    });
    let theirs = titles(&site.get("/api/users/theo/recommendations?k=5")["recommendations"]);
    assert_ne!(page.titles(), theirs);
    page.photograph("signed-link-of-another");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_link_that_has_expired_or_was_changed_says_so() {
    let site = with_links();
    let expired = key().sign("mira", SystemTime::now() - Duration::from_secs(60));
    let page = Page::open(&site, &format!("#user=mira&k=5&pass={expired}"));
    page.expect_on_console("401");
    page.until("words about its time", || {
        let text: String = page.script("return document.body.innerText.toLowerCase()", &json!([]));
        (text.contains("expired") || text.contains("no longer") || text.contains("time is over"))
            .then_some(())
    });
    assert!(page.list().is_empty());
    page.photograph("expired-link");
    let changed = key().sign("mira", SystemTime::now() + Duration::from_secs(600)).replace('.', ".9");
    page.visit(&site, &format!("#user=mira&k=5&pass={changed}"));
    page.until("words about the link", || {
        let text: String =
            page.script("return document.querySelector('main').innerText.toLowerCase()", &json!([]));
        text.contains("link").then_some(())
    });
    assert!(page.list().is_empty());
    page.photograph("changed-link");
}
