//! Sparse regression: which few terms explain the target, and with which coefficients.

mod choice;
mod lasso;
mod problem;
mod subsets;
pub(crate) mod thin;

pub(crate) use choice::multiplicity;
pub use choice::{Candidate, ModelChoice, rank_supports};
pub use lasso::{LassoOptions, PathPoint, lasso_path, paper_penalties};
pub use problem::Regression;
pub use subsets::{all_subsets, candidate_supports, thresholded};
