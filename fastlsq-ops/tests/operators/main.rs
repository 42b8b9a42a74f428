//! Operators against independent references, identities, and every way to get them wrong.

mod algebra;
mod composition;
mod display;
mod errors;
mod fields;
mod hyperdual;
mod integrals;
mod multipliers;
mod reference;
mod rows;
mod support;
mod symmetry;
mod systems;
