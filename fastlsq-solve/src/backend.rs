//! The seam between mathematics and hardware.

use std::fmt::Debug;
use std::sync::OnceLock;

use faer::{Mat, MatRef};

use crate::SolveError;
use crate::lsq::{self, CachedSolver, Factorisation, LsqInfo, LsqOptions};
use crate::system::System;

/// Turns a [`System`] into something that can be solved again and again.
pub trait Backend: Debug + Send + Sync {
    /// The name in reports.
    fn name(&self) -> String;

    /// Assembles and factors the weighted rows, with the system's own right-hand side along.
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

/// Rows are assembled and merged block by block on the processor's cores.
#[derive(Debug, Clone, Copy, Default)]
pub struct CpuBackend;

impl Backend for CpuBackend {
    fn name(&self) -> String {
        "cpu".to_owned()
    }

    fn factor(
        &self,
        system: &System,
        options: &LsqOptions,
    ) -> Result<Box<dyn Factored>, SolveError> {
        let rhs = system.right_hand_side();
        let factorisation = lsq::factor(system, rhs.as_ref(), options)?;
        Ok(Box::new(CpuFactored {
            factorisation,
            cache: OnceLock::new(),
        }))
    }
}

#[derive(Debug)]
struct CpuFactored {
    factorisation: Factorisation,
    /// The range written out, once a new right-hand side has been asked for.
    cache: OnceLock<CachedSolver>,
}

impl Factored for CpuFactored {
    fn solution(&self) -> Result<Mat<f64>, SolveError> {
        Ok(self.factorisation.solution().to_owned())
    }

    fn solve(&self, right_hand_sides: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        if let Some(cache) = self.cache.get() {
            return Ok(cache.solve(right_hand_sides)?);
        }
        let cache = self.factorisation.cached()?;
        Ok(self.cache.get_or_init(|| cache).solve(right_hand_sides)?)
    }

    fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        match self.cache.get() {
            Some(cache) => Ok(cache.adjoint(covectors)?),
            None => Ok(self.factorisation.adjoint(covectors)?),
        }
    }

    fn info(&self) -> &LsqInfo {
        self.factorisation.info()
    }
}
