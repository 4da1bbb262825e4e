//! How long to wait before asking again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nobody waits longer than this, whatever a service says.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// As long as the service says; else twice as long each time, a quarter more or less, so that many who were turned away
/// together do not come back together. How much is decided by the question: the same run waits the same.
pub(super) fn pause(backoff: Duration, tries: u32, after: Option<Duration>, question: &[u8]) -> Duration {
    if let Some(after) = after {
        return after;
    }
    // FNV-1a over the question and the try.
    let hash = question.iter().chain(&tries.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let share = 0.75 + 0.5 * (hash >> 11) as f64 / (1_u64 << 53) as f64;
    backoff.saturating_mul(1 << tries.saturating_sub(1).min(10)).mul_f64(share).min(LONGEST_WAIT)
}

/// What a `Retry-After` header says: seconds, or a date.
pub(super) fn retry_after(value: &str) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let at = UNIX_EPOCH + Duration::from_secs(seconds_of(value)?);
    Some(at.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO))
}

/// Seconds since 1970 of a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of(date: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, rest) = date.split_once(", ")?;
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let [day, month, year, time, "GMT"] = words[..] else { return None };
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let clock: Option<Vec<u64>> = time.split(':').map(|part| part.parse().ok()).collect();
    let clock = clock?;
    let [hours, minutes, seconds] = clock[..] else { return None };
    if !(1..=31).contains(&day)
        || !(1970..10_000).contains(&year)
        || hours > 23
        || minutes > 59
        || seconds > 60
    {
        return None;
    }
    // Years from March on: the leap day comes last, and months before July have a pattern of their own.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    // Days from March of year 0 to 1970.
    Some((days - 719_468) * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_grows_and_differs_between_questions_but_not_between_runs() {
        let base = Duration::from_millis(100);
        let waits: Vec<Duration> = (1..5).map(|tries| pause(base, tries, None, b"a")).collect();
        for (wait, middle) in waits.iter().zip([100, 200, 400, 800]) {
            let middle = Duration::from_millis(middle);
            assert!(*wait >= middle.mul_f64(0.75) && *wait <= middle.mul_f64(1.25), "{wait:?}");
        }
        assert_eq!(pause(base, 1, None, b"a"), waits[0]);
        assert_ne!(pause(base, 1, None, b"b"), waits[0]);
        assert_eq!(pause(base, 3, Some(Duration::from_secs(2)), b"a"), Duration::from_secs(2));
    }

    #[test]
    fn a_service_may_say_how_long_in_seconds_or_until_when() {
        assert_eq!(retry_after(" 12 "), Some(Duration::from_secs(12)));
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds_of("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds_of("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO), "long past");
        for wrong in [
            "soon",
            "",
            "-1",
            "Sun, 06 Nov 1994",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 8:49 GMT",
        ] {
            assert_eq!(retry_after(wrong), None, "{wrong}");
        }
    }
}
