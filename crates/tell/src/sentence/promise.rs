//! How often such an explanation holds for a model trained again: one more sentence, where it was measured.

use super::voice::Voice;

/// " Trained again without them, the recommender would agree in about 7 of 10 cases (6 to 8)."
pub(super) fn trained_again(voice: &Voice<'_>) -> String {
    let Some(holds) = voice.record.holds_when_retrained else { return String::new() };
    let mut edges = voice.edges();
    // "It" could be what comes instead.
    let without = match (edges.next(), edges.next()) {
        (Some(only), None) => voice.name(only.title.as_deref(), &only.item),
        _ => "them".to_owned(),
    };
    let [low, share, high] = [holds.low, holds.share, holds.high].map(of_ten);
    let between = if low == high { String::new() } else { format!(" ({low} to {high})") };
    // All of ten would sound like a promise.
    let cases = match share {
        0 => "hardly any case".to_owned(),
        10 => "nearly every case".to_owned(),
        n => format!("about {n} of 10 cases{between}"),
    };
    format!(" Trained again without {without}, the recommender would agree in {cases}.")
}

fn of_ten(share: f32) -> u8 {
    // Whatever a record from elsewhere says: a number beyond all shares becomes the nearest.
    (share.clamp(0.0, 1.0) * 10.0).round() as u8
}
