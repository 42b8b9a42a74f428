//! Trigonometric identities as functions (paper, appendix on trigonometric symmetries).

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
