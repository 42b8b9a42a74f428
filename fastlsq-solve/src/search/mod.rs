//! Automatic choices: symmetry, bandwidths, features, rows and weights, without the exact solution.
//!
//! A [`CandidateMaker`] says how rows are sampled and how a candidate is solved and judged; [`search`] does the rest. Linear
//! problems have one, nonlinear ones another. This module is for the crates of this workspace: it changes as they do.

mod candidate;
mod enrich;
mod estimate;
mod exchange;
mod exchanged;
mod features;
mod homes;
mod linear;
mod memory;
mod particular;
mod repeated;
mod ridge;
mod rows;
mod score;
mod shape;
mod solve;
mod state;
mod structure;
mod structured;
mod symmetry;
mod trend;
mod tune;
mod unseen;
mod weights;

use web_time::Instant;

use fastlsq_basis::Parity;

use crate::SolveError;
use crate::control::Stage;
use crate::domain::DomainError;
use crate::factored::{FactoredProblem, FactoredSystem};
use crate::lsq::MOST_THREADS;
use crate::options::{FeatureChoice, Options, Symmetry};
use crate::problem::{ConcretePlace, ConcreteProblem, Imposition};
use crate::report::Report;
use crate::solution::Solution;

use linear::LinearMaker;

pub use candidate::{Candidate, CandidateMaker};
pub(crate) use estimate::{Witness, relative_error};
pub use exchange::{NonlinearStays, exchangeable};
pub use features::Features;
pub use homes::{Home, Surroundings};
pub use linear::refuses_features;
pub use memory::system_bytes;
pub use repeated::{Choices, PointChoice};
pub use ridge::Ridge;
pub(crate) use rows::sample;
pub use rows::{RowCounts, TableShare, sample_blocks};
pub use score::{BlockScore, HeldOut, Score, rms, share, sizes, worse};
pub(crate) use solve::solve;
pub use state::{Found, search};
pub use structure::{Part, Structure, structure};
pub use symmetry::{detect_parity, periodic_mirrors, row_sign, statement_mirrors};
pub use unseen::Unseen;
pub use weights::{block_weights, comparable_sizes};

/// Makes all choices as [`solve`] does, then factors the chosen system so that it can be used again.
pub(crate) fn factor(
    problem: &ConcreteProblem,
    options: &Options,
) -> Result<FactoredProblem, SolveError> {
    // A symmetry of these data need not be one of others.
    let mut options = options.clone();
    if options.symmetry == Symmetry::Detect {
        options.symmetry = Symmetry::Ignore;
    }
    // Nor need a bandwidth that is given suit all of them: independent frequencies reach beyond it.
    options.draw = options.draw.or(Some(fastlsq_basis::Draw::Independent));
    solve::factor(problem, &options)
}

/// A smaller solve with features and points of its own beside a factored problem: what it says of other data tells how
/// residuals turn into errors there. `None` for a given basis, which has no other draw, and for too few features.
pub(crate) fn companion(
    problem: &ConcreteProblem,
    options: &Options,
    features: &Features,
) -> Result<Option<FactoredSystem>, SolveError> {
    let Some(seed) = features.draw() else {
        return Ok(None);
    };
    let count = features.count() / 2;
    if count < state::SMALLEST_COMPANION {
        return Ok(None);
    }
    let own = features
        .with_seed(seed.wrapping_add(COMPANION_SEED))
        .with_count(count);
    let maker = LinearMaker {
        problem,
        options,
        held_out: HeldOut::new(problem, options.seed)?,
        parity: Vec::new(),
        beside: None,
        may_give_up: false,
        without_waves: false,
        ridge: Ridge::default(),
    };
    let kept = maker.final_candidate(own, None)?;
    Ok(Some(FactoredSystem {
        system: kept.system,
        factored: kept.factored,
    }))
}

/// Draws of companions are those of no candidate.
const COMPANION_SEED: u64 = 0xC0_3BA;

