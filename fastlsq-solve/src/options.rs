//! Every choice of a solve, with its default. What is left unset is chosen automatically.

mod fitting;

use std::fmt;
use std::sync::Arc;

use fastlsq_basis::sampling::Sequence;
use fastlsq_basis::{
    Basis, Draw, Factor, FrequencyLaw, Parity, SmoothFactor, Taylor, TaylorFunction,
};

use crate::backend::{Backend, CpuBackend};
use crate::control::Control;
use crate::lsq::LsqOptions;
use crate::patches::Patching;
use crate::search::Choices;

/// The paper's grid of bandwidths (paper, experimental setup).
pub const PAPER_GRID: [f64; 9] = [0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 12.0, 15.0];

/// Where the features come from.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum FeatureChoice {
    /// Sinusoidal features; the frequency law is searched for.
    #[default]
    Automatic,
    /// Sinusoidal features with this law, in physical coordinates.
    Law(FrequencyLaw),
    /// Sinusoidal features with the best of these isotropic bandwidths, each tried this many times,
    /// judged by the held-out residual (the paper's grid search without the exact solution).
    Grid {
        /// The bandwidths, in physical coordinates.
        bandwidths: Vec<f64>,
        /// Independent draws for each bandwidth.
        trials: usize,
    },
    /// This very basis for every unknown.
    Basis(Arc<dyn Basis>),
    /// The features and rows that an earlier search chose: see [`Report::options`](crate::Report::options).
    Repeated(Arc<Choices>),
}

/// How the symmetry of the problem is used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Symmetry {
    /// Look for reflections that leave equations, data and domain unchanged, and use them.
    #[default]
    Detect,
    /// Ignore symmetry.
    Ignore,
    /// This parity along each axis, about the centre of the domain's bounding box, for every unknown.
    Declared(Vec<Parity>),
}

/// The options of a linear solve.
///
/// ```
/// use fastlsq_solve::Options;
/// // Everything automatic, to eight digits.
/// let quick = Options::new().tolerance(1e-8);
/// // The paper's protocol, everything explicit.
/// let protocol = Options::new().features(1500).bandwidth(12.0).rows(10_000, 2_000).weight(100.0).seed(0);
/// # let _ = (quick, protocol);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The relative error of u to aim for.
    pub tolerance: f64,
    /// The number of features for each unknown; grown automatically if unset.
    pub features: Option<usize>,
    /// Where the features come from.
    pub choice: FeatureChoice,
    /// Where an automatic search begins: a number of features and their law, on the domain's
    /// bounding box mapped to \[−1,1\]^d.
    pub begin_with: Option<(usize, FrequencyLaw)>,
    /// How the frequencies of a given law or grid are drawn; chosen automatically if unset.
    pub draw: Option<Draw>,
    /// Interior rows for each equation and rows for each condition.
    pub rows: Option<(usize, usize)>,
    /// A factor on the automatic numbers of rows.
    pub oversampling: f64,
    /// The factor λ on the rows of conditions.
    pub weight: Option<f64>,
    /// How symmetry is used.
    pub symmetry: Symmetry,
    /// Whether the u of least norm is wanted where equations and conditions leave something open.
    pub least_norm: bool,
    /// How points are spread.
    pub sequence: Sequence,
    /// Whether features carry the factor 1/√N.
    pub normalised: bool,
    /// The seed of everything random.
    pub seed: u64,
    /// The most features automatic growth may use.
    pub max_features: usize,
    /// The least-squares method and its options; the number of threads, the limits of time and memory and the progress
    /// callback of the whole solve are set there too.
    pub lsq: LsqOptions,
    /// Where rows are assembled and factored.
    pub backend: Arc<dyn Backend>,
    /// Whether patches may take the place of one sum of waves.
    pub patches: Patching,
    /// Functions that join the features of an automatic search.
    pub(crate) beside: Vec<KnownFunction>,
}

/// A function that is known to be part of the solution, with derivatives of every order.
#[derive(Clone)]
pub(crate) struct KnownFunction(Arc<TaylorFunction>);

impl KnownFunction {
    /// The function of `dim` coordinates.
    pub(crate) fn factor(&self, dim: usize) -> Arc<dyn Factor> {
        let function = Arc::clone(&self.0);
        Arc::new(SmoothFactor::new(dim, move |x| function(x)))
    }
}

