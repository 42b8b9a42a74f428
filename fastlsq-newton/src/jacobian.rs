//! A check of the slopes that Newton's method uses, against differences of the residual itself.

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_solve::auto::HeldOut;

use crate::NewtonError;
use crate::problem::NonlinearProblem;

/// The largest disagreement between a residual's slopes and its differences.
#[derive(Debug, Clone, PartialEq)]
pub struct JacobianCheck {
    /// |slope − difference| / (1 + |slope|), at its worst.
    pub worst: f64,
    /// The equation or condition where it occurs.
    pub label: String,
    /// The derivative of which unknown: its number and the orders along each axis; `None` for the
    /// parameter.
    pub derivative: Option<(usize, Vec<u32>)>,
    /// The point.
    pub point: Vec<f64>,
}

/// Points of each block that are checked.
const POINTS: usize = 20;

impl NonlinearProblem {
    /// Compares the slopes ∂R/∂(D^α u) and ∂R/∂p, as Newton's method sees them, with central differences
    /// of the residual at random values of u and its derivatives.
    ///
    /// Dual numbers make slopes exact, so that a disagreement (`worst` above about 1e-6) means that the
    /// closure leaves them: by computing with `.value()` of a number instead of the number itself, or with
    /// a slope written by hand ([`Real`](crate::Real) can be built from a value and slopes).
    ///
    /// ```
    /// use fastlsq_newton::{Interval, NonlinearProblem, Real};
    /// let good = NonlinearProblem::on(Interval::unit())
    ///     .equation(|u, _| u.partial_order(0, 2) + u.value().exp());
    /// assert!(good.check_jacobian()?.worst < 1e-6);
    /// // The exponential of the bare value has lost its slope.
    /// let bad = NonlinearProblem::on(Interval::unit())
    ///     .equation(|u, _| u.partial_order(0, 2) + u.value().value().exp());
    /// assert!(bad.check_jacobian()?.worst > 0.1);
    /// # Ok::<(), fastlsq_newton::NewtonError>(())
    /// ```
    ///
    /// # Errors
    /// No equation, a domain that cannot be sampled, or a residual that is not finite.
    pub fn check_jacobian(&self) -> Result<JacobianCheck, NewtonError> {
        if self.frame.equation_count() == 0 {
            return Err(NewtonError::NoEquation);
        }
        let held_out = HeldOut::new(&self.frame, 0)?;
        let parameter = self.parameter.as_ref().map_or(0.0, |(_, value)| *value);
        let mut sampler = UnitSampler::independent(0x1ac0);
        let mut worst = JacobianCheck {
            worst: 0.0,
            label: String::new(),
            derivative: None,
            point: Vec::new(),
        };
        for (residual, block) in self.residuals.iter().zip(held_out.blocks()) {
            let Some(residual) = residual else { continue };
            let mut residual = residual.clone();
            residual.discover(&block.sites(), parameter)?;
            let columns = residual.requests().len();
            let table = sampler.normals(block.len(), columns.max(1));
            let table = table.slice(ndarray::s![.., ..columns]).to_owned();
            let here = residual.evaluate(&table, block.sites(), parameter);
            if let Some((i, value)) = here.first_bad() {
                return Err(NewtonError::ResidualNotFinite {
                    label: residual.label.clone(),
                    point: block.points.row(i).to_vec(),
                    value,
                });
            }
            let step = f64::EPSILON.cbrt();
            for column in 0..=columns {
                let moved = |sign: f64| {
                    let (mut table, mut parameter) = (table.clone(), parameter);
                    if column < columns {
                        table.column_mut(column).mapv_inplace(|v| v + sign * step);
                    } else {
                        parameter += sign * step;
                    }
                    residual.evaluate(&table, block.sites(), parameter).values
                };
                let (above, below) = (moved(1.0), moved(-1.0));
                for i in 0..block.len().min(POINTS) {
                    let difference = (above[i] - below[i]) / (2.0 * step);
                    let slope = match column {
                        k if k < columns => here.slopes[(i, k)],
                        _ => here.parameter_slopes[i],
                    };
                    let error = (slope - difference).abs() / (1.0 + slope.abs());
                    if error > worst.worst || error.is_nan() {
                        let request = residual.requests().get(column);
                        worst = JacobianCheck {
                            worst: error,
                            label: residual.label.clone(),
                            derivative: request.map(|r| (r.unknown, r.alpha.orders().to_vec())),
                            point: block.points.row(i).to_vec(),
                        };
                    }
                }
            }
        }
        Ok(worst)
    }
}
