//! What is minimised: an objective with its gradient, or residuals with their Jacobian.

use faer::MatMut;

use super::error::EvaluationError;

/// A function of n parameters that knows its gradient.
///
/// Value and gradient come together because they share most of their work: for a function of the
/// solution of a linear problem, one solve gives the value and one adjoint solve more gives the
/// whole gradient.
///
/// A NaN or infinite value is allowed: it says that the point lies outside the region where the
/// function is defined. Line searches then take a shorter step; at the start it is an error.
pub trait Objective {
    /// Number of parameters n.
    fn dimension(&self) -> usize;

    /// Returns f(x) and writes ∇f(x) into `gradient`; both slices have length n.
    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError>;
}

impl<T: Objective + ?Sized> Objective for &T {
    fn dimension(&self) -> usize {
        (**self).dimension()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError> {
        (**self).value_and_gradient(x, gradient)
    }
}

impl<T: Objective + ?Sized> Objective for Box<T> {
    fn dimension(&self) -> usize {
        (**self).dimension()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError> {
        (**self).value_and_gradient(x, gradient)
    }
}

/// An objective from a closure that cannot fail.
///
/// ```
/// use fastlsq_inverse::optimise::{FnObjective, Objective};
/// let parabola = FnObjective::new(1, |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * (x[0] - 3.0);
///     (x[0] - 3.0).powi(2)
/// });
/// assert_eq!(parabola.dimension(), 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FnObjective<F> {
    dimension: usize,
    function: F,
}

impl<F: Fn(&[f64], &mut [f64]) -> f64> FnObjective<F> {
    /// The objective of `dimension` parameters whose value `function` returns and whose gradient
    /// it writes into its second argument.
    pub fn new(dimension: usize, function: F) -> Self {
        Self {
            dimension,
            function,
        }
    }
}

impl<F: Fn(&[f64], &mut [f64]) -> f64> Objective for FnObjective<F> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError> {
        Ok((self.function)(x, gradient))
    }
}

/// m residuals r(x) of n parameters with their Jacobian; what is minimised is ½‖r(x)‖².
///
/// A NaN or infinite residual is allowed away from the start and makes the solver take a shorter
/// step.
pub trait Residuals {
    /// Number of parameters n.
    fn dimension(&self) -> usize;

    /// Number of residuals m.
    fn count(&self) -> usize;

    /// Writes r(x), of length m.
    fn residuals(&self, x: &[f64], residuals: &mut [f64]) -> Result<(), EvaluationError>;

    /// Writes the m × n matrix ∂rᵢ/∂xₖ. Called only at points that were accepted.
    fn jacobian(&self, x: &[f64], jacobian: MatMut<'_, f64>) -> Result<(), EvaluationError>;
}

impl<T: Residuals + ?Sized> Residuals for &T {
    fn dimension(&self) -> usize {
        (**self).dimension()
    }

    fn count(&self) -> usize {
        (**self).count()
    }

    fn residuals(&self, x: &[f64], residuals: &mut [f64]) -> Result<(), EvaluationError> {
        (**self).residuals(x, residuals)
    }

    fn jacobian(&self, x: &[f64], jacobian: MatMut<'_, f64>) -> Result<(), EvaluationError> {
        (**self).jacobian(x, jacobian)
    }
}
