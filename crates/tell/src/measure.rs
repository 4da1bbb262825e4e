//! How wide text is, well enough to break and to cut it: no font is at hand where pictures are written.

/// Width of a character in a terminal, in cells.
fn cells(c: char) -> usize {
    match c {
        c if joins(c) => 0,
        c if wide(c) => 2,
        _ => 1,
    }
}

/// Width of a character in a sans-serif face, in ems; rather too much than too little.
fn ems(c: char) -> f32 {
    match c {
        c if joins(c) => 0.0,
        c if wide(c) => 1.05,
        'i' | 'j' | 'l' | 'I' | '.' | ',' | '\'' | '!' | ':' | ';' | '|' | ' ' => 0.32,
        'f' | 'r' | 't' | '-' | '(' | ')' | '"' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.95,
        c if c.is_uppercase() => 0.72,
        c if c.is_ascii() => 0.58,
        _ => 0.68,
    }
}

/// Combining marks, joiners and direction marks take no room of their own.
fn joins(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0591}'..='\u{05BD}' | '\u{064B}'..='\u{065F}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{200B}'..='\u{200F}' | '\u{2066}'..='\u{2069}' | '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}')
}

fn wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115F}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}' | '\u{FF00}'..='\u{FF60}' | '\u{1F300}'..='\u{1FAFF}' | '\u{20000}'..='\u{3FFFD}')
}

/// Width in a terminal.
pub fn terminal_width(text: &str) -> usize {
    text.chars().map(cells).sum()
}

/// Width in pixels at a size of `font` pixels.
pub fn pixel_width(text: &str, font: f32) -> f32 {
    text.chars().map(ems).sum::<f32>() * font
}

/// The longest start of `text` that fits, with an ellipsis where something is cut off.
pub fn fitted(text: &str, font: f32, room: f32) -> String {
    if pixel_width(text, font) <= room {
        return text.to_owned();
    }
    let mut used = font;
    let start: String = text
        .chars()
        .take_while(|&c| {
            used += ems(c) * font;
            used <= room
        })
        .collect();
    format!("{}…", start.trim_end())
}

/// Lines no wider than `room` by `width`; a word wider than that is broken.
pub fn wrapped<N: PartialOrd>(text: &str, room: &N, width: impl Fn(&str) -> N) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&longer) <= *room {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            line.push(letter);
            if width(&line) > *room && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, letter.to_string()));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_inside_only_where_they_must() {
        assert_eq!(wrapped("aa bb ccccccc d", &5, terminal_width), ["aa bb", "ccccc", "cc d"]);
        assert_eq!(wrapped("日本語", &4, terminal_width), ["日本", "語"]);
        assert_eq!(wrapped("ab", &0, terminal_width), ["a", "b"], "never stuck");
        assert!(wrapped(" \n", &5, terminal_width).is_empty());
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        let long = fitted(&"Wide ".repeat(40), 14.0, 200.0);
        assert!(long.ends_with('…') && pixel_width(&long, 14.0) <= 205.0, "{long}");
        assert_eq!(fitted("short", 14.0, 200.0), "short");
    }
}
