//! The size of errors: Euclidean in each part, relative to the size that the part has, or had a few steps ago.

use super::{Ode, OdeOptions};
use std::ops::Range;

/// How much of a part's size is remembered from step to step: a part that passes through zero is not
/// held to the accuracy of zero, and a short burst does not spoil what follows it.
const FADING: f64 = 0.5;

/// Parts of y with the error that each may make in one step.
#[derive(Debug, Clone)]
pub(super) struct ErrorNorm {
    parts: Vec<Range<usize>>,
    largest: Vec<f64>,
    relative: f64,
    absolute: f64,
}

impl ErrorNorm {
    pub(super) fn new(ode: &dyn Ode, y: &[f64], options: &OdeOptions) -> Self {
        let mut parts = Vec::new();
        let mut start = 0_usize;
        for length in ode.parts() {
            let end = start.max(start.saturating_add(length).min(y.len()));
            parts.push(start..end);
            start = end;
        }
        if start < y.len() {
            parts.push(start..y.len());
        }
        let mut norm = Self {
            largest: vec![0.0; parts.len()],
            parts,
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
        for (part, largest) in self.parts.iter().zip(&mut self.largest) {
            *largest = (FADING * *largest).max(length(&y[part.clone()]));
        }
    }

    /// An error in units of what is allowed, relative to the size of y instead.
    pub(super) fn relative(&self, error: f64) -> f64 {
        error * self.relative
    }

    /// For each part: its range and the error it may make.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Range<usize>, f64)> + '_ {
        self.parts
            .iter()
            .zip(&self.largest)
            .map(|(part, largest)| (part.clone(), self.absolute + self.relative * largest))
    }

    /// The error in units of what is allowed; the worst part counts.
    pub(super) fn of(&self, error: &[f64]) -> f64 {
        self.parts()
            .map(|(part, allowed)| length(&error[part]) / allowed)
            .fold(0.0, worse)
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
