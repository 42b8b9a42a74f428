//! Axes: where numbers lie, and which of them are written.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// An axis.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it shows.
    pub(crate) label: String,
    /// How numbers are placed.
    pub(crate) scale: Scale,
    /// Its ends, as they are placed.
    limits: Option<(f64, f64)>,
}

/// How numbers are placed along an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm.
    Log,
    /// Named places at 0, 1, 2, …
    Names(Vec<String>),
}

impl Axis {
    /// An axis with evenly placed numbers.
    pub fn linear(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Linear)
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Log)
    }

    /// An axis of named places.
    #[must_use]
    pub fn names(names: Vec<String>) -> Self {
        Self::new("", Scale::Names(names))
    }

    fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self {
            label: label.into(),
            scale,
            limits: None,
        }
    }

    /// The same axis from one number to another, whatever is drawn.
    #[must_use]
    pub fn within(mut self, lo: f64, hi: f64) -> Self {
        self.limits = match (self.place(lo), self.place(hi)) {
            (Some(lo), Some(hi)) if lo < hi => Some((lo, hi)),
            _ => None,
        };
        self
    }

    /// Where a number lies: its logarithm on a logarithmic axis.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            Scale::Log => (value > 0.0).then(|| value.log10())?,
            Scale::Linear | Scale::Names(_) => value,
        };
        place.is_finite().then_some(place)
    }

    /// The range that shows all these places, with a margin.
    pub(crate) fn range(&self, places: impl Iterator<Item = f64> + Clone) -> Ticks {
        if let Some((lo, hi)) = self.limits {
            return Ticks::new(self, lo, hi);
        }
        if let Scale::Names(names) = &self.scale {
            return Ticks::new(self, -0.5, names.len() as f64 - 0.5);
        }
        let lo = places.clone().fold(f64::INFINITY, f64::min);
        let hi = places.fold(f64::NEG_INFINITY, f64::max);
        if lo > hi {
            return Ticks::new(self, 0.0, 1.0);
        }
        // A single number, or nearly one, gets a decade on a logarithmic axis.
        let least = match self.scale {
            Scale::Log if hi - lo < 0.5 => 0.5,
            Scale::Log => 0.05,
            _ if hi > lo => 0.0,
            _ => 0.05 * if hi == 0.0 { 1.0 } else { hi.abs() },
        };
        let margin = (0.04 * (hi - lo)).max(least);
        Ticks::new(self, lo - margin, hi + margin)
    }

    /// Exactly this range.
    pub(crate) fn exactly(&self, lo: f64, hi: f64) -> Ticks {
        Ticks::new(self, lo, hi)
    }
}

/// A linear range with ticks that suit the axis: whole powers of ten, names, or round numbers.
#[derive(Debug, Clone)]
pub(crate) struct Ticks {
    lo: f64,
    hi: f64,
    scale: Scale,
}

impl Ticks {
    fn new(axis: &Axis, lo: f64, hi: f64) -> Self {
        Self {
            lo,
            hi,
            scale: axis.scale.clone(),
        }
    }

    pub(crate) fn lo(&self) -> f64 {
        self.lo
    }

    pub(crate) fn hi(&self) -> f64 {
        self.hi
    }

    pub(crate) fn length(&self) -> f64 {
        self.hi - self.lo
    }

    /// The places of the ticks, at most about `count`.
    pub(crate) fn places(&self, count: usize) -> Vec<f64> {
        let span = self.hi - self.lo;
        let step = match self.scale {
            Scale::Names(_) => 1.0,
            Scale::Log if span <= 1.3 => {
                let factors = [1.0f64, 2.0, 5.0];
                let (first, last) = (self.lo.floor() as i32, self.hi.ceil() as i32);
                return (first..=last)
                    .flat_map(|power| factors.map(|f| f.log10() + f64::from(power)))
                    .filter(|place| (self.lo..=self.hi).contains(place))
                    .collect();
            }
            Scale::Log => (span / count.max(2) as f64).ceil().max(1.0),
            Scale::Linear => {
                let rough = span / count.max(2) as f64;
                let power = 10f64.powf(rough.log10().floor());
                let factor = [1.0, 2.0, 5.0, 10.0]
                    .into_iter()
                    .find(|factor| factor * power >= rough)
                    .unwrap_or(10.0);
                factor * power
            }
        };
        let (first, last) = (
            (self.lo / step).ceil() as i64,
            (self.hi / step).floor() as i64,
        );
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

impl Ranged for Ticks {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.lo) / (self.hi - self.lo);
        let pixel = f64::from(limit.0) + share * f64::from(limit.1 - limit.0);
        pixel.round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.places(hint.bold_points().min(12))
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.lo..self.hi
    }
}

impl ValueFormatter<f64> for Ticks {
    fn format_ext(&self, place: &f64) -> String {
        match &self.scale {
            Scale::Names(names) => {
                let index = place.round();
                let inside = index >= 0.0 && (place - index).abs() < 1e-9;
                let name = inside.then(|| names.get(index as usize)).flatten();
                name.cloned().unwrap_or_default()
            }
            Scale::Log => {
                let power = place.floor();
                let factor = 10f64.powf(place - power).round();
                if (-2.0..=3.0).contains(&power) {
                    number(factor * 10f64.powf(power), 1.0)
                } else {
                    format!("{factor:.0}e{power:.0}")
                }
            }
            Scale::Linear => number(*place, self.hi - self.lo),
        }
    }
}

/// A number on an axis of this length: three decimals of the length are told apart, without zeros at the end.
pub(crate) fn number(value: f64, length: f64) -> String {
    let digits = -(length.abs().max(f64::MIN_POSITIVE).log10().floor()) as i32;
    let trim = |text: String| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    if value.abs() < 1e-9 * length {
        return "0".to_owned();
    }
    if !(-4..=3).contains(&digits) {
        let text = format!("{value:.3e}");
        return match text.split_once('e') {
            Some((mantissa, power)) => format!("{}e{power}", trim(mantissa.to_owned())),
            None => text,
        };
    }
    let decimals = usize::try_from(digits + 3).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if decimals == 0 { text } else { trim(text) }
}

#[cfg(test)]
mod tests {
    use super::{Axis, Ticks};
    use plotters::coord::ranged1d::ValueFormatter;

    fn labels(axis: &Axis, lo: f64, hi: f64) -> Vec<String> {
        let ticks = Ticks::new(axis, lo, hi);
        let places = ticks.places(6);
        places.iter().map(|place| ticks.format_ext(place)).collect()
    }

    #[test]
    fn ticks_are_round_numbers_powers_of_ten_and_names() {
        assert_eq!(labels(&Axis::linear("x"), -0.3, 1.1), ["0", "0.5", "1"]);
        assert_eq!(
            labels(&Axis::log("y"), -7.2, -2.5),
            ["1e-7", "1e-6", "1e-5", "1e-4", "1e-3"]
        );
        assert_eq!(labels(&Axis::log("σ"), -0.01, 1.1), ["1", "2", "5", "10"]);
        assert_eq!(
            labels(&Axis::linear("x"), 0.0, 2.5e-7),
            ["0", "5e-8", "1e-7", "1.5e-7", "2e-7", "2.5e-7"]
        );
        assert_eq!(
            labels(&Axis::linear("x"), 998.0, 1003.0)[..2],
            ["998", "999"]
        );
        assert_eq!(labels(&Axis::linear("x"), 0.0, 3.0e5)[1], "5e4");
        let names = Axis::names(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(labels(&names, -0.5, 1.5), ["a", "b"]);
    }
}
