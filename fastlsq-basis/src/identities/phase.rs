//! Phase and shift symmetries: a bias is a rotation between sine and cosine.

use super::cycle;

/// (cos b, sin b): the weights of the bias-free parts, sin(z + b) = cos b · sin z + sin b · cos z.
#[must_use]
pub fn decouple(phase: f64) -> (f64, f64) {
    let (sin, cos) = phase.sin_cos();
    (cos, sin)
}

/// The amplitude A and phase b with A sin(z + b) = `sine` · sin z + `cosine` · cos z.
///
/// The inverse of [`decouple`]; A ≥ 0 and b ∈ (−π, π].
#[must_use]
pub fn couple(sine: f64, cosine: f64) -> (f64, f64) {
    (sine.hypot(cosine), cosine.atan2(sine))
}

/// The even and the odd part of z ↦ sin(z + b): (sin b · cos z, cos b · sin z).
///
/// An even function needs cosines only, an odd one sines only.
#[must_use]
pub fn even_odd_parts(z: f64, phase: f64) -> (f64, f64) {
    let (along_sine, along_cosine) = decouple(phase);
    let (sin, cos) = z.sin_cos();
    (along_cosine * cos, along_sine * sin)
}

/// sin(z + n π/2) without adding a multiple of π/2: a quarter wave turns sine into cosine, a half wave
/// changes the sign.
#[must_use]
pub fn quarter_waves(n: i64, z: f64) -> f64 {
    cycle(n.rem_euclid(4) as u32, z)
}
