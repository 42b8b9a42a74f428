//! Eigenfunctions that one trial space does not resolve, on patches.
//!
//! At a re-entrant corner eigenvalues of a trial space converge slowly. They
//! still tell where the wanted ones are: with a shift beside them, the equation is factored on a tree of patches that
//! follows what is local, and inverse iteration there finds them to the tolerance.

use std::sync::Arc;

use fastlsq_ops::{Expr, Operator};

use super::{Eigenpair, Eigenproblem, Spectrum, Wanted};
use crate::patches::{Mode, ModeRequest, PatchError, PatchOptions, PatchProblem, boxes_of};
use crate::problem::LinearProblem;

/// What trees lose is made smaller than what is asked for by this factor: eigenfunctions have more detail than the source
/// that the tree was made for.
const FINER: f64 = 0.1;
/// The most trees, each a hundred times finer.
const TREES: usize = 3;
/// How far below the smallest eigenvalue the shift is, as a share of the distance to the first that is not wanted.
const BELOW: f64 = 0.3;
/// Eigenvalues this close to each other, relative to their size, are one.
const SAME: f64 = 1e-7;

/// Whether patches could be of use.
pub(super) fn may_help(
    problem: &Eigenproblem,
    operator: &Operator,
    mass: Option<&Operator>,
) -> bool {
    let second = operator.order() == 2 && mass.is_none_or(|mass| mass.order() < 2);
    second && problem.domain.dim() <= 2 && boxes_of(problem.domain.as_ref()).is_some()
}

/// The wanted pairs on patches, where a trial space has shown where they are; nothing if there are no patches for this problem,
/// or if they do no better.
pub(super) fn refined(
    problem: &Eigenproblem,
    mass: Option<&Operator>,
    wanted: Wanted,
    rough: &Spectrum,
) -> Option<Spectrum> {
    let real = rough.pairs.iter().all(|pair| pair.value.im == 0.0);
    if !real || rough.pairs.len() < wanted.count() {
        return None;
    }
    let shift = shift(rough, wanted)?;
    let waves = rough.pairs.iter().map(|pair| pair.value.norm());
    let mut request = ModeRequest {
        mass,
        shift,
        count: wanted.count(),
        symmetric: rough.symmetric,
        waves: waves.fold(1.0, f64::max).sqrt(),
        tolerance: problem.tolerance,
    };
    let mut best: Option<Spectrum> = None;
    for _ in 0..TREES {
        let Ok(Some(modes)) = modes(problem, &request) else {
            break;
        };
        let found = Spectrum::of_modes(rough, wanted, modes);
        let enough = found.worst_estimate() <= problem.tolerance;
        let better = |old: &Spectrum| found.worst_estimate() < old.worst_estimate();
        if !best.as_ref().is_none_or(better) {
            break;
        }
        best = Some(found);
        if enough {
            break;
        }
        request.tolerance *= 0.01;
    }
    best.filter(|found| found.worst_estimate() < rough.worst_estimate())
}

/// A number beside the wanted eigenvalues, and nearer to these than to others.
fn shift(rough: &Spectrum, wanted: Wanted) -> Option<f64> {
    let values = || rough.pairs.iter().map(|pair| pair.value.re);
    let lowest = values().fold(f64::INFINITY, f64::min);
    let highest = values().fold(f64::NEG_INFINITY, f64::max);
    let size = highest.abs().max(lowest.abs());
    match wanted {
        Wanted::Smallest(_) => {
            // One that is well below the smallest even if that is known to a few per cent only.
            let distance = BELOW * (highest - lowest).max(0.3 * size);
            (distance > 0.0).then_some(lowest - distance)
        }
        Wanted::Nearest(number, _) => {
            let distance = |shift: f64| values().map(|v| (v - shift).abs()).fold(size, f64::min);
            let moves = [0.0, 0.003, -0.003, 0.01, -0.01];
            let candidates = moves.map(|share| number + share * size);
            candidates
                .into_iter()
                .find(|shift| distance(*shift) > 1e-3 * size)
        }
    }
}

/// The eigenvalues nearest to a shift, on a tree made for waves like the wanted functions.
fn modes(
    problem: &Eigenproblem,
    request: &ModeRequest<'_>,
) -> Result<Option<Vec<Mode>>, PatchError> {
    let Some(unknown) = problem.left.unknowns().first().copied() else {
        return Ok(None);
    };
    let mass = problem.mass.clone().unwrap_or_else(|| Expr::from(unknown));
    let shifted = problem.left.clone() - request.shift * mass;
    let waves = request.waves;
    // In a direction without symmetry, so that every corner and every part sees something of it.
    let source = move |x: &[f64]| {
        let along = [0.6, 0.8, 0.7];
        let turn: f64 = x.iter().zip(along).map(|(x, d)| x * d).sum();
        1.0 + (waves * turn + 1.0).cos()
    };
    let mut stated = LinearProblem::on(Arc::clone(&problem.domain)).equation(shifted, source);
    for (part, left) in &problem.conditions {
        stated = stated.condition(part.clone(), left.clone(), 0.0);
    }
    for along in &problem.periodic {
        stated = stated.periodic(*along);
    }
    for (parameter, value) in &problem.parameters {
        stated = stated.parameter(*parameter, *value);
    }
    let options = PatchOptions::new()
        .tolerance((FINER * request.tolerance).max(1e-13))
        .seed(problem.seed);
    let patches = PatchProblem::of(&stated.statement().linear()?)?.factor(&options)?;
    patches.modes(request)
}

impl Spectrum {
    /// Pairs on patches in the order that was asked for.
    fn of_modes(rough: &Self, wanted: Wanted, mut modes: Vec<Mode>) -> Self {
        let rank = |mode: &Mode| wanted.rank(faer::c64::new(mode.value, 0.0)).0;
        modes.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        let values: Vec<f64> = modes.iter().map(|mode| mode.value).collect();
        let pairs = modes.iter().map(|mode| Eigenpair {
            value: faer::c64::new(mode.value, 0.0),
            coefficients: Vec::new(),
            residual: mode.function.report().indicator,
            error_estimate: mode.error,
            multiplicity: {
                let near = |other: &&f64| {
                    (**other - mode.value).abs() <= SAME * mode.value.abs() + 10.0 * mode.error
                };
                values.iter().filter(near).count()
            },
            polished: true,
            change: None,
        });
        Self {
            pairs: pairs.collect(),
            functions: Some(modes.into_iter().map(|mode| mode.function).collect()),
            ..rough.clone()
        }
    }
}
