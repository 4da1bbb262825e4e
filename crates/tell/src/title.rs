//! Titles as they can be put into a sentence: cleaned of what breaks a line, in quotation marks so that none is misread.

/// The longest title a sentence repeats in full, in characters.
const LONGEST: usize = 60;

/// One line of visible text: control characters and runs of space become one space, and marks that turn the direction
/// of all text after them go. `None` where nothing visible is left.
pub fn clean(text: &str) -> Option<String> {
    let visible: String = text
        .chars()
        .filter(|c| !turns_or_hides(*c))
        .map(|c| if c.is_control() || c == '\u{2028}' || c == '\u{2029}' { ' ' } else { c })
        .collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn turns_or_hides(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
        || ('\u{202A}'..='\u{202E}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// At most [`LONGEST`] characters, the last of them an ellipsis where some were left out.
pub(crate) fn shortened(title: &str) -> String {
    if title.chars().count() <= LONGEST {
        return title.to_owned();
    }
    let start: String = title.chars().take(LONGEST - 1).collect();
    format!("{}…", start.trim_end())
}

/// In quotation marks, with those inside made single.
pub(crate) fn quoted(title: &str) -> String {
    format!("“{}”", without_double_quotes(title))
}

/// With double quotation marks made single.
pub(crate) fn without_double_quotes(title: &str) -> String {
    title
        .chars()
        .map(|c| match c {
            '“' => '‘',
            '”' => '’',
            '"' => '\'',
            c => c,
        })
        .collect()
}

/// Kept from turning the words around it, where it is written from right to left.
pub(crate) fn isolated(title: String) -> String {
    let rightward =
        |c: char| matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
    if title.chars().any(rightward) { format!("\u{2068}{title}\u{2069}") } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_a_line_goes() {
        assert_eq!(clean(" a\n\tb\u{0}c \u{202E}d\u{200B} ").as_deref(), Some("a b c d"));
        assert_eq!([clean(""), clean(" \n"), clean("\u{202E}")], [None, None, None]);
    }

    #[test]
    fn long_titles_end_in_an_ellipsis() {
        let long = shortened(&"ü".repeat(200));
        assert_eq!((long.chars().count(), long.ends_with("ü…")), (60, true));
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn quotes_inside_are_single_and_directions_stay_inside() {
        assert_eq!(quoted("The \"Band\" “live”"), "“The 'Band' ‘live’”");
        assert_eq!(isolated("שלום".into()), "\u{2068}שלום\u{2069}");
        assert_eq!(isolated("peace".into()), "peace");
    }
}
