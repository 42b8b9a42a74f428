//! discovery
#![allow(missing_docs, dead_code)]
mod dictionary;
pub mod datasets;
mod error;
mod fit;
pub mod regression;
mod samples;
pub use dictionary::{Dictionary, Term, Variables};
pub use error::DiscoveryError;
pub use fit::{Criterion, FieldFit, FitOptions};
pub use samples::Samples;
