//! Ordinary differential equations y′ = f(t, y) to high accuracy.
//!
//! The coefficients y of a function in an L2-orthonormal trial space change in time by such an
//! equation, of dimension 20 … 1500, dense, and with tolerances of 1e-8 … 1e-12. What that needs:
//! - errors measured in the Euclidean norm of y, which is the L2 norm of the function, and not
//!   component by component;
//! - an explicit pair of high order where nothing is stiff: [`Method::Explicit`], order 8 with a continuous
//!   extension of order 7;
//! - implicit methods of high order that damp stiff components and do not turn dispersion into
//!   dissipation: [`Method::Implicit`], the Radau IIA methods of orders 5, 9 and 13. BDF methods of
//!   order above 2 are unstable near the imaginary axis, where dispersive equations live;
//! - the exact solution where f is linear and does not depend on time: [`Propagator`];
//! - steps one by one, so that the caller can stop or change the equation between them: [`Stepper`].
//!
//! Integration runs forward in time. There are no events, no mass matrices and no switching between the two
//! kinds of method: [`OdeOptions`] says which one takes the steps.
//!
//! ```
//! use fastlsq_newton::evolution::ode::{Closure, OdeOptions, integrate};
//! // y″ = −y as a pair.
//! let circle = Closure::new(2, |_, y, rate| { rate[0] = y[1]; rate[1] = -y[0]; }, |_, _, mut j| {
//!     j[(0, 1)] = 1.0;
//!     j[(1, 0)] = -1.0;
//! });
//! let path = integrate(&circle, 0.0, &[0.0, 1.0], 10.0, &OdeOptions::new(1e-11))?;
//! assert!((path.at(7.3)[0] - 7.3_f64.sin()).abs() < 1e-9);
//! # Ok::<(), fastlsq_newton::evolution::ode::OdeError>(())
//! ```

mod dop853;
mod dop853_table;
mod exponential;
mod linearised;
mod norm;
mod radau;
mod small;
mod stepper;
mod trajectory;

use faer::{Mat, MatMut};
pub(crate) use linearised::DenseJacobian;
use thiserror::Error;

pub(crate) use exponential::phi;
pub use exponential::{Propagator, exponential};
pub use linearised::{Linearised, Shifted};
pub(crate) use small::flow;
pub use stepper::{Method, StepFailure, Stepper};
pub use trajectory::{OdeStatus, Segment, Trajectory};

/// The right-hand side of y′ = f(t, y).
pub trait Ode {
    /// The number of components of y.
    fn dim(&self) -> usize;

    /// Writes f(t, y). Values that are not finite make the step shorter.
    fn rate(&self, t: f64, y: &[f64], rate: &mut [f64]);