fn as_solution(
    maker: &LinearMaker<'_>,
    found: Found<()>,
    begin: Instant,
) -> Result<Solution, SolveError> {
    let seconds = begin.elapsed().as_secs_f64();
    let report = Report::of(maker.problem, maker.options, &found, seconds);
    let problem = maker.problem;
    let functions = (problem.space.clone(), problem.unknowns.clone());
    Solution::from_parts(functions, found.best.bases, found.best.beta, report)?
        .on_domain(problem.domain.clone())
}

/// Checks everything, then calls `work` in the pool that was asked for.
fn prepared<T: Send>(
    problem: &ConcreteProblem,
    options: &Options,
    work: impl FnOnce(&mut LinearMaker<'_>, Instant) -> Result<T, SolveError> + Send,
) -> Result<T, SolveError> {
    validate(problem, options)?;
    let options = &options.started();
    with_threads(options, || {
        let begin = Instant::now();
        options.control().enter(Stage::Preparing)?;
        let mut maker = LinearMaker {
            problem,
            options,
            held_out: HeldOut::new(problem, options.seed)?,
            parity: parity(problem, options, || symmetry::detect(problem, options.seed))?,
            beside: homes::Surroundings::of(problem)?,
            may_give_up: false,
            without_waves: false,
            ridge: Ridge::default(),
        };
        enrich::choose(&mut maker)?;
        work(&mut maker, begin)
    })
}

/// Runs in a pool of the requested size, or in the current one.
///
/// # Errors
/// A pool that cannot be started, and whatever the work returns.
pub fn with_threads<T: Send, E: From<SolveError> + Send>(
    options: &Options,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let Some(threads) = options.lsq.threads else {
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

/// The parity of each unknown along each axis: declared, detected, or none.
///
/// # Errors
/// A declaration for another dimension, or whatever keeps detection from sampling.
pub fn parity<E: From<SolveError>>(
    problem: &ConcreteProblem,
    options: &Options,
    detect: impl FnOnce() -> Result<Vec<Vec<Parity>>, E>,
) -> Result<Vec<Vec<Parity>>, E> {
    let none = vec![vec![Parity::None; problem.domain.dim()]; problem.unknowns.len()];
    match (&options.symmetry, &options.choice) {
        (Symmetry::Ignore, _) | (_, FeatureChoice::Basis(_) | FeatureChoice::Repeated(_)) => {
            Ok(none)
        }
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
        (Symmetry::Detect, _) => detect(),
    }
}

/// Coordinates must tell this share of the width of the domain apart.
const COARSEST: f64 = 1e-6;

/// Checks a problem and its options before any work is done.
///
/// # Errors
/// The first mistake.
pub fn validate(problem: &ConcreteProblem, options: &Options) -> Result<(), SolveError> {
    if problem.equations.is_empty() && problem.conditions.is_empty() {
        return Err(SolveError::NothingToSolve);
    }
    let bounds = problem.domain.bounding_box()?;
    let dim = bounds.dim();
    for (axis, (&lo, &hi)) in bounds.lo().iter().zip(bounds.hi()).enumerate() {
        let spacing = f64::EPSILON * lo.abs().max(hi.abs());
        if spacing > COARSEST * (hi - lo) {
            return Err(DomainError::TooFewDigits {
                axis,
                lo,
                hi,
                spacing,
            }
            .into());
        }
    }
    for condition in &problem.conditions {
        if condition.deviations.is_some()
            && !matches!(condition.place, ConcretePlace::Points { .. })
        {
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
    if !(options.oversampling.is_finite() && options.oversampling > 0.0) {
        return option("oversampling", options.oversampling, "positive and finite");
    }
    if options.features == Some(0) || options.max_features == 0 {
        return option("features", 0.0, "at least one feature is needed");
    }
    if let Some(features) = options.features {
        memory::check_size(features, problem.unknowns.len())?;
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
    if let Some((features, law)) = &options.begin_with {
        if *features == 0 {
            return option("begin_with", 0.0, "at least one feature is needed");
        }
        law.validate(dim)?;
    }
    if let Some(threads) = options.lsq.threads
        && !(1..=MOST_THREADS).contains(&threads)
    {
        return option("threads", threads as f64, "between 1 and 1024");
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
    if let FeatureChoice::Repeated(choices) = &options.choice {
        choices.validate(dim, problem.unknowns.len())?;
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
