//! State a linear PDE, get a solution to tolerance.
//!
//! # The mathematics
//! An unknown function is expanded in random, frozen features,
//!
//! u(x) ≈ Σⱼ βⱼ φⱼ(x),  φⱼ(x) = sin(wⱼ·x + bⱼ)/√N  (paper, Eq. 1).
//!
//! Every derivative of a feature is known in closed form, so a linear equation L u = f at points xᵢ
//! and conditions B u = g at points yᵢ are rows of a linear system for β,
//!
//! Σⱼ βⱼ (Lφⱼ)(xᵢ) = f(xᵢ),  λ Σⱼ βⱼ (Bφⱼ)(yᵢ) = λ g(yᵢ),
//!
//! with more rows than features. One least-squares solve gives β (paper, Algorithm 1): no mesh, no
//! iteration, no training. The matrix is numerically rank-deficient, and a rank-revealing
//! factorisation keeps all the digits that are in it. The bandwidths of the features, their number,
//! the rows and the weights are chosen by the residuals at fresh points; the exact solution is never needed.
//!
//! # A problem in ten lines
//! ```
//! use std::f64::consts::PI;
//! use fastlsq_solve::{BoxDomain, LinearProblem, X, Y, laplacian, sin, unknown};
//!
//! // −Δu = f on the unit square, u = 0 on its boundary.
//! let u = unknown("u");
//! let solution = LinearProblem::on(BoxDomain::unit(2))
//!     .equation(-laplacian(u), 2.0 * PI * PI * sin(PI * X) * sin(PI * Y))
//!     .dirichlet(0.0)
//!     .solve()?;
//!
//! // The result is a function, with all its derivatives, and expressions of them …
//! assert!((solution.value(&[0.5, 0.5])? - 1.0).abs() < 1e-11);
//! assert!((solution.at(laplacian(u), &[0.5, 0.5])? + 2.0 * PI * PI).abs() < 1e-7);
//! // … and a report: what was chosen, how well it fits, how large the error may be.
//! assert!(solution.report().error_estimate < 1e-10);
//! # Ok::<(), fastlsq_solve::SolveError>(())
//! ```
//!
//! # Everything explicit
//! Each choice can be made by hand, on its own or all together; here is the paper's protocol.
//! ```
//! use fastlsq_solve::{Options, problems};
//! let helmholtz = problems::helmholtz_2d(10.0);
//! let options = Options::new().features(400).bandwidth(10.0).rows(1000, 300).weight(100.0).seed(0);
//! let u = helmholtz.problem.solve_with(&options)?;
//! assert!(helmholtz.errors(&u, 1000)?.value < 1e-7);
//! # Ok::<(), fastlsq_solve::SolveError>(())
//! ```
//!
//! # What is where
//! Data flow one way: problem → system → factored → solution → report.
//! - The [`guide`] leads from the statement of a problem to the report.
//! - [`domain`]: boxes, balls, polygons, level sets, set operations, space-time, and the [`Domain`] trait for your own.
//! - [`corner_functions`], [`hole_functions`], [`harmonic_polynomials`]: what smooth features lack on domains with corners
//!   and holes.
//! - [`LinearProblem`] and [`Condition`]: equations, boundary, initial and periodic conditions, data
//!   at points, several unknowns. The language they are written in is that of `fastlsq_ops`, re-exported here.
//! - [`Options`]: every choice with its default. [`Report`]: what became of each, and how well the question was [`posed`].
//! - [`control`]: time limit, memory limit, progress and cancellation, the same for every long call.
//! - [`Solution`]: values, gradients, Hessians, any expression of the unknowns, at one point or many; [`saved`] in files (feature `serde`).
//! - [`samples`]: functions on grids, for CSV, NumPy, ParaView, and as pictures (feature `plot`).
//! - [`FactoredProblem`]: other data on the same factors (the paper's matrix cache).
//! - [`System`], [`Backend`], [`Factored`]: the seam between mathematics and hardware. `conformance`
//!   (a feature) is the suite of tests that a backend of your own should pass.
//! - [`team`]: several processes that solve one problem; the crate `fastlsq-mpi` runs them as the ranks of an MPI job.
//! - [`lsq`]: the least-squares engine, usable on its own.
//! - [`patches`]: many small sums in place of one, for corners, layers, peaks and many wave lengths; [`LinearProblem::solve`]
//!   turns to them automatically.
//! - [`space`]: trial spaces with conditions built in, and eigenvalues; [`dense`]: the factorisations they use.
//! - [`problems`]: the benchmark problems, with exact solutions to measure errors.

