//! For everybody: by keyboard, in the dark, on a telephone.

use grease_serve::ServeOptions;
use serde_json::{Value, json};

use crate::asking::explained;
use crate::driver::Key;
use crate::fixture::Site;
use crate::page::{Page, sentences, title, titles};

/// Whether what has the focus fits a selector (and has this in its text or label).
fn is_at(page: &Page, css: &str, name: &str) -> bool {
    let at = "const at = document.activeElement;
        return at.matches(arguments[0]) && (at.getAttribute('aria-label') ?? at.textContent).includes(arguments[1])";
    page.script(at, &json!([css, name]))
}

/// Presses Tab until it is there; every stop on the way can be seen.
fn tab_to(page: &Page, css: &str, name: &str) {
    for _ in 0..80 {
        if is_at(page, css, name) {
            return;
        }
        page.press(Key::Tab);
        assert_focus_is_seen(page);
    }
    panic!("Tab does not come to {css} {name}");
}

fn assert_focus_is_seen(page: &Page) {
    let unseen: Option<String> = page.script(
        "const at = document.activeElement;
        if (at === document.body) return null;
        const style = getComputedStyle(at), box = at.getBoundingClientRect();
        const marked = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none';
        const inside = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
        return at.matches(':focus-visible') && marked && inside ? null : `${at.outerHTML.slice(0, 200)} marked: ${marked}, inside: ${inside}`",
        &json!([]),
    );
    assert_eq!(unseen, None, "the focus cannot be seen");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn everything_is_done_by_keyboard_alone() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "");
    page.until("what is served", || page.seen("#about").filter(|about| about.contains("80")));
    tab_to(&page, "#person", "");
    page.press("mira");
    page.until_true(
        "somebody found",
        "return document.querySelector('#people button')?.textContent.includes('mira') ?? false",
        &json!([]),
    );
    tab_to(&page, "#people button", "mira");
    page.press(Key::Enter);
    let list = site.get("/api/users/mira/recommendations?k=10");
    page.until_listed("mira's list", &titles(&list["recommendations"]));

    tab_to(&page, "#history input[type=checkbox]", "");
    page.press(Key::Space);
    page.until("something unticked", || page.history().iter().any(|own| !own.ticked).then_some(()));
    let history = site.get("/api/users/mira")["history"].clone();
    let off = page.history().into_iter().find(|own| !own.ticked).unwrap().title;
    let item = history.as_array().unwrap().iter().find(|item| title(item) == off).unwrap();
    let asked = json!({ "user": "mira", "remove": [item["item"]], "k": 10 });
    page.until_listed("the list as it would be", &titles(&site.post("/api/what-if", &asked)["after"]));
    assert!(is_at(&page, "#history input[type=checkbox]:not(:checked)", ""), "the focus stays where it was");

    tab_to(&page, "#items button", "Why is ");
    page.press(Key::Enter);
    page.until("an answer", || (!page.sentences().is_empty()).then_some(()));
    page.photograph("keyboard-light");
    tab_to(&page, "#answer summary", "");
    page.press(Key::Enter);
    page.until_true("the certificate", "return document.querySelector('#answer details').open", &json!([]));
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn tab_goes_through_the_whole_page_and_out_again() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5");
    let (one, told) = explained(&site, 5);
    page.ask_why(&title(&one));
    page.until_told(&sentences(&told));
    let _: Value = page.script("window.visited = new Set()", &json!([]));
    // From wherever the focus is to the end, where it leaves the page; then one whole round.
    tab_out(&page);
    let _: Value = page.script("visited.clear()", &json!([]));
    tab_out(&page);
    let missed: Vec<String> = page.script(
        "return [...document.querySelectorAll('main button, main input, main summary, main a[href]')]
            .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)
            .filter((one) => !visited.has(one)).map((one) => one.outerHTML.slice(0, 120))",
        &json!([]),
    );
    assert!(missed.is_empty(), "Tab passes over {missed:#?}");
}

/// Presses Tab until the focus leaves the page.
fn tab_out(page: &Page) {
    for _ in 0..200 {
        page.press(Key::Tab);
        assert_focus_is_seen(page);
        let has_left: bool = page.script(
            "visited.add(document.activeElement); return document.activeElement === document.body",
            &json!([]),
        );
        if has_left {
            return;
        }
    }
    panic!("there is no way out of the page");
}

