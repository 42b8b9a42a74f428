//! The record of an evolution.

use std::fmt;

use fastlsq_solve::Limit;

/// One run from the first time to the last.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunReport {
    /// The relative error of the whole that it aimed for.
    pub tolerance: f64,
    /// The degree of the polynomials in space.
    pub degree: usize,
    /// Steps in time.
    pub steps: usize,
    /// How often the mesh was changed.
    pub meshes: usize,
    /// The smallest and the largest number of pieces in space.
    pub pieces: (usize, usize),
    /// The maximum number of coefficients.
    pub dim: usize,
    /// The largest relative L2 distance from the run before, over all times; NaN for the first.
    pub difference: f64,
    /// Seconds.
    pub seconds: f64,
}

/// A solution that ceases to exist.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BlowUp {
    /// The last time at which it was found.
    pub time: f64,
    /// The largest absolute value there.
    pub largest: f64,
    /// The L2 norm there.
    pub norm: f64,
}

/// How a problem was evolved in time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EvolutionReport {
    /// The time that was reached; values beyond are NaN.
    pub reached: f64,
    /// The limit that ended it early, if one did.
    pub stopped: Option<Limit>,
    /// Where the solution ceases to exist, if it does.
    pub blow_up: Option<BlowUp>,
    /// The time from which on the solution was not resolved as asked, for want of coefficients.
    pub unresolved: Option<f64>,
    /// What is odd about the problem.
    pub remarks: Vec<String>,
    /// The runs, each finer than the one before; the last whose difference fell is the solution.
    pub runs: Vec<RunReport>,
}

impl fmt::Display for EvolutionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evolved to t = {}", self.reached)?;
        if let Some(limit) = self.stopped {
            write!(f, "; {limit}")?;
        }
        if let Some(BlowUp { time, largest, .. }) = self.blow_up {
            write!(
                f,
                "; the solution blows up after t = {time}, where it reaches {largest:.2e}"
            )?;
        }
        if let Some(time) = self.unresolved {
            write!(
                f,
                "; the tolerance is not met from t = {time} on: it needs more coefficients than are allowed"
            )?;
        }
        for remark in &self.remarks {
            write!(f, "\n  {remark}")?;
        }
        for run in &self.runs {
            write!(
                f,
                "\n  tolerance {:.0e}: {} steps, {} to {} pieces of degree {} ({} coefficients), {} changes of the mesh, {:.3} s",
                run.tolerance,
                run.steps,
                run.pieces.0,
                run.pieces.1,
                run.degree,
                run.dim,
                run.meshes,
                run.seconds
            )?;
            if !run.difference.is_nan() {
                write!(f, ", differs by {:.1e}", run.difference)?;
            }
        }
        Ok(())
    }
}
