//! The page as a person sees it: a list, a history, an answer.

use std::ops::Deref;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::driver::Browser;
use crate::fixture::Site;

/// One place of the list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Place {
    pub(crate) rank: String,
    pub(crate) title: String,
    pub(crate) moved: Option<String>,
}

/// One item of the history.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Own {
    pub(crate) title: String,
    pub(crate) ticked: bool,
}

/// The page in a browser.
pub(crate) struct Page(Browser);

impl Deref for Page {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.0
    }
}

/// Those places of the list that ask why; what has gone from it may be shown below.
const PLACES: &str = "const places = [...document.querySelectorAll('#items li')]
    .map((line) => ({ line, why: line.querySelector('button[aria-label^=\"Why is \"]') }))
    .filter(({ why }) => why);";

impl Page {
    /// A new browser at the page, with this link.
    pub(crate) fn open(site: &Site, link: &str) -> Self {
        let page = Self(Browser::start());
        page.visit(site, link);
        page
    }

    /// Goes to the page anew.
    pub(crate) fn visit(&self, site: &Site, link: &str) {
        self.go(&site.url(&format!("/{link}")));
    }

    /// The list as it is shown.
    pub(crate) fn list(&self) -> Vec<Place> {
        let read = format!(
            "{PLACES} return places.map(({{ line, why }}) => ({{
                rank: line.querySelector('.rank').textContent,
                title: why.getAttribute('aria-label').slice('Why is '.length, -' here?'.length),
                moved: line.querySelector('.moved')?.textContent || null,
            }}))"
        );
        self.script(&read, &json!([]))
    }

    /// The titles on the list.
    pub(crate) fn titles(&self) -> Vec<String> {
        self.list().into_iter().map(|place| place.title).collect()
    }

    /// Waits for this list.
    pub(crate) fn until_listed(&self, what: &str, titles: &[String]) {
        let mut seen = Vec::new();
        let began = std::time::Instant::now();
        while began.elapsed().as_secs() < 20 {
            seen = self.titles();
            if seen == titles {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(40));
        }
        panic!("{what}: expected {titles:#?}, but the page lists {seen:#?}");
    }

    /// The history as it is shown.
    pub(crate) fn history(&self) -> Vec<Own> {
        let read = "return [...document.querySelectorAll('#history li')]
            .filter((line) => line.querySelector('label input[type=checkbox]'))
            .map((line) => ({
                title: (line.querySelector('label .name') ?? line.querySelector('label')).textContent.trim(),
                ticked: line.querySelector('input').checked,
            }))";
        self.script(read, &json!([]))
    }

    /// Ticks an item of the history, or unticks it.
    pub(crate) fn toggle(&self, title: &str) {
        self.click_named("#history label", title);
    }

    /// Searches and chooses what is found by this name.
    pub(crate) fn choose(&self, field: &str, results: &str, query: &str, name: &str) {
        self.fill(field, query);
        self.click_named(&format!("{results} button"), name);
    }

    /// Asks why an item is there.
    pub(crate) fn ask_why(&self, title: &str) {
        self.click_named("#items li button", &format!("Why is {title} here?"));
    }

    /// The sentences of the answer.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let read = "return [...document.querySelectorAll('#answer blockquote')].map((one) => one.textContent.trim())";
        self.script(read, &json!([]))
    }

    /// Waits until the answer has these sentences.
    pub(crate) fn until_told(&self, sentences: &[String]) {
        self.until(&format!("the sentences {sentences:#?}"), || {
            let told = self.sentences();
            (told.len() == sentences.len()
                && told.iter().zip(sentences).all(|(told, said)| told.contains(said)))
            .then_some(())
        });
    }

    /// What is shown of an element, where it can be seen.
    pub(crate) fn seen(&self, css: &str) -> Option<String> {
        let read = "const one = document.querySelector(arguments[0]);
            return one && one.checkVisibility() && one.getClientRects().length ? one.innerText.trim() : null";
        self.script(read, &json!([css]))
    }

    /// The last part of the address, as parts.
    pub(crate) fn link(&self) -> Vec<(String, String)> {
        self.script("return [...new URLSearchParams(location.hash.slice(1))]", &json!([]))
    }

    /// Whether nothing sticks out at the side.
    pub(crate) fn assert_fits(&self, width: u64) {
        let (whole, culprits): (u64, Vec<String>) = self.script(
            "const culprits = [...document.querySelectorAll('body *')]
                .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.checkVisibility())
                .map((one) => `${one.tagName}#${one.id}.${one.className}`).slice(0, 5);
            return [document.documentElement.scrollWidth, culprits]",
            &json!([]),
        );
        assert!(
            whole <= width,
            "the page is {whole} wide, the screen {width}; what sticks out: {culprits:?}"
        );
    }
}

/// What the API calls an item to a person.
pub(crate) fn title(item: &Value) -> String {
    let titles = [&item["title"], &item["item_title"], &item["item"]];
    titles.into_iter().find_map(Value::as_str).unwrap().to_owned()
}

/// The titles of a list of the API's.
pub(crate) fn titles(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(title).collect()
}

/// The sentences of what the API explains, as far as the page tells them: that nothing is both, only with its parts.
pub(crate) fn sentences(told: &Value) -> Vec<String> {
    let is_told = |one: &&Value| {
        one["goal"] != "joint" || one["status"] != "not_found" || one["instead"]["question"] == "parts"
    };
    let sentence = |one: &Value| one["sentence"].as_str().unwrap().to_owned();
    told["explanations"].as_array().unwrap().iter().filter(is_told).map(sentence).collect()
}
