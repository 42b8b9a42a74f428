//! Expressions made concrete: scalar components over the axes of one space, differentiated, sorted into operators, and
//! evaluated on blocks of points.

mod calculus;
mod evaluate;
mod frame;
mod graph;
mod integrals;
mod linear;
mod statement;
mod tensor;
mod written;

pub use frame::Frame;
pub(crate) use evaluate::Program;
pub(crate) use graph::{Graph, Id};
pub use graph::Jet;
pub use statement::{Dependent, Residual, ResidualValues, Statement};
