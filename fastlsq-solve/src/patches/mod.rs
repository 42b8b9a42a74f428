//! Patches.

mod adapt;
mod coefficients;
mod elimination;
mod error;
mod front;
mod grid;
mod indicator;
mod leaf;
mod options;
mod ordering;
mod outer;
mod problem;
mod quadrature;
mod reference;
mod report;
mod skeleton;
mod solution;
mod tree;

pub use error::PatchError;
pub use options::{LeafFeatures, LeafSize, PatchOptions};
pub use problem::{FaceCondition, PatchProblem, Piece};
pub use report::{LeafBox, PatchReport, PatchStatus, PatchTimes, Round};
pub use solution::PatchSolution;
