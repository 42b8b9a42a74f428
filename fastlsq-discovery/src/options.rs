//! Choices behind a discovery.

use fastlsq_solve::Control;

use crate::regression::{LassoOptions, ModelChoice};
use crate::{DiscoveryError, FitOptions};

/// Where derivatives come from.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Derivatives {
    /// A fit by sinusoidal features, differentiated exactly. Scattered data or grids. Where nothing is set and there
    /// are many samples, [`Windows`](Self::Windows) take its place if they predict left-out samples far better.
    Features(FitOptions),
    /// Fits by sinusoidal features in overlapping windows, everything chosen from the data: many scattered samples of
    /// a field that is too rich for one fit. No likelihood refit follows.
    Windows,
    /// Central difference quotients on a grid: the baseline that noise defeats.
    FiniteDifferences,
    /// Local least-squares polynomials on a grid.
    SavitzkyGolay {
        /// Points of the window along each axis.
        window: usize,
        /// Degree of the polynomial.
        degree: usize,
    },
}

impl Default for Derivatives {
    fn default() -> Self {
        Self::Features(FitOptions::new())
    }
}

/// How the law is turned into regression rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RowForm {
    /// At points, with less weight near the edges.
    Strong,
    /// Against test functions, in closed form for linear terms.
    #[default]
    Weak,
}

/// Whether laws are compared by fitting the data with their own solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LikelihoodRefit {
    /// When there is noise to speak of: more than 3e-5 of scattered data, 1e-6 of ordinary systems on grids; in one dimension and
    /// time more than 3e-3, and where windows leave doubts.
    #[default]
    Auto,
    /// Always, where solutions can be computed.
    Always,
    /// Never: the regression decides.
    Never,
}

/// Options of a discovery, with their defaults.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DiscoveryOptions {
    /// Where derivatives come from. Default: a fit by features with everything chosen from the data.
    pub derivatives: Derivatives,
    /// Strong or weak rows. Default: weak (baselines are always strong).
    pub form: RowForm,
    /// Width of the down-weighted edge of the strong form, as a share of the half-width. Default: 0.15.
    pub edge: f64,
    /// The LASSO sweep.
    pub lasso: LassoOptions,
    /// How supports are judged on the rows. Default: information criterion.
    pub choice: ModelChoice,
    /// Whether the likelihood decides in the end. Default: when there is noise.
    pub refit: LikelihoodRefit,
    /// The maximum number of terms of a law. Default: 4.
    pub largest: usize,
    /// The maximum number of laws fitted by the likelihood refit. Default: 60.
    pub refits: usize,
    /// Bootstrap replicates behind inclusion frequencies. Default: 30; 0 for none.
    pub replicates: usize,
    /// Seed of the replicates. Default: 0.
    pub seed: u64,
    /// Time limit, memory limit and progress callback. Default: none.
    pub control: Control,
}

impl Default for DiscoveryOptions {
    fn default() -> Self {
        Self {
            derivatives: Derivatives::default(),
            form: RowForm::default(),
            edge: 0.15,
            lasso: LassoOptions::default(),
            choice: ModelChoice::default(),
            refit: LikelihoodRefit::default(),
            largest: 4,
            refits: 60,
            replicates: 30,
            seed: 0,
            control: Control::new(),
        }
    }
}

impl DiscoveryOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets where derivatives come from.
    #[must_use]
    pub fn derivatives(mut self, derivatives: Derivatives) -> Self {
        self.derivatives = derivatives;
        self
    }

    /// Sets strong or weak rows.
    #[must_use]
    pub fn form(mut self, form: RowForm) -> Self {
        self.form = form;
        self
    }

    /// Sets how supports are judged on the rows.
    #[must_use]
    pub fn choice(mut self, choice: ModelChoice) -> Self {
        self.choice = choice;
        self
    }

    /// Sets whether the likelihood decides.
    #[must_use]
    pub fn refit(mut self, refit: LikelihoodRefit) -> Self {
        self.refit = refit;
        self
    }

    /// Sets the LASSO sweep.
    #[must_use]
    pub fn lasso(mut self, lasso: LassoOptions) -> Self {
        self.lasso = lasso;
        self
    }

    /// Sets the largest number of terms.
    #[must_use]
    pub fn largest(mut self, terms: usize) -> Self {
        self.largest = terms;
        self
    }

    /// Sets the number of bootstrap replicates.
    #[must_use]
    pub fn replicates(mut self, replicates: usize) -> Self {
        self.replicates = replicates;
        self
    }

    /// Sets the seed of the replicates.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    fastlsq_solve::limit_setters!(control);

    pub(crate) fn validate(&self) -> Result<(), DiscoveryError> {
        if self.largest == 0 {
            return Err(DiscoveryError::Setting {
                what: "largest number of terms",
                value: 0.0,
                requirement: "at least 1",
            });
        }
        if !(0.0..1.0).contains(&self.edge) {
            return Err(DiscoveryError::Setting {
                what: "edge",
                value: self.edge,
                requirement: "at least 0 and less than 1",
            });
        }
        Ok(())
    }
}
