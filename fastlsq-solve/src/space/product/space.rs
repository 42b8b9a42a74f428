//! Several functions on a box.

use faer::{Mat, MatRef};
use ndarray::{Array2, ArrayView2};
use std::sync::Arc;

use super::axis::{Axis, EndRow, Split};
use super::tensor::{add_outer, along_axes, contracted};
use crate::space::SpaceError;

/// A condition on a face of the box, the same all over it.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceCondition {
    /// The axis that the face is across.
    pub axis: usize,
    /// The condition along that axis.
    pub row: EndRow,
}

/// One of the functions: the axes split by its conditions.
#[derive(Debug, Clone)]
pub(super) struct ProductFunction {
    pub(super) splits: Vec<Split>,
    /// Where its coefficients begin.
    pub(super) first: usize,
    /// Free functions along each axis.
    pub(super) sizes: Vec<usize>,
    /// For each condition its axis and its number among those of the axis.
    conditions: Vec<(usize, usize)>,
}

impl ProductFunction {
    pub(super) fn dim(&self) -> usize {
        self.sizes.iter().product()
    }
}

/// Several functions on a box, each a sum of products of functions along the axes, with conditions on faces.
///
/// The coefficients c of function f stand for u = Σ cⱼvⱼ + lift(g). *Modal* coefficients are those over all products of
/// the functions of the axes, conditions aside.
#[derive(Debug, Clone)]
pub struct ProductSpace {
    axes: Vec<Arc<Axis>>,
    pub(super) functions: Vec<ProductFunction>,
    dim: usize,
    nodes: Array2<f64>,
    weights: Vec<f64>,
}

impl ProductSpace {
    /// As many functions as there are lists of conditions.
    ///
    /// # Errors
    /// No axes, conditions on faces that do not exist or across a periodic axis, or that repeat each other.
    pub fn new(
        axes: Vec<Arc<Axis>>,
        conditions: &[Vec<FaceCondition>],
    ) -> Result<Self, SpaceError> {
        let sound = |own: &FaceCondition| axes.get(own.axis).is_some_and(|a| !a.is_periodic());
        if axes.is_empty() || !conditions.iter().flatten().all(sound) {
            return Err(SpaceError::Option {
                option: "axis of a condition",
                value: axes.len() as f64,
                requirement: "an axis of the box that is not periodic",
            });
        }
        let mut functions = Vec::with_capacity(conditions.len());
        let mut dim = 0;
        for own in conditions {
            let mut places = Vec::with_capacity(own.len());
            let mut rows: Vec<Vec<EndRow>> = vec![Vec::new(); axes.len()];
            for condition in own {
                places.push((condition.axis, rows[condition.axis].len()));
                rows[condition.axis].push(condition.row.clone());
            }
            let splits = axes
                .iter()
                .zip(&rows)
                .map(|(axis, rows)| Split::new(Arc::clone(axis), rows))
                .collect::<Result<Vec<Split>, SpaceError>>()?;
            let function = ProductFunction {
                sizes: splits.iter().map(Split::dim).collect(),
                splits,
                first: dim,
                conditions: places,
            };
            dim += function.dim();
            functions.push(function);
        }
        let count = axes.iter().map(|axis| axis.nodes().len()).product();
        let mut nodes = Array2::zeros((count, axes.len()));
        let mut weights = vec![1.0; count];
        for (i, weight) in weights.iter_mut().enumerate() {
            let mut rest = i;
            for (k, axis) in axes.iter().enumerate() {
                let own = rest % axis.nodes().len();
                rest /= axis.nodes().len();
                nodes[(i, k)] = axis.nodes()[own];
                *weight *= axis.weights()[own];
            }
        }
        Ok(Self {
            axes,
            functions,
            dim,
            nodes,
            weights,
        })
    }

    /// The number of coefficients of all functions.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of functions.
    #[must_use]
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// The axes.
    #[must_use]
    pub fn axes(&self) -> &[Arc<Axis>] {
        &self.axes
    }

    /// The function that each coefficient belongs to.
    #[must_use]
    pub fn function_of(&self) -> Vec<usize> {
        let counts = self.functions.iter().enumerate();
        counts
            .flat_map(|(k, function)| std::iter::repeat_n(k, function.dim()))
            .collect()
    }

    /// Free functions of one function along each axis; empty if there is no such function.
    #[must_use]
    pub fn sizes(&self, function: usize) -> &[usize] {
        self.functions.get(function).map_or(&[], |own| &own.sizes)
    }

    /// The points at which functions are sampled, one row per point, the first coordinate running fastest.
    #[must_use]
    pub fn nodes(&self) -> &Array2<f64> {
        &self.nodes
    }

