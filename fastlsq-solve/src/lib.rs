//! State a linear PDE, get a solution to tolerance.

pub mod auto;
pub mod backend;
mod data;
pub mod domain;
mod error;
pub mod lsq;
mod options;
mod problem;
pub mod problems;
mod report;
mod solution;
mod system;

pub use backend::{Backend, CpuBackend, Factored};
pub use data::Data;
pub use domain::{
    Ball, BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, Domain, DomainError, DomainExt,
    Interval, PartKind, PartSelector, SpaceTime,
};
pub use error::SolveError;
pub use fastlsq_basis::{
    Draw, FrequencyLaw, InputMap, Parity, SinusoidalBasis,
    sampling::{Sequence, UnitSampler},
};
pub use fastlsq_ops::*;
pub use options::{FeatureChoice, Options, PAPER_GRID, Symmetry};
pub use problem::{Condition, Imposition, LinearProblem, Place};
pub use report::{BlockReport, Probe, Report, Status};
pub use solution::Solution;
pub use system::{RowBlock, System};
