//! Quantiles of the standard normal law.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// z with P(|Z| ≤ z) = level; NaN outside (0, 1).
pub(crate) fn two_sided_quantile(level: f64) -> f64 {
    if !(level > 0.0 && level < 1.0) {
        return f64::NAN;
    }
    // Newton on erfc(z/√2) = 1 − level, which is convex for z > 0: from 0 it never overshoots.
    let tail = 1.0 - level;
    let mut z: f64 = 0.0;
    for _ in 0..200 {
        let value = libm::erfc(z * FRAC_1_SQRT_2) - tail;
        let slope = -(2.0 / PI).sqrt() * (-0.5 * z * z).exp();
        let step = value / slope;
        z -= step;
        if step.abs() <= 1e-15 * z.abs().max(1.0) {
            break;
        }
    }
    z
}

#[cfg(test)]
mod tests {
    use super::two_sided_quantile;

    #[test]
    fn known_quantiles() {
        for (level, z) in [
            (0.95, 1.959_963_984_540_054),
            (0.99, 2.575_829_303_548_901),
            (0.5, 0.674_489_750_196_081_7),
            (0.999_999, 4.891_638_475_698_87),
        ] {
            assert!((two_sided_quantile(level) - z).abs() < 1e-9, "{level}");
        }
        assert!(two_sided_quantile(1.0).is_nan());
    }
}
