//! Functions along one axis of a box: polynomials, or waves where the axis is a circle.

use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::AxisFunctions;

use crate::space::SpaceError;
use crate::space::elimination::few;
use crate::space::quadrature::Line;

/// Orthonormal functions of one coordinate on [lo, hi]: Legendre polynomials, or 1, cos κx, sin κx, cos 2κx, … on a circle.
#[derive(Debug, Clone)]
pub struct Axis {
    functions: AxisFunctions,
    nodes: Vec<f64>,
    weights: Vec<f64>,
    /// For each order of derivative: nodes by functions.
    tables: Vec<Mat<f64>>,
}

/// B u = Σ b_d u⁽ᵈ⁾ at one end.
#[derive(Debug, Clone, PartialEq)]
pub struct EndRow {
    /// Whether it holds at the upper end.
    pub upper: bool,
    /// b, by the order of the derivative.
    pub coefficients: Vec<f64>,
}

impl Axis {
    /// At least `count` functions with derivatives up to `order` at the nodes of a rule that is exact for products of three
    /// of them; on a circle their number is odd.
    ///
    /// # Errors
    /// Ends in the wrong order, no functions or more than 2000.
    pub fn new(
        (lo, hi): (f64, f64),
        periodic: bool,
        count: usize,
        order: usize,
    ) -> Result<Self, SpaceError> {
        if !(lo < hi && (hi - lo).is_finite())
            || count == 0
            || (count | usize::from(periodic)) > 2000
        {
            return Err(SpaceError::Option {
                option: "number of functions along an axis",
                value: count as f64,
                requirement: "between 1 and 2000, on an interval of finite length",
            });
        }
        let count = if periodic { count | 1 } else { count };
        let functions = AxisFunctions::new((lo, hi), periodic, count)?;
        let rule = if periodic {
            Line::trapezoidal(lo, hi, 3 * (count / 2) + 2)
        } else {
            Line::gauss(lo, hi, 3 * count / 2 + 2)
        };
        let mut axis = Self {
            functions,
            nodes: rule.nodes,
            weights: rule.weights,
            tables: Vec::new(),
        };
        axis.tables = (0..=order).map(|d| axis.table(d, &axis.nodes)).collect();
        Ok(axis)
    }

    /// The ends.
    #[must_use]
    pub fn ends(&self) -> (f64, f64) {
        self.functions.ends()
    }

    /// Whether the ends are joined.
    #[must_use]
    pub fn is_periodic(&self) -> bool {
        self.functions.is_periodic()
    }

    /// The number of functions.
    #[must_use]
    pub fn count(&self) -> usize {
        self.functions.count()
    }

    /// The functions themselves.
    #[must_use]
    pub fn functions(&self) -> &AxisFunctions {
        &self.functions
    }

    /// The points at which functions are sampled.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Their weights in integrals.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The derivatives of order d at the nodes, nodes by functions, if they are kept.
    pub(super) fn at_nodes(&self, d: usize) -> Option<&Mat<f64>> {
        self.tables.get(d)
    }

    /// The derivative of order d of every function at a point.
    #[must_use]
    pub fn row(&self, d: usize, x: f64) -> Vec<f64> {
        self.functions.row(u32::try_from(d).unwrap_or(u32::MAX), x)
    }

    /// The derivative of order d of every function at many points.
    #[must_use]
    pub fn table(&self, d: usize, x: &[f64]) -> Mat<f64> {
        let mut table = Mat::zeros(x.len(), self.count());
        for (i, x) in x.iter().enumerate() {
            for (j, value) in self.row(d, *x).into_iter().enumerate() {
                table[(i, j)] = value;
            }
        }
        table
    }

    /// The functions whose coefficients say how well the others resolve: two polynomials, or two pairs of waves.
    pub(super) fn tail(&self) -> usize {
        let last = if self.is_periodic() { 4 } else { 2 };
        last.min(self.count().saturating_sub(1))
    }

    /// B over the functions.
    fn end_row(&self, row: &EndRow) -> Vec<f64> {
        let (lo, hi) = self.ends();
        let x = if row.upper { hi } else { lo };
        let mut sum = vec![0.0; self.count()];
        for (d, b) in row
            .coefficients
            .iter()
            .enumerate()
            .filter(|(_, b)| **b != 0.0)
        {
            for (sum, value) in sum.iter_mut().zip(self.row(d, x)) {
                *sum += b * value;
            }
        }
        sum
    }
}

