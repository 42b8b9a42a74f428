//! An evolved function as a basis of one function, so that it can be used as every other solution.

use std::sync::Arc;

use faer::MatMut;
use fastlsq_basis::{Basis, BasisError, Coefficient, Form};
use ndarray::ArrayView2;

use super::history::History;

/// One unknown of an evolution: a single function of (x, t), with all its derivatives.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) history: Arc<History>,
    pub(crate) state: usize,
}

impl Basis for Flow {
    fn dim(&self) -> usize {
        2
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
        form.validate(2, points.nrows())?;
        if points.ncols() != 2 {
            return Err(BasisError::Dimension {
                what: "the point set",
                expected: 2,
                found: points.ncols(),
            });
        }
        if out.nrows() != points.nrows() || out.ncols() != 1 {
            return Err(BasisError::Shape {
                what: "the output",
                expected: points.nrows(),
                found: out.nrows(),
            });
        }
        let places: Vec<(f64, f64)> = points
            .rows()
            .into_iter()
            .map(|row| (row[0], row[1]))
            .collect();
        out.fill(0.0);
        for term in form.terms() {
            if !term.action.is_derivative() {
                return Err(BasisError::Unsupported {
                    basis: "function that was evolved in time",
                    action: "integrals and multipliers".to_owned(),
                });
            }
            let orders = term.action.derivative.orders();
            let (dx, dt) = (orders[0] as usize, orders[1] as usize);
            let values = self.history.values(&places, self.state, dx, dt);
            for (i, value) in values.into_iter().enumerate() {
                let factor = match term.coefficient {
                    Coefficient::Constant(c) => c,
                    Coefficient::PerPoint(c) => c[i],
                };
                out[(i, 0)] += factor * value;
            }
        }
        Ok(())
    }
}
