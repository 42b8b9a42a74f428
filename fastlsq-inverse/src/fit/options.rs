//! How a fit is made.

use crate::optimise::{LbfgsbOptions, LevenbergMarquardtOptions, Limits, Method};

/// How the parameters are found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FitMethod {
    /// Levenberg–Marquardt on the residuals: few steps, each with the Jacobian.
    LevenbergMarquardt(LevenbergMarquardtOptions),
    /// A method that needs the gradient only.
    Gradient(Method),
}

/// Method, limits and starts of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct FitOptions {
    /// Default: Levenberg–Marquardt.
    pub method: FitMethod,
    /// Iteration limit and what to keep. Default: 200 iterations.
    pub limits: Limits,
    /// Further starts spread over the box, besides the one that was given. Default: 0.
    pub further_starts: usize,
    /// Where to start instead of the problem's start. Default: there.
    pub start: Option<Vec<f64>>,
    /// Factors on the deviations of the observations, one preliminary fit each, by
    /// Levenberg–Marquardt, from the end of the one before. Default: none.
    pub tempering: Vec<f64>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            method: FitMethod::LevenbergMarquardt(LevenbergMarquardtOptions::default()),
            limits: Limits {
                max_iterations: 200,
                ..Limits::default()
            },
            further_starts: 0,
            start: None,
            tempering: Vec::new(),
        }
    }
}

impl FitOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// L-BFGS-B instead of Levenberg–Marquardt.
    #[must_use]
    pub fn lbfgsb(self) -> Self {
        self.gradient(Method::Lbfgsb(LbfgsbOptions::default()))
    }

    /// A method that needs the gradient only.
    #[must_use]
    pub fn gradient(mut self, method: Method) -> Self {
        self.method = FitMethod::Gradient(method);
        self
    }

    /// The maximum number of iterations.
    #[must_use]
    pub fn max_iterations(mut self, iterations: u64) -> Self {
        self.limits.max_iterations = iterations;
        self
    }

    /// Keeps every iterate.
    #[must_use]
    pub fn record_trajectory(mut self) -> Self {
        self.limits.record_trajectory = true;
        self
    }

    /// Starts from these parameters, those of an earlier fit for instance, instead of the problem's
    /// start; outside the box they are moved to its side.
    #[must_use]
    pub fn starting_at(mut self, parameters: &[f64]) -> Self {
        self.start = Some(parameters.to_vec());
        self
    }

    /// Preliminary fits with the deviations of the observations multiplied by these factors, from
    /// large to small. While the data count little, priors keep the parameters near what is known, and
    /// a start that is far off does not jump into another valley.
    #[must_use]
    pub fn tempering(mut self, factors: &[f64]) -> Self {
        self.tempering = factors.to_vec();
        self
    }

    /// This many further starts, spread evenly over the box; the best end is kept.
    #[must_use]
    pub fn further_starts(mut self, starts: usize) -> Self {
        self.further_starts = starts;
        self
    }
}
