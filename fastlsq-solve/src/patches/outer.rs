//! Sides on the outer boundary: given values, or rows that the traces must satisfy.

use faer::Mat;
use fastlsq_ops::Sites;
use ndarray::{Array2, Axis};

use super::PatchError;
use super::coefficients::{LocalRow, place};
use super::frame::LeafFrame;
use super::grid::Cell;
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

/// What holds on a side of a leaf that lies on the outer boundary.
#[derive(Debug)]
pub(super) struct OuterSide {
    /// For each node, the number of its condition.
    pub(super) chosen: Vec<usize>,
    /// What right-hand sides are divided by, unknown by unknown.
    scales: Vec<f64>,
    /// Rows for the coefficients, traces ordered by unknown; absent where the traces themselves are given.
    pub(super) rows: Option<OuterRows>,
}

/// Rows that the function of a leaf satisfies on an outer side.
#[derive(Debug)]
pub(super) struct OuterRows {
    pub(super) key: RowsKey,
    pub(super) matrix: Mat<f64>,
}

impl OuterSide {
    pub(super) fn new(
        frame: &LeafFrame,
        side: usize,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        OuterPoints::new(frame, side, problem, reference)?.condition()
    }

    /// What a problem with the same operators gives here, as traces.
    pub(super) fn data(
        &self,
        frame: &LeafFrame,
        side: usize,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Vec<f64>, PatchError> {
        let given = OuterPoints::at(frame, side, problem, reference, self.chosen.clone()).data()?;
        Ok(self.traces_of(&given, reference))
    }

    /// The traces of what is given at the nodes, unknown by unknown.
    pub(super) fn traces_of(&self, at_nodes: &[f64], reference: &Reference) -> Vec<f64> {
        let scaled = at_nodes.iter().zip(&self.scales).map(|(d, s)| d / s);
        let scaled: Vec<f64> = scaled.collect();
        reference.rule.traces_of(&scaled)
    }

    /// The transpose of [`traces_of`](Self::traces_of).
    pub(super) fn transposed(&self, traces: &[f64], reference: &Reference) -> Vec<f64> {
        let at_nodes = reference.rule.transposed(traces);
        let pairs = at_nodes.iter().zip(&self.scales);
        pairs.map(|(d, s)| d / s).collect()
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
}

impl<'a> OuterPoints<'a> {
    fn new(
        frame: &'a LeafFrame,
        side: usize,
        problem: &'a PatchProblem,
        reference: &'a Reference,
    ) -> Result<Self, PatchError> {
        let mut own = Self::at(frame, side, problem, reference, Vec::new());
        let places = own.points.rows().into_iter().zip(own.normals.rows());
        own.chosen = places
            .map(|(point, normal)| choose(&point.to_vec(), &normal.to_vec(), &problem.conditions))
            .collect::<Result<Vec<usize>, _>>()?;
        Ok(own)
    }

    /// With these conditions at the nodes.
    fn at(
        frame: &'a LeafFrame,
        side: usize,
        problem: &'a PatchProblem,
        reference: &'a Reference,
        chosen: Vec<usize>,
    ) -> Self {
        let nodes = reference.sides[side].points.view();
        let points = place(nodes, &frame.center, &frame.half);
        Self {
            frame,
            side,
            problem,
            reference,
            normals: normals_of(side, points.dim()),
            points,
            chosen,
        }
    }

    /// The conditions that occur.
    fn distinct(&self) -> Vec<usize> {
        let mut distinct = self.chosen.clone();
        distinct.sort_unstable();
        distinct.dedup();
        distinct
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
        for index in self.distinct() {
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
        let (unknowns, nodes) = (self.problem.unknowns, self.points.nrows());
        let mut scales = vec![1.0; unknowns * nodes];
        let values = |index: &usize| conditions[*index].rows.is_none();
        let distinct = self.distinct();
        if distinct.iter().all(values) {
            return Ok(OuterSide {
                chosen: self.chosen.clone(),
                scales,
                rows: None,
            });
        }
        let (reference, rank) = (self.reference, self.reference.rank());
        let mut matrix = Mat::zeros(unknowns * nodes, unknowns * rank);
        let mut key = Some(Vec::new());
        for &index in &distinct {
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
                    scales[e * nodes + node] = scale;
                }
            }
        }
        let key = match key {
            Some(key) if distinct.len() == 1 => RowsKey::Shared(key),
            _ => RowsKey::Own(self.frame.cell, self.side),
        };
        let matrix = self.trace(&matrix);
        Ok(OuterSide {
            chosen: self.chosen.clone(),
            scales,
            rows: Some(OuterRows { key, matrix }),
        })
    }

    /// The traces of rows at the nodes, unknown by unknown.
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

/// The outward normal at every node of a side.
pub(super) fn normals_of(side: usize, shape: (usize, usize)) -> Array2<f64> {
    let outward = if side % 2 == 1 { 1.0 } else { -1.0 };
    Array2::from_shape_fn(shape, |(_, k)| if k == side / 2 { outward } else { 0.0 })
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
