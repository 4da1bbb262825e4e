//! The little English that sentences need.

/// Past tense and participle of verbs whose two forms differ; all others share one.
const IRREGULAR: [(&str, &str); 20] = [
    ("ate", "eaten"),
    ("began", "begun"),
    ("chose", "chosen"),
    ("did", "done"),
    ("drank", "drunk"),
    ("drove", "driven"),
    ("flew", "flown"),
    ("forgave", "forgiven"),
    ("gave", "given"),
    ("knew", "known"),
    ("ran", "run"),
    ("rode", "ridden"),
    ("sang", "sung"),
    ("saw", "seen"),
    ("spoke", "spoken"),
    ("swam", "swum"),
    ("took", "taken"),
    ("went", "gone"),
    ("wore", "worn"),
    ("wrote", "written"),
];

/// "listened to" as in "had you listened to", "chosen" for "chose".
pub(crate) fn participle(did: &str) -> String {
    let (verb, rest) = did.split_once(' ').map_or((did, ""), |(verb, rest)| (verb, rest));
    match IRREGULAR.iter().find(|(past, _)| *past == verb) {
        None => did.to_owned(),
        Some((_, participle)) if rest.is_empty() => (*participle).to_owned(),
        Some((_, participle)) => format!("{participle} {rest}"),
    }
}

/// "listeners", "people".
pub(crate) fn plural(person: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| person.ends_with(ending));
    if let Some(stem) = person.strip_suffix("person") {
        format!("{stem}people")
    } else if let Some(stem) = person.strip_suffix("man") {
        format!("{stem}men")
    } else if ends(&["ay", "ey", "oy", "uy"]) {
        format!("{person}s")
    } else if let Some(stem) = person.strip_suffix('y') {
        format!("{stem}ies")
    } else if ends(&["s", "x", "ch", "sh", "z"]) {
        format!("{person}es")
    } else {
        format!("{person}s")
    }
}

/// "1st", "12th".
pub(crate) fn ordinal(n: usize) -> String {
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// "three", "12".
pub(crate) fn number(n: usize) -> String {
    const WORDS: [&str; 11] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    WORDS.get(n).map_or_else(|| n.to_string(), |word| (*word).to_owned())
}

/// "A", "A and B", "A, B and C".
pub fn list(parts: &[impl AsRef<str>]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// The first letter made large: for sentences that begin with our own words, never for titles.
pub fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A share of 0 to 1 in words.
pub(crate) fn share(part: f32) -> &'static str {
    match part {
        ..0.42 => "less than half",
        0.42..0.58 => "about half",
        0.58..0.71 => "about two thirds",
        0.71..0.83 => "about three quarters",
        0.83..0.95 => "about nine tenths",
        _ => "nearly all",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_and_nouns_bend_as_they_should() {
        let had = ["listened to", "visited", "chose", "went to", "read", "saw"].map(participle);
        assert_eq!(had, ["listened to", "visited", "chosen", "gone to", "read", "seen"]);
        let many = ["listener", "person", "boss", "customer", "spy", "buoy", "salesperson"].map(plural);
        assert_eq!(many, ["listeners", "people", "bosses", "customers", "spies", "buoys", "salespeople"]);
    }

    #[test]
    fn numbers_are_said_as_people_say_them() {
        let places = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal);
        assert_eq!(places, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]);
        assert_eq!([number(1), number(10), number(11)], ["one", "ten", "11"]);
        assert_eq!(
            [share(0.5), share(2.0 / 3.0), share(0.99)],
            ["about half", "about two thirds", "nearly all"]
        );
    }

    #[test]
    fn lists_take_commas_and_an_and() {
        let names = ["A", "B", "C"].map(str::to_owned);
        assert_eq!([list(&names[..1]), list(&names[..2]), list(&names)], ["A", "A and B", "A, B and C"]);
        assert_eq!(capitalised("éa"), "Éa");
    }
}
