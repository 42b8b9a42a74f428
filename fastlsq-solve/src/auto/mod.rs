//! Automatic choices: symmetry, bandwidths, features, rows and weights, without the exact solution.
//!
//! The parts are public for those who build another kind of problem on them: a [`Workbench`] says how
//! rows are sampled and how a candidate is solved, and [`search`] does the rest.

mod estimate;
mod rows;
mod score;
mod search;
mod symmetry;
mod trial;
mod tune;

use std::time::Instant;

use fastlsq_basis::Parity;

use crate::SolveError;
use crate::options::{FeatureChoice, Options, Symmetry};
use crate::problem::LinearProblem;
use crate::report::Report;
use crate::solution::Solution;

use trial::LinearBench;

pub use rows::{RowCounts, TableShare, sample_blocks};
pub use score::{HeldOut, Score, rms, worse};
pub use search::{Found, search};
pub use symmetry::condition_mirrors;
pub use trial::{Features, Trial, Workbench, block_weights};

/// Solves a problem: explicit options are obeyed, the rest is searched for.
pub(crate) fn solve(problem: &LinearProblem, options: &Options) -> Result<Solution, SolveError> {
    validate(problem, options)?;
    with_threads(options, || run(problem, options))
}

/// Runs in a pool of the requested size, or in the current one.
///
/// # Errors
/// A pool that cannot be started, and whatever the work returns.
pub fn with_threads<T: Send, E: From<SolveError> + Send>(
    options: &Options,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let Some(threads) = options.threads else {
        return work();
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| SolveError::Threads {
            threads,
            reason: error.to_string(),
        })?
        .install(work)
}

fn run(problem: &LinearProblem, options: &Options) -> Result<Solution, SolveError> {
    let begin = Instant::now();
    let lsq = match options.memory_limit {
        Some(bytes) => options.lsq.clone().memory_limit(bytes),
        None => options.lsq.clone(),
    };
    let mut bench = LinearBench {
        problem,
        options,
        held_out: HeldOut::new(problem, options.seed)?,
        lsq,
        parity: parity(problem, options, || symmetry::detect(problem, options.seed))?,
    };
    let found = search(&mut bench, begin)?;
    let report = Report::of(problem, options, &found, begin.elapsed().as_secs_f64());
    Solution::from_parts(
        found.best.bases,
        problem.unknowns.clone(),
        found.best.beta,
        report,
    )
}

/// The parity of each unknown along each axis: declared, detected, or none.
///
/// # Errors
/// A declaration for another dimension, or whatever keeps detection from sampling.
pub fn parity<E: From<SolveError>>(
    problem: &LinearProblem,
    options: &Options,
    detect: impl FnOnce() -> Result<Vec<Vec<Parity>>, E>,
) -> Result<Vec<Vec<Parity>>, E> {
    let none = vec![vec![Parity::None; problem.domain.dim()]; problem.unknowns.len()];
    match (&options.symmetry, &options.choice) {
        (Symmetry::Ignore, _) | (_, FeatureChoice::Basis(_)) => Ok(none),
        (Symmetry::Declared(parity), _) => {
            if parity.len() != problem.domain.dim() {
                return Err(SolveError::from(fastlsq_basis::BasisError::Dimension {
                    what: "the declared symmetry",
                    expected: problem.domain.dim(),
                    found: parity.len(),
                })
                .into());
            }
            Ok(vec![parity.clone(); problem.unknowns.len()])
        }
        // With an explicit law the user has the features in hand: nothing is changed behind their back.
        (Symmetry::Detect, FeatureChoice::Law(_) | FeatureChoice::Grid { .. }) => Ok(none),
        (Symmetry::Detect, FeatureChoice::Automatic) => detect(),
    }
}

/// Checks a problem and its options before any work is done.
///
/// # Errors
/// The first mistake.
pub fn validate(problem: &LinearProblem, options: &Options) -> Result<(), SolveError> {
    if let Some(mistake) = &problem.mistake {
        return Err(mistake.clone());
    }
    if problem.equations.is_empty() && problem.conditions.is_empty() {
        return Err(SolveError::NothingToSolve);
    }
    let dim = problem.domain.bounding_box()?.dim();
    let rows = problem.equations.iter().map(|e| &e.operator);
    for row in rows.chain(problem.conditions.iter().map(|c| &c.operator)) {
        if let Some(found) = row.dim()?
            && found != dim
        {
            return Err(SolveError::Dimension {
                basis: found,
                domain: dim,
            });
        }
    }
    let option = |option, value, requirement| {
        Err(SolveError::Option {
            option,
            value,
            requirement,
        })
    };
    if !(options.tolerance.is_finite() && options.tolerance > 0.0) {
        return option("tolerance", options.tolerance, "positive and finite");
    }
    if options.features == Some(0) || options.max_features == 0 {
        return option("features", 0.0, "at least one feature is needed");
    }
    if let Some(weight) = options.weight
        && !(weight.is_finite() && weight > 0.0)
    {
        return option("weight", weight, "positive and finite");
    }
    if options.threads == Some(0) {
        return option("threads", 0.0, "at least one thread is needed");
    }
    if let Some((0, _)) = options.rows
        && !problem.equations.is_empty()
    {
        return option("rows", 0.0, "an equation needs interior rows");
    }
    if let FeatureChoice::Basis(basis) = &options.choice
        && basis.dim() != dim
    {
        return Err(SolveError::Dimension {
            basis: basis.dim(),
            domain: dim,
        });
    }
    if let FeatureChoice::Grid { bandwidths, trials } = &options.choice
        && (bandwidths.is_empty() || *trials == 0)
    {
        return option(
            "bandwidth_grid",
            0.0,
            "at least one bandwidth and one trial",
        );
    }
    Ok(())
}
