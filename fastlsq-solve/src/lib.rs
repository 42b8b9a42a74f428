//! solve
pub mod lsq;