    /// Writes ∂f/∂y, every entry of it; the matrix comes filled with zeros.
    fn jacobian(&self, t: f64, y: &[f64], jacobian: MatMut<'_, f64>);

    /// ∂f/∂y in the form in which implicit methods use it; by default the [dense matrix](Self::jacobian).
    fn linearise(&self, t: f64, y: &[f64]) -> Box<dyn Linearised> {
        let mut jacobian = Mat::zeros(self.dim(), self.dim());
        self.jacobian(t, y, jacobian.as_mut());
        Box::new(DenseJacobian(jacobian))
    }

    /// The part of y that each component belongs to, numbered from 0: errors of a part are measured against its own
    /// size.
    fn parts(&self) -> Vec<usize> {
        vec![0; self.dim()]
    }
}

/// A right-hand side made of two closures.
#[derive(Debug, Clone)]
pub struct Closure<F, J> {
    dim: usize,
    parts: Vec<usize>,
    rate: F,
    jacobian: J,
}

impl<F, J> Closure<F, J>
where
    F: Fn(f64, &[f64], &mut [f64]),
    J: Fn(f64, &[f64], MatMut<'_, f64>),
{
    /// f and ∂f/∂y for `dim` components.
    pub fn new(dim: usize, rate: F, jacobian: J) -> Self {
        Self {
            dim,
            parts: vec![0; dim],
            rate,
            jacobian,
        }
    }

    /// With errors measured in parts, each against its own size: the number of the part of each component.
    #[must_use]
    pub fn with_parts(mut self, parts: Vec<usize>) -> Self {
        self.parts = parts;
        self
    }
}

impl<F, J> Ode for Closure<F, J>
where
    F: Fn(f64, &[f64], &mut [f64]),
    J: Fn(f64, &[f64], MatMut<'_, f64>),
{
    fn dim(&self) -> usize {
        self.dim
    }

    fn rate(&self, t: f64, y: &[f64], rate: &mut [f64]) {
        (self.rate)(t, y, rate);
    }

    fn jacobian(&self, t: f64, y: &[f64], jacobian: MatMut<'_, f64>) {
        (self.jacobian)(t, y, jacobian);
    }

    fn parts(&self) -> Vec<usize> {
        self.parts.clone()
    }
}

/// How an equation is integrated.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OdeOptions {
    /// The error of one step relative to the norm of y, now or a few steps ago.
    pub relative: f64,
    /// The error of one step that is always allowed; by default a thousandth of what the relative
    /// tolerance allows for the largest part at the start.
    pub absolute: Option<f64>,
    /// The method; by default [`Method::Explicit`].
    pub method: Method,
    /// The first step; by default from f and its change.
    pub first_step: Option<f64>,
    /// No step is longer than this.
    pub largest_step: f64,
    /// After this many steps the integration stops.
    pub steps: usize,
}

impl OdeOptions {
    /// Defaults at a relative tolerance.
    #[must_use]
    pub fn new(relative: f64) -> Self {
        Self {
            relative,
            absolute: None,
            method: Method::Explicit,
            first_step: None,
            largest_step: f64::INFINITY,
            steps: 100_000,
        }
    }

    /// With another method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    fn validate(&self) -> Result<(), OdeError> {
        let allowed = [
            (
                "relative tolerance",
                self.relative,
                self.relative > 0.0 && self.relative < 1.0,
            ),
            (
                "absolute tolerance",
                self.absolute.unwrap_or(0.0),
                self.absolute.is_none_or(|a| a >= 0.0 && a.is_finite()),
            ),
            (
                "first step",
                self.first_step.unwrap_or(1.0),
                self.first_step.is_none_or(|h| h > 0.0 && h.is_finite()),
            ),
            ("largest step", self.largest_step, self.largest_step > 0.0),
        ];
        match allowed.into_iter().find(|(_, _, sound)| !sound) {
            None => Ok(()),
            Some((option, value, _)) => Err(OdeError::Option { option, value }),
        }
    }
}

/// What cannot be integrated at all; a solution that ends early is a [status](OdeStatus) instead.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OdeError {
    /// A starting vector of the wrong length.
    #[error("the initial vector has {found} components, but the equation has {expected}")]
    Dimension {
        /// Components of the equation.
        expected: usize,
        /// Components of the vector.
        found: usize,
    },
    /// A start, an end, or a first rate that is NaN or infinite.
    #[error("{what} is not finite; start where the equation is defined, with finite times")]
    NotFinite {
        /// What it is.
        what: &'static str,
    },
    /// An option outside its range.
    #[error("the {option} is {value}: tolerances lie between 0 and 1, steps are positive")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: f64,
    },
    /// A matrix without an exponential.
    #[error("the exponential needs a square matrix of finite entries that do not overflow")]
    Exponential,
}

/// The solution from `start` to `end` (forward in time).
///
/// # Errors
/// Sizes that differ, numbers that are not finite at the start, options out of range. A solution that
/// cannot be continued to the end is returned as far as it goes, with its [status](OdeStatus).
pub fn integrate(
    ode: &dyn Ode,
    start: f64,
    y: &[f64],
    end: f64,
    options: &OdeOptions,
) -> Result<Trajectory, OdeError> {
    let mut stepper = Stepper::new(ode, start, y, end, options)?;
    let mut trajectory = Trajectory::new(start, y.to_vec());
    while stepper.time() < end {
        if trajectory.segments().len() >= options.steps {
            trajectory.set_status(OdeStatus::StepLimit);
            break;
        }
        match stepper.step(ode) {
            Ok(segment) => trajectory.push(segment),
            Err(failure) => {
                trajectory.set_status(OdeStatus::Stalled(failure));
                break;
            }
        }
    }
    Ok(trajectory)
}
