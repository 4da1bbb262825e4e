//! Somebody, their list, and why.

use grease_serve::ServeOptions;
use serde_json::{Value, json};

use crate::fixture::Site;
use crate::page::{Page, sentences, title, titles};
use grease_testing::folder;

/// An item of mira's list that a verified counterfactual explains, and what is told of it.
pub(crate) fn explained(site: &Site, k: usize) -> (Value, Value) {
    let asked = json!({ "user": "mira", "k": k, "goals": ["counterfactual"] });
    let all = site.post("/api/explanations", &asked);
    let all = all["explanations"].as_array().unwrap();
    let verified = all.iter().find(|one| one["status"] == "verified" && !one["replaced_by"].is_null());
    let counterfactual = verified.expect("one of the list has a counterfactual").clone();
    let asked = json!({
        "user": "mira", "k": k, "items": [counterfactual["item"]], "goals": ["joint", "factual", "counterfactual"],
    });
    (counterfactual, site.post("/api/explanations", &asked))
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn somebody_is_found_by_search_and_their_list_and_history_are_shown() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "");
    page.until("what is served", || page.seen("#about").filter(|about| about.contains("80")));
    page.photograph("start-light");
    page.choose("#person", "#people", "MIR", "mira");
    let list = site.get("/api/users/mira/recommendations?k=10");
    page.until_listed("what mira is recommended", &titles(&list["recommendations"]));
    let ranks: Vec<String> = page.list().into_iter().map(|place| place.rank).collect();
    assert!(ranks.iter().zip(1..).all(|(rank, place)| rank.starts_with(&place.to_string())), "{ranks:?}");
    let own: Vec<String> = page.history().into_iter().map(|own| own.title).collect();
    let mut known = titles(&site.get("/api/users/mira")["history"]);
    let mut shown = own;
    known.sort();
    shown.sort();
    assert_eq!(shown, known);
    assert!(page.history().iter().all(|own| own.ticked));
    assert!(page.link().contains(&("user".into(), "mira".into())));
    page.photograph("list-light");
    page.fill("#k", "3");
    page.press(crate::driver::Key::Enter);
    page.until_listed("a shorter list", &titles(&list["recommendations"])[..3]);
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn nobody_found_is_said() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "");
    page.fill("#person", "zzzz");
    page.until("words about it", || {
        let seen = page.seen("#people").or_else(|| page.seen("#state"))?;
        (seen.contains("othing") || seen.contains("obody")).then_some(())
    });
    page.photograph("nobody-found");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn why_tells_sentences_a_picture_the_strength_and_what_would_take_its_place() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5");
    let (one, told) = explained(&site, 5);
    page.ask_why(&title(&one));
    page.until_told(&sentences(&told));
    page.until_true(
        "pictures with words for who cannot see them",
        "const pictures = [...document.querySelectorAll('#answer img')];
        return pictures.length > 0 && pictures.every((one) => one.complete && one.naturalWidth > 0 && one.alt.length > 10)",
        &json!([]),
    );
    page.photograph("why-light");
    let strength = page.seen("#why .strength").expect("the strength is shown");
    assert!(strength.contains(|c: char| c.is_ascii_digit()), "{strength}");
    let instead = page.seen("#why .instead").expect("what would take its place is shown");
    let replacing = one["replaced_by_title"].as_str().unwrap();
    assert!(instead.contains(replacing), "{instead} has no {replacing}");
    let certificate = "const fold = document.querySelector('#answer details');
        return fold.open && fold.textContent.includes(arguments[0])";
    let model = &one["model"].as_str().unwrap()[..8];
    assert!(!page.script::<bool>(certificate, &json!([model])), "the certificate is folded at first");
    page.click("#answer details summary");
    page.until_true("the certificate, with the model's hash", certificate, &json!([model]));
    page.photograph("certificate-light");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn a_picture_keeps_its_style_when_it_is_looked_at_alone() {
    let site = Site::start(ServeOptions::default());
    let (_, told) = explained(&site, 5);
    let page = Page::open(&site, "");
    page.expect_on_console("favicon");
    page.visit(&site, &format!("api/explanations/{}.svg", told["ids"][0].as_str().unwrap()));
    page.until_true("a picture", "return document.documentElement.localName === 'svg'", &json!([]));
    page.photograph("picture-alone");
    // Where the policy forbids its style the console says so, and the test fails.
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn why_something_is_not_there_is_asked_by_search() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5");
    let list = site.get("/api/users/mira/recommendations?k=20");
    let absent = &list["recommendations"][7];
    page.until("the list", || (page.titles().len() == 5).then_some(()));
    page.choose("#why-not", "#absent", &title(absent), &title(absent));
    let asked = json!({ "user": "mira", "k": 5, "items": [absent["item"]], "goals": ["why_not"] });
    page.until_told(&sentences(&site.post("/api/explanations", &asked)));
    assert!(page.link().contains(&("why_not".into(), absent["item"].as_str().unwrap().into())));
    page.photograph("why-not-light");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn methods_are_compared_with_a_row_for_each() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=5");
    let (one, told) = explained(&site, 5);
    page.ask_why(&title(&one));
    page.until_told(&sentences(&told));
    page.click("#compare");
    // Those that try everything are for evaluations.
    let slow = ["exact", "paper"];
    let model = site.get("/api/model");
    let methods: Vec<&str> =
        model["methods"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    for method in methods.into_iter().filter(|method| !slow.contains(method)) {
        page.until_true(
            &format!("a row of {method}"),
            "return [...document.querySelectorAll('#methods tr')].some((row) =>
                row.cells.length > 2 && row.cells[0].textContent.trim().toLowerCase().includes(arguments[0])
                    && [...row.cells].slice(1).every((cell) => cell.textContent.trim() !== ''))",
            &json!([method]),
        );
    }
    page.photograph("compare-light");
}

