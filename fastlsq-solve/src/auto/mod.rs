//! Automatic choices: symmetry, bandwidths, features, rows and weights, without the exact solution.

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
use crate::factored::FactoredProblem;
use crate::options::{FeatureChoice, Options, Symmetry};
use crate::problem::{Imposition, LinearProblem, Place};
use crate::solution::Solution;

pub(crate) use score::HeldOut;
use trial::Bench;

pub(crate) use score::Score;
pub(crate) use search::Found;
pub(crate) use trial::{Features, Trial};

/// Solves a problem: explicit options are obeyed, the rest is searched for.
pub(crate) fn solve(problem: &LinearProblem, options: &Options) -> Result<Solution, SolveError> {
    prepared(problem, options, |bench, parity, begin| {
        let found = search::search(bench, parity, begin)?;
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Solution::from_search(
            bench.problem,
            options,
            found,
            seconds,
        ))
    })
}

/// Makes all choices as [`solve`] does, then factors the chosen system so that it can be used again.
pub(crate) fn factor(
    problem: &LinearProblem,
    options: &Options,
) -> Result<FactoredProblem, SolveError> {
    prepared(problem, options, |bench, parity, begin| {
        let mut found = search::search(bench, parity, begin)?;
        let features = found.best.features.clone();
        let blocks = bench.rows(features.count(), FINAL_LEVEL)?;
        let lsq = bench.lsq.clone().keep_q(true);
        let (trial, system, factored) = bench.run_keeping(features, &blocks, &lsq)?;
        if found.best.score.worst > 0.0 {
            found.estimate *= trial.score.worst / found.best.score.worst;
        }
        found.best = trial;
        let seconds = begin.elapsed().as_secs_f64();
        let solution = Solution::from_search(bench.problem, options, found, seconds);
        Ok(FactoredProblem::new(
            system,
            factored,
            bench.held_out.clone(),
            solution,
            bench.problem.equations.len(),
        ))
    })
}

/// The points of a factored problem are those of no candidate.
const FINAL_LEVEL: u64 = 1_000;

/// Checks everything, then calls `work` in the pool that was asked for.
fn prepared<T: Send>(
    problem: &LinearProblem,
    options: &Options,
    work: impl FnOnce(&Bench<'_>, &[Vec<Parity>], Instant) -> Result<T, SolveError> + Send,
) -> Result<T, SolveError> {
    let problem = &problem.expanded();
    validate(problem, options)?;
    let run = || {
        let begin = Instant::now();
        let lsq = match options.memory_limit {
            Some(bytes) => options.lsq.clone().memory_limit(bytes),
            None => options.lsq.clone(),
        };
        let bench = Bench {
            problem,
            options,
            held_out: HeldOut::new(problem, options.seed)?,
            lsq,
        };
        let parity = parity(problem, options)?;
        work(&bench, &parity, begin)
    };
    match options.threads {
        None => run(),
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| SolveError::Threads {
                threads,
                reason: error.to_string(),
            })?
            .install(run),
    }
}

/// The parity of each unknown along each axis.
fn parity(problem: &LinearProblem, options: &Options) -> Result<Vec<Vec<Parity>>, SolveError> {
    let none = vec![vec![Parity::None; problem.domain.dim()]; problem.unknowns.len()];
    match (&options.symmetry, &options.choice) {
        (Symmetry::Ignore, _) | (_, FeatureChoice::Basis(_)) => Ok(none),
        (Symmetry::Declared(parity), _) => {
            if parity.len() != problem.domain.dim() {
                return Err(fastlsq_basis::BasisError::Dimension {
                    what: "the declared symmetry",
                    expected: problem.domain.dim(),
                    found: parity.len(),
                }
                .into());
            }
            Ok(vec![parity.clone(); problem.unknowns.len()])
        }
        // With an explicit law the user has the features in hand: nothing is changed behind their back.
        (Symmetry::Detect, FeatureChoice::Law(_) | FeatureChoice::Grid { .. }) => Ok(none),
        (Symmetry::Detect, FeatureChoice::Automatic) => symmetry::detect(problem, options.seed),
    }
}

fn validate(problem: &LinearProblem, options: &Options) -> Result<(), SolveError> {
    if let Some(mistake) = &problem.mistake {
        return Err(mistake.clone());
    }
    if problem.equations.is_empty() && problem.conditions.is_empty() {
        return Err(SolveError::NothingToSolve);
    }
    let names = &problem.unknowns;
    if names.is_empty() || (1..names.len()).any(|k| names[..k].contains(&names[k])) {
        return Err(SolveError::UnknownNames {
            names: names.clone(),
        });
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
    for condition in &problem.conditions {
        if condition.deviations.is_some() && !matches!(condition.place, Place::Points { .. }) {
            return Err(SolveError::DeviationsWithoutTable {
                label: condition.label.clone(),
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
    if let Some(features) = options.features {
        trial::check_size(features, names.len())?;
    }
    let own = problem
        .conditions
        .iter()
        .filter_map(|c| match c.imposition {
            Imposition::Weighted(weight) => Some(weight),
            _ => None,
        });
    if let Some(weight) = own
        .chain(options.weight)
        .find(|weight| !(weight.is_finite() && *weight > 0.0))
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

/// The law, the physical bandwidths and the symmetry of features, for the report.
pub(crate) fn bandwidth_report(
    features: &Features,
    unknowns: &[String],
) -> (String, Vec<f64>, String) {
    (
        crate::report::describe_features(features),
        crate::report::bandwidths(features),
        crate::report::describe_symmetry(features, unknowns),
    )
}
