//! basis

pub mod sampling;
