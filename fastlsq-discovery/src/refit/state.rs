//! What a likelihood refit of one support gives.

/// The best solution of one proposed law.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LawFit {
    /// The terms of the law.
    pub support: Vec<usize>,
    /// Their maximum-likelihood coefficients.
    pub coefficients: Vec<f64>,
    /// Cramér–Rao standard deviations of the coefficients at the estimated noise level.
    pub deviations: Vec<f64>,
    /// ‖u − y‖² over the samples.
    pub residual_square: f64,
    /// Effective number of free parameters, coefficients included.
    pub degrees_of_freedom: f64,
    /// n log(RSS/n) + log(n) · degrees of freedom + 2 log C(p, k) for k of p terms; smaller is better.
    pub criterion: f64,
    /// Root mean square of the law's residual, relative to the target derivative.
    pub equation_residual: f64,
    /// Gauss–Newton steps taken.
    pub steps: usize,
    /// Whether the law holds to a small part of the statistical error.
    pub enforced: bool,
    /// Deviations by which the features may have shifted coefficients; infinite while unknown.
    pub(crate) unrest: f64,
    /// Field in coordinates of the singular functions.
    pub(crate) field: Vec<f64>,
    /// For every absent term the fall of the misfit, in noise variances, that adding it promises.
    pub(crate) promises: Vec<(usize, f64)>,
}
