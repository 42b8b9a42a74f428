//! The least-squares engine: accuracy, constraints, streams, and what it refuses.

mod accuracy;
mod bad_input;
mod constraints;
mod pseudo_inverse;
mod streaming;
mod support;
