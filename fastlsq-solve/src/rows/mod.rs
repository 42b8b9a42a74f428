//! A problem at points: its rows and their weights, points that no fit has seen, and how well a function does there.
//!
//! [`sample_blocks`] turns equations and conditions into blocks of rows, [`block_weights`] makes the blocks comparable,
//! [`HeldOut`] keeps points apart at which candidates are judged, and a [`Score`] is what they come to. Whoever solves a
//! problem in a way of its own begins here, whether or not it then searches. This module is for the crates of this
//! workspace: it changes as they do.

mod memory;
mod sample;
mod score;
mod weights;

pub use memory::system_bytes;
pub(crate) use memory::{check_size, square_bytes};
pub(crate) use sample::sample;
pub use sample::{RowCounts, TableShare, sample_blocks};
pub use score::{BlockScore, HeldOut, Score, rms, share, sizes, worse};
pub use weights::{block_weights, comparable_sizes};
