//! solve

pub mod domain;
