//! Dense least squares for tall, numerically rank-deficient matrices.

mod block;
mod cached;
mod constrained;
mod error;
mod factor;
mod info;
mod kernels;
mod memory;
mod methods;
mod options;
mod panel;
mod pivoted;
mod pivots;
mod products;
mod range_map;
mod row_blocks;
mod solution_map;
mod source;
mod streamed;
mod triangle;

pub use cached::CachedSolver;
pub use constrained::{ConstrainedFactorisation, Constraints, factor_constrained};
pub use error::{Input, LsqError};
pub use factor::{Factorisation, factor};
pub use info::{LsqInfo, StageSeconds};
pub use options::{LsqOptions, Method};
pub use source::RowSource;
