//! State a linear PDE, get a solution to tolerance.

mod auto;
pub mod backend;
#[cfg(feature = "conformance")]
pub mod conformance;
mod data;
pub mod domain;
mod error;
mod factored;
pub mod lsq;
mod options;
mod problem;
pub mod problems;
mod report;
pub mod saved;
mod solution;
mod system;

pub use backend::{Backend, CpuBackend, Factored};
pub use data::{Data, PointFunction};
pub use domain::{
    Ball, BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, Domain, DomainError, DomainExt,
    Interval, PartKind, PartSelector, SpaceTime,
};
pub use error::SolveError;
pub use factored::{FactoredProblem, NewData};
pub use fastlsq_basis::{
    Coefficient, Draw, FrequencyLaw, InputMap, JoinedBasis, MultiquadricBasis, Parity,
    PolynomialBasis, PolynomialFamily, SavedBasis, SinusoidalBasis, SinusoidalBuilder,
    SymmetrisedBasis, TanhBasis, TanhBuilder, WeightLaw,
    sampling::{Sequence, UnitSampler},
};
pub use fastlsq_ops::*;
pub use lsq::{LsqError, LsqInfo, LsqOptions, Method, RowSource};
pub use options::{FeatureChoice, Options, PAPER_GRID, Symmetry};
pub use problem::{Condition, Imposition, LinearProblem, Place};
pub use report::{BlockReport, Probe, Report, Status};
pub use saved::SaveError;
pub use solution::Solution;
pub use system::{RowBlock, System};
