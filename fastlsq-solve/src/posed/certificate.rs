//! The function that nearly solves a problem with zero data.

use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{Basis, Draw, FrequencyLaw, InputMap, Parity};
use fastlsq_ops::EquationRow;
use ndarray::ArrayView2;

use super::{LARGEST_AMPLIFICATION, NULL_FUNCTION, Posedness, free};
use crate::SolveError;
use crate::dense::column;
use crate::lsq::{LsqOptions, Method, factor};
use crate::options::Options;
use crate::problem::ConcreteProblem;
use crate::rows::{rms, share};
use crate::search::Features;
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
    /// The amplification with coarser features, if there was a first look.
    pub earlier: Option<f64>,
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

/// How closely a problem is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// With enough features for constants, for what missing conditions leave open, and for the first dozens of
    /// eigenfunctions.
    First,
    /// With more and somewhat finer ones, to see whether the amplification grows with them.
    Second,
}

impl Look {
    /// Features for each unknown, and their largest bandwidth on the box mapped to [−1,1]^d.
    fn resolution(self, dim: usize) -> (usize, f64) {
        match (dim, self) {
            (0 | 1, Self::First) => (48, 8.0),
            (0 | 1, Self::Second) => (110, 10.0),
            (2, Self::First) => (160, 4.0),
            (2, Self::Second) => (400, 4.5),
            (3, Self::First) => (250, 2.0),
            (3, Self::Second) => (600, 2.2),
            (_, Self::First) => (250, 1.0),
            (_, Self::Second) => (600, 1.1),
        }
    }
}

/// A first look, and a second one where the first is not clear: near a resonance the amplification is large but stays as it
/// is with finer features, while for an unstable problem it grows without bound.
///
/// # Errors
/// Whatever `look` returns.
pub fn judge_closely<E>(
    mut look: impl FnMut(Look, Option<f64>) -> Result<Posedness, E>,
) -> Result<Posedness, E> {
    match look(Look::First, None)? {
        Posedness::Fine { amplification } if amplification > UNCLEAR => {
            look(Look::Second, Some(amplification))
        }
        clear => Ok(clear),
    }
}

/// Features without parity for the judgement: a part with long waves, a part with shorter ones.
///
/// # Errors
/// A box that is not valid.
pub fn probe_features(
    bounds: &crate::domain::BoundingBox,
    unknowns: usize,
    look: Look,
) -> Result<Features, SolveError> {
    let dim = bounds.dim();
    let (count, finest) = look.resolution(dim);
    let fine = FrequencyLaw::Isotropic(finest);
    let long = fine.scaled(LONG_WAVES);
    let high = dim > 3;
    let law = if high {
        FrequencyLaw::low_order_mix(&fine)
    } else {
        fine
    };
    Ok(Features::Random {
        count,
        law: FrequencyLaw::Blocks(vec![(LONG_SHARE, long), (1.0 - LONG_SHARE, law)]),
        map: InputMap::from_box(bounds.lo(), bounds.hi())?,
        parity: vec![vec![Parity::None; dim]; unknowns],
        draw: if high { Draw::Independent } else { Draw::Ball },
        seed: SEED,
        beside: None,
    })
}

/// Amplifications above this are worth a second look.
const UNCLEAR: f64 = 50.0;
/// The problem is unstable if finer features make the amplification grow by this factor, to this value at least.
const UNSTABLE: f64 = 5.0;
const SMALLEST_UNSTABLE: f64 = 2e3;
/// How much longer the long waves are, and their share of the features.
const LONG_WAVES: f64 = 0.3;
const LONG_SHARE: f64 = 0.35;

/// Judges a question with these features.
///
/// # Errors
/// Rows that cannot be written or factored.
pub fn judge(
    question: &Question<'_>,
    features: &Features,
    options: &Options,
    lsq: &LsqOptions,
) -> Result<Posedness, SolveError> {
    let problem = question.problem;
    let certificate = certify(question, features, options, lsq)?;
    let amplification = certificate.amplification;
    let limit = question.earlier.map_or(LARGEST_AMPLIFICATION, |earlier| {
        (UNSTABLE * earlier).clamp(SMALLEST_UNSTABLE, LARGEST_AMPLIFICATION)
    });
    if amplification.is_nan() || amplification <= limit {
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
        free::Finding::Homogeneous { free, advice } if amplification > NULL_FUNCTION => {
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

/// Solves for noise, then improves on the answer: with the rows in natural units A and the values Φ of the features,
/// β ← A⁺(A⁺)ᵀΦᵀΦβ leads to the largest ‖Φβ‖/‖Aβ‖.
fn certify(
    question: &Question<'_>,
    features: &Features,
    options: &Options,
    lsq: &LsqOptions,
) -> Result<Certificate, SolveError> {
    let unknowns = question.problem.unknowns.len();
    let bases = features.build(unknowns, options.normalised)?;
    let plain: Vec<&dyn Basis> = bases.iter().map(AsRef::as_ref).collect();
    let mut noise = UnitSampler::independent(SEED);
    let mut blocks = question.fitted.clone();
    let mut weights = Vec::with_capacity(blocks.len());
    for (block, scale) in blocks.iter_mut().zip(&question.scales) {
        let values = noise.normals(block.len(), 1);
        block.data = values.iter().map(|n| n * scale).collect();
        // Noise is not a trace of these features: exact conditions would refuse it.
        block.exact = false;
        block.row_weights = None;
        let natural = 1.0 / (scale * (block.len().max(1) as f64).sqrt());
        weights.push(if natural.is_finite() { natural } else { 0.0 });
    }
    let mut system = System::new(bases.clone(), blocks)?;
    system.set_weights(&weights);
    let right = system.right_hand_side();
    let lsq = lsq.clone().method(Method::RankRevealingQr).keep_q(true);
    let factors = factor(&system, right.as_ref(), &lsq)?;
    let values = question.values_of(&plain)?;
    let mut beta = factors.solution().to_owned();
    for _ in 0..STEPS {
        let v = &values * &beta;
        let size = v.norm_l2();
        if !(size > 0.0 && size.is_finite()) {
            break;
        }
        let covector = values.transpose() * (&v / faer::Scale(size));
        beta = factors.solve(factors.adjoint(covector.as_ref())?.as_ref())?;
    }
    let each = question.value_points.nrows();
    let v = &values * &beta;
    let values: Vec<Vec<f64>> = (0..unknowns)
        .map(|k| (0..each).map(|i| v[(k * each + i, 0)]).collect())
        .collect();
    let beta = column(beta.as_ref(), 0);
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

/// Steps from noise towards the function that is amplified most.
const STEPS: usize = 2;

impl Question<'_> {
    /// The unknowns at the value points, divided by their sizes, as a matrix on the coefficients.
    fn values_of(&self, bases: &[&dyn Basis]) -> Result<Mat<f64>, SolveError> {
        let (unknowns, points) = (bases.len(), self.value_points.nrows());
        let columns: usize = bases.iter().map(|basis| basis.len()).sum();
        let mut values = Mat::zeros(unknowns * points, columns);
        for (unknown, size) in self.sizes.iter().enumerate() {
            let row = EquationRow::value(self.value_points.ncols(), unknown, unknowns);
            let mut own = values.as_mut().subrows_mut(unknown * points, points);
            row.write_rows(bases, self.value_points, own.as_mut())?;
            faer::zip!(own).for_each(|faer::unzip!(entry)| *entry /= *size);
        }
        Ok(values)
    }
}
