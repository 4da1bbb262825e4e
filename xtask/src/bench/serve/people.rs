//! Whom the load asks about: the model's people, in an order that is random and the same in every run.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::client::{get, post};
use crate::failure::Failure;

/// Everybody with a history, and what it holds.
pub(super) struct People {
    people: Vec<(String, Vec<String>)>,
}

impl People {
    /// From the tables of a model folder.
    pub(super) fn of(model: &Path) -> Result<Self, Failure> {
        let file = model.join("train.tsv");
        let text = fs::read_to_string(&file).map_err(Failure::file(&file))?;
        let people = histories(&text);
        if people.is_empty() {
            return Err(Failure::work(format!("{}: nobody has a history", file.display())));
        }
        Ok(Self { people })
    }

    pub(super) fn len(&self) -> usize {
        self.people.len()
    }

    /// The id of the person at a place of an order in which everybody comes once before anybody comes twice.
    pub(super) fn id(&self, at: u64) -> &str {
        &self.person(at).0
    }

    fn person(&self, at: u64) -> &(String, Vec<String>) {
        let people = self.people.len() as u64;
        // Another order in each round, by walking in steps that reach everybody.
        let round = random(at / people);
        let step = (1..).map(|more| round % people + more).find(|&step| shares_nothing(step, people));
        &self.people[((at % people * step.unwrap_or(1) + round) % people) as usize]
    }

    /// `GET /api/users/{id}/recommendations`
    pub(super) fn recommendations(&self, at: u64) -> Vec<u8> {
        self.list(at, 10)
    }

    /// The same of another length.
    pub(super) fn list(&self, at: u64, k: u64) -> Vec<u8> {
        let id = utf8_percent_encode(self.id(at), NON_ALPHANUMERIC);
        get(&format!("/api/users/{id}/recommendations?k={k}"))
    }

    /// `POST /api/what-if`: a random item of their own imagined away.
    pub(super) fn what_if(&self, at: u64) -> Vec<u8> {
        let (user, history) = self.person(at);
        let gone = &history[(random(at) % history.len() as u64) as usize];
        post("/api/what-if", &json!({ "user": user, "remove": [gone], "k": 10 }).to_string())
    }

    /// `POST /api/explanations` of a whole list, own scope. Each `seed` is another question, though own scope finds the same
    /// answer: so what was told already does not answer it.
    pub(super) fn explain_list(&self, at: u64, seed: u64) -> Vec<u8> {
        let body = json!({ "user": self.id(at), "k": 10, "seed": seed });
        post("/api/explanations", &body.to_string())
    }

    /// The same of one item.
    pub(super) fn explain_item(&self, at: u64, item: &str, seed: u64) -> Vec<u8> {
        let body = json!({ "user": self.id(at), "items": [item], "k": 10, "seed": seed });
        post("/api/explanations", &body.to_string())
    }
}

/// Each line has a user and an item, after a header.
fn histories(text: &str) -> Vec<(String, Vec<String>)> {
    let mut people: Vec<(String, Vec<String>)> = Vec::new();
    let mut place: HashMap<&str, usize> = HashMap::new();
    for line in text.lines().skip(1) {
        let mut fields = line.split('\t');
        let (Some(user), Some(item)) = (fields.next(), fields.next()) else { continue };
        let at = *place.entry(user).or_insert_with(|| {
            people.push((user.to_owned(), Vec::new()));
            people.len() - 1
        });
        people[at].1.push(item.to_owned());
    }
    people
}

fn shares_nothing(a: u64, b: u64) -> bool {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// A number that looks random and is a function of its argument alone (splitmix64).
pub(super) fn random(at: u64) -> u64 {
    let mut mixed = at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    // Room to multiply by a number of people.
    (mixed ^ (mixed >> 31)) >> 24
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn people(number: usize) -> People {
        let lines: String = (0..number).map(|at| format!("p{at}\ti{at}\np{at}\tj{at}\n")).collect();
        People { people: histories(&format!("user\titem\n{lines}")) }
    }

    #[test]
    fn everybody_comes_once_before_anybody_comes_twice() {
        for number in [1, 2, 12, 97, 1800] {
            let people = people(number);
            for round in 0..3 {
                let first = round * number as u64;
                let met: HashSet<&str> = (first..first + number as u64).map(|at| people.id(at)).collect();
                assert_eq!(met.len(), number);
            }
        }
    }

    #[test]
    fn what_is_imagined_away_is_their_own() {
        let people = people(30);
        for at in 0..60 {
            let request = String::from_utf8(people.what_if(at)).unwrap();
            let number = people.id(at).trim_start_matches('p');
            assert!(
                request.contains(&format!("\"i{number}\"")) || request.contains(&format!("\"j{number}\""))
            );
        }
    }
}
