//! A manifest and nothing else.
//!
//! Cargo chooses the features of every dependency anew for each call. The lowest crates, such as those of complex
//! numbers and bit flags, get different features for each crate that is built alone, and the whole linear algebra would be
//! compiled again with them.
//! This crate names the features that all crates and tests together ask for; whatever is built beside it shares what is compiled.
//! The step `hygiene` of `cargo xtask check` says where something is missing.
