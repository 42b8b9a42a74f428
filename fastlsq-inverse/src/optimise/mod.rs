//! Minimisation over a box.
//!
//! ```text
//! minimise f(x)   over   l ≤ x ≤ u
//! ```
//!
//! # In one call
//! Write the problem as an [`Objective`] (value and gradient together) and call [`minimise`];
//! write it as [`Residuals`] and call [`minimise_squares`] when f = ½‖r‖² and the Jacobian of r is
//! at hand. The [`Minimum`] holds the parameters, how they were found and the [`Status`]; several
//! starts go through [`minimise_from_starts`]. [`check_gradient`] compares a gradient with
//! differences.
//!
//! ```
//! use fastlsq_inverse::optimise::test_functions::Rosenbrock;
//! use fastlsq_inverse::optimise::{Bounds, MinimiseOptions, minimise};
//!
//! // The banana valley in ten variables, half of them cut off at 0.7, the others free.
//! let sides: Vec<_> = (0..10)
//!     .map(|i| if i % 2 == 0 { (-2.0, 0.7) } else { (f64::NEG_INFINITY, f64::INFINITY) })
//!     .collect();
//! let bounds = Bounds::from_pairs(&sides)?;
//! let minimum = minimise(&Rosenbrock::new(10), &[-1.2; 10], &bounds, &MinimiseOptions::new())?;
//! assert!(minimum.status.is_converged());
//! assert!(bounds.contains(&minimum.parameters));
//! assert!(minimum.gradient_norm < 1e-4);
//! # Ok::<(), fastlsq_inverse::optimise::OptimiseError>(())
//! ```
//!
//! # The solvers
//! | solver | needs | for |
//! |---|---|---|
//! | [`Lbfgsb`] | value, gradient | smooth objectives, any number of parameters |
//! | [`LevenbergMarquardt`] | residuals, Jacobian | least squares with tens of parameters |
//! | [`Adam`], [`AdamW`] | value, gradient | comparison with first-order training |
//!
//! They are argmin solvers over `Vec<f64>`: with [`ArgminObjective`] and [`ArgminResiduals`] they
//! run in argmin's `Executor`, with its observers, checkpoints and termination. In every one of
//! them all iterates and all evaluated points lie in the box, and a start outside is projected
//! onto it. None uses random numbers.

mod adam;
mod adapter;
mod bounds;
mod cholesky;
mod error;
mod evaluate;
mod gradient_check;
mod lbfgsb;
mod learning_rate;
mod levenberg_marquardt;
mod minimise;
mod minimum;
mod multi_start;
mod objective;
mod stop;
pub mod test_functions;
mod vector;

pub use self::adam::{Adam, AdamOptions, AdamW, AdamWOptions};
pub use self::adapter::{ArgminObjective, ArgminResiduals};
pub use self::bounds::{Bounds, BoundsError};
pub use self::error::{EvaluationError, OptimiseError, Point};
pub use self::evaluate::GradientState;
pub use self::gradient_check::{GradientCheck, check_gradient};
pub use self::lbfgsb::{Lbfgsb, LbfgsbOptions};
pub use self::learning_rate::LearningRate;
pub use self::levenberg_marquardt::{LevenbergMarquardt, LevenbergMarquardtOptions, ResidualState};
pub use self::minimise::{
    Limits, Method, MinimiseOptions, ProgressCallback, SquaresOptions, minimise, minimise_squares,
    minimise_squares_with_progress, minimise_with_progress,
};
pub use self::minimum::{Minimum, Progress, Status};
pub use self::multi_start::{
    MultiStart, minimise_from_starts, minimise_squares_from_starts, scattered_starts,
};
pub use self::objective::{FnObjective, Objective, Residuals};
pub use self::stop::{ConvergenceTest, Stop};
