//! Where the rows of a stated problem stand on patches: inner points of leaves, nodes of outer sides, functionals.

use ndarray::{Array2, Axis};

use super::coefficients::place;
use super::leaf::Leaf;
use super::outer::normals_of;
use super::stated::Origins;
use super::{Data, FactoredPatches, PatchError};
use crate::problem::{ConcretePlace, ConcreteProblem};
use crate::system::RowBlock;

/// Where a row of a condition on a face stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeRow {
    pub(super) leaf: usize,
    pub(super) side: usize,
    /// Its number among the rows of the condition there, and among the nodes.
    pub(super) row: usize,
    pub(super) node: usize,
}

/// Which data the rows of a block are.
#[derive(Debug)]
pub(super) enum BlockRows {
    /// An equation, at the inner points of all leaves.
    Equation(usize),
    /// A condition, at nodes of outer sides.
    Nodes(Vec<NodeRow>),
    /// Numbers of functionals.
    Functionals(Vec<usize>),
}

/// What the rows of equations and conditions are, in the order stated.
pub(super) fn layout(
    problem: &ConcreteProblem,
    origins: &Origins,
    patches: &FactoredPatches,
) -> Vec<BlockRows> {
    let mut conditions: Vec<Vec<NodeRow>> = vec![Vec::new(); problem.conditions.len()];
    for (leaf, own) in patches.leaves().into_iter().enumerate() {
        for (side, outer) in own.outer.iter().enumerate() {
            for (node, &condition) in outer.iter().flat_map(|o| o.chosen.iter().enumerate()) {
                for (row, &origin) in origins.conditions[condition].iter().enumerate() {
                    conditions[origin].push(NodeRow {
                        leaf,
                        side,
                        row,
                        node,
                    });
                }
            }
        }
    }
    let mut blocks: Vec<BlockRows> = (0..problem.equations.len())
        .map(BlockRows::Equation)
        .collect();
    for (index, nodes) in conditions.into_iter().enumerate() {
        let place = &problem.conditions[index].place;
        blocks.push(if matches!(place, ConcretePlace::Points { .. }) {
            let all = origins.functionals.iter().enumerate();
            let own = all.filter(|(_, origin)| **origin == index);
            BlockRows::Functionals(own.map(|(k, _)| k).collect())
        } else {
            BlockRows::Nodes(nodes)
        });
    }
    blocks
}

/// The same rows as operators at points.
pub(super) fn system_blocks(
    problem: &ConcreteProblem,
    blocks: &[BlockRows],
    patches: &FactoredPatches,
) -> Result<Vec<RowBlock>, PatchError> {
    let reference = &patches.mesh.reference;
    let leaves = patches.leaves();
    let dim = reference.dim;
    let at = |points: &Array2<f64>, leaf: &Leaf| {
        place(points.view(), &leaf.frame.center, &leaf.frame.half)
    };
    let mut out = Vec::with_capacity(blocks.len());
    let stated = problem
        .equations
        .iter()
        .map(|e| (&e.label, &e.operator, &e.source));
    let conditions = problem.conditions.iter();
    let stated = stated.chain(conditions.map(|c| (&c.label, &c.operator, &c.data)));
    for (block, (label, operator, data)) in blocks.iter().zip(stated) {
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        let mut shift = Vec::new();
        match block {
            BlockRows::Equation(_) => {
                for leaf in &leaves {
                    points.extend(at(&reference.inner.points, leaf));
                }
            }
            BlockRows::Nodes(list) => {
                for own in list {
                    let nodes = &reference.sides[own.side].points;
                    let one = nodes.row(own.node).to_owned().insert_axis(Axis(0));
                    points.extend(at(&one, leaves[own.leaf]));
                    normals.extend(normals_of(own.side, (1, dim)));
                }
            }
            BlockRows::Functionals(_) => {
                let condition = &problem.conditions[out.len() - problem.equations.len()];
                if let ConcretePlace::Points {
                    points: own,
                    values,
                } = &condition.place
                {
                    points.extend(own.iter().copied());
                    shift.clone_from(values);
                }
            }
        }
        let table = |numbers: Vec<f64>| {
            let rows = numbers.len() / dim.max(1);
            Array2::from_shape_vec((rows, dim), numbers).unwrap_or_else(|_| Array2::zeros((0, dim)))
        };
        let mut rows = RowBlock::new(label, operator.clone(), table(points), Vec::new());
        if !normals.is_empty() {
            rows.normals = Some(table(normals));
        }
        let given = Data::from(data.clone());
        rows.data = given.values(|| label.clone(), &rows.sites())?;
        rows.data.iter_mut().zip(shift).for_each(|(d, s)| *d += s);
        out.push(rows);
    }
    Ok(out)
}
