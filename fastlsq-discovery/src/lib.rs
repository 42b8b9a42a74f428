//! The law behind noisy data.
#![allow(missing_docs, dead_code)]
mod bootstrap;
pub mod datasets;
mod diagnostics;
mod dictionary;
mod discovered;
mod discovery;
mod error;
mod fit;
mod options;
mod refit;
pub mod regression;
pub mod rows;
mod samples;

pub use dictionary::{Dictionary, Term, Variables};
pub use discovered::{Discovered, LawTerm, Warning};
pub use discovery::Discovery;
pub use error::DiscoveryError;
pub use fit::{Criterion, FieldFit, FitOptions};
pub use options::{Derivatives, DiscoveryOptions, LikelihoodRefit, RowForm};
pub use refit::LawFit;
pub use regression::{Candidate, LassoOptions, ModelChoice, PathPoint};
pub use samples::Samples;
