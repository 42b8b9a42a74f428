//! How a least-squares problem is to be solved.

use super::error::LsqError;
use crate::control::Control;

/// The algorithm behind a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Choose by the sizes; the choice and its reason are in [`LsqInfo`](super::LsqInfo).
    #[default]
    Auto,
    /// Streamed QR, then column-pivoted QR of the triangle, cut at the numerical rank. The work-horse:
    /// keeps all digits of numerically rank-deficient systems.
    RankRevealingQr,
    /// Streamed QR, then singular values of the triangle, cut at the threshold. The solution has
    /// minimum norm (in the equilibrated unknowns when `equilibrate` is on).
    Svd,
    /// Streamed QR and back substitution, no truncation: for matrices known to have full rank.
    Qr,
    /// Cholesky of AᵀA + μI: half the work, half the digits. For well-conditioned systems, or with a ridge.
    NormalEquations,
    /// A random sketch finds the rank r and r columns that carry it; only those are factored, for 2Mr² instead of
    /// 2MN² operations. As accurate as the rank-revealing QR. Asks for the rows twice. For many more rows than columns.
    Sketch,
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "automatic choice",
            Self::RankRevealingQr => "rank-revealing QR",
            Self::Svd => "truncated SVD",
            Self::Qr => "plain QR",
            Self::NormalEquations => "normal equations",
            Self::Sketch => "randomised sketch",
        })
    }
}

/// More threads than this are taken for a mistake.
pub(crate) const MOST_THREADS: usize = 1024;

/// Options of a least-squares solve. The defaults suit random-feature matrices.
///
/// ```
/// use fastlsq_solve::lsq::{LsqOptions, Method};
/// let options = LsqOptions::new().method(Method::Svd).threshold(1e-13).ridge(1e-12);
/// assert_eq!(options.ridge, 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LsqOptions {
    /// The algorithm. Default: [`Method::Auto`].
    pub method: Method,
    /// Pivots or singular values below this times the largest count as zero. Default (`None`):
    /// ε·max(√N, 20) with ε = 2.2e-16: just above the rounding level of the factorisation. On random
    /// features the customary N·ε drops directions that still carry one or two correct digits.
    pub threshold: Option<f64>,
    /// μ ≥ 0: minimises ‖Ax − b‖² + μ‖x‖². Default: 0.
    pub ridge: f64,
    /// Scale the columns to unit norm before deciding on the rank. Default: true.
    pub equilibrate: bool,
    /// Among all minimisers return the one of least norm. Default: false (the basic solution: at most
    /// rank-many nonzero unknowns). Always in force for a ridge and for fewer rows than columns.
    pub minimum_norm: bool,
    /// Keep the orthogonal factor (M×N numbers), so that new right-hand sides, the adjoint and the
    /// cache are possible. Default: false.
    pub keep_q: bool,
    /// Threads to use; 1 stays on the calling thread. Default (`None`): the current rayon pool.
    /// The result does not depend on it.
    pub threads: Option<usize>,
    /// Time limit, memory limit and progress callback. Default: no time limit, and as much memory as the machine has
    /// available, or 16 GiB where that cannot be known.
    pub control: Control,
}

impl Default for LsqOptions {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            threshold: None,
            ridge: 0.0,
            equilibrate: true,
            minimum_norm: false,
            keep_q: false,
            threads: None,
            control: Control::new(),
        }
    }
}

impl LsqOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the algorithm.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Sets the relative size below which a pivot or singular value counts as zero.
    #[must_use]
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = Some(threshold);
        self
    }

    /// Sets the ridge μ.
    #[must_use]
    pub fn ridge(mut self, mu: f64) -> Self {
        self.ridge = mu;
        self
    }

    /// Switches column scaling on or off.
    #[must_use]
    pub fn equilibrate(mut self, on: bool) -> Self {
        self.equilibrate = on;
        self
    }

    /// Switches between the minimum-norm and the basic solution.
    #[must_use]
    pub fn minimum_norm(mut self, on: bool) -> Self {
        self.minimum_norm = on;
        self
    }

    /// Keeps the orthogonal factor for later right-hand sides.
    #[must_use]
    pub fn keep_q(mut self, on: bool) -> Self {
        self.keep_q = on;
        self
    }

    /// Sets the number of threads.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    crate::limit_setters!(control);

    /// The threshold in force for `n` columns.
    #[must_use]
    pub fn threshold_for(&self, n: usize) -> f64 {
        self.threshold
            .unwrap_or_else(|| f64::EPSILON * (n as f64).sqrt().max(20.0))
    }

    /// Fails on values outside their range; every backend begins with it.
    ///
    /// # Errors
    /// The first option that is out of range.
    pub fn validate(&self) -> Result<(), LsqError> {
        if !(self.ridge >= 0.0 && self.ridge.is_finite()) {
            return Err(LsqError::Option {
                option: "ridge",
                value: self.ridge,
                requirement: "zero or a positive number",
            });
        }
        if let Some(value) = self.threshold
            && !(0.0..1.0).contains(&value)
        {
            return Err(LsqError::Option {
                option: "threshold",
                value,
                requirement: "at least 0 and less than 1",
            });
        }
        if let Some(threads) = self.threads
            && !(1..=MOST_THREADS).contains(&threads)
        {
            return Err(LsqError::Option {
                option: "threads",
                value: threads as f64,
                requirement: "between 1 and 1024",
            });
        }
        Ok(())
    }
}
