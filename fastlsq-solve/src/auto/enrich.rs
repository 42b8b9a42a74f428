//! Functions of corners and holes that join the features by themselves.
//!
//! Where the boundary of a domain in the plane turns or goes around a hole, solutions of an equation whose leading part is
//! a multiple of the Laplacian contain functions that smooth features cannot follow (see [`crate::corner_functions`] and
//! [`crate::hole_functions`]). They are known in closed form, so that they become columns beside the features. Where the
//! equation is Laplace's or Poisson's they stand alone; otherwise the leading ones are also multiplied by a few
//! smooth features, which carry the terms of lower order.
//!
//! The held-out score decides whether they stay: the same features on the same rows are tried with them and without.

use std::sync::Arc;

use fastlsq_basis::{Basis, Draw, FrequencyLaw, InputMap, JoinedBasis, SinusoidalBasis, Weighted};
use fastlsq_ops::Operator;
use ndarray::Array2;

use super::trial::{Features, LinearBench, Workbench};
use crate::SolveError;
use crate::domain::{Corner, Domain, DomainExt};
use crate::options::FeatureChoice;
use crate::problem::{ConcretePlace, ConcreteProblem};
use crate::singular::{
    corner_factors, corner_functions, harmonic_polynomials, hole_factors, hole_functions,
};

/// The largest exponent of a corner function.
const HIGHEST_EXPONENT: f64 = 8.0;
/// The largest exponent of corner functions that are multiplied by smooth features.
const HIGHEST_MULTIPLIED: f64 = 2.5;
/// Pairs of Laurent terms around a hole.
const LAURENT_TERMS: usize = 16;
/// Pairs of Laurent terms around a hole that are multiplied by smooth features.
const LAURENT_MULTIPLIED: usize = 3;
/// The degree of the harmonic polynomials beside the functions of corners and holes.
const POLYNOMIAL_DEGREE: usize = 40;
/// Smooth features that multiply each leading function, and their bandwidth.
const MULTIPLIERS: (usize, f64) = (12, 1.5);
/// Features of the two candidates that are compared, and their bandwidth.
const COMPARED: (usize, f64) = (200, 5.0);
/// Additional functions stay if they improve the score by this factor.
const WORTH_IT: f64 = 2.0;
/// Leading coefficients that differ by less, relative to their size, are equal.
const ISOTROPIC: f64 = 1e-9;

/// What joins the features.
#[derive(Debug, Clone)]
pub struct Enrichment {
    /// The columns.
    pub basis: Arc<dyn Basis>,
    /// What they are, in words.
    pub words: String,
}

/// The functions that the domain suggests, if the held-out score is better with them.
pub(super) fn choose(bench: &mut LinearBench<'_>) -> Result<(), SolveError> {
    if !matches!(bench.options.choice, FeatureChoice::Automatic) {
        return Ok(());
    }
    let Some(suggested) = suggest(bench.problem)? else {
        return Ok(());
    };
    let features = |beside: Option<Enrichment>| -> Result<Features, SolveError> {
        let bounds = bench.bounding_box()?;
        let dim = bounds.dim();
        Ok(Features::Random {
            count: COMPARED.0,
            law: FrequencyLaw::Isotropic(COMPARED.1),
            map: InputMap::from_box(bounds.lo(), bounds.hi())?,
            parity: vec![vec![fastlsq_basis::Parity::None; dim]; bench.problem.unknowns.len()],
            draw: Draw::Ball,
            seed: bench.options.seed,
            beside,
        })
    };
    let (plain, enriched) = (features(None)?, features(Some(suggested.clone()))?);
    let columns = COMPARED.0 + suggested.basis.len();
    let blocks = bench.rows(
        columns,
        None,
        bench.options.seed.wrapping_add(COMPARED_POINTS),
    )?;
    // What keeps a candidate from being solved is the search's to report.
    let (Ok(without), Ok(with)) = (bench.run(plain, &blocks), bench.run(enriched, &blocks)) else {
        return Ok(());
    };
    if WORTH_IT * with.score.worst < without.score.worst {
        // The functions of one corner have no parity.
        for parity in bench.parity.iter_mut().flatten() {
            *parity = fastlsq_basis::Parity::None;
        }
        bench.beside = Some(suggested);
    }
    Ok(())
}

/// The points of the comparison are those of no candidate.
const COMPARED_POINTS: u64 = 0xC0_12E2;