/// A recommender that takes its time, so that what streams can be seen to.
struct Slow(grease::graph::doubles::CoNeighbours);

impl grease::graph::Recommender for Slow {
    fn graph(&self) -> &grease::graph::Graph {
        self.0.graph()
    }

    fn score(
        &self,
        user: grease::graph::UserId,
        profile: grease::graph::Profile,
        edits: &[grease::graph::Edit],
        out: &mut [f32],
    ) -> Result<(), grease::graph::ScoreError> {
        std::thread::sleep(std::time::Duration::from_millis(30));
        self.0.score(user, profile, edits, out)
    }
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn the_whole_list_is_explained_line_by_line_as_answers_come() {
    let data = folder().data.clone();
    let graph = grease::graph::Graph::new(data.users.len(), data.items.len(), &data.train.listed()).unwrap();
    let slow = std::sync::Arc::new(Slow(grease::graph::doubles::CoNeighbours::new(graph)));
    let site =
        Site::serving(&grease::Subject::foreign(data, slow, "double", ["slow"]), ServeOptions::default());
    let page = Page::open(&site, "#user=mira&k=20");
    page.until("the list", || (page.titles().len() == 20).then_some(()));
    page.click("#explain-all");
    let count =
        || page.script::<usize>("return document.querySelectorAll('#items .because').length", &json!([]));
    let first = page.until("the first sentence", || Some(count()).filter(|count| *count > 0));
    assert!(first < 20, "{first} at once: the first does not wait for the others, which take their time");
    page.until_true(
        "a sentence below each of the list",
        "const lines = [...document.querySelectorAll('#items li')].filter((line) => line.querySelector('button'));
        return lines.length === 20 && lines.every((line) => line.querySelector('.because')?.textContent.trim().length > 10)",
        &json!([]),
    );
    page.photograph("explain-all-light");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn the_page_says_what_the_list_rests_on() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "#user=diego&k=5");
    page.until("the list", || (page.titles().len() == 5).then_some(()));
    page.click("#rests-on");
    page.until_true(
        "a sentence and its picture",
        "const rests = document.querySelector('#rests');
        return /^Had you/.test(rests.textContent) && rests.querySelector('img')?.complete",
        &json!([]),
    );
    page.photograph("rests-on-light");
    page.resize(360, 740);
    page.assert_fits(360);
    page.dark(true);
    page.photograph("rests-on-narrow-dark");
}

#[test]
#[ignore = "needs Chromium and chromedriver: cargo xtask test runs it"]
fn the_api_is_described_on_a_page_of_its_own() {
    let site = Site::start(ServeOptions::default());
    let page = Page::open(&site, "docs");
    let described = site.get("/openapi.json");
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.len() > 5);
    for path in paths.keys() {
        page.until(path, || {
            let text: String = page.script("return document.body.innerText", &json!([]));
            text.contains(path).then_some(())
        });
    }
    page.photograph("docs-light");
    page.resize(360, 740);
    page.assert_fits(360);
    page.dark(true);
    page.photograph("docs-narrow-dark");
}
