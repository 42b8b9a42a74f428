//! Several unknowns and several equations.

mod block;
mod row;

pub use block::BlockOperator;
pub use row::EquationRow;
