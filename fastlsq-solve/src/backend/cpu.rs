//! The processor's own backend.

use std::sync::OnceLock;

use faer::{Mat, MatRef};

use super::constrained::ConstrainedFactored;
use super::{Backend, Factored};
use crate::SolveError;
use crate::lsq::{CachedSolver, Factorisation, LsqInfo, LsqOptions, factor, factor_shared};
use crate::system::System;

/// Rows are assembled and merged block by block on the processor's cores.
#[derive(Debug, Clone, Copy, Default)]
pub struct CpuBackend;

impl Backend for CpuBackend {
    fn name(&self) -> String {
        "cpu".to_owned()
    }

    fn takes_written_rows(&self) -> bool {
        true
    }

    fn factor(
        &self,
        system: &System,
        options: &LsqOptions,
    ) -> Result<Box<dyn Factored>, SolveError> {
        factor_system(system, options, false)
    }
}

/// Factors a system on this process, or by all members of the control's team.
pub(super) fn factor_system(
    system: &System,
    options: &LsqOptions,
    shared: bool,
) -> Result<Box<dyn Factored>, SolveError> {
    if let (Some(free), Some(exact)) = system.split_exact() {
        return ConstrainedFactored::boxed(system, &free, &exact, options, shared);
    }
    let rhs = system.right_hand_side();
    let factor = if shared { factor_shared } else { factor };
    let factorisation = factor(system, rhs.as_ref(), options)?;
    Ok(Box::new(CpuFactored {
        factorisation,
        cache: OnceLock::new(),
    }))
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
        if self.factorisation.is_shared() {
            // No process has room for the whole range.
            return Ok(self.factorisation.solve(right_hand_sides)?);
        }
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
