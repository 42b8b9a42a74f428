//! A check of the slopes that Newton's method uses, against differences of the residual itself.

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_solve::rows::HeldOut;

use crate::NewtonError;
use crate::problem::{Concrete, NonlinearProblem};

/// The largest disagreement between a residual's slopes and its differences.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JacobianCheck {
    /// |slope − difference| / (1 + |slope|), at its worst.
    pub worst: f64,
    /// The equation or condition where it occurs.
    pub label: String,
    /// The derivative of which unknown: its number and the orders along each axis; `None` for the
    /// only parameter.
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
    /// Slopes of expressions are exact, so that a disagreement (`worst` above about 1e-6) means that a function given as
    /// code ([`call`](crate::call)) loses them, by computing with `.value()` of a number instead of the number itself.
    ///
    /// ```
    /// use fastlsq_newton::{Interval, NonlinearProblem, Real, X, call, unknown};
    /// let u = unknown("u");
    /// let good = call("f", [u.into()], |a: &[Real]| a[0].exp());
    /// let good = NonlinearProblem::on(Interval::unit()).equation(u.d(X).d(X) + good, 0.0);
    /// assert!(good.check_jacobian()?.worst < 1e-6);
    /// // The exponential of the bare value has lost its slope.
    /// let bad = call("f", [u.into()], |a: &[Real]| a[0].value().exp().into());
    /// let bad = NonlinearProblem::on(Interval::unit()).equation(u.d(X).d(X) + bad, 0.0);
    /// assert!(bad.check_jacobian()?.worst > 0.1);
    /// # Ok::<(), fastlsq_newton::NewtonError>(())
    /// ```
    ///
    /// # Errors
    /// No equation, a domain that cannot be sampled, or a residual that is not finite.
    pub fn check_jacobian(&self) -> Result<JacobianCheck, NewtonError> {
        let moving = self.moving(None).ok();
        let concrete = Concrete::new(self, moving)?;
        let held_out = HeldOut::new(&concrete.frame, 0)?;
        let parameter = concrete.value();
        let mut sampler = UnitSampler::independent(0x1ac0);
        let mut worst = JacobianCheck {
            worst: 0.0,
            label: String::new(),
            derivative: None,
            point: Vec::new(),
        };
        for (residual, block) in concrete.residuals.iter().zip(held_out.blocks()) {
            let Some(residual) = residual else { continue };
            let columns = residual.jets().len();
            let table = sampler.normals(block.len(), columns.max(1));
            let table = table.slice(ndarray::s![.., ..columns]).to_owned();
            let here = residual.try_evaluate(&table, block.sites(), parameter)?;
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
                        let jet = residual.jets().get(column);
                        worst = JacobianCheck {
                            worst: error,
                            label: residual.label.clone(),
                            derivative: jet
                                .map(|jet| (jet.unknown, jet.action.derivative.orders().to_vec())),
                            point: block.points.row(i).to_vec(),
                        };
                    }
                }
            }
        }
        Ok(worst)
    }
}
