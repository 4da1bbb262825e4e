//! What other people are called in a record: `other-1`, `other-2` … in order of appearance.

use grease_graph::UserId;

/// Pseudonyms given out within one record.
pub struct Pseudonyms {
    /// The person's own id: never given to anybody else, even if it looks like one of these.
    taken: String,
    next: usize,
    given: Vec<(UserId, String)>,
}

impl Pseudonyms {
    /// None of them is `taken`.
    pub fn avoiding(taken: &str) -> Self {
        Self { taken: taken.to_owned(), next: 1, given: Vec::new() }
    }

    /// The same for the same user.
    pub fn of(&mut self, user: UserId) -> String {
        if let Some((_, name)) = self.given.iter().find(|(known, _)| *known == user) {
            return name.clone();
        }
        let mut name = format!("other-{}", self.next);
        if name == self.taken {
            self.next += 1;
            name = format!("other-{}", self.next);
        }
        self.next += 1;
        self.given.push((user, name.clone()));
        name
    }
}

/// Whether an id is one of ours. Even where somebody's own id looks like one: nobody can tell the two apart afterwards.
pub fn is_pseudonym(id: &str) -> bool {
    id.strip_prefix("other-").is_some_and(|n| !n.is_empty() && n.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_is_never_the_persons_own_id() {
        let mut pseudonyms = Pseudonyms::avoiding("other-2");
        let given = [7, 8, 7, 9].map(|row| pseudonyms.of(UserId(row)));
        assert_eq!(given, ["other-1", "other-3", "other-1", "other-4"]);
    }
}
