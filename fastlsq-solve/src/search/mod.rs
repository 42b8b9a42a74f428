//! Automatic choices: bandwidths, features and their number, rows and enrichment, without the exact solution.
//!
//! A [`CandidateMaker`] says how rows are sampled and how a candidate is solved and judged; [`search`] does the rest. Linear
//! problems have one, nonlinear ones another. This module is for the crates of this workspace: it changes as they do.

mod candidate;
mod enrich;
mod estimate;
mod exchanged;
mod features;
mod homes;
mod linear;
mod particular;
mod repeated;
mod ridge;
mod shape;
mod solve;
mod state;
mod structure;
mod structured;
mod trend;
mod tune;
mod unseen;

use web_time::Instant;

use crate::SolveError;
use crate::control::Stage;
use crate::factored::{FactoredProblem, FactoredSystem};
use crate::options::{Options, Symmetry};
use crate::problem::ConcreteProblem;
use crate::report::Report;
use crate::rows::HeldOut;
use crate::solution::Solution;
use crate::symmetry::{AllLinear, parity};

use linear::LinearMaker;

pub use candidate::{Candidate, CandidateMaker};
pub(crate) use estimate::{Witness, relative_error};
pub use features::Features;
pub use homes::{Home, Surroundings};
pub use repeated::{Choices, PointChoice};
pub use ridge::Ridge;
pub(crate) use solve::solve;
pub use state::{Found, search};
pub use structure::{Part, Structure, structure};
pub use unseen::Unseen;

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
    options.validate(problem)?;
    let options = &options.started();
    options.with_threads(|| {
        let begin = Instant::now();
        options.control().enter(Stage::Preparing)?;
        let mut maker = LinearMaker {
            problem,
            options,
            held_out: HeldOut::new(problem, options.seed)?,
            parity: parity(problem, options, &AllLinear)?,
            beside: homes::Surroundings::of(problem)?,
            may_give_up: false,
            without_waves: false,
            ridge: Ridge::default(),
        };
        enrich::choose(&mut maker)?;
        work(&mut maker, begin)
    })
}
