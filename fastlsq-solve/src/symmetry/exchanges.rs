//! Coordinates that can be exchanged: if domain, equations, conditions and data stay what they are when two coordinates
//! change places, so does a unique solution.

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_ops::{EquationRow, Field, Operator, Sites};
use ndarray::{Array2, ArrayView2};

use super::NonlinearStatements;
use crate::domain::{DomainExt, PartSelector, checked_interior};
use crate::options::{Options, Symmetry};
use crate::problem::{ConcretePlace, ConcreteProblem};

/// Points at which data are compared.
const PROBES: usize = 40;
/// Points of the bounding box at which the domain is compared with its image.
const BOX_PROBES: usize = 400;
/// Relative difference that counts as equal.
const TOLERANCE: f64 = 1e-12;
/// Fewer coordinates in every class are not worth features of their own.
const WORTH_IT: usize = 3;

/// The class of each axis, numbered from 0: axes of one class can be exchanged. `None` where no class is large enough to
/// be of use, or where symmetry is not to be used.
pub fn exchangeable(
    problem: &ConcreteProblem,
    options: &Options,
    nonlinear: &dyn NonlinearStatements,
) -> Option<Vec<usize>> {
    let dim = problem.domain.dim();
    if problem.domain.bounding_box().ok()?.dim() != dim {
        return None;
    }
    if problem.equations.is_empty() || options.symmetry != Symmetry::Detect {
        return None;
    }
    let mut first: Vec<usize> = Vec::new();
    let mut classes = Vec::with_capacity(dim);
    for axis in 0..dim {
        let same = first
            .iter()
            .position(|&other| can_be_exchanged(problem, [other, axis], nonlinear));
        classes.push(same.unwrap_or(first.len()));
        if same.is_none() {
            first.push(axis);
        }
    }
    let members = |class: usize| classes.iter().filter(|own| **own == class).count();
    (0..first.len())
        .any(|class| members(class) >= WORTH_IT)
        .then_some(classes)
}

fn can_be_exchanged(
    problem: &ConcreteProblem,
    axes: [usize; 2],
    nonlinear: &dyn NonlinearStatements,
) -> bool {
    domain_stays(problem, axes).unwrap_or(false)
        && statements_stay(problem, axes, nonlinear).unwrap_or(false)
}

fn domain_stays(problem: &ConcreteProblem, [a, b]: [usize; 2]) -> Option<bool> {
    let bounds = problem.domain.bounding_box().ok()?;
    if bounds.lo()[a] != bounds.lo()[b] || bounds.hi()[a] != bounds.hi()[b] {
        return Some(false);
    }
    let mut sampler = UnitSampler::new(Sequence::Independent, SEED);
    let mut unit = sampler.points(BOX_PROBES, bounds.dim());
    for (k, mut column) in unit.columns_mut().into_iter().enumerate() {
        column.mapv_inplace(|t| bounds.lo()[k] + t * (bounds.hi()[k] - bounds.lo()[k]));
    }
    let image = exchanged(unit.view(), [a, b]);
    let mut pairs = unit.rows().into_iter().zip(image.rows());
    let inside = |x: &[f64]| problem.domain.contains(x);
    Some(pairs.all(|(here, there)| inside(&here.to_vec()) == inside(&there.to_vec())))
}

fn statements_stay(
    problem: &ConcreteProblem,
    axes: [usize; 2],
    nonlinear: &dyn NonlinearStatements,
) -> Option<bool> {
    let mut sampler = UnitSampler::new(Sequence::Independent, SEED);
    let points = checked_interior(problem.domain.as_ref(), PROBES, &mut sampler).ok()?;
    if points.ncols() != problem.domain.dim() {
        return None;
    }
    let image = exchanged(points.view(), axes);
    let sites = [Sites::new(points.view()), Sites::new(image.view())];
    for (place, equation) in problem.equations.iter().enumerate() {
        let stays = match nonlinear.exchanges(place, axes, sites) {
            Some(stays) => stays,
            None => linear_stays(&equation.operator, &equation.source, axes, sites)?,
        };
        if !stays {
            return Some(false);
        }
    }
    for (place, condition) in problem.conditions.iter().enumerate() {
        // Only sets of parts that certainly map onto themselves are judged.
        let ConcretePlace::Part(part) = &condition.place else {
            return Some(false);
        };
        if matches!(part, PartSelector::Named(_) | PartSelector::Face(_)) {
            return Some(false);
        }
        let sampled = problem
            .domain
            .sample_selected(part, PROBES, &mut sampler)
            .ok()?;
        let shapes = [sampled.points.ncols(), sampled.normals.ncols()];
        if shapes != [problem.domain.dim(); 2] {
            return None;
        }
        let points = exchanged(sampled.points.view(), axes);
        let normals = exchanged(sampled.normals.view(), axes);
        let here = Sites::new(sampled.points.view()).with_normals(sampled.normals.view());
        let there = Sites::new(points.view()).with_normals(normals.view());
        let place = problem.equations.len() + place;
        let stays = match nonlinear.exchanges(place, axes, [here, there]) {
            Some(stays) => stays,
            None => linear_stays(&condition.operator, &condition.data, axes, [here, there])?,
        };
        if !stays {
            return Some(false);
        }
    }
    Some(true)
}

/// The seed of the points.
const SEED: u64 = 0xE_C4A6;

/// Whether L u = f says the same after the exchange, at these points and their images.
fn linear_stays(
    row: &EquationRow,
    data: &Field,
    axes: [usize; 2],
    sites: [Sites<'_>; 2],
) -> Option<bool> {
    if row.is_zero() {
        return Some(false);
    }
    for (_, operator) in row.blocks() {
        if !operator_stays(operator, axes, sites)? {
            return Some(false);
        }
    }
    agree(data, data, sites)
}

fn operator_stays(operator: &Operator, [a, b]: [usize; 2], sites: [Sites<'_>; 2]) -> Option<bool> {
    for term in operator.terms() {
        if !term.action().is_derivative() {
            return Some(false);
        }
        let mut image = term.action().derivative.orders().to_vec();
        image.swap(a, b);
        let mut partners = operator.terms().iter();
        let partner = partners.find(|other| other.action().derivative.orders() == image);
        let Some(partner) = partner.filter(|other| other.action().is_derivative()) else {
            return Some(false);
        };
        if !agree(term.coefficient(), partner.coefficient(), sites)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether one field at the points is the other at their images.
fn agree(one: &Field, other: &Field, [here, there]: [Sites<'_>; 2]) -> Option<bool> {
    let (one, other) = (one.evaluate(here).ok()?, other.evaluate(there).ok()?);
    let scale = one.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut pairs = one.iter().zip(&other);
    Some(pairs.all(|(a, b)| (a - b).abs() <= TOLERANCE * scale))
}

fn exchanged(points: ArrayView2<'_, f64>, [a, b]: [usize; 2]) -> Array2<f64> {
    let mut image = points.to_owned();
    image.column_mut(a).assign(&points.column(b));
    image.column_mut(b).assign(&points.column(a));
    image
}
