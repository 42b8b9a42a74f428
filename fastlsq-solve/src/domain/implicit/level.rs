//! A level set and its gradient.

use crate::domain::DomainError;
use fastlsq_ops::{Expr, Field, Frame, OperatorError, Space, axis};
use ndarray::{Array2, ArrayView2};

/// φ and its derivatives along the axes.
#[derive(Clone, Debug)]
pub(super) struct Level {
    value: Field,
    slopes: Vec<Field>,
}

impl Level {
    /// The level given by an expression of `dim` coordinates.
    pub(super) fn new(dim: usize, expression: &Expr) -> Result<Self, DomainError> {
        let frame = Frame::new(Space::new(dim), []);
        let slopes = (0..dim).map(|k| frame.field(expression.d(axis(k))));
        Ok(Self {
            value: frame.field(expression)?,
            slopes: slopes.collect::<Result<_, _>>()?,
        })
    }

    /// The value; NaN if it is not finite.
    pub(super) fn value(&self, point: &[f64]) -> f64 {
        at(&self.value, point)
    }

    /// The values at points, one per row, or an error if one is not finite.
    pub(super) fn checked(&self, points: &Array2<f64>) -> Result<Vec<f64>, DomainError> {
        self.value.evaluate(points).map_err(|error| match error {
            OperatorError::FieldValue { value, point, .. } => {
                DomainError::BadLevel { point, value }
            }
            // Points have the level's dimension, and it needs nothing else.
            _ => DomainError::BadLevel {
                point: Vec::new(),
                value: f64::NAN,
            },
        })
    }

    /// The value, and the gradient into `slopes`.
    pub(super) fn gradient(&self, point: &[f64], slopes: &mut [f64]) -> f64 {
        for (slope, field) in slopes.iter_mut().zip(&self.slopes) {
            *slope = at(field, point);
        }
        self.value(point)
    }

    /// The unit normal at a point of the boundary; `usual` is a slope that is typical of the level.
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

/// A field at one point; NaN if it is not finite.
fn at(field: &Field, point: &[f64]) -> f64 {
    if let Some(value) = field.as_constant() {
        return value;
    }
    let values = ArrayView2::from_shape((1, point.len()), point)
        .ok()
        .and_then(|points| field.evaluate(points).ok());
    values
        .and_then(|values| values.first().copied())
        .unwrap_or(f64::NAN)
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
