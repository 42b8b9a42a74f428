//! Expressions made concrete: scalar components over the axes of one space, differentiated, sorted into operators, and
//! evaluated on blocks of points.

mod calculus;
mod evaluate;
mod frame;
mod graph;
mod integrals;
mod linear;
mod program;
mod statement;
mod tensor;
mod vectors;
mod written;

pub use frame::Frame;
pub use graph::Jet;
pub(crate) use graph::{Graph, Id};
pub(crate) use program::Program;
pub use statement::{Dependent, Residual, ResidualValues, Statement};