/// Text whose contrast to what is behind it is too small, with the contrast.
fn faint(page: &Page) -> Vec<String> {
    page.script(
        "const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 1;
        const pen = canvas.getContext('2d', { willReadFrequently: true });
        const ink = (colours) => {
            pen.clearRect(0, 0, 1, 1);
            for (const colour of colours) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
            return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const light = (rgb) => {
            const [r, g, b] = rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
        const behind = (one) => {
            const colours = [];
            for (let at = one; at; at = at.parentElement) colours.unshift(getComputedStyle(at).backgroundColor);
            return [getComputedStyle(document.documentElement).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#fff', ...colours];
        };
        return [...document.querySelectorAll('body *')]
            .filter((one) => one.checkVisibility() && !one.disabled && !one.closest('[aria-busy=true]'))
            .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
            .map((one) => {
                const style = getComputedStyle(one), size = parseFloat(style.fontSize);
                const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
                const ground = behind(one);
                return [contrast(ink(ground), ink([...ground, style.color])), large ? 3 : 4.5, one];
            })
            .filter(([found, wanted]) => found < wanted)
            .map(([found, wanted, one]) => `${found.toFixed(2)} < ${wanted}: ${one.outerHTML.slice(0, 120)}`)",
        &json!([]),
    )
}

fn colours(page: &Page) -> (String, String) {
    let read =
        "const { backgroundColor, color } = getComputedStyle(document.body); return [backgroundColor, color]";
    page.script(read, &json!([]))
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn it_is_dark_for_who_likes_it_dark_and_readable_either_way() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5");
    let (one, told) = explained(&site, 5);
    let first = page.until("the history", || page.history().into_iter().next());
    page.toggle(&first.title);
    page.ask_why(&title(&one));
    page.until_told(&sentences(&told));
    page.click("#answer details summary");
    page.until_true("rest", "return !document.querySelector('[aria-busy=true]')", &json!([]));
    page.dark(false);
    let light = colours(&page);
    assert_eq!(faint(&page), Vec::<String>::new());
    page.dark(true);
    page.until("other colours", || {
        let dark = colours(&page);
        (dark.0 != light.0 && dark.1 != light.1).then_some(())
    });
    page.photograph("why-dark");
    assert_eq!(faint(&page), Vec::<String>::new());
}

fn assert_buttons_can_be_hit(page: &Page) {
    let small: Vec<String> = page.script(
        "return [...document.querySelectorAll('button, summary, input, select')]
            .filter((one) => one.checkVisibility() && one.type !== 'checkbox')
            .concat([...document.querySelectorAll('#history label')])
            .map((one) => [one.getBoundingClientRect().height, one.outerHTML.slice(0, 100)])
            .filter(([height]) => height < 24).map(String)",
        &json!([]),
    );
    assert!(small.is_empty(), "less than 24 pixels high: {small:#?}");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn it_fits_a_narrow_screen() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "");
    page.resize(360, 740);
    page.until("what is served", || page.seen("#about").filter(|about| about.contains("80")));
    page.assert_fits(360);
    assert_buttons_can_be_hit(&page);
    page.photograph("start-narrow");
    page.choose("#person", "#people", "mira", "mira");
    let list = titles(&site.get("/api/users/mira/recommendations?k=10")["recommendations"]);
    page.until_listed("mira's list", &list);
    page.assert_fits(360);
    page.photograph("list-narrow");
    page.ask_why(&list[0]);
    page.until_true(
        "a picture",
        "return document.querySelector('#answer img')?.complete ?? false",
        &json!([]),
    );
    page.click("#answer details summary");
    page.assert_fits(360);
    assert_buttons_can_be_hit(&page);
    page.photograph("why-narrow");
    page.click("#compare");
    page.until_true("rows", "return document.querySelectorAll('#methods tr').length > 5", &json!([]));
    page.assert_fits(360);
    page.photograph("compare-narrow");
    page.dark(true);
    page.photograph("why-narrow-dark");
}
