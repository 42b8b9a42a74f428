//! Nonlinear PDEs, stated as on paper.
//!
//! u(x) = Σ βⱼφⱼ(x) with features that are differentiated in closed form. Newton's method solves
//! R(u, ∇u, …; x) = 0 at many points by least squares: with J the linearisation of R at u_k, the new
//! coefficients are argmin ‖J β − (J β_k − R)‖ (paper, Eq. 6, written for β instead of its increment,
//! so that what a truncated solve drops cannot pile up). J is exact: the equation is an expression, which
//! differentiates itself with respect to the derivatives of u that occur in it.
//!
//! ```
//! use fastlsq_newton::{Interval, NonlinearProblem, X, exp, unknown};
//! // Bratu's problem u″ + eᵘ = 0 on [0, 1], u = 0 at both ends.
//! let u = unknown("u");
//! let u = NonlinearProblem::on(Interval::unit())
//!     .equation(u.d(X).d(X) + exp(u), 0.0)
//!     .dirichlet(0.0)
//!     .solve()?;
//! // u = 2 ln(cosh θ / cosh(θ(1 − 2x))) with θ = cosh θ / √8 = 0.37929114976268859…
//! let theta: f64 = 0.379_291_149_762_688_6;
//! let exact = 2.0 * theta.cosh().ln();
//! assert!((u.value(&[0.5])? - exact).abs() < 1e-12);
//! println!("{u}");
//! # Ok::<(), fastlsq_newton::NewtonError>(())
//! ```
//!
//! - [`NonlinearProblem`]: domain, equations, conditions, parameters
//! - [`NewtonOptions`]: form of the step, start, damping, continuation, and the options of the
//!   linear solver
//! - [`NonlinearSolution`]: a function, the record of the iteration, an error estimate
//! - [`BranchOptions`], [`Branch`]: a branch of solutions past its folds
//! - [`Slabs`]: long time intervals piece by piece
//! - [`evolution`]: problems with initial values, followed in time
//! - [`problems`]: benchmark problems with exact solutions
//!
//! Everything of `fastlsq-solve` that its signatures need is re-exported here.

mod branch;
mod error;
pub mod evolution;
mod function;
mod iteration;
mod jacobian;
mod on_patches;
mod options;
#[cfg(feature = "plot")]
mod picture;
mod problem;
pub mod problems;
mod report;
mod residual;
mod search;
mod slabs;
mod solution;
mod state;
mod symmetry;

pub use branch::{Branch, BranchEnd, BranchOptions, BranchPoint};
pub use error::NewtonError;
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
    normal_derivative, parameter, parameters, patches, posed, samples, saved, sech, sign, sin,
    sinh, space, sqrt, strain, tan, tanh, transpose, unknown, unknowns, vector,
};
pub use jacobian::JacobianCheck;
pub use options::{Continuation, NewtonOptions, Start, StepForm};
pub use problem::NonlinearProblem;
pub use report::{NewtonCandidate, NewtonReport, NewtonStatus, Step};
pub use slabs::{SlabSolution, Slabs};
pub use solution::NonlinearSolution;

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
