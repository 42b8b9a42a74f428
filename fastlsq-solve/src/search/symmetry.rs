//! Reflections that leave a problem unchanged.
//!
//! If the domain maps onto itself under x_a → 2c − x_a, and equations, conditions and data do so
//! up to a sign, then a unique solution is even or odd along that axis: features of the wrong
//! parity cannot help. In five dimensions this reduces the space that must be spanned by a factor
//! of up to 32.

use fastlsq_basis::Parity;
use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_ops::{EquationRow, Field, Sites};
use ndarray::ArrayView2;

use crate::SolveError;
use crate::domain::{Domain, DomainError, DomainExt, PartSelector, checked_interior};
use crate::problem::{ConcreteCondition, ConcretePlace, ConcreteProblem};

/// Points at which data are compared with their mirror image.
const PROBES: usize = 48;
/// Relative difference that counts as equal.
const TOLERANCE: f64 = 1e-12;

/// The most unknowns for which all combinations of signs are tried.
const MOST_UNKNOWNS: usize = 6;

/// The parity of each unknown along each axis: `[unknown][axis]`.
pub(crate) fn detect(problem: &ConcreteProblem, seed: u64) -> Result<Vec<Vec<Parity>>, SolveError> {
    let domain = problem.domain.as_ref();
    let unknowns = problem.unknowns.len();
    if problem.equations.is_empty() {
        return Ok(vec![vec![Parity::None; domain.dim()]; unknowns]);
    }
    let mut sampler = UnitSampler::new(Sequence::Independent, seed);
    let interior = checked_interior(domain, PROBES, &mut sampler)?;
    detect_parity(domain, unknowns, |axis, mirror, signs| {
        is_symmetry(problem, axis, mirror, signs, interior.view(), &mut sampler)
    })
}

/// The parity of each unknown along each axis, `[unknown][axis]`, from a test of one reflection: of an axis, about a
/// point, with the odd unknowns as the bits of a number.
///
/// # Errors
/// Those of the test, and a domain without a bounding box.
pub fn detect_parity<E: From<DomainError>>(
    domain: &dyn Domain,
    unknowns: usize,
    mut is_symmetry: impl FnMut(usize, f64, u32) -> Result<bool, E>,
) -> Result<Vec<Vec<Parity>>, E> {
    let dim = domain.dim();
    let mut parity = vec![vec![Parity::None; dim]; unknowns];
    let bounds = domain.bounding_box()?;
    // Many unknowns would make the search over signs long; such problems go without.
    if unknowns > MOST_UNKNOWNS {
        return Ok(parity);
    }
    for axis in 0..dim {
        let Some(mirror) = domain.reflect(axis) else {
            continue;
        };
        // The centre of the features' map is that of the bounding box.
        let (lo, hi) = (bounds.lo()[axis], bounds.hi()[axis]);
        if (mirror - 0.5 * (lo + hi)).abs() > 1e-14 * (hi - lo) {
            continue;
        }
        for signs in 0..1u32 << unknowns {
            if is_symmetry(axis, mirror, signs)? {
                for (unknown, parity) in parity.iter_mut().enumerate() {
                    parity[axis] = if signs >> unknown & 1 == 0 {
                        Parity::Even
                    } else {
                        Parity::Odd
                    };
                }
                break;
            }
        }
    }
    Ok(parity)
}

/// Whether reflecting the axis, with these signs of the unknowns, maps the problem to itself.
fn is_symmetry(
    problem: &ConcreteProblem,
    axis: usize,
    mirror: f64,
    signs: u32,
    interior: ArrayView2<'_, f64>,
    sampler: &mut UnitSampler,
) -> Result<bool, SolveError> {
    for equation in &problem.equations {
        let both = (&equation.operator, &equation.source);
        if !statement_mirrors(both, axis, mirror, signs, Sites::new(interior)) {
            return Ok(false);
        }
    }
    for condition in &problem.conditions {
        let part = match &condition.place {
            ConcretePlace::Part(part) => part,
            ConcretePlace::Opposite { .. } => {
                if !periodic_mirrors(condition, axis, mirror, signs, Sites::new(interior)) {
                    return Ok(false);
                }
                continue;
            }
            ConcretePlace::Points { .. } | ConcretePlace::Identified { .. } => return Ok(false),
        };
        // Only sets of parts that certainly map onto themselves are judged.
        if matches!(part, PartSelector::Named(_) | PartSelector::Face(_)) {
            return Ok(false);
        }
        let sampled = problem.domain.sample_selected(part, PROBES, sampler)?;
        let sites = Sites::new(sampled.points.view()).with_normals(sampled.normals.view());
        if !statement_mirrors(
            (&condition.operator, &condition.data),
            axis,
            mirror,
            signs,
            sites,
        ) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether B u, equal on opposite faces, is so after the reflection: it is, if it is mapped to itself up to its sign,
/// whichever axis is reflected. The sites may be any points of the domain.
#[must_use]
pub fn periodic_mirrors(
    condition: &ConcreteCondition,
    axis: usize,
    mirror: f64,
    signs: u32,
    sites: Sites<'_>,
) -> bool {
    condition.data.is_constant()
        && row_sign(&condition.operator, axis, mirror, signs, sites).is_some()
}

/// Whether a linear equation or condition L u = f, at these points, is mapped to itself by the reflection.
///
/// Bit k of `signs` says that unknown k is odd.
#[must_use]
pub fn statement_mirrors(
    (operator, data): (&EquationRow, &Field),
    axis: usize,
    mirror: f64,
    signs: u32,
    sites: Sites<'_>,
) -> bool {
    row_sign(operator, axis, mirror, signs, sites)
        .is_some_and(|sign| data_agrees(data, axis, mirror, sign, sites))
}

/// The sign an equation row takes under the reflection, if all its terms take the same.
///
/// Bit k of `signs` says that unknown k is odd.
#[must_use]
pub fn row_sign(
    row: &EquationRow,
    axis: usize,
    mirror: f64,
    signs: u32,
    sites: Sites<'_>,
) -> Option<f64> {
    let mut sign = None;
    for (unknown, operator) in row.blocks() {
        if operator.is_zero() {
            continue;
        }
        let own = f64::from(operator.reflection_parity_at(axis, mirror, sites)?);
        let own = if signs >> unknown & 1 == 0 { own } else { -own };
        match sign {
            None => sign = Some(own),
            Some(other) if other == own => {}
            Some(_) => return None,
        }
    }
    sign
}

fn data_agrees(data: &Field, axis: usize, mirror: f64, sign: f64, sites: Sites<'_>) -> bool {
    if let Some(value) = data.as_constant() {
        return value == 0.0 || sign > 0.0;
    }
    let image = sites.mirrored(axis, mirror);
    let (Ok(here), Ok(there)) = (data.evaluate(sites), data.evaluate(image.sites())) else {
        return false;
    };
    let scale = here.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let pairs = here.iter().zip(&there);
    let difference = pairs.fold(0.0f64, |m, (a, b)| m.max((b - sign * a).abs()));
    difference <= TOLERANCE * scale
}
