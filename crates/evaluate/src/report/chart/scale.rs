//! From shares to pixels.

/// Shares from 0 up to somewhere, along a stretch of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    top: f64,
    from: f32,
    to: f32,
}

/// How far up an axis goes, the least that holds everything: low shares would drown on a full axis.
const TOPS: [f64; 5] = [0.1, 0.2, 0.4, 0.6, 0.8];

impl Scale {
    /// Wide enough for all of these.
    pub(super) fn for_all(shares: impl Iterator<Item = f64>) -> Self {
        let most = shares.filter(|share| share.is_finite()).fold(0.0, f64::max);
        let top = TOPS.into_iter().find(|top| most <= *top).unwrap_or(1.0);
        Self { top, from: 0.0, to: 1.0 }
    }

    /// The same from one pixel to another.
    pub(super) fn between(self, from: f32, to: f32) -> Self {
        Self { from, to, ..self }
    }

    /// Where a share lies; what is beyond the axis lies at its end.
    pub(super) fn at(self, share: f64) -> f32 {
        let part = if share.is_finite() { (share / self.top).clamp(0.0, 1.0) } else { 0.0 };
        self.from + (self.to - self.from) * part as f32
    }

    /// What is written along the axis, and where.
    pub(super) fn ticks(self) -> Vec<(String, f32)> {
        let steps = if self.top == 0.6 {
            3
        } else if self.top == 1.0 {
            5
        } else {
            4
        };
        let decimals = if self.top < 0.4 { if self.top < 0.2 { 3 } else { 2 } } else { 1 };
        (0..=steps)
            .map(|step| {
                let share = self.top * f64::from(step) / f64::from(steps);
                (format!("{share:.decimals$}"), self.at(share))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_holds_what_it_shows() {
        let scale = Scale::for_all([0.3, f64::NAN, 0.41].into_iter()).between(100.0, 160.0);
        assert_eq!([scale.at(0.0), scale.at(0.3), scale.at(7.0)], [100.0, 130.0, 160.0]);
        let ticks: Vec<String> = scale.ticks().into_iter().map(|(text, _)| text).collect();
        assert_eq!(ticks, ["0.0", "0.2", "0.4", "0.6"]);
        assert_eq!(Scale::for_all(std::iter::empty()).ticks().last().unwrap().0, "0.100");
        assert_eq!(Scale::for_all([3.0].into_iter()).ticks().last().unwrap().0, "1.0");
    }
}
