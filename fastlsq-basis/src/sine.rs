//! A shifted sine alone, for sums p sin z + q cos z = A sin(z + δ).
//!
//! One sine costs less than half of a sine-cosine pair: the argument is reduced by multiples of π
//! given as two doubles, exactly but for one rounding, and a single odd polynomial covers
//! [−π/2, π/2]. The shift joins after the large part of the argument has cancelled, so it costs no
//! accuracy. For δ = 0 errors stay below 2 ulp, or 10⁻³²|z| where that is more (next to multiples
//! of π); otherwise below 3·10⁻¹⁶.

use std::f64::consts::{FRAC_1_PI, FRAC_PI_2, PI};

/// π = PI + PI_LOW to 107 bits.
const PI_LOW: f64 = 1.224_646_799_147_353_2e-16;
/// Adding it rounds to the nearest integer and leaves that integer in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

/// sin r = r + r³(C₀ + C₁r² + …) on |r| ≤ π/2, with relative error below 3·10⁻¹⁹.
const SINE: [f64; 8] = [
    -0.166_666_666_666_666_66,
    0.008_333_333_333_333_194,
    -0.000_198_412_698_412_092_18,
    2.755_731_921_113_716_5e-6,
    -2.505_210_687_279_159_5e-8,
    1.605_893_970_534_250_3e-10,
    -7.642_991_474_440_845e-13,
    2.721_174_801_656_73e-15,
];

/// A sin(z + δ), with −π/2 ≤ δ ≤ π/2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wave {
    pub(crate) amplitude: f64,
    shift: f64,
    /// δ/π.
    turns: f64,
}

impl Wave {
    /// sin z.
    pub(crate) const SINE: Self = Self {
        amplitude: 1.0,
        shift: 0.0,
        turns: 0.0,
    };
    /// cos z.
    pub(crate) const COSINE: Self = Self {
        amplitude: 1.0,
        shift: FRAC_PI_2,
        turns: 0.5,
    };

    /// p sin z + q cos z. Without a cosine the shift is exactly 0, without a sine it is π/2.
    pub(crate) fn new(p: f64, q: f64) -> Self {
        if q == 0.0 {
            Self {
                amplitude: p,
                ..Self::SINE
            }
        } else if p == 0.0 {
            Self {
                amplitude: q,
                ..Self::COSINE
            }
        } else {
            let shift = (q / p).atan();
            Self {
                amplitude: p.hypot(q).copysign(p),
                shift,
                turns: shift * FRAC_1_PI,
            }
        }
    }

    /// The same wave with amplitude 1.
    pub(crate) fn unit(self) -> Self {
        Self {
            amplitude: 1.0,
            ..self
        }
    }

    /// Whether two waves differ in nothing but their amplitudes.
    pub(crate) fn is_aligned(self, other: Self) -> bool {
        self.shift == other.shift
    }

    /// The value at z, for |z| ≤ [`REDUCTION_LIMIT`](crate::REDUCTION_LIMIT); needs hardware fma to
    /// be fast.
    #[inline(always)]
    pub(crate) fn at(self, z: f64) -> f64 {
        let shifted = z.mul_add(FRAC_1_PI, self.turns) + ROUND;
        let n = shifted - ROUND;
        // z − nπ cancels exactly; the small parts follow in one addition.
        let r = (-n).mul_add(PI, z) + (-n).mul_add(PI_LOW, self.shift);
        let r2 = r * r;
        let r4 = r2 * r2;
        // Short chains in pairs of coefficients: latency, not throughput, is what costs here.
        let pair = |k: usize| SINE[k + 1].mul_add(r2, SINE[k]);
        let low = pair(2).mul_add(r4, pair(0));
        let high = pair(6).mul_add(r4, pair(4));
        let sine = (r * r2).mul_add(high.mul_add(r4 * r4, low), r);
        // (−1)ⁿ
        self.amplitude * f64::from_bits(sine.to_bits() ^ (shifted.to_bits() << 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::REDUCTION_LIMIT;
    use crate::sampling::UnitSampler;

    #[test]
    fn the_sine_is_accurate_relatively() {
        let mut arguments: Vec<f64> = Vec::new();
        for size in [1e-3, 1.0, 30.0, 1e6, REDUCTION_LIMIT] {
            let unit = UnitSampler::independent(1).points(50_000, 1);
            arguments.extend(unit.iter().map(|u| (2.0 * u - 1.0) * size));
        }
        for k in 0..200_000 {
            let z = f64::from(k) * FRAC_PI_2;
            arguments.extend([z, z.next_up(), z.next_down(), -z]);
        }
        for z in arguments {
            let (found, exact) = (Wave::SINE.at(z), core_math::sin(z));
            let ulp = exact.abs().next_up() - exact.abs();
            let bound = (2.0 * ulp).max(1e-32 * z.abs());
            assert!(
                (found - exact).abs() <= bound,
                "z = {z:e}: {found:e} {exact:e}"
            );
        }
    }

    #[test]
    fn shifted_sines_are_accurate_absolutely() {
        let angles = UnitSampler::halton(1).points(400, 1);
        let arguments = UnitSampler::independent(2).points(500, 1);
        for angle in angles.iter().map(|u| std::f64::consts::TAU * u) {
            let (q, p) = angle.sin_cos();
            for wave in [Wave::new(p, q), Wave::new(0.0, q), Wave::new(p, 0.0)] {
                // The parts of the wave that it was made of.
                let (p, q) = match wave {
                    w if w.turns == 0.0 => (p, 0.0),
                    w if w.turns == 0.5 => (0.0, q),
                    _ => (p, q),
                };
                for z in arguments.iter().map(|u| 200.0 * u - 100.0) {
                    let exact = p * core_math::sin(z) + q * core_math::cos(z);
                    let error = (wave.at(z) - exact).abs();
                    // The reference rounds too, to half an ulp per term.
                    assert!(error <= 6e-16, "{p} {q} z = {z}: off by {error:e}");
                }
            }
        }
    }
}
