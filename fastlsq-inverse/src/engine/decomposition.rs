//! The factored matrix behind a gradient: solves, and transposed solves, of the regularised problem.

use faer::{Mat, MatMut, MatRef};
use fastlsq_solve::lsq::{self, Factorisation};
use fastlsq_solve::{Factored, LsqError, LsqInfo, Options, RowSource, System};

use crate::InverseError;

/// A factored system. With a ridge, the rows √μ I stand below those of the system, so that the
/// regularised problem is a plain least-squares problem and its derivative a plain formula.
#[derive(Debug)]
pub(super) enum Decomposition {
    /// By the backend, without a ridge.
    Backend(Box<dyn Factored>),
    /// With the rows of the ridge.
    Stacked(Box<Factorisation>),
}

impl Decomposition {
    pub(super) fn new(system: &System, options: &Options) -> Result<Self, InverseError> {
        let mut settings = options.lsq.clone().keep_q(true);
        if let Some(bytes) = options.memory_limit {
            settings = settings.memory_limit(bytes);
        }
        let ridge = settings.ridge;
        if ridge == 0.0 {
            return Ok(Self::Backend(options.backend.factor(system, &settings)?));
        }
        if !system.exact_rows().is_empty() {
            return Err(InverseError::Unsupported {
                what: "a ridge together with exact conditions and an operator that depends on the parameters",
                hint: "weight the conditions instead, or leave out the ridge",
            });
        }
        let stacked = Stacked {
            system,
            root: ridge.sqrt(),
        };
        let none = Mat::zeros(stacked.nrows(), 0);
        let factored = lsq::factor(&stacked, none.as_ref(), &settings.ridge(0.0))?;
        Ok(Self::Stacked(Box::new(factored)))
    }

    /// Rows of the system, and of the ridge if there is one.
    pub(super) fn rows(&self, system: &System) -> usize {
        match self {
            Self::Backend(_) => system.nrows(),
            Self::Stacked(factored) => factored.nrows(),
        }
    }

    pub(super) fn solve(&self, rhs: MatRef<'_, f64>) -> Result<Mat<f64>, InverseError> {
        Ok(match self {
            Self::Backend(factored) => factored.solve(rhs)?,
            Self::Stacked(factored) => factored.solve(rhs)?,
        })
    }

    pub(super) fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, InverseError> {
        Ok(match self {
            Self::Backend(factored) => factored.adjoint(covectors)?,
            Self::Stacked(factored) => factored.adjoint(covectors)?,
        })
    }

    pub(super) fn info(&self) -> &LsqInfo {
        match self {
            Self::Backend(factored) => factored.info(),
            Self::Stacked(factored) => factored.info(),
        }
    }
}

/// The rows of a system above √μ I.
struct Stacked<'a> {
    system: &'a System,
    root: f64,
}

impl RowSource for Stacked<'_> {
    fn nrows(&self) -> usize {
        self.system.nrows() + self.system.ncols()
    }

    fn ncols(&self) -> usize {
        self.system.ncols()
    }

    fn write_rows(&self, start: usize, out: MatMut<'_, f64>) -> Result<(), LsqError> {
        let own = self.system.nrows().saturating_sub(start).min(out.nrows());
        let (upper, mut lower) = out.split_at_row_mut(own);
        if own > 0 {
            self.system.write_rows(start, upper)?;
        }
        lower.fill(0.0);
        for i in 0..lower.nrows() {
            lower[(i, start + own + i - self.system.nrows())] = self.root;
        }
        Ok(())
    }
}
