//! When something is wrong: no server, nobody of that name, no token.

use grease_serve::ServeOptions;
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