pub mod backend;
mod compress;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod control;
pub mod dense;
pub mod domain;
mod error;
mod factored;
pub mod guide;
pub mod lsq;
mod options;
pub mod patches;
pub mod posed;
mod problem;
pub mod problems;
#[cfg(feature = "random-problems")]
pub mod random_problems;
mod report;
#[doc(hidden)]
pub mod rows;
pub mod samples;
pub mod saved;
#[doc(hidden)]
pub mod search;
mod singular;
mod solution;
pub mod space;
#[doc(hidden)]
pub mod symmetry;
mod system;
pub mod team;

pub use backend::{Backend, CpuBackend, Factored, TeamBackend};
pub use compress::compress;
pub use control::{Control, Limit, Progress, Stage};
pub use domain::{
    Annulus, Ball, BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, BoxUnion, ClosedCurve,
    Combined, Corner, Curve, Cylinder, Divided, Domain, DomainError, DomainExt, Ellipse, Exterior,
    FINAL, HalfSpace, Hole, INITIAL, Implicit, Interval, Motion, Moved, Outline, PartKind,
    PartSelector, Parted, Polygon, Product, Quadrature, REST, Region, Renamed, RenamedParts,
    SetOperation, SpaceTime, Surface, Torus, WALLS,
};
pub use error::SolveError;
pub use factored::{FactoredProblem, NewData};
pub use fastlsq_basis::{
    Coefficient, ComplexPower, CylinderBasis, CylinderKind, Draw, Dual, Factor, FrequencyLaw,
    InputMap, JoinedBasis, MultiquadricBasis, Parity, PolynomialBasis, PolynomialFamily,
    RestrictedBasis, SavedBasis, SinusoidalBasis, SinusoidalBuilder, SmoothFactor,
    SymmetrisedBasis, TanhBasis, TanhBuilder, Taylor, WeightLaw, Weighted,
    sampling::{Sequence, UnitSampler},
};
pub use fastlsq_ops::{
    Action, AxisIntegral, Basis, BasisError, Coordinate, Dependent, EquationRow, Expr, Face, Field,
    Form, Frame, HyperDual, Jet, MirroredSites, MultiIndex, Multiplier, Name, Operator,
    OperatorError, Parameter, ParseError, PreparedRows, Real, Residual, ResidualValues, Sites,
    Space, Statement, StatementError, T, Term, Unknown, UpperLimit, Vocabulary, X, Y, Z, abs, acos,
    antiderivative, asin, atan, axis, biharmonic, call, coordinate, cos, cosh, directional, div,
    dot, exp, faer, fastlsq_basis, fractional_laplacian, given, given_on_block, grad,
    identity_matrix, integral, laplacian, ln, multiplier, ndarray, normal, normal_derivative,
    parameter, parameters, sech, sign, sin, sinh, sqrt, strain, tan, tanh, transpose, unknown,
    unknowns, vector,
};
#[cfg(feature = "plot")]
pub use fastlsq_plot as plot;
pub use lsq::{LsqError, LsqInfo, LsqOptions, Method, RowSource};
pub use options::{FeatureChoice, Options, PAPER_GRID, Symmetry};
pub use posed::Posedness;
pub use problem::{
    ConcreteCondition, ConcreteEquation, ConcretePlace, ConcreteProblem, Condition, Imposition,
    LinearProblem, Mistake, MistakeReason, Place, ProblemStatement,
};
pub use report::{BlockReport, CandidateReport, Report, Status};
pub use samples::{GridSamples, Quantities, SampleError};
pub use saved::SaveError;
pub use singular::{
    bounded_functions, corner_factors, corner_functions, harmonic_polynomials, hole_factors,
    hole_functions, hole_waves, outgoing_waves,
};
pub use solution::Solution;
pub use system::{RowBlock, System, WrittenRows};

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