    /// Their weights in integrals.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn counts(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.count()).collect()
    }

    fn node_counts(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.nodes().len()).collect()
    }

    /// The points of a face at which its data are given, one row per point.
    #[must_use]
    pub fn face_nodes(&self, axis: usize, upper: bool) -> Array2<f64> {
        let Some(own) = self.axes.get(axis) else {
            return Array2::zeros((0, self.axes.len()));
        };
        let (lo, hi) = own.ends();
        let across = if upper { hi } else { lo };
        let counts = self.node_counts();
        let count = counts
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != axis)
            .map(|(_, count)| count)
            .product();
        Array2::from_shape_fn((count, self.axes.len()), |(i, k)| {
            if k == axis {
                return across;
            }
            let before: usize = (0..k).filter(|j| *j != axis).map(|j| counts[j]).product();
            self.axes[k].nodes()[i / before % counts[k]]
        })
    }

    /// Modal coefficients of u = Σ cⱼvⱼ + lift; `coefficients` are those of all functions.
    #[must_use]
    pub fn expansion(&self, function: usize, coefficients: &[f64], lift: &[f64]) -> Vec<f64> {
        let Some(own) = self.functions.get(function) else {
            return Vec::new();
        };
        let Some(part) = coefficients.get(own.first..own.first + own.dim()) else {
            return Vec::new();
        };
        let matrices: Vec<Option<MatRef<'_, f64>>> = own
            .splits
            .iter()
            .map(|split| split.free.as_ref().map(Mat::as_ref))
            .collect();
        let mut modal = along_axes(&matrices, part, &own.sizes);
        for (modal, lift) in modal.iter_mut().zip(lift) {
            *modal += lift;
        }
        modal
    }

    /// Modal coefficients of the function that carries the data: for each condition of the function in their order, its values at
    /// the [nodes of its face](Self::face_nodes). Empty if there are no conditions.
    ///
    /// Axis by axis: the data of axis k less what the axes before contribute to them, projected onto functions that the conditions of
    /// these do not see. Where data on faces that meet contradict each other, those of the earlier axis hold.
    #[must_use]
    pub fn lift(&self, function: usize, data: &[Vec<f64>]) -> Vec<f64> {
        let Some(own) = self.functions.get(function) else {
            return Vec::new();
        };
        if own.conditions.is_empty() {
            return Vec::new();
        }
        let (counts, node_counts) = (self.counts(), self.node_counts());
        let mut modal = vec![0.0; counts.iter().product()];
        for axis in 0..self.axes.len() {
            let split = &own.splits[axis];
            let mut additions = Vec::new();
            for ((_, number), values) in own
                .conditions
                .iter()
                .zip(data)
                .filter(|((k, _), _)| *k == axis)
            {
                let others = |all: &[usize]| -> Vec<usize> {
                    let rest = all.iter().enumerate().filter(|(k, _)| *k != axis);
                    rest.map(|(_, n)| *n).collect()
                };
                let projectors: Vec<Option<MatRef<'_, f64>>> = (0..self.axes.len())
                    .filter(|k| *k != axis)
                    .map(|k| Some(own.splits[k].full_projector.as_ref()))
                    .collect();
                let mut rest = along_axes(&projectors, values, &others(&node_counts));
                let seen = contracted(&split.rows[*number], &modal, &counts, axis);
                for (rest, seen) in rest.iter_mut().zip(seen) {
                    *rest -= seen;
                }
                let projections: Vec<Option<Mat<f64>>> = (0..self.axes.len())
                    .filter(|k| *k != axis)
                    .map(|k| own.splits[k].onto_free().filter(|_| k < axis))
                    .collect();
                let projections: Vec<Option<MatRef<'_, f64>>> = projections
                    .iter()
                    .map(|matrix| matrix.as_ref().map(Mat::as_ref))
                    .collect();
                rest = along_axes(&projections, &rest, &others(&counts));
                let column: Vec<f64> = split.lift.col(*number).iter().copied().collect();
                additions.push((column, rest));
            }
            for (column, rest) in additions {
                add_outer(&column, &rest, &counts, axis, &mut modal);
            }
        }
        modal
    }

    /// The largest distance between B u and the data over the nodes of the face of a condition, and where it is.
    #[must_use]
    pub fn face_misfit(
        &self,
        function: usize,
        condition: usize,
        modal: &[f64],
        values: &[f64],
        upper: bool,
    ) -> Option<(f64, Vec<f64>)> {
        let own = self.functions.get(function)?;
        let (axis, number) = *own.conditions.get(condition)?;
        let row = own.splits.get(axis)?.rows.get(number)?;
        let counts = self.counts();
        let trace = contracted(row, modal, &counts, axis);
        let tables: Vec<Option<MatRef<'_, f64>>> = (0..self.axes.len())
            .filter(|k| *k != axis)
            .map(|k| self.axes[k].at_nodes(0).map(Mat::as_ref))
            .collect();
        let rest: Vec<usize> = (0..counts.len())
            .filter(|k| *k != axis)
            .map(|k| counts[k])
            .collect();
        let trace = along_axes(&tables, &trace, &rest);
        let distances = trace.iter().zip(values).map(|(a, b)| (a - b).abs());
        let (place, distance) = distances
            .enumerate()
            .max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let points = self.face_nodes(axis, upper);
        Some((distance, points.row(place).to_vec()))
    }

    /// D^α u at the nodes, for u given by its modal coefficients.
    #[must_use]
    pub fn sample(&self, modal: &[f64], alpha: &[u32]) -> Vec<f64> {
        let kept: Option<Vec<&Mat<f64>>> = self
            .axes
            .iter()
            .zip(alpha)
            .map(|(axis, d)| axis.at_nodes(*d as usize))
            .collect();
        match kept {
            Some(tables) if tables.len() == self.axes.len() => {
                let tables: Vec<_> = tables.iter().map(|table| Some(table.as_ref())).collect();
                along_axes(&tables, modal, &self.counts())
            }
            _ => {
                let nodes: Vec<&[f64]> = self.axes.iter().map(|axis| axis.nodes()).collect();
                self.on_grid(modal, alpha, &nodes)
            }
        }
    }

    /// D^α u at all points of a grid with these coordinates along the axes, the first running fastest.
    #[must_use]
    pub fn on_grid(&self, modal: &[f64], alpha: &[u32], coordinates: &[&[f64]]) -> Vec<f64> {
        let tables: Vec<Mat<f64>> = self
            .axes
            .iter()
            .zip(alpha)
            .zip(coordinates)
            .map(|((axis, d), x)| axis.table(*d as usize, x))
            .collect();
        let tables: Vec<_> = tables.iter().map(|table| Some(table.as_ref())).collect();
        along_axes(&tables, modal, &self.counts())
    }

    /// D^α u at any points, one row per point.
    #[must_use]
    pub fn values(&self, modal: &[f64], alpha: &[u32], points: ArrayView2<'_, f64>) -> Vec<f64> {
        let counts = self.counts();
        let one = |point: ndarray::ArrayView1<'_, f64>| {
            let mut rest = modal.to_vec();
            // The last axis first: what remains stays contiguous.
            for (k, axis) in self.axes.iter().enumerate().rev() {
                let d = alpha.get(k).copied().unwrap_or(0) as usize;
                rest = contracted(&axis.row(d, point[k]), &rest, &counts[..=k], k);
            }
            rest.first().copied().unwrap_or(f64::NAN)
        };
        if points.ncols() != self.axes.len() || modal.len() != counts.iter().product::<usize>() {
            return vec![f64::NAN; points.nrows()];
        }
        points.rows().into_iter().map(one).collect()
    }

    /// Coefficients of the orthogonal projection of a function given by its values at the nodes.
    #[must_use]
    pub fn project(&self, function: usize, values: &[f64]) -> Vec<f64> {
        let Some(own) = self.functions.get(function) else {
            return Vec::new();
        };
        let projectors: Vec<_> = own
            .splits
            .iter()
            .map(|split| Some(split.projector.as_ref()))
            .collect();
        along_axes(&projectors, values, &self.node_counts())
    }

    /// Modal coefficients of the projection of values at the nodes onto all products, conditions aside.
    #[must_use]
    pub fn modal(&self, values: &[f64]) -> Vec<f64> {
        let Some(own) = self.functions.first() else {
            return Vec::new();
        };
        let projectors: Vec<_> = own
            .splits
            .iter()
            .map(|split| Some(split.full_projector.as_ref()))
            .collect();
        along_axes(&projectors, values, &self.node_counts())
    }

    /// Along each axis the L2 norm of what the last functions of that axis contribute.
    #[must_use]
    pub fn tails(&self, modal: &[f64]) -> Vec<f64> {
        let counts = self.counts();
        let mut tails = vec![0.0; self.axes.len()];
        for (i, value) in modal.iter().enumerate() {
            let mut rest = i;
            for ((tail, axis), count) in tails.iter_mut().zip(&self.axes).zip(&counts) {
                if rest % count + axis.tail() >= *count {
                    *tail += value * value;
                }
                rest /= count;
            }
        }
        tails.into_iter().map(f64::sqrt).collect()
    }

    /// Whether two functions satisfy the same conditions.
    #[must_use]
    pub fn alike(&self, one: usize, other: usize) -> bool {
        match (self.functions.get(one), self.functions.get(other)) {
            (Some(one), Some(other)) => {
                let mut pairs = one.splits.iter().zip(&other.splits);
                pairs.all(|(a, b)| a.rows == b.rows)
            }
            _ => false,
        }
    }

    /// The matrix ⟨v_i, Σ γ_d v_j⁽ᵈ⁾⟩ over the free functions of one axis.
    #[must_use]
    pub fn along(&self, function: usize, axis: usize, gamma: &[f64]) -> Option<Mat<f64>> {
        let split = self.functions.get(function)?.splits.get(axis)?;
        let mut sum = Mat::zeros(split.axis.nodes().len(), split.dim());
        for (d, factor) in gamma.iter().enumerate().filter(|(_, g)| **g != 0.0) {
            sum += faer::Scale(*factor) * split.free_tables.get(d)?;
        }
        Some(&split.projector * sum)
    }
}
