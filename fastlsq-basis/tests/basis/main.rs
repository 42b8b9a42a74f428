//! Features and their derivatives, identities, sampling and storage.

mod common;
mod conformance;
mod expansion;
mod frequency_gradients;
mod identities;
mod other_bases;
mod sampling;
mod saved;
mod sincos;
mod sinusoidal;
mod symmetry;
mod weighted;
