//! What sets the answer to a weaker question apart from an answer: a frame, and a line above that says what it is.

use grease_explain::Weaker;

use super::style::{BOLD, SMALL, WIDTH};
use crate::Instead;
use crate::escape::escape;
use crate::measure::fitted;
use crate::sentence::Voice;

/// Room for the line above.
pub(super) const ABOVE: f32 = 30.0;

/// All that is drawn after it moves down, until [`end`].
pub(super) fn begin(svg: &mut String, voice: &Voice<'_>, told: &Instead, height: f32) {
    let (width, height) = (WIDTH - 12.0, height - 12.0);
    svg.push_str(&format!(
        "<rect class=\"frame\" x=\"6\" y=\"6\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n"
    ));
    let said = escape(&fitted(&question(voice, told), SMALL * BOLD, WIDTH - 48.0));
    svg.push_str(&format!(
        "<text class=\"told strong\" x=\"24\" y=\"30\">{said}</text>\n<g transform=\"translate(0 {ABOVE})\">\n"
    ));
}

pub(super) fn end(svg: &mut String) {
    svg.push_str("</g>\n");
}

/// What is answered in place of the question asked.
fn question(voice: &Voice<'_>, told: &Instead) -> String {
    match told.question {
        Weaker::HistoryAlone => {
            format!("Not found as asked. Instead: going by what you {} alone", voice.called.words.did)
        }
        Weaker::Many => "Not found as asked. Instead: more than may be named at once".to_owned(),
        Weaker::Parts => "Nothing is both enough and needed. Instead: each by itself".to_owned(),
    }
}
