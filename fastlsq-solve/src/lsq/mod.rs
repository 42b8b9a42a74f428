//! Dense least squares min ‖Ax − b‖² + μ‖x‖² for tall matrices that are numerically rank-deficient.
//!
//! Matrices of random features look harmless and are not: their singular values decay to rounding level, so
//! of 1500 columns perhaps 500 carry information. Normal equations and plain QR lose half of the digits there.
//! The methods here keep them:
//!
//! 1. **Rows stream.** A is a [`RowSource`]: it writes blocks of its rows, which are merged into one upper
//!    triangle by Householder reflections and forgotten. Memory is O(N²) plus a few blocks, whatever M. Right-hand
//!    sides travel along.
//! 2. **The rank is revealed.** Column-pivoted QR of the triangle stops where the pivots reach the rounding level.
//! 3. **The solution** is the basic one, the one of least norm, or the ridge solution.
//!
//! [`factor`] does all of it; [`LsqOptions`] chooses, [`LsqInfo`] reports. The [`Factorisation`] solves for further
//! right-hand sides and transposed problems if the orthogonal factor is kept, and [`CachedSolver`] does so at the price
//! of one product. [`factor_constrained`] adds equality constraints.
//!
//! ```
//! use faer::Mat;
//! use fastlsq_solve::lsq::{LsqError, LsqOptions, factor};
//!
//! # fn main() -> Result<(), LsqError> {
//! // 400 samples of a smooth function, fitted by 100 cosines of random frequency: rank 20 or so.
//! let t = |i: usize| i as f64 / 399.0;
//! let random = |j: usize| (j as f64 * 0.618).fract() * 8.0 - 4.0;
//! let a = Mat::from_fn(400, 100, |i, j| (random(j) * t(i) + random(3 * j)).cos());
//! let b = Mat::from_fn(400, 1, |i, _| (2.0 * t(i)).exp());
//! let fit = factor(&a, b.as_ref(), &LsqOptions::new())?;
//! assert!(fit.rank() < 30);
//! assert!(fit.residual_norms()[0] < 1e-12 * b.norm_l2());
//! # Ok(())
//! # }
//! ```
//!
//! Blocks, streams and chunks depend on the sizes only, so results are the same, bit for bit, on any number of
//! threads. Random sketches use fixed seeds.
//!
//! Map: `source` (rows) → `streamed`, `block`, `panel`, `reflected` (QR; `shared` by several processes) → `pivoted`, `pivots`, `elimination` (rank) → `range_map`,
//! `solution_map` (Q₁ and the inverse of T in A ≈ Q₁·T) → `factor`, `cached`, `constrained`; `methods` holds one
//! file for each [`Method`]. Everything asks the [`Control`](crate::Control) of the options whether it may go on.

mod block;
mod cached;
mod columns;
mod constrained;
mod cost;
mod elimination;
mod error;
mod factor;
mod failure;
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
mod reflected;
mod row_blocks;
mod shared;
mod solution_map;
mod source;
mod streamed;
mod triangle;
mod work;

pub use cached::CachedSolver;
pub use columns::spanning_columns;
pub(crate) use constrained::factor_constrained_shared;
pub use constrained::{ConstrainedFactorisation, Constraints, factor_constrained};
pub use cost::RowsCost;
pub use error::{Input, LsqError};
pub(crate) use factor::factor_shared;
pub use factor::{Factorisation, factor};
pub use info::{LsqInfo, StageSeconds};
pub(crate) use kernels::{column, column_mut, times};
pub(crate) use options::MOST_THREADS;
pub use options::{LsqOptions, Method};
pub(crate) use pivoted::{PivotedQr, pivoted_qr};
pub(crate) use products::add_product;
pub(crate) use shared::{flat, unflat};
pub use source::RowSource;
pub(crate) use streamed::reduce_rows;
pub use triangle::condition_of_triangle;
pub(crate) use triangle::{solve_upper, solve_upper_transpose};
