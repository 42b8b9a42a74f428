//! Random numbers and random smooth functions.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::{Expr, axis, cos, cosh, exp, sin, tanh};

/// A seeded source of numbers.
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Evenly spread in its logarithm.
    pub(super) fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// One of the first `count` whole numbers.
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
}

/// A coordinate as an expression, time last where there is any.
pub(super) fn coordinate(k: usize, dim: usize, timed: bool) -> Expr {
    if timed && k + 1 == dim {
        crate::T.into()
    } else {
        axis(k).into()
    }
}

/// A function of one variable; `detail` from 0 (plain) to 1 (a dozen radians over the unit interval, layers a tenth wide).
fn profile(dice: &mut Dice, z: &Expr, detail: f64) -> Expr {
    match dice.below(6) {
        0 | 1 => {
            let (frequency, phase) = (
                dice.between(1.0, 3.0 + 10.0 * detail),
                dice.between(0.0, 6.0),
            );
            sin(frequency * z + phase)
        }
        2 => exp(dice.between(-1.5, 1.5) * (1.0 + detail) * z),
        3 => {
            let (steepness, place) = (
                dice.between(1.0, 2.0 + 10.0 * detail),
                dice.between(0.2, 0.8),
            );
            tanh(steepness * (z - place))
        }
        4 => {
            let (sharpness, place) = (
                dice.between(1.0, 2.0 + 5.0 * detail),
                dice.between(0.2, 0.8),
            );
            exp(-(sharpness * (z - place)).powi(2))
        }
        _ => cosh(dice.between(0.3, 1.0 + detail) * z),
    }
}

/// A smooth function of all coordinates: a product of profiles or a ridge, or the sum of two such.
pub(super) fn smooth(dice: &mut Dice, dim: usize, timed: bool, detail: f64) -> Expr {
    let mut sum = Expr::from(0.0);
    for _ in 0..1 + dice.below(2) {
        let factor = dice.between(0.5, 1.5);
        let term = if dim > 1 && dice.unit() < 0.35 {
            let mut along = dice.between(0.3, 1.0) * coordinate(0, dim, timed);
            for k in 1..dim {
                along = along + dice.between(-1.0, 1.0) * coordinate(k, dim, timed);
            }
            profile(dice, &along, detail)
        } else {
            let mut product = Expr::from(1.0);
            for k in 0..dim {
                // Much detail along every axis would be beyond any method in three and four dimensions.
                let own = if k == 0 || dim < 3 {
                    detail
                } else {
                    0.2 * detail
                };
                product = product * profile(dice, &coordinate(k, dim, timed), own);
            }
            product
        };
        sum = sum + factor * term;
    }
    sum
}

/// A periodic function of x on [0, 1], with a smooth one of the other coordinates.
pub(super) fn periodic(dice: &mut Dice, other: &Expr, detail: f64) -> Expr {
    let waves = 1 + dice.below(1 + (2.0 * detail) as usize);
    let angle = 2.0 * std::f64::consts::PI * waves as f64;
    let (a, b) = (dice.between(0.5, 1.5), dice.between(-1.0, 1.0));
    (a * sin(angle * axis(0)) + b * cos(angle * axis(0))) * profile(dice, other, 0.3 * detail) + b
}
