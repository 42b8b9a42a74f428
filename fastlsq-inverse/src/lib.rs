//! Parameters from data: gradients through the factored solve, and honest widths.
//!
//! # The mathematics
//! A linear problem whose sources, boundary values or coefficients depend on parameters θ has the
//! solution u(θ) = Σ βⱼ(θ) φⱼ. Measurements yᵢ of operators of u, with noise of deviation σᵢ, are
//! explained best by the θ that minimises
//!
//! ½ Σ ((Bᵢ u(θ) − yᵢ)/σᵢ)²  over a box.
//!
//! The gradient goes through the least-squares solve exactly: one adjoint solve with the factors that
//! gave β, whatever the number of parameters (paper, inverse problems). Derivatives of equations and
//! conditions with respect to the parameters follow from the statement.
//!
//! # An inverse problem of one's own
//! ```
//! use fastlsq_inverse::{BoxDomain, InverseProblem, Observations, Options, Sought};
//! use fastlsq_inverse::{X, Y, exp, laplacian, parameters, unknown};
//! use ndarray::array;
//!
//! // −Δu = exp(−|x − s|²/0.1) on the unit square, u = 0 around it. Where is s?
//! let u = unknown("u");
//! let [s1, s2] = parameters(["s₁", "s₂"]);
//! let sensors = array![[0.3, 0.3], [0.7, 0.7], [0.3, 0.7], [0.7, 0.3]];
//! let readings = [0.022_58, 0.022_58, 0.030_97, 0.017_33];
//! let problem = InverseProblem::on(BoxDomain::unit(2))
//!     .equation(-laplacian(u), exp(-((X - s1).powi(2) + (Y - s2).powi(2)) / 0.1))
//!     .dirichlet(0.0)
//!     .find(Sought::new(s1, 0.5).within(0.1, 0.9))
//!     .find(Sought::new(s2, 0.5).within(0.1, 0.9))
//!     .observe(Observations::of(u, sensors, &readings).deviation(1e-4))
//!     .options(Options::new().features(300).bandwidth(5.0));
//!
//! println!("{}", problem.identifiability()?); // before the fit: what can these data tell?
//! let fit = problem.fit()?;
//! println!("{fit}");                          // parameters, widths, notes
//! assert!((fit.parameters[0] - 0.4).abs() < 0.01 && (fit.parameters[1] - 0.6).abs() < 0.01);
//! # Ok::<(), fastlsq_inverse::InverseError>(())
//! ```
//!
//! # What is where
//! - The [`guide`]: an inverse problem of one's own, step by step.
//! - [`InverseProblem`], [`Sought`], [`Observations`]: the statement. [`Prepared`]: discretised and
//!   factored, for repeated use. [`Fit`]: the answer.
//! - [`Identifiability`] (Cramér–Rao) before, [`Posterior`] (Laplace) after; [`Warning`]s in both.
//! - [`ModelError`]: what the discretisation adds to the noise, from a second one.
//! - [`BandwidthLearner`]: the law of the frequencies learned by the envelope gradient; a whole covariance by
//!   [`learn_gradually`](BandwidthLearner::learn_gradually).
//! - [`applications`]: the paper's inverse problems; [`mod@reference`]: independent truths for them.
//! - [`optimise`]: L-BFGS-B, Levenberg–Marquardt, Adam and AdamW over a box, as argmin solvers and
//!   behind one call.

pub mod applications;
mod bandwidth;
mod engine;
mod error;
mod fit;
pub mod guide;
mod model_error;
pub mod optimise;
mod problem;
pub mod reference;
mod report;
mod statistics;

pub use bandwidth::{BandwidthLearner, BandwidthLoss, LearnedBandwidth, Shape};
pub use engine::{Linearisation, Prepared};
pub use error::InverseError;
#[cfg(feature = "plot")]
pub use fastlsq_solve::plot;
pub use fastlsq_solve::{
    Action, Annulus, AxisIntegral, Backend, Ball, Basis, BasisError, BlockReport, BoundaryPart,
    BoundaryPoints, BoundingBox, BoxDomain, BoxUnion, CandidateReport, ClosedCurve, Coefficient,
    Combined, ComplexPower, ConcreteCondition, ConcreteEquation, ConcretePlace, ConcreteProblem,
    Condition, Control, Coordinate, Corner, CpuBackend, Curve, Cylinder, Dependent, Domain,
    DomainError, DomainExt, Draw, Ellipse, EquationRow, Expr, FINAL, Face, Factor, Factored,
    FactoredProblem, FeatureChoice, Field, Form, Frame, FrequencyLaw, GridSamples, HalfSpace, Hole,
    HyperDual, INITIAL, Implicit, Imposition, InputMap, Interval, Jet, JoinedBasis, Limit,
    LinearProblem, LsqError, LsqInfo, LsqOptions, Method, MirroredSites, Mistake, MistakeReason,
    Moved, MultiIndex, Multiplier, MultiquadricBasis, Name, NewData, Operator, OperatorError,
    Options, Outline, PAPER_GRID, Parameter, Parity, ParseError, PartKind, PartSelector, Parted,
    Place, Polygon, PolynomialBasis, PolynomialFamily, Posedness, PreparedRows, ProblemStatement,
    Product, Progress, Quadrature, Quantities, Real, Renamed, RenamedParts, Report, Residual,
    ResidualValues, RowBlock, RowSource, SampleError, SaveError, SavedBasis, Sequence,
    SetOperation, SinusoidalBasis, SinusoidalBuilder, Sites, SmoothFactor, Solution, SolveError,
    Space, SpaceTime, Stage, Statement, StatementError, Status, SymmetrisedBasis, Symmetry, System,
    T, TanhBasis, TanhBuilder, Taylor, Term, Torus, UnitSampler, Unknown, UpperLimit, Vocabulary,
    WALLS, WeightLaw, Weighted, WrittenRows, X, Y, Z, abs, acos, antiderivative, asin, atan, axis,
    backend, biharmonic, call, compress, control, coordinate, corner_factors, corner_functions,
    cos, cosh, dense, directional, div, domain, dot, exp, faer, fastlsq_basis,
    fractional_laplacian, given, given_on_block, grad, harmonic_polynomials, hole_factors,
    hole_functions, identity_matrix, integral, laplacian, ln, lsq, multiplier, ndarray, normal,
    normal_derivative, parameter, parameters, patches, posed, problems, samples, saved, sech, sign,
    sin, sinh, space, sqrt, strain, tan, tanh, transpose, unknown, unknowns, vector,
};
pub use fit::{Band, Fit, FitMethod, FitOptions};
pub use model_error::ModelError;
pub use problem::{InverseProblem, Observations, Sought};
pub use report::Warning;
pub use statistics::{Identifiability, Posterior};

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
