//! Value and gradient at a point, checked.

use argmin::core::{CostFunction, Error, Gradient, IterState, Problem};

use super::bounds::Bounds;
use super::error::OptimiseError;

/// The argmin state of the gradient-based solvers of this crate.
pub type GradientState = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// What an evaluation gave.
pub(crate) enum Evaluation {
    Finite { value: f64, gradient: Vec<f64> },
    BadValue { value: f64 },
    BadGradient { index: usize, value: f64 },
}

impl Evaluation {
    pub(crate) fn finite(self) -> Option<(f64, Vec<f64>)> {
        match self {
            Self::Finite { value, gradient } => Some((value, gradient)),
            Self::BadValue { .. } | Self::BadGradient { .. } => None,
        }
    }

    /// The value and gradient, or the error that names the point.
    pub(crate) fn required(self, x: &[f64]) -> Result<(f64, Vec<f64>), OptimiseError> {
        match self {
            Self::Finite { value, gradient } => Ok((value, gradient)),
            Self::BadValue { value } => Err(OptimiseError::NonFiniteValue {
                point: x.into(),
                value,
            }),
            Self::BadGradient { index, value } => Err(OptimiseError::NonFiniteGradient {
                point: x.into(),
                index,
                value,
            }),
        }
    }
}

/// Evaluates value and gradient; the gradient is not asked for where the value is not finite.
pub(crate) fn evaluate<O>(problem: &mut Problem<O>, x: &Vec<f64>) -> Result<Evaluation, Error>
where
    O: CostFunction<Param = Vec<f64>, Output = f64>
        + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    let value = problem.cost(x)?;
    if !value.is_finite() {
        return Ok(Evaluation::BadValue { value });
    }
    let gradient = problem.gradient(x)?;
    check_gradient_length(x, &gradient)?;
    Ok(match gradient.iter().position(|g| !g.is_finite()) {
        Some(index) => Evaluation::BadGradient {
            index,
            value: gradient[index],
        },
        None => Evaluation::Finite { value, gradient },
    })
}

/// The start of a solver: finite, moved into the box. Also returns how many coordinates moved.
pub(crate) fn feasible_start(
    start: Option<Vec<f64>>,
    bounds: &Bounds,
) -> Result<(Vec<f64>, usize), OptimiseError> {
    let mut x = start.ok_or(OptimiseError::MissingStart)?;
    if x.is_empty() {
        return Err(OptimiseError::Empty { what: "parameters" });
    }
    if let Some(index) = x.iter().position(|v| !v.is_finite()) {
        return Err(OptimiseError::NonFiniteStart {
            index,
            value: x[index],
        });
    }
    let moved = bounds.project(&mut x)?.len();
    Ok((x, moved))
}

/// The parameters and the gradient of a state must fit the box.
pub(crate) fn check_state(
    bounds: &Bounds,
    x: &[f64],
    gradient: &[f64],
) -> Result<(), OptimiseError> {
    bounds.check_length(x.len())?;
    check_gradient_length(x, gradient)
}

fn check_gradient_length(x: &[f64], gradient: &[f64]) -> Result<(), OptimiseError> {
    let (expected, found) = (x.len(), gradient.len());
    if expected == found {
        Ok(())
    } else {
        Err(OptimiseError::Length {
            what: "gradient",
            expected,
            found,
        })
    }
}