/// The functions along an axis, split by conditions at its ends.
///
/// Columns of `free` are orthonormal and satisfy all conditions with zero on the right; column k of `lift` is the smallest
/// function whose condition k has the value 1 and all others 0. Both are orthogonal to each other and together are all functions.
#[derive(Debug, Clone)]
pub(super) struct Split {
    pub(super) axis: Arc<Axis>,
    /// `None` where there are no conditions: all functions as they are.
    pub(super) free: Option<Mat<f64>>,
    pub(super) lift: Mat<f64>,
    /// B, by conditions.
    pub(super) rows: Vec<Vec<f64>>,
    /// Free functions by nodes: ⟨v, f⟩ from values of f.
    pub(super) projector: Mat<f64>,
    /// All functions by nodes.
    pub(super) full_projector: Mat<f64>,
    /// For each order of derivative: nodes by free functions.
    pub(super) free_tables: Vec<Mat<f64>>,
}

impl Split {
    pub(super) fn new(axis: Arc<Axis>, conditions: &[EndRow]) -> Result<Self, SpaceError> {
        let rows: Vec<Vec<f64>> = conditions.iter().map(|own| axis.end_row(own)).collect();
        let n = axis.count();
        let values = &axis.tables[0];
        let full_projector =
            Mat::from_fn(n, axis.nodes.len(), |i, q| values[(q, i)] * axis.weights[q]);
        if rows.is_empty() {
            return Ok(Self {
                free: None,
                lift: Mat::zeros(n, 0),
                rows,
                projector: full_projector.clone(),
                full_projector,
                free_tables: axis.tables.clone(),
                axis,
            });
        }
        let norms: Vec<f64> = rows
            .iter()
            .map(|row| row.iter().map(|v| v * v).sum::<f64>().sqrt())
            .collect();
        let unit = Mat::from_fn(rows.len(), n, |i, j| rows[i][j] / norms[i]);
        let split = few(&unit);
        if split.independent < rows.len() || n <= rows.len() {
            return Err(SpaceError::Empty {
                conditions: rows.len(),
                modes: n,
            });
        }
        let lift = Mat::from_fn(n, rows.len(), |i, j| {
            split.pseudo_inverse[(i, j)] / norms[j]
        });
        let free = split.null;
        let free_tables = axis.tables.iter().map(|table| table * &free).collect();
        let projector = free.transpose() * &full_projector;
        Ok(Self {
            axis,
            free: Some(free),
            lift,
            rows,
            projector,
            full_projector,
            free_tables,
        })
    }

    /// The number of free functions.
    pub(super) fn dim(&self) -> usize {
        self.projector.nrows()
    }

    /// Removes what the conditions see, along the rows of an array over this axis alone: Z Zᵀ.
    pub(super) fn onto_free(&self) -> Option<Mat<f64>> {
        self.free.as_ref().map(|free| free * free.transpose())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_orthonormal_and_differentiate_each_other() {
        for periodic in [false, true] {
            let axis = Axis::new((-1.0, 3.0), periodic, 11, 2).unwrap();
            let split = Split::new(Arc::new(axis.clone()), &[]).unwrap();
            let gram = &split.full_projector * axis.at_nodes(0).unwrap();
            assert!((gram - Mat::<f64>::identity(11, 11)).norm_max() < 1e-13);
            // Second derivatives by differences of the first.
            let (x, h) = (0.37, 1e-5);
            let (up, down) = (axis.row(1, x + h), axis.row(1, x - h));
            for (k, second) in axis.row(2, x).into_iter().enumerate() {
                let difference = (up[k] - down[k]) / (2.0 * h);
                assert!((second - difference).abs() < 1e-6 * (1.0 + second.abs()));
            }
        }
    }

    #[test]
    fn conditions_split_the_functions() {
        let axis = Arc::new(Axis::new((0.0, 2.0), false, 9, 1).unwrap());
        let conditions = [
            EndRow {
                upper: false,
                coefficients: vec![1.0],
            },
            EndRow {
                upper: true,
                coefficients: vec![2.0, -1.0],
            },
        ];
        let split = Split::new(axis, &conditions).unwrap();
        assert_eq!(split.dim(), 7);
        let rows = Mat::from_fn(2, 9, |i, j| split.rows[i][j]);
        assert!((&rows * split.free.as_ref().unwrap()).norm_max() < 1e-12);
        assert!((&rows * &split.lift - Mat::<f64>::identity(2, 2)).norm_max() < 1e-12);
        assert!(
            Split::new(
                Arc::clone(&split.axis),
                &[conditions[0].clone(), conditions[0].clone()]
            )
            .is_err()
        );
    }
}
