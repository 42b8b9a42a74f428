//! Equations that need not be linear, point by point, and their residuals in leaves.

use std::fmt;

use faer::{Mat, MatRef};
use fastlsq_basis::MultiIndex;
use fastlsq_ops::EquationRow;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::PatchError;
use super::coefficients::{LocalRow, inverse_power, place};
use super::leaf::Leaf;
use super::problem::{Equations, PatchProblem};
use super::reference::{PointSet, Reference, times};

/// A derivative of an unknown that an equation depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointJet {
    /// The number of the unknown.
    pub unknown: usize,
    /// Its derivative.
    pub derivative: MultiIndex,
}

/// An equation at points: its residuals, and how they change with each of its jets.
#[derive(Debug, Clone)]
pub struct PointValues {
    /// N at each point; not finite where it is not defined.
    pub residuals: Vec<f64>,
    /// ∂N/∂(jet), one row per point.
    pub slopes: Array2<f64>,
}

/// Equations N(x, u, ∇u, …) = 0 of second order, as many as unknowns.
pub trait PointEquations: fmt::Debug + Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The derivatives that an equation depends on.
    fn jets(&self, equation: usize) -> &[PointJet];

    /// Whether the slopes by second derivatives depend on the point alone.
    fn leading_part_is_given(&self) -> bool;

    /// An equation at points, given its jets there, one row per point.
    fn evaluate(
        &self,
        equation: usize,
        points: ArrayView2<'_, f64>,
        jets: &Array2<f64>,
    ) -> PointValues;
}

/// Where a leaf lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) center: &'a [f64],
    pub(super) half: &'a [f64],
}

/// An equation of a leaf whose function has these coefficients, at a set of points.
pub(super) fn evaluate(
    equations: &dyn PointEquations,
    equation: usize,
    leaf: Placed<'_>,
    c: &[f64],
    at: &PointSet,
    reference: &Reference,
) -> Result<PointValues, PatchError> {
    let column = faer::ColRef::from_slice(c).as_mat();
    let jets = JetTables::new(&[equations], column, at, reference)?;
    let points = place(at.points.view(), leaf.center, leaf.half);
    let table = jets.of_leaf(equations.jets(equation), 0, leaf.half);
    Ok(equations.evaluate(equation, points.view(), &table))
}

/// The rows of an equation's slopes there.
pub(super) fn slopes(
    equations: &dyn PointEquations,
    leaf: Placed<'_>,
    c: &[f64],
    at: &PointSet,
    reference: &Reference,
) -> Result<Vec<LocalRow>, PatchError> {
    (0..equations.count())
        .map(|equation| {
            let here = evaluate(equations, equation, leaf, c, at, reference)?;
            let jets = equations.jets(equation);
            Ok(LocalRow::of_slopes(
                jets,
                here.slopes.view(),
                leaf.half,
                reference,
            ))
        })
        .collect()
}

/// The fluxes n·a∇u through the sides of a leaf, with a at the function itself.
pub(super) fn flux(
    equations: &dyn PointEquations,
    leaf: &Leaf,
    c: &[f64],
    reference: &Reference,
) -> Result<Vec<f64>, PatchError> {
    let frame = &leaf.frame;
    let at = Placed {
        center: &frame.center,
        half: &frame.half,
    };
    let column = faer::ColRef::from_slice(c).as_mat();
    let rank = reference.rank();
    let mut fluxes = Vec::new();
    for (side, nodes) in reference.sides.iter().enumerate() {
        let tables = reference.tables(nodes)?;
        for mut row in slopes(equations, at, c, nodes, reference)? {
            row.divide(frame.scale);
            let conormal = row.conormal(side / 2, side % 2 == 1, reference);
            let mut own = Mat::zeros(nodes.len(), 1);
            for term in &conormal.terms {
                let part = column.subrows(term.unknown * rank, rank);
                let values = times(tables[term.alpha].as_ref(), part);
                term.add_times(values.as_ref(), own.as_mut());
            }
            fluxes.extend(reference.rule.traces_of(own.col_as_slice(0)));
        }
    }
    Ok(fluxes)
}

/// Leaves whose jets are computed together.
const TOGETHER: usize = 32;

