//! An evolved function as a basis of one function, so that it can be used like any other solution.

use std::fmt::Debug;
use std::sync::Arc;

use faer::MatMut;
use fastlsq_basis::{Basis, BasisError, Coefficient, EvolvedBasis, Form, SavedBasis};
use ndarray::{ArrayView2, Axis};

/// What was found, as functions of space and time.
pub(crate) trait Past: Debug + Send + Sync {
    /// The number of coordinates, time included.
    fn coordinates(&self) -> usize;

    /// The time that was reached.
    fn end(&self) -> Option<f64>;

    /// A derivative of a state, along the axes of space and in time, at points (x, t) in any order; NaN beyond the
    /// time that was reached.
    fn values(
        &self,
        points: ArrayView2<'_, f64>,
        state: usize,
        space: &[u32],
        time: usize,
    ) -> Vec<f64>;

    /// A state span by span, in functions that can be saved; `None` if they cannot.
    fn unrolled(&self, state: usize) -> Option<EvolvedBasis>;
}

/// One unknown of an evolution: a single function of (x, t), with all its derivatives.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) past: Arc<dyn Past>,
    pub(crate) state: usize,
}

impl Basis for Flow {
    fn dim(&self) -> usize {
        self.past.coordinates()
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
        let dim = self.dim();
        form.validate(dim, points.nrows())?;
        if points.ncols() != dim {
            return Err(BasisError::Dimension {
                what: "the point set",
                expected: dim,
                found: points.len_of(Axis(1)),
            });
        }
        if out.nrows() != points.nrows() || out.ncols() != 1 {
            return Err(BasisError::Shape {
                what: "the output",
                expected: points.nrows(),
                found: out.nrows(),
            });
        }
        out.fill(0.0);
        for term in form.terms() {
            let ([space @ .., time], true) =
                (term.action.derivative.orders(), term.action.is_derivative())
            else {
                return Err(BasisError::Unsupported {
                    basis: "function that was evolved in time",
                    action: "integrals and multipliers".to_owned(),
                });
            };
            let values = self.past.values(points, self.state, space, *time as usize);
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

    fn to_saved(&self) -> Option<SavedBasis> {
        self.past.unrolled(self.state)?.to_saved()
    }
}
