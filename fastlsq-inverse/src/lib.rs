//! inverse
