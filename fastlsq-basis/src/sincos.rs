//! Sine and cosine of many arguments at once, to 2 ulp.
//!
//! The argument is reduced by multiples of π/2 given as three doubles whose sum has 160 bits, with
//! fused multiply-adds so that nothing is lost and the rounding tail is kept; the remainder goes
//! through the classical minimax polynomials on [−π/4, π/4]. Written as plain loops over slices,
//! it becomes vector code where the caller runs inside [`pulp`]'s dispatch. Arguments beyond
//! [`REDUCTION_LIMIT`], NaN and infinities take the standard library's path.

/// Largest |z| for which the three-part reduction keeps full accuracy.
pub const REDUCTION_LIMIT: f64 = 134_217_728.0; // 2²⁷

/// π/2 = PIO2[0] + PIO2[1] + PIO2[2] to 160 bits.
const PIO2: [f64; 3] = [
    std::f64::consts::FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_169_8e-33,
];
/// Adding it rounds to the nearest integer and leaves that integer in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

/// sin z = z + z³(S₀ + S₁z² + …) on |z| ≤ π/4.
const SIN: [f64; 6] = [
    -0.166_666_666_666_666_32,
    0.008_333_333_333_322_49,
    -0.000_198_412_698_298_579_5,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
/// cos z = 1 − z²/2 + z⁴(C₀ + C₁z² + …) on |z| ≤ π/4.
const COS: [f64; 6] = [
    0.041_666_666_666_666_6,
    -0.001_388_888_888_887_411,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// sin and cos of one reduced-range argument; needs hardware fma to be fast.
#[inline(always)]
fn sin_cos_reduced(z: f64) -> (f64, f64) {
    let shifted = z.mul_add(std::f64::consts::FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let quadrant = shifted.to_bits();

    // z − n·π/2 as a head `x` and a tail `y`. The first product cancels exactly.
    let first = (-n).mul_add(PIO2[0], z);
    let second = n * PIO2[1];
    let x = first - second;
    // Two-sum error of the subtraction, then the part of n·PIO2[1] that its product rounded away.
    let back = first - x;
    let lost = (first - (x + back)) + (back - second);
    let rounded = n.mul_add(PIO2[1], -second);
    let y = (-n).mul_add(PIO2[2], lost - rounded);

    let x2 = x * x;
    let x4 = x2 * x2;
    // Even and odd halves: two short chains instead of one long one.
    let s_low = SIN[2].mul_add(x2, SIN[1]);
    let s_high = SIN[4].mul_add(x2, SIN[3]);
    let s_poly = SIN[5].mul_add(x4, s_high).mul_add(x4, s_low);
    let x3 = x2 * x;
    // sin(x + y) ≈ sin x + y cos x with cos x ≈ 1 − x²/2.
    let sin = x - ((x2.mul_add(0.5 * y - x3 * s_poly, -y)) - x3 * SIN[0]);

    let c_low = COS[1].mul_add(x2, COS[0]);
    let c_mid = COS[3].mul_add(x2, COS[2]);
    let c_high = COS[5].mul_add(x2, COS[4]);
    let c_poly = x2 * c_high.mul_add(x4, c_mid).mul_add(x4, c_low);
    let half = 0.5 * x2;
    let one_less = 1.0 - half;
    let cos = one_less + (((1.0 - one_less) - half) + x2.mul_add(c_poly, -(x * y)));

    // Odd quadrants swap the two; bit 1 of the quadrant (of the next one for cos) is the sign.
    let swap = (quadrant & 1).wrapping_neg();
    let (s, c) = (sin.to_bits(), cos.to_bits());
    let difference = (s ^ c) & swap;
    let sin_sign = (quadrant & 2) << 62;
    let cos_sign = (quadrant.wrapping_add(1) & 2) << 62;
    (
        f64::from_bits(s ^ difference ^ sin_sign),
        f64::from_bits(c ^ difference ^ cos_sign),
    )
}

/// Writes sin z and cos z for every z. `FUSED` says that hardware fma is available.
///
/// All three slices have the same length.
#[inline(always)]
pub(crate) fn sin_cos_block<const FUSED: bool>(z: &[f64], sin: &mut [f64], cos: &mut [f64]) {
    let mut regular = FUSED;
    if FUSED {
        for ((&z, s), c) in z.iter().zip(sin.iter_mut()).zip(cos.iter_mut()) {
            (*s, *c) = sin_cos_reduced(z);
            regular &= z.abs() <= REDUCTION_LIMIT;
        }
    }
    if !regular {
        for ((&z, s), c) in z.iter().zip(sin.iter_mut()).zip(cos.iter_mut()) {
            if !FUSED || z.abs() > REDUCTION_LIMIT || z.is_nan() {
                (*s, *c) = z.sin_cos();
            }
        }
    }
}

struct SinCos<'a> {
    z: &'a [f64],
    sin: &'a mut [f64],
    cos: &'a mut [f64],
}

impl pulp::WithSimd for SinCos<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        if has_fma::<S>() {
            sin_cos_block::<true>(self.z, self.sin, self.cos);
        } else {
            sin_cos_block::<false>(self.z, self.sin, self.cos);
        }
    }
}

/// Whether `mul_add` is one instruction under this instruction set.
#[inline(always)]
pub(crate) fn has_fma<S: pulp::Simd>() -> bool {
    !S::IS_SCALAR || cfg!(any(target_feature = "fma", target_arch = "aarch64"))
}

/// Writes sin zᵢ and cos zᵢ for every argument, at most 2 ulp off; as `f64::sin_cos` for huge
/// arguments, NaN and infinities. Extra elements of longer slices are left alone.
///
/// ```
/// let z = [0.0, 1.0, -2.5e5];
/// let (mut sin, mut cos) = ([0.0; 3], [0.0; 3]);
/// fastlsq_basis::sin_cos(&z, &mut sin, &mut cos);
/// assert!((sin[1] - 1.0f64.sin()).abs() <= f64::EPSILON);
/// ```
pub fn sin_cos(z: &[f64], sin: &mut [f64], cos: &mut [f64]) {
    pulp::Arch::new().dispatch(SinCos { z, sin, cos });
}

#[cfg(test)]
mod tests {
    use pulp::WithSimd;

    use super::*;

    #[test]
    fn the_scalar_fallback_is_the_standard_library() {
        let z = [0.0, -0.0, 1.0, -3e5, 1e300, f64::INFINITY, f64::NAN];
        let (mut sin, mut cos) = ([9.0; 7], [9.0; 7]);
        SinCos {
            z: &z,
            sin: &mut sin,
            cos: &mut cos,
        }
        .with_simd(pulp::Scalar);
        for ((z, s), c) in z.iter().zip(sin).zip(cos) {
            let (sin, cos) = z.sin_cos();
            assert!(
                s.to_bits() == sin.to_bits() && c.to_bits() == cos.to_bits()
                    || sin.is_nan() && s.is_nan()
            );
        }
    }
}
