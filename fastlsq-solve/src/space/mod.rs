//! placeholder

mod condition;
mod elimination;
mod error;
mod local;
mod modes;
mod quadrature;
mod trial;

pub use condition::SpaceCondition;
pub use error::SpaceError;
pub use modes::Modes;
pub use quadrature::Quadrature;
pub use trial::{SpaceReport, TrialSpace};
