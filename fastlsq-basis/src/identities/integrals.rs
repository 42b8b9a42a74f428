//! Integrals of waves, stable through zero frequency.

use crate::BasisError;
use crate::error::{require_dim, require_finite};

/// sin(t)/t, continued by 1 at t = 0.
///
/// Near zero the Taylor series is used, so that the zero-frequency limit of an integral is exact.
#[must_use]
pub fn sinc(t: f64) -> f64 {
    let t2 = t * t;
    if t2 < 1e-4 {
        // The next term, t⁸/9!, is below 3e-22.
        1.0 - t2 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0))
    } else {
        t.sin() / t
    }
}

/// ∫ₐᵗ sin(wx + b) dx = h sinc(wh/2) sin(wm + b) with h = t − a and m = (a + t)/2.
///
/// The textbook form (cos(wa + b) − cos(wt + b))/w loses all digits as w → 0; this one loses none.
#[must_use]
pub fn interval_integral(frequency: f64, phase: f64, from: f64, to: f64) -> f64 {
    let middle = 0.5 * from + 0.5 * to;
    span_factor(frequency, to - from) * (frequency * middle + phase).sin()
}

/// h sinc(wh/2): the integral of a wave over an interval of length h, over its value at the middle.
pub(crate) fn span_factor(frequency: f64, span: f64) -> f64 {
    span * sinc(0.5 * frequency * span)
}

/// ∫ sin(w·x + b) over the box with these corners.
///
/// # Errors
/// Arguments of different dimensions, numbers that are not finite.
pub fn box_integral(
    frequency: &[f64],
    phase: f64,
    lower: &[f64],
    upper: &[f64],
) -> Result<f64, BasisError> {
    require_finite("the frequency", frequency)?;
    require_finite("the phase", &[phase])?;
    require_corners(frequency.len(), lower, upper)?;
    let mut factor = 1.0;
    let mut z = phase;
    for ((w, a), b) in frequency.iter().zip(lower).zip(upper) {
        factor *= span_factor(*w, b - a);
        z += w * (0.5 * a + 0.5 * b);
    }
    Ok(factor * z.sin())
}

/// Checks the corners of a box of integration.
pub(crate) fn require_corners(dim: usize, lower: &[f64], upper: &[f64]) -> Result<(), BasisError> {
    require_dim("the lower corner", dim, lower.len())?;
    require_dim("the upper corner", dim, upper.len())?;
    require_finite("the lower corner", lower)?;
    require_finite("the upper corner", upper)
}
