//! Dense least squares for tall, numerically rank-deficient matrices.

mod block;
mod core_map;
mod error;
mod factor;
mod info;
mod kernels;
mod memory;
mod options;
mod panel;
mod pivoted;
mod pivots;
mod source;
mod streamed;

pub use error::{Input, LsqError};
pub use factor::{Factorisation, factor};
pub use info::{LsqInfo, StageSeconds};
pub use options::{LsqOptions, Method};
pub use source::RowSource;
