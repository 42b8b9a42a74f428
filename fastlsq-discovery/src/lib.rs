//! The law behind noisy samples of a field.
//!
//! Given values of u at points, scattered or on a grid, and a [`Dictionary`] of candidate terms,
//! find the few terms with D^τu = Σ cₖTₖ(u), their coefficients, and how sure both are.
//!
//! 1. **Fit.** u ≈ Σ βⱼ sin(wⱼ·x + bⱼ)/√N by ridge regression; ridge, bandwidth and noise level follow
//!    from the data ([`FieldFit`]). Every derivative of the fit is exact.
//!    A field that is too rich for one fit is fitted in overlapping windows, where left-out samples favour that
//!    ([`Derivatives::Windows`]): test functions well inside each window, rows weighted by the covariance of their noise.
//! 2. **Rows.** The law at points, edges down-weighted, or integrated against compact test functions
//!    in closed form ([`rows`]).
//! 3. **Sparse regression.** LASSO path, sequential thresholding, best subsets, compared by
//!    information criterion or cross-validation ([`regression`]); a bootstrap of the whole chain
//!    gives inclusion frequencies.
//! 4. **Likelihood refit.** The best supports are compared by fitting the data with *solutions of the
//!    proposed law*, coefficients and initial or boundary data free. This decides when derivatives
//!    are too noisy to trust, attains the Cramér–Rao bound, and reports it.
//!
//! ```
//! use fastlsq_discovery::{Dictionary, Discovery, datasets::DataSet};
//!
//! // 500 samples of e^{−x/2} sin 2x with noise of standard deviation 0.02
//! let samples = DataSet::damped_oscillator(10.0).sample(500, 0.02, 0)?;
//! let library = Dictionary::polynomial(&["x"], &["u", "u_x"], 2)?;
//! let law = Discovery::new(library, "u_xx")?.run(&samples)?;
//! assert_eq!(law.terms.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["u", "u_x"]);
//! assert!((law.coefficient("u") + 4.25).abs() < 0.1);
//! println!("{}", law.summary()); // u_xx = −4.2… u − 1.0… u_x, intervals, bounds, warnings
//! # Ok::<(), fastlsq_discovery::DiscoveryError>(())
//! ```
//!
//! # Fields on grids
//! Arrays need no fit: [`GridDiscovery`] integrates both sides of the law against test functions over windows of the
//! grid. Noise is white there, so that the covariance of these rows is known; it weights them, and what noise adds to
//! their moments is subtracted. One law for each field of a system, several trajectories, missing values. In
//! the end, laws are refitted by their own solutions: ordinary systems over times as long as these follow the samples, laws
//! in one dimension and time on rectangles of the grid, where the windows leave doubts.
//!
//! # What is where
//! - [`Samples`], [`Dictionary`] (terms as text or expressions, products up to a degree), [`Discovery`]
//!   with [`DiscoveryOptions`], and the answer [`Discovered`] with its [`Warning`]s. The law is an
//!   [equation](Discovered::equation) that can be solved.
//! - [`GridData`] (from arrays, `.npy`, `.npz`, `.csv`), [`GridLibrary`], [`GridDiscovery`] with [`GridOptions`], and
//!   the answer [`GridLaws`]: the same for fields on grids. [`Status`] says whether an answer explains the data.
//! - [`FieldFit`] and [`FitOptions`]: the fit by itself.
//! - [`regression`]: the sparse regression by itself; [`rows`]: strong and weak rows.
//! - [`Derivatives`]: finite differences and Savitzky–Golay filters behind the same interface.
//! - [`datasets`]: fields with known laws, generated independently of the method.
//! - [`PaperExperiment`]: the published experiment, with the curves of its figure.

mod bootstrap;
mod conclusion;
pub mod datasets;
mod diagnostics;
mod dictionary;
mod discovered;
mod discovery;
mod error;
mod evidence;
mod fit;
mod grid;
mod options;
mod paper;
#[cfg(feature = "plot")]
mod picture;
mod refit;
pub mod regression;
pub mod rows;
mod samples;
mod steadiness;
mod verdict;
mod windows;
mod written;

pub use dictionary::{Dictionary, Term};
pub use discovered::Discovered;
pub use discovery::Discovery;
pub use error::DiscoveryError;
pub use fit::{Criterion, FieldFit, FitOptions};
pub use grid::{
    GridData, GridDiscovery, GridLaw, GridLaws, GridLibrary, GridOptions, read_npy, read_npz,
};
pub use options::{Derivatives, DiscoveryOptions, LikelihoodRefit, RowForm};
pub use paper::{PaperExperiment, PaperOutcome};
pub use refit::LawFit;
pub use regression::{Candidate, LassoOptions, ModelChoice, PathPoint};
pub use samples::Samples;
pub use verdict::{RowSource, Status, Warning};
pub use written::LawTerm;

pub use fastlsq_basis::MultiIndex;
pub use fastlsq_ops::{Expr, Frame};
pub use fastlsq_solve::{Control, Limit, Progress, Stage};
pub use {faer, ndarray};

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
