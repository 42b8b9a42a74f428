//! The settings of Levenberg–Marquardt.

use crate::optimise::error::{OptimiseError, require};

/// Settings of [`LevenbergMarquardt`](super::LevenbergMarquardt).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LevenbergMarquardtOptions {
    /// The damping λ at the start, relative to the squared column norms of the Jacobian. Larger is
    /// more careful. Default 1e-3.
    pub initial_damping: f64,
    /// Converged when the projected gradient ‖P(x − Jᵀr) − x‖∞ is at most this.
    /// Default 0, because it is not free of units.
    pub gradient_tolerance: f64,
    /// Converged when the largest component of the gradient along which the box allows movement
    /// has fallen to this fraction of the one at the start.
    /// Default 1e-14.
    pub relative_gradient_tolerance: f64,
    /// Converged when both the decrease of ½‖r‖² and the one that the linear model promised are at
    /// most this fraction of it. Default 1e-15.
    pub decrease_tolerance: f64,
    /// Converged when ‖D s‖ is at most this fraction of ‖D x‖ for a step s, with D the column
    /// norms of the Jacobian. Default 1e-12.
    pub step_tolerance: f64,
    /// The maximum number of trial steps in one iteration before the solver counts as stalled. Default 40.
    pub trials: u64,
}

impl Default for LevenbergMarquardtOptions {
    fn default() -> Self {
        Self {
            initial_damping: 1e-3,
            gradient_tolerance: 0.0,
            relative_gradient_tolerance: 1e-14,
            decrease_tolerance: 1e-15,
            step_tolerance: 1e-12,
            trials: 40,
        }
    }
}

impl LevenbergMarquardtOptions {
    pub(super) fn validate(&self) -> Result<(), OptimiseError> {
        let damping = self.initial_damping;
        require(
            damping > 0.0 && damping.is_finite(),
            "initial_damping",
            damping,
            "positive and finite",
        )?;
        for (name, value) in [
            ("gradient_tolerance", self.gradient_tolerance),
            (
                "relative_gradient_tolerance",
                self.relative_gradient_tolerance,
            ),
            ("decrease_tolerance", self.decrease_tolerance),
            ("step_tolerance", self.step_tolerance),
        ] {
            require(value >= 0.0, name, value, "0 or positive")?;
        }
        require(self.trials >= 1, "trials", self.trials as f64, "at least 1")
    }
}
