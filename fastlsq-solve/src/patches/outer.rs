//! Sides on the outer boundary: given values, or rows that the traces must satisfy.

use faer::Mat;
use fastlsq_ops::Sites;
use ndarray::{Array2, Axis};

use super::PatchError;
use super::coefficients::{LocalRow, place};
use super::frame::LeafFrame;
use super::grid::{Cell, Grid};
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

/// What holds on a side of a leaf that lies on the outer boundary, as a trace of it; ordered by unknown.
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
        OuterPoints::new(frame, side, problem, reference)?
            .condition()
            .map(Some)
    }
}

/// A side of a leaf on the outer boundary, with the condition that applies at each of its nodes.
struct OuterPoints<'a> {
    frame: &'a LeafFrame,
    side: usize,
    problem: &'a PatchProblem,
    reference: &'a Reference,
    points: Array2<f64>,
    normals: Array2<f64>,
    /// For each node, the number of its condition.
    chosen: Vec<usize>,
    /// Those that occur.
    distinct: Vec<usize>,
}

impl<'a> OuterPoints<'a> {
    fn new(
        frame: &'a LeafFrame,
        side: usize,
        problem: &'a PatchProblem,
        reference: &'a Reference,
    ) -> Result<Self, PatchError> {
        let nodes = reference.sides[side].points.view();
        let points = place(nodes, &frame.center, &frame.half);
        let mut normal = vec![0.0; reference.dim];
        normal[side / 2] = if side % 2 == 1 { 1.0 } else { -1.0 };
        let chosen = points
            .rows()
            .into_iter()
            .map(|point| choose(&point.to_vec(), &normal, &problem.conditions))
            .collect::<Result<Vec<usize>, _>>()?;
        let mut distinct = chosen.clone();
        distinct.sort_unstable();
        distinct.dedup();
        Ok(Self {
            frame,
            side,
            problem,
            reference,
            normals: Array2::from_shape_fn(points.dim(), |(_, k)| normal[k]),
            points,
            chosen,
            distinct,
        })
    }

    fn sites(&self) -> Sites<'_> {
        Sites::new(self.points.view()).with_normals(self.normals.view())
    }

    /// The nodes where a condition applies.
    fn nodes_of(&self, condition: usize) -> impl Iterator<Item = usize> {
        let nodes = self.chosen.iter().enumerate();
        nodes.filter_map(move |(node, own)| (*own == condition).then_some(node))
    }

    /// What is given at every node, unknown by unknown.
    fn data(&self) -> Result<Vec<f64>, PatchError> {
        let nodes = self.points.nrows();
        let mut data = vec![0.0; self.problem.unknowns * nodes];
        for &index in &self.distinct {
            let own: Vec<usize> = self.nodes_of(index).collect();
            let points = self.points.select(Axis(0), &own);
            let normals = self.normals.select(Axis(0), &own);
            let sites = Sites::new(points.view()).with_normals(normals.view());
            for (e, given) in self.problem.conditions[index].data.iter().enumerate() {
                let values = given.values(|| format!("condition {}", index + 1), &sites)?;
                for (&node, value) in own.iter().zip(values) {
                    data[e * nodes + node] = value;
                }
            }
        }
        Ok(data)
    }

    fn condition(&self) -> Result<OuterSide, PatchError> {
        let conditions = &self.problem.conditions;
        let mut data = self.data()?;
        let values = |index: &usize| conditions[*index].rows.is_none();
        if self.distinct.iter().all(values) {
            return Ok(OuterSide::Values(self.trace_of(&data)));
        }
        let (unknowns, nodes) = (self.problem.unknowns, self.points.nrows());
        let (reference, rank) = (self.reference, self.reference.rank());
        let mut matrix = Mat::zeros(unknowns * nodes, unknowns * rank);
        let mut key = Some(Vec::new());
        for &index in &self.distinct {
            for e in 0..unknowns {
                let mut all = Mat::zeros(nodes, matrix.ncols());
                let mut scale = 1.0;
                if let Some(rows) = &conditions[index].rows {
                    let (half, sites) = (&self.frame.half, self.sites());
                    let mut row = LocalRow::new(&rows[e], sites, half, reference)?;
                    let largest = row.largest(0, reference);
                    if largest > 0.0 {
                        scale = largest;
                        row.divide(scale);
                    }
                    key = key.zip(row.key()).map(|(mut key, own)| {
                        key.push(u64::MAX);
                        key.extend(own);
                        key
                    });
                    reference.add_rows(&row, &reference.sides[self.side], all.as_mut())?;
                } else {
                    key = None;
                    let mut own = all.as_mut().subcols_mut(e * rank, rank);
                    own.copy_from(&reference.node_values[self.side]);
                }
                for node in self.nodes_of(index) {
                    matrix.row_mut(e * nodes + node).copy_from(all.row(node));
                    data[e * nodes + node] /= scale;
                }
            }
        }
        let key = match key {
            Some(key) if self.distinct.len() == 1 => RowsKey::Shared(key),
            _ => RowsKey::Own(self.frame.cell, self.side),
        };
        Ok(OuterSide::Rows {
            key,
            matrix: self.trace(&matrix),
            data: self.trace_of(&data),
        })
    }

    /// The traces of what is given at the nodes, unknown by unknown.
    fn trace_of(&self, at_nodes: &[f64]) -> Vec<f64> {
        let own = at_nodes.chunks(self.points.nrows().max(1));
        own.flat_map(|own| self.reference.rule.trace_of(own))
            .collect()
    }

    /// The same for rows.
    fn trace(&self, at_nodes: &Mat<f64>) -> Mat<f64> {
        let (unknowns, nodes) = (self.problem.unknowns, self.points.nrows());
        let size = self.reference.side_nodes();
        let mut traces = Mat::zeros(unknowns * size, at_nodes.ncols());
        for e in 0..unknowns {
            let own = at_nodes.as_ref().subrows(e * nodes, nodes).to_owned();
            let mut part = traces.as_mut().subrows_mut(e * size, size);
            part.copy_from(self.reference.rule.trace(own));
        }
        traces
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
