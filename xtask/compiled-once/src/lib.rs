//! A manifest and nothing else.
//!
//! Cargo chooses the features of every dependency for each call by itself. The crates deepest down, such as those of complex
//! numbers and bit flags, get other features for each crate that is built alone, and with them the whole linear algebra would be compiled once more.
//! This crate names the features that all crates and tests together ask for; whatever is built beside it shares what is compiled.
//! The step `hygiene` of `cargo xtask check` says where something is missing.
