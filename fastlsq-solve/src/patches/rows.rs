//! Factored patches as a system of rows: data at points in, coefficients out, and the transpose of that.

use faer::{Mat, MatRef};

use super::layout::{BlockRows, layout, system_blocks};
use super::leaf::{Leaf, LeafData, SideData};
use super::outer::OuterSide;
use super::solution::PatchSolution;
use super::{FactoredPatches, PatchError, PatchOptions, PatchProblem};
use crate::SolveError;
use crate::backend::Factored;
use crate::lsq::{LsqInfo, Method};
use crate::problem::ConcreteProblem;
use crate::system::{RowBlock, System};

/// Patches of a stated problem that are solved for data at their points.
#[derive(Debug)]
pub(crate) struct PatchRows {
    patches: FactoredPatches,
    blocks: Vec<BlockRows>,
    info: LsqInfo,
}

impl PatchRows {
    /// Solves, and keeps the factors.
    pub(crate) fn new(
        problem: &ConcreteProblem,
        options: &PatchOptions,
    ) -> Result<(Self, System), PatchError> {
        let (stated, origins) = PatchProblem::of_with_origins(problem)?;
        let patches = stated.factor(options)?;
        let blocks = layout(problem, &origins, &patches);
        let system = System::new(
            patches.solution().bases(),
            system_blocks(problem, &blocks, &patches)?,
        )?;
        let rows = system.blocks().iter().map(RowBlock::len).sum();
        let columns = patches.solution().coefficients().len();
        let reason = "exact traces, least squares in each patch, elimination along the tree";
        let info = LsqInfo::new(Method::Auto, reason, rows, columns);
        let own = Self {
            patches,
            blocks,
            info,
        };
        Ok((own, system))
    }

    /// The solution for the problem's own data.
    pub(crate) fn solution(&self) -> &PatchSolution {
        self.patches.solution()
    }

    /// Calls `work` with the first row of every block.
    fn each_block(&self, mut work: impl FnMut(&BlockRows, usize)) {
        let inner = self.patches.mesh.reference.inner.len();
        let leaves = self.patches.mesh.tree.leaves.len();
        let mut start = 0;
        for block in &self.blocks {
            work(block, start);
            start += match block {
                BlockRows::Equation(_) => inner * leaves,
                BlockRows::Nodes(nodes) => nodes.len(),
                BlockRows::Functionals(which) => which.len(),
            };
        }
    }

    fn solve_one(&self, rows: &[f64]) -> Result<Vec<f64>, PatchError> {
        let (mesh, unknowns) = (&self.patches.mesh, self.patches.problem.unknowns);
        let reference = &mesh.reference;
        let leaves = self.patches.leaves();
        let inner = reference.inner.len();
        let mut data: Vec<LeafData> = leaves.iter().map(|leaf| empty(leaf)).collect();
        let mut at_nodes: Vec<Vec<Vec<f64>>> =
            leaves.iter().map(|leaf| nodes(leaf, unknowns)).collect();
        let mut values = vec![0.0; self.patches.problem.functionals.len()];
        for own in &mut data {
            own.inner = vec![0.0; unknowns * inner];
        }
        self.each_block(|block, start| match block {
            BlockRows::Equation(e) => {
                for (l, leaf) in leaves.iter().enumerate() {
                    let own = &rows[start + l * inner..start + (l + 1) * inner];
                    let target = &mut data[l].inner[e * inner..(e + 1) * inner];
                    let pairs = target.iter_mut().zip(own);
                    pairs.for_each(|(t, v)| *t = v / leaf.frame.scale);
                }
            }
            BlockRows::Nodes(list) => {
                for (own, value) in list.iter().zip(&rows[start..]) {
                    let side = &mut at_nodes[own.leaf][own.side];
                    let count = side.len() / unknowns.max(1);
                    side[own.row * count + own.node] = *value;
                }
            }
            BlockRows::Functionals(which) => {
                let pairs = which.iter().zip(&rows[start..]);
                pairs.for_each(|(&k, value)| values[k] = *value);
            }
        });
        for ((leaf, data), at_nodes) in leaves.iter().zip(&mut data).zip(&at_nodes) {
            for (side, outer) in leaf.outer.iter().enumerate() {
                if let Some(outer) = outer {
                    data.sides[side].traces = outer.traces_of(&at_nodes[side], reference);
                }
            }
        }
        let factored = self.patches.with_data(&data, values);
        let state = self.patches.solved(&factored)?;
        let rank = reference.rank();
        let mut beta = Vec::with_capacity(self.info.cols);
        for v in 0..unknowns {
            for c in &state.coefficients {
                let c = &c[v * rank..(v + 1) * rank];
                beta.extend(reference.compression.coefficients(c));
            }
        }
        Ok(beta)
    }

