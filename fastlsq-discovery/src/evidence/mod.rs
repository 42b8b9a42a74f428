//! What whitened rows say about the terms of a law, wherever the rows come from.
//!
//! Rows whose noise is known are whitened by its covariance under the law; their moments, and what the noise adds to
//! these, are all that the choice of terms needs. `moments`: fits corrected for noise in the columns. `select`:
//! supports by information criterion. `contest`: weights and terms in turn, and likelihoods of the best. `replicates`:
//! a bootstrap over blocks of rows. `verdict`: the answer with its doubts.

mod contest;
mod moments;
mod replicates;
mod select;
mod verdict;

pub(crate) use contest::{Contest, Law, RowMoments, law_of, sum};
pub(crate) use moments::{Moments, cholesky, cholesky_solve, steady};
pub(crate) use select::{Judged, neighbours};
pub(crate) use verdict::{Question, answer};