impl fmt::Debug for KnownFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KnownFunction")
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// Everything automatic.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tolerance: 1e-12,
            features: None,
            choice: FeatureChoice::Automatic,
            begin_with: None,
            draw: None,
            rows: None,
            oversampling: 1.0,
            weight: None,
            symmetry: Symmetry::Detect,
            least_norm: false,
            sequence: Sequence::Halton,
            normalised: true,
            seed: 0,
            max_features: 2000,
            lsq: LsqOptions::default(),
            backend: Arc::new(CpuBackend),
            patches: Patching::default(),
            beside: Vec::new(),
        }
    }

    /// The relative error of u to aim for (default 1e-12). Easy problems meet it and stop early; it
    /// is a goal, and the report says what was reached.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The number of features for each unknown (default: grown until the tolerance is met). Where the law is searched for,
    /// the search uses fewer.
    #[must_use]
    pub fn features(mut self, features: usize) -> Self {
        self.features = Some(features);
        self
    }

    /// One bandwidth σ for all axes, in physical coordinates.
    #[must_use]
    pub fn bandwidth(self, sigma: f64) -> Self {
        self.law(FrequencyLaw::Isotropic(sigma))
    }

    /// One bandwidth for each axis, in physical coordinates.
    #[must_use]
    pub fn bandwidths(self, sigmas: &[f64]) -> Self {
        self.law(FrequencyLaw::PerAxis(sigmas.to_vec()))
    }

    /// Any frequency law, in physical coordinates.
    #[must_use]
    pub fn law(mut self, law: FrequencyLaw) -> Self {
        self.choice = FeatureChoice::Law(law);
        self
    }

    /// How the frequencies of a given law or of a grid of bandwidths are drawn (default: as an automatic search does,
    /// evenly over an ellipsoid in up to three dimensions, and independently, as in the paper, in more; where factors are kept
    /// for other data, independently too, which reaches beyond the bandwidth of the first data). Automatic searches choose for
    /// themselves.
    #[must_use]
    pub fn draw(mut self, draw: Draw) -> Self {
        self.draw = Some(draw);
        self
    }

    /// The best of these bandwidths by held-out residual, each with this many independent draws;
    /// [`PAPER_GRID`] with three trials is the paper's search.
    #[must_use]
    pub fn bandwidth_grid(mut self, bandwidths: &[f64], trials: usize) -> Self {
        self.choice = FeatureChoice::Grid {
            bandwidths: bandwidths.to_vec(),
            trials,
        };
        self
    }

    /// This very basis, for every unknown.
    #[must_use]
    pub fn basis(mut self, basis: Arc<dyn Basis>) -> Self {
        self.choice = FeatureChoice::Basis(basis);
        self
    }

    /// A function that the solution is known to contain, of the domain's coordinates: a singular function, a layer, a kink.
    /// In an automatic search for linear problems it joins the features of every unknown; its derivatives come from
    /// [`Taylor`] numbers. Functions of corners and holes are added automatically.
    ///
    /// ```
    /// use fastlsq_solve::patches::Patching;
    /// use fastlsq_solve::{Interval, LinearProblem, Options, X, unknown};
    /// // −εu″ + u′ = 1 has a layer of width ε at the right end.
    /// let u = unknown("u");
    /// let flow = LinearProblem::on(Interval::unit())
    ///     .equation(u.d(X) - 1e-3 * u.d(X).d(X), 1.0)
    ///     .dirichlet(0.0);
    /// let known = Options::new().patches(Patching::Never).beside(|x| (1e3 * (&x[0] - 1.0)).exp());
    /// let solution = flow.solve_with(&known)?;
    /// assert!((solution.value(&[0.999])? - (0.999 - (-1.0_f64).exp())).abs() < 1e-10);
    /// # Ok::<(), fastlsq_solve::SolveError>(())
    /// ```
    #[must_use]
    pub fn beside(
        mut self,
        function: impl Fn(&[Taylor]) -> Taylor + Send + Sync + 'static,
    ) -> Self {
        self.beside.push(KnownFunction(Arc::new(function)));
        self
    }

    /// Begins an automatic search with what served a similar problem (default: small isotropic
    /// features). The law is on the domain's bounding box mapped to \[−1,1\]^d: one law per axis, or a
    /// covariance (blocks and low-order mixes have no single scale to vary, and are passed over); the search
    /// goes on from there if the tolerance is not met.
    #[must_use]
    pub fn begin_with(mut self, features: usize, law: FrequencyLaw) -> Self {
        self.begin_with = Some((features, law));
        self
    }

    /// Interior rows for each equation, and rows for each condition that does not name its own
    /// number (default: in proportion to the number of features).
    #[must_use]
    pub fn rows(mut self, interior: usize, per_condition: usize) -> Self {
        self.rows = Some((interior, per_condition));
        self
    }

    /// A factor on the automatic numbers of rows (default 1: for each feature 1.5 rows of the equations and 0.8 of
    /// the conditions). Data that are not quite those of a solution, because they were measured or computed, are worth
    /// more rows: with few, u follows their errors between the points where the equation is imposed.
    ///
    /// Numbers of rows that are given, here or by a condition, tables of data and exact conditions are left alone.
    #[must_use]
    pub fn oversampling(mut self, factor: f64) -> Self {
        self.oversampling = factor;
        self
    }

    /// The factor λ on the rows of conditions; rows of equations then have weight 1, as in the paper.
    ///
    /// By default every block of rows is scaled to unit root mean square, and conditions count ten
    /// times as much as equations.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = Some(weight);
        self
    }

    /// How symmetry is used (default: detected).
    #[must_use]
    pub fn symmetry(mut self, symmetry: Symmetry) -> Self {
        self.symmetry = symmetry;
        self
    }

    /// Of many solutions the one of least norm: the smallest ∫u², where equations and conditions leave something open. What
    /// they do determine is changed by about 10⁻¹² of itself. For linear problems.
    ///
    /// ```
    /// use std::f64::consts::PI;
    /// use fastlsq_solve::{BoxDomain, LinearProblem, Options, X, cos, laplacian, unknown};
    /// // Determined up to a constant: the solution of mean zero is the smallest.
    /// let u = unknown("u");
    /// let u = LinearProblem::on(BoxDomain::unit(2))
    ///     .equation(-laplacian(u), PI * PI * cos(PI * X))
    ///     .neumann(0.0)
    ///     .solve_with(&Options::new().tolerance(1e-8).least_norm())?;
    /// assert!((u.value(&[0.0, 0.5])? - 1.0).abs() < 1e-8);
    /// # Ok::<(), fastlsq_solve::SolveError>(())
    /// ```
    #[must_use]
    pub fn least_norm(mut self) -> Self {
        self.least_norm = true;
        self
    }

    /// How points are spread (default: a scrambled Halton sequence).
    #[must_use]
    pub fn points(mut self, sequence: Sequence) -> Self {
        self.sequence = sequence;
        self
    }

    /// Whether features carry the factor 1/√N (default: yes).
    #[must_use]
    pub fn normalised(mut self, normalised: bool) -> Self {
        self.normalised = normalised;
        self
    }

    /// The seed of everything random (default 0).
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The largest number of features for each unknown that automatic growth may use (default 2000).
    #[must_use]
    pub fn max_features(mut self, features: usize) -> Self {
        self.max_features = features;
        self
    }

    crate::limit_setters!(lsq);

    /// Time limit, memory limit and progress callback.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.lsq.control
    }

    /// The options of a call that begins now, or that is part of a running one: see [`Control::started`].
    #[must_use]
    pub fn started(&self) -> Self {
        let mut options = self.clone();
        let team = self.backend.team().cloned();
        options.lsq.control = options.lsq.control.shared_by(team).started();
        options
    }

    /// The number of threads, at most 1024 (default: rayon's current pool).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.lsq.threads = Some(threads);
        self
    }

    /// The least-squares method and its options. A number of threads, limits and the progress callback that were set before
    /// stay, unless these options have their own.
    #[must_use]
    pub fn lsq(mut self, mut lsq: LsqOptions) -> Self {
        lsq.control = lsq.control.or(&self.lsq.control);
        lsq.threads = lsq.threads.or(self.lsq.threads);
        self.lsq = lsq;
        self
    }

    /// Where rows are assembled and factored (default: the CPU).
    #[must_use]
    pub fn backend(mut self, backend: impl Backend + 'static) -> Self {
        self.backend = Arc::new(backend);
        self
    }

    /// Whether many small sums of functions on [patches](crate::patches) may take the place of one sum of waves
    /// (default: where one sum of waves does not meet the tolerance, in space only where it leaves an error above 1e-6, and at
    /// once where the domain has re-entrant corners). They live on intervals and on unions of boxes. [`Patching`] says more;
    /// bare [`PatchOptions`](crate::patches::PatchOptions) request them.
    ///
    /// ```
    /// use fastlsq_solve::patches::{PatchOptions, Patching};
    /// use fastlsq_solve::{BoxDomain, LinearProblem, Options, laplacian, unknown};
    /// let u = unknown("u");
    /// let square = LinearProblem::on(BoxDomain::unit(2)).equation(-laplacian(u), 1.0).dirichlet(0.0);
    /// let options = Options::new().tolerance(1e-8);
    /// // Corners like r² log r: one sum of waves stops at 1e-4.
    /// let solution = square.solve_with(&options)?;
    /// assert!(solution.report().patches.is_some() && solution.report().error_estimate < 1e-8);
    /// // Asked for, with a first grid; and forbidden.
    /// let asked = options.clone().patches(PatchOptions::new().first_grid([2, 2]));
    /// assert!(square.solve_with(&asked)?.report().patches.is_some());
    /// let forbidden = options.max_features(400).patches(Patching::Never);
    /// assert!(square.solve_with(&forbidden)?.report().patches.is_none());
    /// # Ok::<(), fastlsq_solve::SolveError>(())
    /// ```
    #[must_use]
    pub fn patches(mut self, patches: impl Into<Patching>) -> Self {
        self.patches = patches.into();
        self
    }
}