/// The functions of corners and holes of a domain, for one second-order equation with an isotropic leading part.
fn suggest(problem: &ConcreteProblem) -> Result<Option<Enrichment>, SolveError> {
    let domain = problem.domain.as_ref();
    let ([equation], [_]) = (problem.equations.as_slice(), problem.unknowns.as_slice()) else {
        return Ok(None);
    };
    if domain.dim() != 2 || domain.time_axis().is_some() {
        return Ok(None);
    }
    let (corners, holes) = (domain.corners(), domain.holes());
    let is_box = || -> Result<bool, SolveError> {
        let volume = domain.bounding_box()?.volume();
        Ok(holes.is_empty() && (domain.volume()? - volume).abs() <= 1e-12 * volume)
    };
    if (corners.is_empty() && holes.is_empty()) || is_box()? {
        return Ok(None);
    }
    let Some(operator) = equation.operator.block(0) else {
        return Ok(None);
    };
    let mut places: Vec<[f64; 2]> = corners.iter().map(|corner| corner.position).collect();
    places.extend(holes.iter().map(|hole| hole.center));
    if !is_isotropic(operator, &places) {
        return Ok(None);
    }
    let mixed = |corner: &Corner| is_mixed(problem, corner);
    let mut parts: Vec<Arc<dyn Basis>> = Vec::new();
    let mut add = |basis: Option<Weighted>| {
        parts.extend(basis.map(|basis| Arc::new(basis) as Arc<dyn Basis>));
    };
    add(corner_functions(domain, HIGHEST_EXPONENT, mixed)?);
    add(hole_functions(domain, LAURENT_TERMS)?);
    if is_laplacian(operator) {
        add(harmonic_polynomials(domain, POLYNOMIAL_DEGREE)?);
    } else {
        let mut factors = corner_factors(domain, HIGHEST_MULTIPLIED, mixed)?;
        factors.extend(hole_factors(domain, LAURENT_MULTIPLIED)?);
        if !factors.is_empty() {
            let bounds = domain.bounding_box()?;
            let smooth = SinusoidalBasis::builder(2, MULTIPLIERS.0)
                .law(FrequencyLaw::Isotropic(MULTIPLIERS.1))
                .draw(Draw::Ball)
                .map(InputMap::from_box(bounds.lo(), bounds.hi())?)
                .build()?;
            add(Some(Weighted::new(factors, Arc::new(smooth))?));
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let basis: Arc<dyn Basis> = Arc::new(JoinedBasis::new(parts)?);
    let count = |number: usize, one: &str, many: &str| match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let places = [
        count(corners.len(), "corner", "corners"),
        count(holes.len(), "hole", "holes"),
    ];
    let places: Vec<String> = places.into_iter().flatten().collect();
    let words = format!("{} functions of {}", basis.len(), places.join(" and "));
    Ok(Some(Enrichment { basis, words }))
}

/// Whether the second-order part is a multiple of the Laplacian at these places, and nothing is of higher order.
fn is_isotropic(operator: &Operator, places: &[[f64; 2]]) -> bool {
    if operator.order() != 2 {
        return false;
    }
    let points = Array2::from_shape_fn((places.len(), 2), |(i, k)| places[i][k]);
    // The coefficients of u_xx, u_xy, u_yy at each place.
    let mut leading = vec![[0.0; 3]; places.len()];
    for term in operator.terms() {
        if !term.action().is_derivative() {
            return false;
        }
        let orders = term.action().derivative.orders();
        let [along_x, along_y] = orders else {
            return false;
        };
        if along_x + along_y != 2 {
            continue;
        }
        let Ok(values) = term.coefficient().evaluate(&points) else {
            return false;
        };
        for (leading, value) in leading.iter_mut().zip(values) {
            leading[*along_y as usize] += value;
        }
    }
    leading.iter().all(|[xx, xy, yy]| {
        let size = xx.abs().max(yy.abs());
        size > 0.0 && (xx - yy).abs() <= ISOTROPIC * size && xy.abs() <= ISOTROPIC * size
    })
}

/// Whether the operator is a constant multiple of the Laplacian and nothing else.
fn is_laplacian(operator: &Operator) -> bool {
    let second = |term: &fastlsq_ops::Term| {
        let orders = term.action().derivative.orders();
        orders.iter().sum::<u32>() == 2
    };
    operator.is_constant() && operator.terms().iter().all(second)
}

/// Whether a value is given on one side of a corner and a derivative on the other.
fn is_mixed(problem: &ConcreteProblem, corner: &Corner) -> bool {
    let [arriving, leaving] = &corner.parts;
    let order = |name: &String| highest_order(problem, name);
    match (order(arriving), order(leaving)) {
        (Some(a), Some(b)) => (a == 0) != (b == 0),
        _ => false,
    }
}

/// The order of the condition on a part of the boundary.
fn highest_order(problem: &ConcreteProblem, part: &str) -> Option<u32> {
    let names: Vec<String> = problem.domain.parts().into_iter().map(|p| p.name).collect();
    let on_part = |place: &ConcretePlace| match place {
        ConcretePlace::Part(selector) => problem.domain.select(selector).is_ok_and(|chosen| {
            chosen
                .iter()
                .any(|&k| names.get(k).is_some_and(|n| n == part))
        }),
        ConcretePlace::Opposite { .. } | ConcretePlace::Points { .. } => false,
    };
    let conditions = problem.conditions.iter();
    conditions
        .filter(|condition| on_part(&condition.place))
        .map(|condition| condition.operator.order())
        .max()
}