    fn adjoint_one(&self, covector: &[f64]) -> Vec<f64> {
        let (mesh, unknowns) = (&self.patches.mesh, self.patches.problem.unknowns);
        let reference = &mesh.reference;
        let leaves = self.patches.leaves();
        let (inner, rank) = (reference.inner.len(), reference.rank());
        let features = reference.compression.features();
        let of_leaf = |l: usize| -> Vec<f64> {
            let of = |v: usize| {
                let start = (v * leaves.len() + l) * features;
                let own = &covector[start..start + features];
                reference.compression.covector(own)
            };
            (0..unknowns).flat_map(of).collect()
        };
        let covectors: Vec<Vec<f64>> = (0..leaves.len()).map(of_leaf).collect();
        debug_assert!(covectors.iter().all(|c| c.len() == unknowns * rank));
        let nothing: Vec<LeafData> = leaves.iter().map(|leaf| empty(leaf)).collect();
        let values = vec![0.0; self.patches.problem.functionals.len()];
        let factored = self.patches.with_data(&nothing, values);
        let found = factored.transposed(&covectors);
        let sharing = &factored.sharing;
        // What is said of the leaves of other processes is known there.
        let here = |l: usize| factored.owners[l] == sharing.rank();
        let mut out = vec![0.0; self.info.rows];
        self.each_block(|block, start| match block {
            BlockRows::Equation(e) => {
                for (l, leaf) in leaves.iter().enumerate().filter(|(l, _)| here(*l)) {
                    let own = &found.leaves[l].inner[e * inner..(e + 1) * inner];
                    let target = &mut out[start + l * inner..start + (l + 1) * inner];
                    let pairs = target.iter_mut().zip(own);
                    pairs.for_each(|(t, v)| *t = v / leaf.frame.scale);
                }
            }
            BlockRows::Nodes(list) => {
                for (i, own) in list.iter().enumerate().filter(|(_, own)| here(own.leaf)) {
                    if let Some(outer) = &leaves[own.leaf].outer[own.side] {
                        let traces = &found.leaves[own.leaf].sides[own.side].traces;
                        let at_nodes = outer.transposed(traces, reference);
                        let count = outer.chosen.len();
                        out[start + i] = at_nodes[own.row * count + own.node];
                    }
                }
            }
            BlockRows::Functionals(which) => {
                let leads = sharing.rank() == 0;
                for (i, &k) in which.iter().enumerate().filter(|_| leads) {
                    out[start + i] = found.values[k];
                }
            }
        });
        sharing.sum(out)
    }
}

impl Factored for PatchRows {
    fn solution(&self) -> Result<Mat<f64>, SolveError> {
        let beta = self.patches.solution().coefficients();
        Ok(Mat::from_fn(beta.len(), 1, |i, _| beta[i]))
    }

    fn solve(&self, right_hand_sides: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        each_column(right_hand_sides, self.info.rows, self.info.cols, |rows| {
            self.solve_one(rows).map_err(SolveError::from)
        })
    }

    fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        each_column(covectors, self.info.cols, self.info.rows, |covector| {
            Ok(self.adjoint_one(covector))
        })
    }

    fn info(&self) -> &LsqInfo {
        &self.info
    }
}

/// Applies a map to every column of a matrix of the right height.
fn each_column(
    from: MatRef<'_, f64>,
    rows: usize,
    to: usize,
    map: impl Fn(&[f64]) -> Result<Vec<f64>, SolveError>,
) -> Result<Mat<f64>, SolveError> {
    if from.nrows() != rows {
        return Err(SolveError::Table {
            label: "factored patches".to_owned(),
            what: "rows",
            expected: rows,
            found: from.nrows(),
        });
    }
    let mut out = Mat::zeros(to, from.ncols());
    for j in 0..from.ncols() {
        let column: Vec<f64> = (0..rows).map(|i| from[(i, j)]).collect();
        for (i, value) in map(&column)?.into_iter().enumerate() {
            out[(i, j)] = value;
        }
    }
    Ok(out)
}

/// Nothing given.
fn empty(leaf: &Leaf) -> LeafData {
    LeafData {
        sides: vec![SideData::default(); leaf.outer.len()],
        ..LeafData::default()
    }
}

/// Zeros at the nodes of every outer side.
fn nodes(leaf: &Leaf, unknowns: usize) -> Vec<Vec<f64>> {
    let count = |outer: &Option<OuterSide>| {
        let nodes = outer.as_ref().map_or(0, |outer| outer.chosen.len());
        vec![0.0; unknowns * nodes]
    };
    leaf.outer.iter().map(count).collect()
}
