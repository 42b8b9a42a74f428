//! A level set and its gradient.

use super::Coordinate;
use crate::domain::DomainError;
use std::fmt;
use std::sync::Arc;

type Function = dyn Fn(&[Coordinate]) -> Coordinate + Send + Sync;

/// Derivatives that one evaluation gives.
const AT_ONCE: usize = 3;

#[derive(Clone)]
pub(super) struct Level {
    function: Arc<Function>,
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Level")
    }
}

impl Level {
    pub(super) fn new(
        function: impl Fn(&[Coordinate]) -> Coordinate + Send + Sync + 'static,
    ) -> Self {
        Self {
            function: Arc::new(function),
        }
    }

    /// The value, with the derivatives along the axes from `first` on.
    fn evaluate(&self, point: &[f64], first: usize) -> Coordinate {
        let coordinate = |(axis, &x): (usize, &f64)| match axis.checked_sub(first) {
            Some(slot) if slot < AT_ONCE => Coordinate::variable(x, slot),
            _ => Coordinate::constant(x),
        };
        // Points of up to three coordinates, which is nearly all of them, need no allocation.
        match *point {
            [x, y] => (self.function)(&[coordinate((0, &x)), coordinate((1, &y))]),
            [x, y, z] => (self.function)(&[
                coordinate((0, &x)),
                coordinate((1, &y)),
                coordinate((2, &z)),
            ]),
            _ => {
                let all: Vec<Coordinate> = point.iter().enumerate().map(coordinate).collect();
                (self.function)(&all)
            }
        }
    }

    pub(super) fn value(&self, point: &[f64]) -> f64 {
        self.evaluate(point, point.len()).value()
    }

    /// The value, or an error if it is not finite.
    pub(super) fn checked(&self, point: &[f64]) -> Result<f64, DomainError> {
        let value = self.value(point);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(DomainError::BadLevel {
                point: point.to_vec(),
                value,
            })
        }
    }

    /// The value, and the gradient into `slopes`.
    pub(super) fn gradient(&self, point: &[f64], slopes: &mut [f64]) -> f64 {
        let mut value = f64::NAN;
        for first in (0..point.len()).step_by(AT_ONCE) {
            let number = self.evaluate(point, first);
            value = number.value();
            for (k, slope) in slopes.iter_mut().skip(first).take(AT_ONCE).enumerate() {
                *slope = number.slope(k);
            }
        }
        value
    }

    /// The unit normal at a point of the boundary; `usual` is a slope that is common for the level.
    pub(super) fn normal(&self, point: &[f64], usual: f64) -> Result<Vec<f64>, DomainError> {
        let mut normal = vec![0.0; point.len()];
        self.gradient(point, &mut normal);
        let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        if length.is_nan() || length <= 1e-8 * usual {
            return Err(DomainError::VanishingGradient {
                point: point.to_vec(),
            });
        }
        for n in &mut normal {
            *n /= length;
        }
        Ok(normal)
    }
}

/// The zero of a function between two arguments where its signs differ: secants, with the weight of an end that stays
/// halved (Illinois), and bisection should that be slow.
pub(super) fn zero_between(
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
    f: impl Fn(f64) -> f64,
) -> f64 {
    for step in 0..100 {
        let secant = (a * fb - b * fa) / (fb - fa);
        let x = if step % 8 == 7 || !secant.is_finite() {
            0.5 * (a + b)
        } else {
            secant
        };
        if (b - a).abs() <= 4.0 * f64::EPSILON * (a.abs() + b.abs()) || x == a || x == b {
            return x;
        }
        let fx = f(x);
        if fx == 0.0 {
            return x;
        }
        if (fx > 0.0) == (fb > 0.0) {
            fa *= 0.5;
        } else {
            (a, fa) = (b, fb);
        }
        (b, fb) = (x, fx);
    }
    b
}
