//! The result: a function on the union of boxes.

use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::{Action, Coefficient, Form, MultiIndex};
use fastlsq_ops::{EquationRow, Operator, Sites};
use ndarray::{Array2, ArrayView2, Axis};

use super::PatchError;
use super::grid::Grid;
use super::reference::Reference;
use super::report::PatchReport;
use super::tree::Tree;

/// u on all leaves: values, derivatives, any operator, at one point or many.
#[derive(Debug, Clone)]
pub struct PatchSolution {
    pub(super) grid: Arc<Grid>,
    pub(super) tree: Arc<Tree>,
    pub(super) reference: Arc<Reference>,
    pub(super) unknowns: usize,
    /// Coefficients of the compressed functions, one leaf after the other, unknown by unknown.
    pub(super) coefficients: Vec<Vec<f64>>,
    pub(super) report: PatchReport,
}

impl PatchSolution {
    /// What was done, and how well.
    #[must_use]
    pub fn report(&self) -> &PatchReport {
        &self.report
    }

    /// The dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.grid.dim
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
        let points =
            ArrayView2::from_shape((1, point.len()), point).map_err(|_| PatchError::Outside {
                point: point.to_vec(),
            })?;
        let values = self.derivatives(unknown, points, alpha)?;
        values.first().copied().ok_or_else(|| PatchError::Outside {
            point: point.to_vec(),
        })
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
        let points = sites.points();
        if row.unknowns() != self.unknowns {
            return Err(PatchError::Statement {
                what: "the operators speak of another number of unknowns",
                requirement: "give one operator for each unknown of the solution",
            });
        }
        let mut groups: Vec<(usize, usize)> = Vec::with_capacity(points.nrows());
        for (i, point) in points.rows().into_iter().enumerate() {
            let outside = || PatchError::Outside {
                point: point.to_vec(),
            };
            let point = point.to_vec();
            if point.len() != self.dim() {
                return Err(PatchError::Outside { point });
            }
            groups.push((self.leaf_at(&point).ok_or_else(outside)?, i));
        }
        groups.sort_unstable();
        let mut values = vec![0.0; points.nrows()];
        for group in groups.chunk_by(|a, b| a.0 == b.0) {
            let leaf = group[0].0;
            let places: Vec<usize> = group.iter().map(|g| g.1).collect();
            let own = self.apply_in_leaf(leaf, row, &places, &sites)?;
            for (&place, value) in places.iter().zip(own) {
                values[place] = value;
            }
        }
        Ok(values)
    }

    /// The leaf that holds a point.
    pub(super) fn leaf_at(&self, point: &[f64]) -> Option<usize> {
        let dim = self.dim();
        let at = self.grid.locate(point)?;
        if let Some(leaf) = self.tree.find(at, dim) {
            return Some(leaf);
        }
        // On a face the units above may lie outside: try those below, axis by axis.
        (1..1_usize << dim).find_map(|below| {
            let mut moved = at;
            for (axis, x) in moved.iter_mut().enumerate().take(dim) {
                if below >> axis & 1 == 1 {
                    *x = x.checked_sub(1)?;
                }
            }
            let leaf = self.tree.find(moved, dim)?;
            let (lo, hi) = self.grid.bounds(&self.tree.leaves[leaf]);
            let near = (0..dim).all(|k| {
                let slack = 1e-12 * (hi[k] - lo[k]);
                point[k] >= lo[k] - slack && point[k] <= hi[k] + slack
            });
            near.then_some(leaf)
        })
    }

    fn apply_in_leaf(
        &self,
        leaf: usize,
        row: &EquationRow,
        places: &[usize],
        sites: &Sites<'_>,
    ) -> Result<Vec<f64>, PatchError> {
        let (center, half) = self.grid.frame(&self.tree.leaves[leaf]);
        let physical = sites.points().select(Axis(0), places);
        let normals = sites
            .normals()
            .map(|normals| normals.select(Axis(0), places));
        let table = sites.table().map(|table| table.select(Axis(0), places));
        let mut own = Sites::new(physical.view());
        if let Some(normals) = &normals {
            own = own.with_normals(normals.view());
        }
        if let Some(table) = &table {
            own = own.with_table(table.view());
        }
        let local = Array2::from_shape_fn(physical.dim(), |(i, k)| {
            (physical[(i, k)] - center[k]) / half[k]
        });
        let mut total = vec![0.0; places.len()];
        let rank = self.reference.rank();
        for (unknown, operator) in row.blocks() {
            let prepared = operator.rows(own)?;
            let c = &self.coefficients[leaf][unknown * rank..(unknown + 1) * rank];
            let beta = super::leaf::apply(self.reference.compression.as_ref(), c);
            let form = prepared.form();
            let mut actions = Vec::new();
            let mut scales = Vec::new();
            for term in form.terms() {
                let orders = term.action.derivative.orders().iter();
                let scale: f64 = orders
                    .zip(&half)
                    .map(|(&n, h)| h.powi(-i32::try_from(n).unwrap_or(0)))
                    .product();
                actions.push(term.action.clone());
                scales.push(scale);
            }
            let forms: Vec<Form<'_>> = actions.iter().map(Form::action).collect();
            let mut sums = Mat::zeros(places.len(), forms.len());
            let basis = self.reference.basis.as_ref();
            basis.sums(local.view(), &forms, &beta, sums.as_mut())?;
            for (t, (term, scale)) in form.terms().iter().zip(&scales).enumerate() {
                for (i, total) in total.iter_mut().enumerate() {
                    let coefficient = match term.coefficient {
                        Coefficient::Constant(c) => c,
                        Coefficient::PerPoint(each) => each[i],
                    };
                    *total += coefficient * scale * sums[(i, t)];
                }
            }
        }
        Ok(total)
    }
}
