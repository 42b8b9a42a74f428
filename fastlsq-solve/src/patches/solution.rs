//! The result: a function on the union of boxes.

use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::{Action, Basis, BasisError, Form, InputMap, MultiIndex, PiecewiseBasis};
use fastlsq_ops::{EquationRow, Operator, OperatorError, Sites, Space, Unknown};
use ndarray::{Array2, ArrayView2};

use super::PatchError;
use super::grid::{Cell, Grid};
use super::reference::Reference;
use super::report::PatchReport;
use super::tree::Tree;
use crate::SolveError;
use crate::report::Report;
use crate::solution::Solution;

/// u on one tree: for each leaf the coefficients of its compressed functions, unknown by unknown.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    pub(super) tree: Arc<Tree>,
    pub(super) reference: Arc<Reference>,
    pub(super) coefficients: Vec<Vec<f64>>,
}

impl Snapshot {
    /// One unknown at points of the reference leaf, placed in a cell that is one of the leaves or lies in one.
    pub(super) fn values(
        &self,
        cell: &Cell,
        unknown: usize,
        points: &Array2<f64>,
    ) -> Result<Vec<f64>, PatchError> {
        let reference = &self.reference;
        let mut home = *cell;
        let leaf = loop {
            if let Some(leaf) = self.tree.place(&home) {
                break leaf;
            }
            home = home.parent().ok_or(PatchError::Statement {
                what: "a leaf does not lie in the previous tree",
                requirement: "refine a tree, do not replace it",
            })?;
        };
        let share = cell.size as f64 / home.size as f64;
        let placed = Array2::from_shape_fn(points.dim(), |(i, axis)| {
            let begin = (cell.corner[axis] - home.corner[axis]) as f64 / home.size as f64;
            2.0 * begin - 1.0 + share * (points[(i, axis)] + 1.0)
        });
        let rank = reference.rank();
        let c = &self.coefficients[leaf][unknown * rank..(unknown + 1) * rank];
        let beta = reference.compression.coefficients(c);
        let value = Action::identity(reference.dim);
        let mut values = Mat::zeros(placed.nrows(), 1);
        let forms = [Form::action(&value)];
        reference
            .basis
            .sums(placed.view(), &forms, &beta, values.as_mut())?;
        Ok(values.col_as_slice(0).to_vec())
    }
}

/// u on all leaves: values, derivatives, any operator, at one point or many.
#[derive(Debug, Clone)]
pub struct PatchSolution {
    basis: Arc<PiecewiseBasis>,
    unknowns: usize,
    /// Coefficients of the basis, unknown by unknown.
    beta: Vec<f64>,
    report: PatchReport,
}

impl PatchSolution {
    pub(super) fn new(
        snapshot: &Snapshot,
        grid: &Grid,
        unknowns: usize,
        report: PatchReport,
    ) -> Result<Self, PatchError> {
        let reference = &snapshot.reference;
        let leaves = &snapshot.tree.leaves;
        let boxes = leaves.iter().map(|cell| {
            let (center, half) = grid.frame(cell);
            InputMap::from_center(center, half)
        });
        let boxes = boxes.collect::<Result<Vec<_>, _>>()?;
        let basis = PiecewiseBasis::new(Arc::clone(&reference.basis), boxes)?;
        let rank = reference.rank();
        let mut beta = Vec::with_capacity(unknowns * basis.len());
        for unknown in 0..unknowns {
            for own in &snapshot.coefficients {
                let c = &own[unknown * rank..(unknown + 1) * rank];
                beta.extend(reference.compression.coefficients(c));
            }
        }
        Ok(Self {
            basis: Arc::new(basis),
            unknowns,
            beta,
            report,
        })
    }

    /// What was done, and how well.
    #[must_use]
    pub fn report(&self) -> &PatchReport {
        &self.report
    }

    /// The functions of all leaves, of every unknown.
    #[must_use]
    pub fn basis(&self) -> &Arc<PiecewiseBasis> {
        &self.basis
    }

    /// Their coefficients, unknown by unknown.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        &self.beta
    }

    /// The dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.basis.dim()
    }

    /// The bases as a [`Solution`] has them, one for each unknown.
    pub(crate) fn bases(&self) -> Vec<Arc<dyn Basis>> {
        let basis: Arc<dyn Basis> = self.basis.clone();
        vec![basis; self.unknowns]
    }

    /// The same function as a [`Solution`], with the names of coordinates and unknowns and a report.
    ///
    /// # Errors
    /// Names that do not match in number.
    pub fn into_solution(
        self,
        functions: (Space, Vec<Unknown>),
        report: Report,
    ) -> Result<Solution, SolveError> {
        let bases = self.bases();
        let report = Report {
            patches: Some(self.report),
            ..report
        };
        Solution::from_parts(functions, bases, self.beta, report)
    }

    /// u(x) of the first unknown.
    ///
    /// # Errors
    /// A point outside the domain or of another dimension.
    pub fn value(&self, point: &[f64]) -> Result<f64, PatchError> {
        self.derivative_at(0, point, &MultiIndex::zero(self.dim()))
    }

    /// ∇u(x) of the first unknown.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn gradient(&self, point: &[f64]) -> Result<Vec<f64>, PatchError> {
        (0..self.dim())
            .map(|axis| self.derivative_at(0, point, &MultiIndex::along(self.dim(), axis, 1)?))
            .collect()
    }

    /// D^α of one unknown at a point.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn derivative_at(
        &self,
        unknown: usize,
        point: &[f64],
        alpha: &MultiIndex,
    ) -> Result<f64, PatchError> {
        let outside = || PatchError::Outside {
            point: point.to_vec(),
        };
        let points = ArrayView2::from_shape((1, point.len()), point).map_err(|_| outside())?;
        let values = self.derivatives(unknown, points, alpha)?;
        values.first().copied().ok_or_else(outside)
    }

    /// The first unknown at many points, one row each.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn values(&self, points: ArrayView2<'_, f64>) -> Result<Vec<f64>, PatchError> {
        self.derivatives(0, points, &MultiIndex::zero(self.dim()))
    }

    /// D^α of one unknown at many points.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn derivatives(
        &self,
        unknown: usize,
        points: ArrayView2<'_, f64>,
        alpha: &MultiIndex,
    ) -> Result<Vec<f64>, PatchError> {
        let action = Action::derivative(alpha.clone());
        let operator = Operator::from_terms(self.dim(), [fastlsq_ops::Term::new(1.0, action)]);
        self.apply(&operator.on(unknown, self.unknowns), Sites::new(points))
    }

    /// Σₖ Lₖ uₖ at many points, which come with normals if the operators need them.
    ///
    /// # Errors
    /// As [`value`](Self::value); operators for other unknowns or another space.
    pub fn apply(&self, row: &EquationRow, sites: Sites<'_>) -> Result<Vec<f64>, PatchError> {
        let bases: Vec<&dyn Basis> = vec![self.basis.as_ref(); self.unknowns];
        row.apply(&bases, &self.beta, sites)
            .map_err(|error| match error {
                OperatorError::Basis(BasisError::Outside { point }) => {
                    PatchError::Outside { point }
                }
                other => other.into(),
            })
    }
}
