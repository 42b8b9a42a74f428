//! Scattered samples of a field that one fit cannot hold: local fits in overlapping windows.
//!
//! Each window has its own features and its own ridge regression. The law is integrated there against test functions
//! that vanish well inside the window, so that the edges of the fit, where its derivatives are wild, never count, and
//! by parts the fit is never differentiated. Each fit is linear in its samples: the covariance of its rows follows
//! from the noise and weights them, and what noise adds to their moments is subtracted.
//!
//! `layout`: boxes over the samples. `plan`: their shape and bandwidth by leave-one-out errors. `rows`: weak rows and
//! how noise reaches them. `discovery`: the story.

mod discovery;
mod layout;
mod plan;
mod rows;

pub(crate) use plan::Plan;
