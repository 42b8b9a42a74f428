//! The settings of L-BFGS-B.

use super::more_thuente::WolfeConstants;
use crate::optimise::error::{OptimiseError, require};

/// Settings of [`Lbfgsb`](super::Lbfgsb).
///
/// The default stopping tests do not depend on the units of the objective;
/// [`LbfgsbOptions::scipy`] has those of SciPy.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LbfgsbOptions {
    /// Number m of pairs (step, gradient change) remembered. Default 10.
    pub memory: usize,
    /// Converged when the projected gradient ‖P(x − g) − x‖∞ is at most this.
    /// Default 0, because it is not free of units.
    pub gradient_tolerance: f64,
    /// Converged when the largest component of the gradient along which the box allows movement
    /// has fallen to this fraction of the one at the start.
    /// Default 1e-8.
    pub relative_gradient_tolerance: f64,
    /// Converged when a step decreases the objective by at most this fraction of
    /// max(|f_k|, |f_{k+1}|, [`value_floor`](Self::value_floor)). Default 1e-10. Machine precision
    /// times the "factr" of the original code.
    pub decrease_tolerance: f64,
    /// Objective values below this count as this in the test of the relative decrease. Default 0.
    pub value_floor: f64,
    /// μ of the sufficient-decrease condition. Default 1e-3.
    pub sufficient_decrease: f64,
    /// η of the curvature condition. Default 0.9.
    pub curvature: f64,
    /// The line search gives up on a bracket narrower than this fraction. Default 0.1.
    pub interval_tolerance: f64,
    /// The maximum number of evaluations in one line search. Default 20.
    pub line_search_evaluations: u64,
}

impl Default for LbfgsbOptions {
    fn default() -> Self {
        Self {
            memory: 10,
            gradient_tolerance: 0.0,
            relative_gradient_tolerance: 1e-8,
            decrease_tolerance: 1e-10,
            value_floor: 0.0,
            sufficient_decrease: 1e-3,
            curvature: 0.9,
            interval_tolerance: 0.1,
            line_search_evaluations: 20,
        }
    }
}

impl LbfgsbOptions {
    /// The stopping tests of SciPy's `L-BFGS-B` with its defaults: `gtol` 1e-5 absolute, `ftol`
    /// 1e7 times machine precision relative to max(|f|, 1).
    #[must_use]
    pub fn scipy() -> Self {
        Self {
            gradient_tolerance: 1e-5,
            relative_gradient_tolerance: 0.0,
            decrease_tolerance: 1e7 * f64::EPSILON,
            value_floor: 1.0,
            ..Self::default()
        }
    }

    /// Sets the number of remembered pairs.
    #[must_use]
    pub fn memory(mut self, pairs: usize) -> Self {
        self.memory = pairs;
        self
    }

    /// Sets the absolute tolerance of the projected gradient.
    #[must_use]
    pub fn gradient_tolerance(mut self, tolerance: f64) -> Self {
        self.gradient_tolerance = tolerance;
        self
    }

    /// Sets the tolerance of the gradient relative to the start.
    #[must_use]
    pub fn relative_gradient_tolerance(mut self, tolerance: f64) -> Self {
        self.relative_gradient_tolerance = tolerance;
        self
    }

    /// Sets the tolerance of the relative decrease.
    #[must_use]
    pub fn decrease_tolerance(mut self, tolerance: f64) -> Self {
        self.decrease_tolerance = tolerance;
        self
    }

    pub(crate) fn validate(&self) -> Result<(), OptimiseError> {
        require(self.memory >= 1, "memory", self.memory as f64, "at least 1")?;
        for (name, value) in [
            ("gradient_tolerance", self.gradient_tolerance),
            (
                "relative_gradient_tolerance",
                self.relative_gradient_tolerance,
            ),
            ("decrease_tolerance", self.decrease_tolerance),
            ("value_floor", self.value_floor),
            ("interval_tolerance", self.interval_tolerance),
        ] {
            require(value >= 0.0, name, value, "0 or positive")?;
        }
        let (mu, eta) = (self.sufficient_decrease, self.curvature);
        require(
            0.0 < mu && mu < 0.5,
            "sufficient_decrease",
            mu,
            "between 0 and 0.5",
        )?;
        require(
            mu < eta && eta < 1.0,
            "curvature",
            eta,
            "between sufficient_decrease and 1",
        )?;
        let most = self.line_search_evaluations;
        require(
            most >= 1,
            "line_search_evaluations",
            most as f64,
            "at least 1",
        )
    }

    pub(super) fn wolfe(&self) -> WolfeConstants {
        WolfeConstants {
            sufficient_decrease: self.sufficient_decrease,
            curvature: self.curvature,
            interval_tolerance: self.interval_tolerance,
        }
    }
}
