//! newton
