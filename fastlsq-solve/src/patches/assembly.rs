//! A leaf's part of the skeleton's matrix.

use faer::{Mat, MatRef};

use super::leaf::Leaf;
use super::reference::{Reference, times};
use super::skeleton::{Link, Skeleton};

impl Skeleton {
    /// The leaf's part of the skeleton's matrix.
    pub(super) fn leaf_matrix(
        &self,
        place: usize,
        leaf: &Leaf,
        blocks: &[u32],
        reference: &Reference,
        unknowns: usize,
    ) -> Mat<f64> {
        let nodes = reference.side_nodes();
        let size = unknowns * nodes;
        let links = &self.links[place];
        let mut matrix = Mat::zeros(blocks.len() * size, blocks.len() * size);
        let local = |link: &Link| {
            let block = link.block()?;
            blocks.iter().position(|b| *b == block)
        };
        let Some(operator) = &leaf.operator else {
            return matrix;
        };
        for (side, link) in links.iter().enumerate() {
            let Some(row) = local(link) else { continue };
            let rows = leaf.outer[side]
                .as_ref()
                .and_then(|outer| outer.rows.as_ref());
            let outer = rows.map(|rows| times(rows.matrix.as_ref(), operator.solve.as_ref()));
            for (other, column_link) in links.iter().enumerate() {
                let Some(column) = local(column_link) else {
                    continue;
                };
                let mut part = match (&outer, link) {
                    (Some(rows), _) => rows.as_ref().subcols(other * size, size).to_owned(),
                    (None, Link::Balance { part, factor, .. }) => {
                        let map = operator.steklov.as_ref();
                        let map = map.submatrix(side * size, other * size, size, size);
                        let collected = match part {
                            Some(p) => {
                                each_unknown(&reference.rule.transfers[*p].collect, map, nodes)
                            }
                            None => map.to_owned(),
                        };
                        collected * faer::Scale(*factor)
                    }
                    (None, _) => continue,
                };
                if let Link::Balance { part: Some(p), .. } = column_link {
                    let refine = &reference.rule.transfers[*p].refine;
                    let transposed =
                        each_unknown(&refine.transpose().to_owned(), part.transpose(), nodes);
                    part = transposed.transpose().to_owned();
                }
                let mut target =
                    matrix
                        .as_mut()
                        .submatrix_mut(row * size, column * size, size, size);
                target += &part;
            }
        }
        matrix
    }
}

/// (I ⊗ A)·B: A on the nodes of each unknown.
fn each_unknown(a: &Mat<f64>, b: MatRef<'_, f64>, nodes: usize) -> Mat<f64> {
    let mut out = Mat::zeros(b.nrows(), b.ncols());
    for start in (0..b.nrows()).step_by(nodes.max(1)) {
        crate::lsq::add_product(
            out.as_mut().subrows_mut(start, nodes),
            1.0,
            a.as_ref(),
            b.subrows(start, nodes),
            false,
        );
    }
    out
}
