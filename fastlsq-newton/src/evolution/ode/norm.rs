//! The size of errors: Euclidean in each part, relative to the size that the part has, or had a few steps ago.

use super::{Ode, OdeOptions};

/// How much of a part's size is remembered from step to step: a part that passes through zero is not
/// held to the accuracy of zero, and a short burst does not spoil what follows it.
const FADING: f64 = 0.5;

/// Parts of y with the error that each may make in one step.
#[derive(Debug, Clone)]
pub(super) struct ErrorNorm {
    /// The part of each component.
    part: Vec<usize>,
    largest: Vec<f64>,
    relative: f64,
    absolute: f64,
}

impl ErrorNorm {
    pub(super) fn new(ode: &dyn Ode, y: &[f64], options: &OdeOptions) -> Self {
        // Components without a part of their own, and parts without number, join the first.
        let mut part = ode.parts();
        part.resize(y.len(), 0);
        for own in &mut part {
            if *own >= y.len() {
                *own = 0;
            }
        }
        let count = part.iter().max().map_or(1, |last| last + 1);
        let mut norm = Self {
            largest: vec![0.0; count],
            part,
            relative: options.relative,
            absolute: 0.0,
        };
        norm.observe(y);
        let size = norm.largest.iter().fold(0.0, |a: f64, &b| a.max(b));
        let size = if size > 0.0 { size } else { 1.0 };
        norm.absolute = options.absolute.unwrap_or(1e-3 * options.relative * size);
        if norm.absolute == 0.0 {
            norm.absolute = f64::MIN_POSITIVE;
        }
        norm
    }

    /// Takes note of the size of an accepted y.
    pub(super) fn observe(&mut self, y: &[f64]) {
        let lengths = self.lengths(y);
        for (length, largest) in lengths.into_iter().zip(&mut self.largest) {
            *largest = (FADING * *largest).max(length);
        }
    }

    /// Converts an error in units of what is allowed to one relative to the size of y.
    pub(super) fn relative(&self, error: f64) -> f64 {
        error * self.relative
    }

    /// ‖x‖₂ of each part.
    fn lengths(&self, x: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.largest.len()];
        for (part, x) in self.part.iter().zip(x) {
            sums[*part] += x * x;
        }
        let sound = |sum: &f64| *sum < 1e280 && (*sum > 1e-280 || *sum == 0.0);
        if sums.iter().all(sound) {
            return sums.into_iter().map(f64::sqrt).collect();
        }
        (0..sums.len())
            .map(|part| {
                let own = self.part.iter().zip(x).filter(|(p, _)| **p == part);
                length(&own.map(|(_, x)| *x).collect::<Vec<f64>>())
            })
            .collect()
    }

    /// The length of each part in units of what is allowed.
    pub(super) fn of_parts(&self, error: &[f64]) -> Vec<f64> {
        let lengths = self.lengths(error).into_iter().zip(&self.largest);
        lengths
            .map(|(length, largest)| length / (self.absolute + self.relative * largest))
            .collect()
    }

    /// The error in units of what is allowed; the worst part counts.
    pub(super) fn of(&self, error: &[f64]) -> f64 {
        self.of_parts(error).into_iter().fold(0.0, worse)
    }
}

/// The larger of two, NaN being larger than everything.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

/// ‖x‖₂.
pub(super) fn length(x: &[f64]) -> f64 {
    let sum: f64 = x.iter().map(|v| v * v).sum();
    if sum < 1e280 && (sum > 1e-280 || sum == 0.0) {
        return sum.sqrt();
    }
    let largest = x.iter().fold(0.0, |m, v| worse(m, v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * x.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}
