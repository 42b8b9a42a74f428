//! basis
