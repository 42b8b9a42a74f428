//! The function that nearly solves a problem with zero data.

use std::sync::Arc;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{Basis, Draw, FrequencyLaw, InputMap, Parity};
use ndarray::ArrayView2;

use super::{LARGEST_AMPLIFICATION, LOST, Posedness, free};
use crate::SolveError;
use crate::auto::{Features, block_weights, rms, share};
use crate::lsq::LsqOptions;
use crate::options::Options;
use crate::problem::ConcreteProblem;
use crate::system::{RowBlock, System};

/// A linear problem, or one that was linearised, ready to be judged.
#[derive(Debug)]
pub struct Question<'a> {
    /// Its domain, unknowns and blocks.
    pub problem: &'a ConcreteProblem,
    /// Rows to be fitted; their data do not matter.
    pub fitted: Vec<RowBlock>,
    /// Rows at other points, to be judged by.
    pub fresh: Vec<RowBlock>,
    /// For each block, the size of its terms for plain functions as large as `sizes`.
    pub scales: Vec<f64>,
    /// The size of each unknown.
    pub sizes: Vec<f64>,
    /// Points of the interior at which functions are compared.
    pub value_points: ArrayView2<'a, f64>,
}

/// v, and how it does.
pub(super) struct Certificate {
    pub(super) bases: Vec<Arc<dyn Basis>>,
    pub(super) beta: Vec<f64>,
    /// v at the value points, divided by the sizes, one list per unknown.
    pub(super) values: Vec<Vec<f64>>,
    pub(super) amplification: f64,
}

/// The seed of the noise, and of the features that look for null functions.
const SEED: u64 = 0x90_5ed;

/// Features for each unknown, and the largest bandwidth they resolve on the box mapped to [−1,1]^d, by dimension: enough
/// for constants, missing conditions and the first dozens of eigenfunctions.
fn resolution(dim: usize) -> (usize, f64) {
    match dim {
        0 | 1 => (48, 10.0),
        2 => (150, 3.5),
        3 => (250, 2.0),
        _ => (250, 1.0),
    }
}

/// Features without parity for the judgement, with bandwidths as near to those of a candidate as a modest number of them
/// resolves. `None` if the candidate's own features serve.
///
/// # Errors
/// A box that is none.
pub fn probe_features(
    best: &Features,
    bounds: &crate::domain::BoundingBox,
    unknowns: usize,
) -> Result<Features, SolveError> {
    let dim = bounds.dim();
    let (count, finest) = resolution(dim);
    let map = InputMap::from_box(bounds.lo(), bounds.hi())?;
    let sigmas = best.bandwidths(&map).unwrap_or_else(|| vec![finest; dim]);
    let sigmas = sigmas
        .iter()
        .map(|sigma| sigma.clamp(1.0f64.min(finest), finest));
    let law = FrequencyLaw::PerAxis(sigmas.collect());
    let high = dim > 3;
    Ok(Features::Random {
        count,
        law: if high {
            FrequencyLaw::low_order_mix(&law)
        } else {
            law
        },
        map,
        parity: vec![vec![Parity::None; dim]; unknowns],
        draw: if high { Draw::Independent } else { Draw::Ball },
        seed: SEED,
    })
}

/// Judges a question with these features.
///
/// # Errors
/// Rows that cannot be written or factored.
pub fn judge(
    question: Question<'_>,
    features: &Features,
    options: &Options,
    lsq: &LsqOptions,
) -> Result<Posedness, SolveError> {
    let problem = question.problem;
    let certificate = certify(&question, features, options, lsq)?;
    let amplification = certificate.amplification;
    if amplification.is_nan() || amplification <= LARGEST_AMPLIFICATION {
        return Ok(Posedness::Fine { amplification });
    }
    let found = free::describe(problem, &certificate, question.value_points.view())?;
    Ok(match found {
        free::Finding::Free { free, advice } => Posedness::Undetermined {
            amplification,
            free,
            advice,
        },
        free::Finding::Growth { cause } => Posedness::IllConditioned {
            amplification,
            cause,
        },
        free::Finding::Homogeneous { free, advice } if amplification * f64::EPSILON > LOST => {
            Posedness::Undetermined {
                amplification,
                free,
                advice,
            }
        }
        free::Finding::Homogeneous { .. } => Posedness::IllConditioned {
            amplification,
            cause: "a function other than zero nearly solves the problem with zero data".to_owned(),
        },
    })
}

/// Solves for noise.
fn certify(
    question: &Question<'_>,
    features: &Features,
    options: &Options,
    lsq: &LsqOptions,
) -> Result<Certificate, SolveError> {
    let problem = question.problem;
    let unknowns = problem.unknowns.len();
    let bases = features.build(unknowns, options.normalised)?;
    let mut noise = UnitSampler::independent(SEED);
    let mut blocks = question.fitted.clone();
    for (block, scale) in blocks.iter_mut().zip(&question.scales) {
        let values = noise.normals(block.len(), 1);
        block.data = values.iter().map(|n| n * scale).collect();
        // Noise is not a trace of these features: exact conditions would refuse it.
        block.exact = false;
    }
    let mut system = System::new(bases.clone(), blocks)?;
    let weights = block_weights(problem, options.weight, &system)?;
    system.set_weights(&weights);
    let lsq = lsq.clone().keep_q(false);
    let solution = options.backend.factor(&system, &lsq)?.solution()?;
    let beta: Vec<f64> = (0..solution.nrows()).map(|j| solution[(j, 0)]).collect();
    let plain: Vec<&dyn Basis> = bases.iter().map(AsRef::as_ref).collect();
    let mut values = Vec::with_capacity(unknowns);
    for (unknown, size) in question.sizes.iter().enumerate() {
        let row = fastlsq_ops::EquationRow::value(question.value_points.ncols(), unknown, unknowns);
        let own = row.apply(&plain, &beta, question.value_points)?;
        values.push(own.into_iter().map(|v| v / size).collect::<Vec<f64>>());
    }
    let mut residual = 0.0f64;
    for (block, scale) in question.fresh.iter().zip(&question.scales) {
        let own = rms(block.apply(&plain, &beta)?.into_iter());
        residual = residual.max(share(own, *scale));
    }
    let size = rms(values.iter().flatten().copied());
    Ok(Certificate {
        bases,
        beta,
        values,
        amplification: if size == 0.0 { 0.0 } else { size / residual },
    })
}
