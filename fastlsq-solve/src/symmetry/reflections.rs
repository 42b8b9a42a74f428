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

use super::NonlinearStatements;
use crate::SolveError;
use crate::domain::{DomainExt, PartSelector, checked_interior};
use crate::problem::{ConcretePlace, ConcreteProblem};

/// Points at which data are compared with their mirror image.
const PROBES: usize = 48;
/// Relative difference that counts as equal.
const TOLERANCE: f64 = 1e-12;

/// The most unknowns for which all combinations of signs are tried.
const MOST_UNKNOWNS: usize = 6;

/// The reflection of one axis about a point, under which some of the unknowns change sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reflection {
    /// The axis.
    pub axis: usize,
    /// What stays where it is on it.
    pub mirror: f64,
    /// The unknowns that are odd, as the bits of a number.
    pub odd: u32,
}

impl Reflection {
    /// The sign an equation row takes under the reflection, if all its terms take the same.
    #[must_use]
    pub fn row_sign(self, row: &EquationRow, sites: Sites<'_>) -> Option<f64> {
        let mut sign = None;
        for (unknown, operator) in row.blocks() {
            if operator.is_zero() {
                continue;
            }
            let own = f64::from(operator.reflection_parity_at(self.axis, self.mirror, sites)?);
            let own = if self.odd >> unknown & 1 == 0 {
                own
            } else {
                -own
            };
            match sign {
                None => sign = Some(own),
                Some(other) if other == own => {}
                Some(_) => return None,
            }
        }
        sign
    }

    /// Whether a linear equation or condition L u = f, at these points, is mapped to itself.
    fn keeps(self, operator: &EquationRow, data: &Field, sites: Sites<'_>) -> bool {
        self.row_sign(operator, sites)
            .is_some_and(|sign| self.data_agrees(data, sign, sites))
    }

    /// Whether B u, equal on opposite faces, is so after the reflection: it is, if it is mapped to itself up to its sign,
    /// whichever axis is reflected. The sites may be any points of the domain.
    fn keeps_periodic(self, operator: &EquationRow, data: &Field, sites: Sites<'_>) -> bool {
        data.is_constant() && self.row_sign(operator, sites).is_some()
    }

    fn data_agrees(self, data: &Field, sign: f64, sites: Sites<'_>) -> bool {
        if let Some(value) = data.as_constant() {
            return value == 0.0 || sign > 0.0;
        }
        let image = sites.mirrored(self.axis, self.mirror);
        let (Ok(here), Ok(there)) = (data.evaluate(sites), data.evaluate(image.sites())) else {
            return false;
        };
        let scale = here.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let pairs = here.iter().zip(&there);
        let difference = pairs.fold(0.0f64, |m, (a, b)| m.max((b - sign * a).abs()));
        difference <= TOLERANCE * scale
    }
}

/// The parity of each unknown along each axis: `[unknown][axis]`.
pub(super) fn detect(
    problem: &ConcreteProblem,
    seed: u64,
    nonlinear: &dyn NonlinearStatements,
) -> Result<Vec<Vec<Parity>>, SolveError> {
    let domain = problem.domain.as_ref();
    let (dim, unknowns) = (domain.dim(), problem.unknowns.len());
    let mut parity = vec![vec![Parity::None; dim]; unknowns];
    if problem.equations.is_empty() {
        return Ok(parity);
    }
    let mut sampler = UnitSampler::new(Sequence::Independent, seed);
    let interior = checked_interior(domain, PROBES, &mut sampler)?;
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
        for odd in 0..1u32 << unknowns {
            let reflection = Reflection { axis, mirror, odd };
            if is_symmetry(
                problem,
                reflection,
                nonlinear,
                interior.view(),
                &mut sampler,
            )? {
                for (unknown, parity) in parity.iter_mut().enumerate() {
                    parity[axis] = if odd >> unknown & 1 == 0 {
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

/// Whether a reflection maps the problem to itself.
fn is_symmetry(
    problem: &ConcreteProblem,
    reflection: Reflection,
    nonlinear: &dyn NonlinearStatements,
    interior: ArrayView2<'_, f64>,
    sampler: &mut UnitSampler,
) -> Result<bool, SolveError> {
    let inside = Sites::new(interior);
    for (place, equation) in problem.equations.iter().enumerate() {
        let kept = nonlinear
            .mirrors(place, reflection, inside)
            .unwrap_or_else(|| reflection.keeps(&equation.operator, &equation.source, inside));
        if !kept {
            return Ok(false);
        }
    }
    for (index, condition) in problem.conditions.iter().enumerate() {
        let (operator, data) = (&condition.operator, &condition.data);
        let place = problem.equations.len() + index;
        let part = match &condition.place {
            ConcretePlace::Part(part) => part,
            ConcretePlace::Opposite { .. } => {
                let linear = nonlinear.mirrors(place, reflection, inside).is_none();
                if !linear || !reflection.keeps_periodic(operator, data, inside) {
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
        let kept = nonlinear
            .mirrors(place, reflection, sites)
            .unwrap_or_else(|| reflection.keeps(operator, data, sites));
        if !kept {
            return Ok(false);
        }
    }
    Ok(true)
}
