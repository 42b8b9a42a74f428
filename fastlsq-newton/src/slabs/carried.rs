//! What a slab takes over from the one before.

use fastlsq_basis::Parity;
use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::search::Features;
use fastlsq_solve::symmetry::Reflection;
use fastlsq_solve::{
    ConcreteCondition, ConcretePlace, Condition, Domain, DomainExt, EquationRow, PartSelector,
    Place, Sites, Solution, T,
};
use ndarray::Array2;

use crate::NewtonError;
use crate::solution::NonlinearSolution;

/// Points at which the sign of a condition under a reflection is determined.
const MIRROR_PROBES: usize = 16;
/// The maximum number of axes along which data are made symmetric: each doubles the price of a value.
const MOST_MIRRORS: usize = 6;

/// Whether a condition holds at the initial time, so that later slabs take it over.
pub(super) fn is_initial(condition: &Condition) -> bool {
    match condition.place() {
        Place::Part(PartSelector::Initial) => true,
        Place::Part(PartSelector::Named(name)) => name == "initial",
        Place::Part(PartSelector::Face(face)) => *face == T.lo(),
        _ => false,
    }
}

/// The unknowns that are odd along an axis, one bit each; `None` unless all are even or odd.
fn odd_unknowns(parity: &[Vec<Parity>], axis: usize) -> Option<u32> {
    let mut signs = 0u32;
    for (unknown, own) in parity.iter().enumerate() {
        let bit = 1u32.checked_shl(u32::try_from(unknown).ok()?)?;
        match own.get(axis)? {
            Parity::None => return None,
            Parity::Even => {}
            Parity::Odd => signs |= bit,
        }
    }
    Some(signs)
}

/// The left side of a condition on the slab before, as data for the next.
pub(super) struct Carried {
    previous: Solution,
    row: EquationRow,
    /// Axes along which the features before had a parity: where the mirror is, and the sign of the data there.
    mirrors: Vec<(usize, f64, f64)>,
}

impl Carried {
    pub(super) fn new(
        condition: &ConcreteCondition,
        before: &NonlinearSolution,
        domain: &dyn Domain,
    ) -> Result<Self, NewtonError> {
        let row = condition.operator.clone();
        let mut mirrors = Vec::new();
        if let (Features::Random { parity, .. }, ConcretePlace::Part(part)) =
            (before.features(), &condition.place)
        {
            let mut sampler = UnitSampler::new(Sequence::Halton, 0);
            let sampled = domain.sample_selected(part, MIRROR_PROBES, &mut sampler)?;
            let sites = Sites::new(sampled.points.view()).with_normals(sampled.normals.view());
            for axis in 0..domain.dim() {
                if mirrors.len() == MOST_MIRRORS {
                    break;
                }
                let signs = odd_unknowns(parity, axis);
                let reflection = domain.reflect(axis).zip(signs);
                let sign = reflection.and_then(|(mirror, odd)| {
                    Reflection { axis, mirror, odd }.row_sign(&row, sites)
                });
                if let Some(((mirror, _), sign)) = reflection.zip(sign) {
                    mirrors.push((axis, mirror, sign));
                }
            }
        }
        Ok(Self {
            previous: before.solution().clone(),
            row,
            mirrors,
        })
    }

    /// The value at a point of the common time, the mean over its mirror images: large coefficients magnify
    /// rounding, and if the data were not symmetric to the last digits, the next slab would do without the
    /// symmetry and need twice the features.
    pub(super) fn at(&self, x: &[f64]) -> f64 {
        let images = 1usize << self.mirrors.len();
        let mut points = Array2::from_shape_fn((images, x.len()), |(_, k)| x[k]);
        let mut signs = vec![1.0 / images as f64; images];
        for (bit, &(axis, mirror, sign)) in self.mirrors.iter().enumerate() {
            for image in (0..images).filter(|image| image >> bit & 1 == 1) {
                points[(image, axis)] = 2.0 * mirror - x[axis];
                signs[image] *= sign;
            }
        }
        match self.previous.apply_row(&self.row, &points) {
            Ok(values) => {
                // Sorted, so that the mirror image of x gives the same sum.
                let mut terms: Vec<f64> = values.iter().zip(&signs).map(|(v, s)| v * s).collect();
                terms.sort_by(f64::total_cmp);
                terms.iter().sum()
            }
            Err(_) => f64::NAN,
        }
    }
}