/// N(u) over the leaf's scale at a set of points of every leaf, one equation after the other; empty for leaves with linear
/// equations.
pub(super) fn residuals(
    leaves: &[&Leaf],
    coefficients: &[Vec<f64>],
    at: &PointSet,
    problem: &PatchProblem,
    reference: &Reference,
) -> Result<Vec<Vec<f64>>, PatchError> {
    let pairs: Vec<(&&Leaf, &Vec<f64>)> = leaves.iter().zip(coefficients).collect();
    let found = pairs
        .par_chunks(TOGETHER)
        .map(|chunk| {
            let rows = chunk.first().map_or(0, |(_, c)| c.len());
            let columns = Mat::from_fn(rows, chunk.len(), |i, j| chunk[j].1[i]);
            let laws: Vec<Option<&dyn PointEquations>> = chunk
                .iter()
                .map(|(leaf, _)| problem.pointwise(leaf.frame.piece))
                .collect();
            let known: Vec<&dyn PointEquations> = laws.iter().copied().flatten().collect();
            let jets = JetTables::new(&known, columns.as_ref(), at, reference)?;
            let of_leaf = |(j, (leaf, _)): (usize, &(&&Leaf, &Vec<f64>))| {
                let Some(law) = laws[j] else {
                    return Vec::new();
                };
                let frame = &leaf.frame;
                let points = place(at.points.view(), &frame.center, &frame.half);
                let mut values = Vec::with_capacity(law.count() * at.len());
                for equation in 0..law.count() {
                    let table = jets.of_leaf(law.jets(equation), j, &frame.half);
                    let own = law.evaluate(equation, points.view(), &table);
                    values.extend(own.residuals.iter().map(|value| value / frame.scale));
                }
                values
            };
            Ok(chunk.iter().enumerate().map(of_leaf).collect())
        })
        .collect::<Result<Vec<Vec<Vec<f64>>>, PatchError>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// D̂^α of unknowns of several leaves, at the same points of each.
struct JetTables(Vec<(PointJet, Mat<f64>)>);

impl JetTables {
    fn new(
        laws: &[&dyn PointEquations],
        coefficients: MatRef<'_, f64>,
        at: &PointSet,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let mut known: Vec<(PointJet, Mat<f64>)> = Vec::new();
        let rank = reference.rank();
        let tables = reference.tables(at)?;
        let jets = laws
            .iter()
            .flat_map(|law| (0..law.count()).flat_map(|e| law.jets(e)));
        for jet in jets {
            if known.iter().any(|(own, _)| own == jet) {
                continue;
            }
            if let Some(alpha) = reference.index(&jet.derivative) {
                let c = coefficients.subrows(jet.unknown * rank, rank);
                known.push((jet.clone(), times(tables[alpha].as_ref(), c)));
            }
        }
        Ok(Self(known))
    }

    /// The jets of one leaf in its own coordinates' place: D^α = h^{−α} D̂^α.
    fn of_leaf(&self, jets: &[PointJet], leaf: usize, half: &[f64]) -> Array2<f64> {
        let columns: Vec<Option<(f64, &[f64])>> = jets
            .iter()
            .map(|jet| {
                let (_, table) = self.0.iter().find(|(own, _)| own == jet)?;
                Some((
                    inverse_power(half, &jet.derivative),
                    table.col_as_slice(leaf),
                ))
            })
            .collect();
        let points = self.0.first().map_or(0, |(_, table)| table.nrows());
        Array2::from_shape_fn((points, jets.len()), |(i, k)| {
            columns[k].map_or(0.0, |(scale, column)| scale * column[i])
        })
    }
}

impl PatchProblem {
    /// Whether some equations need not be linear.
    pub(super) fn is_pointwise(&self) -> bool {
        (0..self.pieces.len()).any(|piece| self.pointwise(piece).is_some())
    }

    /// Whether all equations are linear with constant coefficients, so that leaves share their operators.
    pub(super) fn has_constant_operators(&self) -> bool {
        self.pieces.iter().all(|piece| match &piece.equations {
            Equations::Pointwise(_) => false,
            Equations::Linear { rows, .. } => {
                let mut operators = rows.iter().flat_map(EquationRow::blocks);
                operators.all(|(_, operator)| operator.is_constant())
            }
        })
    }

    /// The equations of a box that need not be linear.
    pub(super) fn pointwise(&self, piece: usize) -> Option<&dyn PointEquations> {
        match &self.pieces.get(piece)?.equations {
            Equations::Pointwise(equations) => Some(equations.as_ref()),
            Equations::Linear { .. } => None,
        }
    }
}
