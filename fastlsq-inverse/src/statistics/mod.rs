//! What the data can tell: identifiability before a fit, the posterior after it.

mod identifiability;
mod normal;
mod posterior;
mod singular;

pub use identifiability::Identifiability;
pub use posterior::Posterior;

pub(crate) use normal::two_sided_quantile;
