//! A basis of one's own with a single feature: a given function, differentiated by differences.

use std::fmt;
use std::sync::Arc;

use fastlsq_solve::faer::MatMut;
use fastlsq_solve::ndarray::ArrayView2;
use fastlsq_solve::{Basis, BasisError, Coefficient, Form};

type Function = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// φ₀ = the function; no other features.
#[derive(Clone)]
pub(crate) struct ExactBasis {
    dim: usize,
    function: Arc<Function>,
}

impl fmt::Debug for ExactBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExactBasis in dimension {}", self.dim)
    }
}

/// Distance between the nodes.
const H: f64 = 6e-3;
/// Weights of the eighth-order differences at distances 1 to 4 (first derivative: odd).
const FIRST: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
/// The same for the second derivative (even), and the weight in the middle.
const SECOND: [f64; 4] = [8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
const MIDDLE: f64 = -205.0 / 72.0;

impl ExactBasis {
    pub(crate) fn new(
        dim: usize,
        function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            dim,
            function: Arc::new(function),
        }
    }

    /// D^α of the function, axis by axis.
    pub(crate) fn derivative(&self, x: &mut Vec<f64>, alpha: &[u32]) -> f64 {
        let Some(axis) = alpha.iter().position(|&order| order > 0) else {
            return (self.function)(x);
        };
        let mut rest = alpha.to_vec();
        let order = rest[axis].min(2);
        rest[axis] -= order;
        let here = x[axis];
        let mut at = |steps: f64| {
            x[axis] = here + steps * H;
            let value = self.derivative(x, &rest);
            x[axis] = here;
            value
        };
        let mut sum = if order == 2 { MIDDLE * at(0.0) } else { 0.0 };
        for k in 0..4 {
            let (right, left) = (at((k + 1) as f64), at(-((k + 1) as f64)));
            sum += if order == 2 {
                SECOND[k] * (right + left)
            } else {
                FIRST[k] * (right - left)
            };
        }
        sum / H.powi(order.cast_signed())
    }
}

impl Basis for ExactBasis {
    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> usize {
        1
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        form.validate(self.dim, points.nrows())?;
        for (i, point) in points.rows().into_iter().enumerate() {
            let mut x = point.to_vec();
            out[(i, 0)] = 0.0;
            for term in form.terms() {
                let factor = match &term.coefficient {
                    Coefficient::Constant(c) => *c,
                    Coefficient::PerPoint(c) => c[i],
                };
                let alpha = term.action.derivative.orders();
                out[(i, 0)] += factor * self.derivative(&mut x, alpha);
            }
        }
        Ok(())
    }
}
