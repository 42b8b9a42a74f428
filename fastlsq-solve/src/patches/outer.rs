//! Sides on the outer boundary: given values, or rows that the traces must satisfy.

use faer::Mat;
use fastlsq_ops::Sites;
use ndarray::Array2;

use super::PatchError;
use super::coefficients::{LocalRow, place};
use super::grid::{Cell, Grid};
use super::leaf::LeafFrame;
use super::problem::{FaceCondition, PatchProblem};
use super::reference::Reference;

/// What tells the rows of two outer sides apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum RowsKey {
    /// One condition with constant coefficients, these numbers.
    Shared(Vec<u64>),
    /// Any other: the rows of this side of this leaf only.
    Own(Cell, usize),
}

/// What holds on a side of a leaf that lies on the outer boundary; ordered by unknown, then node.
#[derive(Debug)]
pub(super) enum OuterSide {
    /// The traces themselves.
    Values(Vec<f64>),
    /// Rows for the coefficients, and their right-hand sides.
    Rows {
        key: RowsKey,
        matrix: Mat<f64>,
        data: Vec<f64>,
    },
}

impl OuterSide {
    /// `None` for a side with a neighbour.
    pub(super) fn new(
        frame: &LeafFrame,
        side: usize,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Option<Self>, PatchError> {
        let (axis, upper) = (side / 2, side % 2 == 1);
        let neighbour = grid.across(&frame.cell, axis, upper);
        let size = frame.cell.size;
        if neighbour.is_some_and(|corner| grid.owner(&Cell { corner, size }).is_some()) {
            return Ok(None);
        }
        let points = place(
            reference.sides[side].points.view(),
            &frame.center,
            &frame.half,
        );
        let mut normal = vec![0.0; reference.dim];
        normal[axis] = if upper { 1.0 } else { -1.0 };
        let chosen = points
            .rows()
            .into_iter()
            .map(|point| choose(&point.to_vec(), &normal, &problem.conditions))
            .collect::<Result<Vec<usize>, _>>()?;
        let data = data_at(&points, &chosen, problem)?;
        let values = |&index: &usize| problem.conditions[index].rows.is_none();
        if chosen.iter().all(values) {
            return Ok(Some(Self::Values(data)));
        }
        Self::rows(
            frame, side, &points, &normal, &chosen, data, problem, reference,
        )
        .map(Some)
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the pieces of one side, named by the caller"
    )]
    fn rows(
        frame: &LeafFrame,
        side: usize,
        points: &Array2<f64>,
        normal: &[f64],
        chosen: &[usize],
        mut data: Vec<f64>,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let (unknowns, nodes) = (problem.unknowns, points.nrows());
        let normals = Array2::from_shape_fn(points.dim(), |(_, k)| normal[k]);
        let sites = Sites::new(points.view()).with_normals(normals.view());
        let mut matrix = Mat::zeros(unknowns * nodes, unknowns * reference.rank());
        let mut key = Some(Vec::new());
        let mut distinct = chosen.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        for &index in &distinct {
            for e in 0..unknowns {
                let mut all = Mat::zeros(nodes, matrix.ncols());
                let mut scale = 1.0;
                if let Some(rows) = &problem.conditions[index].rows {
                    let mut row = LocalRow::new(&rows[e], sites, &frame.half, reference)?;
                    scale = row.largest(0, reference);
                    if scale > 0.0 {
                        row.divide(scale);
                    } else {
                        scale = 1.0;
                    }
                    key = key.zip(row.key()).map(|(mut key, own)| {
                        key.push(u64::MAX);
                        key.extend(own);
                        key
                    });
                    reference.add_rows(&row, &reference.sides[side], all.as_mut())?;
                } else {
                    key = None;
                    let rank = reference.rank();
                    all.as_mut()
                        .subcols_mut(e * rank, rank)
                        .copy_from(&reference.side_values[side]);
                }
                for node in (0..nodes).filter(|&node| chosen[node] == index) {
                    matrix.row_mut(e * nodes + node).copy_from(all.row(node));
                    data[e * nodes + node] /= scale;
                }
            }
        }
        let key = match key {
            Some(key) if distinct.len() == 1 => RowsKey::Shared(key),
            _ => RowsKey::Own(frame.cell, side),
        };
        Ok(Self::Rows { key, matrix, data })
    }
}

/// The first condition that applies at a point.
fn choose(
    point: &[f64],
    normal: &[f64],
    conditions: &[FaceCondition],
) -> Result<usize, PatchError> {
    let applies = |condition: &FaceCondition| (condition.selector)(point, normal);
    conditions
        .iter()
        .position(applies)
        .ok_or_else(|| PatchError::NoCondition {
            point: point.to_vec(),
            normal: normal.to_vec(),
        })
}

fn data_at(
    points: &Array2<f64>,
    chosen: &[usize],
    problem: &PatchProblem,
) -> Result<Vec<f64>, PatchError> {
    let mut values = Vec::with_capacity(problem.unknowns * points.nrows());
    for e in 0..problem.unknowns {
        for (i, &index) in chosen.iter().enumerate().take(points.nrows()) {
            let one = points.slice(ndarray::s![i..=i, ..]);
            let value = problem.conditions[index].data[e].values(one);
            let value = value.first().copied().unwrap_or(f64::NAN);
            if !value.is_finite() {
                return Err(PatchError::DataNotFinite {
                    label: format!("condition {index}"),
                    point: points.row(i).to_vec(),
                    value,
                });
            }
            values.push(value);
        }
    }
    Ok(values)
}
