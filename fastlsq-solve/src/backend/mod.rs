//! The seam between mathematics and hardware.

mod constrained;
mod cpu;
mod team;

use std::fmt::Debug;
use std::sync::Arc;

use faer::{Mat, MatRef};

use crate::SolveError;
use crate::lsq::{LsqInfo, LsqOptions};
use crate::system::System;
use crate::team::Team;

pub use cpu::CpuBackend;
pub use team::TeamBackend;

/// Turns a [`System`] into something that can be solved again and again.
pub trait Backend: Debug + Send + Sync {
    /// The name in reports.
    fn name(&self) -> String;

    /// Whether systems may hold rows that are [written out](crate::WrittenRows) already; a backend that assembles
    /// everything itself says no and never sees any.
    fn takes_written_rows(&self) -> bool {
        false
    }

    /// The processes that share every call, if there are several. They run the same program with the same input; see
    /// [`team`](crate::team).
    fn team(&self) -> Option<&Arc<dyn Team>> {
        None
    }

    /// Assembles and factors the weighted rows, along with the system's own right-hand side. Blocks
    /// marked [`exact`](crate::RowBlock::exact) hold as equality constraints; a backend that has
    /// none returns an error for them. If the system has a [`ridge_root`](System::ridge_root), its rows √μ I follow
    /// those of all blocks.
    ///
    /// # Errors
    /// Rows that cannot be assembled, memory that cannot be had, a device that fails.
    fn factor(
        &self,
        system: &System,
        options: &LsqOptions,
    ) -> Result<Box<dyn Factored>, SolveError>;
}

/// A factored system: the matrix cache, and the root of every gradient.
pub trait Factored: Debug + Send + Sync {
    /// The coefficients for the system's own right-hand side, one column.
    ///
    /// # Errors
    /// A solve that fails.
    fn solution(&self) -> Result<Mat<f64>, SolveError>;

    /// The coefficients for other right-hand sides: weighted rows by columns.
    ///
    /// # Errors
    /// Wrong shapes, values that are not finite, or a factorisation made without
    /// [`LsqOptions::keep_q`].
    fn solve(&self, right_hand_sides: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError>;

    /// The transpose of [`solve`](Factored::solve): w with ⟨solve(b), v⟩ = ⟨b, w⟩ for every b.
    ///
    /// # Errors
    /// As [`solve`](Factored::solve).
    fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError>;

    /// Method, rank, condition and times.
    fn info(&self) -> &LsqInfo;
}
